/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/arrivals_counts.h"

#include <stdlib.h>
#include <string.h>

#include "rma/rma_progress.h"

enum { ROUNDS = 32, FENCES = 2 /* under way at once */, PART = MAIL_ROOM / sizeof(uint32_t) };

/* What a round of a fence has brought. */
typedef struct round {
  uint32_t came; /* numbers */
  uint32_t expected;
  uint32_t *number; /* room for all ranks */
} round_t;

struct counts {
  round_t round[FENCES][ROUNDS];
  int *first; /* of each distance from this host: where its ranks' counts begin; n + 1 of them */
  int *order; /* ranks by the distance of their hosts */
  uint32_t *block; /* counts in that order */
  uint32_t *memory;
};

/* Rounds that so many hosts need. */
static int rounds_of(int hosts)
{
  int n = 0;
  for (int left = hosts; left > 1; left = (left + 1) / 2) n++;
  return n;
}

struct counts *counts_new(const rma_window_t *w)
{
  struct counts *c = calloc(1, sizeof *c);
  size_t ranks = (size_t)w->size, hosts = (size_t)w->n_hosts;
  int rounds = rounds_of(w->n_hosts);
  if (!c) return NULL;
  c->first = calloc(hosts + 1 + ranks, sizeof *c->first);
  c->memory = calloc(ranks * (size_t)(1 + FENCES * rounds), sizeof *c->memory);
  if (!c->first || !c->memory) {
    counts_free(c);
    return NULL;
  }
  c->order = c->first + hosts + 1;
  c->block = c->memory;
  for (int k = 0; k < FENCES * rounds; k++)
    c->round[k % FENCES][k / FENCES].number = c->memory + (size_t)(k + 1) * ranks;
  for (int i = 0; i < w->size; i++)
    c->first[(w->host[i] - w->my_host + w->n_hosts) % w->n_hosts + 1]++;
  for (int k = 0; k < w->n_hosts; k++) c->first[k + 1] += c->first[k];
  int *next = malloc(hosts * sizeof *next);
  if (!next) {
    counts_free(c);
    return NULL;
  }
  memcpy(next, c->first, hosts * sizeof *next);
  for (int i = 0; i < w->size; i++)
    c->order[next[(w->host[i] - w->my_host + w->n_hosts) % w->n_hosts]++] = i;
  free(next);
  return c;
}

void counts_free(struct counts *c)
{
  if (!c) return;
  free(c->first);
  free(c->memory);
  free(c);
}

void counts_came(struct counts *c, const mail_message_t *m)
{
  if (m->head.round >= ROUNDS) return;
  round_t *r = &c->round[m->head.epoch % FENCES][m->head.round];
  if (!r->number) return;
  memcpy(r->number + m->head.at, m->data, m->head.bytes);
  r->came += m->head.bytes / (uint32_t)sizeof *r->number;
}

/* Sends the counts of the distances from `half` on to the host at that distance. False: memory is
 * out. */
static bool send_round(struct counts *c, rma_window_t *w, uint32_t fence, int round, int half,
                       int end)
{
  int other = w->leader[(w->my_host + half) % w->n_hosts];
  uint32_t begin = (uint32_t)c->first[half], n = (uint32_t)c->first[end] - begin;
  bool sent = true;
  progress_lock();
  for (uint32_t at = 0; at < n && sent; at += PART) {
    uint32_t some = n - at < PART ? n - at : PART;
    mail_message_t *m = mail_new();
    sent = m != NULL;
    if (!sent) break;
    m->head = (mail_head_t){.kind = MAIL_COUNTS,
                            .window = w->target[other].window,
                            .from = w->rank,
                            .epoch = fence,
                            .round = (uint32_t)round,
                            .at = at,
                            .bytes = some * (uint32_t)sizeof *c->block};
    memcpy(m->data, c->block + begin + at, m->head.bytes);
    mail_send(m, w->target[other].world);
  }
  progress_unlock();
  return sent;
}

static bool is_here(void *round)
{
  const round_t *r = round;
  progress_lock();
  bool here = r->came == r->expected;
  progress_unlock();
  return here;
}

int counts_exchange(struct counts *c, rma_window_t *w, uint32_t fence, uint32_t *counts)
{
  for (int i = 0; i < w->size; i++) c->block[i] = counts[c->order[i]];
  int end = w->n_hosts;
  for (int round = 0; end > 1; round++) {
    int half = (end + 1) / 2;
    if (!send_round(c, w, fence, round, half, end)) return MPI_ERR_NO_MEM;
    round_t *r = &c->round[fence % FENCES][round];
    r->expected = (uint32_t)c->first[end - half];
    progress_until(is_here, r,
                   w->target[w->leader[(w->my_host - half + w->n_hosts) % w->n_hosts]].world);
    for (uint32_t i = 0; i < r->expected; i++) c->block[i] += r->number[i];
    r->came = 0;
    end = half;
  }
  for (int i = 0; i < c->first[1]; i++) counts[c->order[i]] = c->block[i];
  return MPI_SUCCESS;
}
