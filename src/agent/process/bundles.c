/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather, scatter and all-to-all: each host sends each other one the blocks of its members for that
 * host's members, as one message, by source and then by destination. If blocks have different
 * sizes, a table of these goes before. Hosts send to the one behind them first, so that not all
 * send to the same. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/process/call.h"

/* What one host sends another. */
typedef struct bundle {
  call_t *call;
  int sources, targets; /* members */
  bool varied;
  int64_t *elements; /* of each block, if they differ */
  char *data, *own;  /* the memory that is this one's, if it is */
  size_t bytes;
  bool asked; /* in: the data may come */
  bool here;  /* in: they have, or the table has */
} bundle_t;

struct bundles {
  int next;           /* how far behind this one the host is that is sent to next */
  bundle_t *in, *out; /* by host */
  size_t *at;         /* of each source's input: where the next host's part begins */
};

static bool is_gather(const call_t *c)
{
  return c->order.op == SCHEDULE_GATHER || c->order.op == SCHEDULE_GATHERV;
}

static bool is_scatter(const call_t *c)
{
  return c->order.op == SCHEDULE_SCATTER || c->order.op == SCHEDULE_SCATTERV;
}

static bool is_varied(const call_t *c)
{
  return c->order.op == SCHEDULE_GATHERV || c->order.op == SCHEDULE_SCATTERV ||
         c->order.op == SCHEDULE_ALLTOALLV;
}

static int is_root_host(const call_t *c, int host)
{
  return structure_host_of(c->s, c->order.root) == host;
}

static int sources_of(const call_t *c, int host)
{
  return is_scatter(c) ? is_root_host(c, host) : structure_host_members(c->s, host);
}

static int targets_of(const call_t *c, int host)
{
  return is_gather(c) ? is_root_host(c, host) : structure_host_members(c->s, host);
}

/* The member that is this host's i-th source or target. */
static int member_of(const call_t *c, bool only_root, int i)
{
  return only_root ? c->order.root - c->s->first[c->s->me] : i;
}

static int64_t elements_of(const call_t *c, const bundle_t *b, int source, int target)
{
  return b->varied ? b->elements[source * b->targets + target] : c->order.count;
}

/* Bytes of a source's blocks, all its targets' together. */
static size_t row_bytes(const call_t *c, const bundle_t *b, int source)
{
  int64_t n = 0;
  for (int t = 0; t < b->targets; t++) n += elements_of(c, b, source, t);
  return (size_t)n * (size_t)c->order.element;
}

static size_t all_bytes(const call_t *c, const bundle_t *b)
{
  size_t all = 0;
  for (int i = 0; i < b->sources; i++) all += row_bytes(c, b, i);
  return all;
}

/* A member's table has an element for each rank that it may send to. */
static int table_length(const call_t *c) { return is_gather(c) ? 1 : structure_all(c->s); }

static size_t table_bytes(const call_t *c)
{
  return is_varied(c) ? (size_t)table_length(c) * sizeof(int64_t) : 0;
}

static bool make_table(bundle_t *b)
{
  if (!b->varied) return true;
  b->elements = malloc((size_t)b->sources * (size_t)b->targets * sizeof *b->elements + 1);
  return b->elements != NULL;
}

/* What this host sends to a host. */
static bool fill(call_t *c, bundles_t *k, int host)
{
  bundle_t *b = &k->out[host];
  if (b->sources == 0 || b->targets == 0) return true;
  if (!make_table(b)) return false;
  size_t first = is_gather(c) ? 0 : (size_t)c->s->first[host], at = 0;
  for (int i = 0; i < b->sources && b->varied; i++) {
    const part_t *p = &c->part[member_of(c, is_scatter(c), i)];
    memcpy(b->elements + i * b->targets, p->in + first * sizeof *b->elements,
           (size_t)b->targets * sizeof *b->elements);
  }
  b->bytes = all_bytes(c, b);
  if (b->sources > 1 && !(b->data = b->own = malloc(b->bytes + 1))) return false;
  for (int i = 0; i < b->sources; i++) {
    const char *from = c->part[member_of(c, is_scatter(c), i)].in + table_bytes(c) + k->at[i];
    size_t bytes = row_bytes(c, b, i);
    if (b->own)
      memcpy(b->own + at, from, bytes);
    else
      b->data = (char *)(uintptr_t)from;
    at += bytes;
    k->at[i] += bytes;
  }
  return true;
}

static void table_came(void *with)
{
  bundle_t *b = with;
  b->here = true;
  call_message_done(b->call);
}

/* Places for what comes: tables, or data whose sizes are known. */
static bool expect(call_t *c, bundle_t *b, int host)
{
  if (b->sources == 0 || b->targets == 0 || host == c->s->me) {
    b->asked = true;
    return true;
  }
  if (b->varied)
    return make_table(b) &&
           call_receive(c, host, b->elements,
                        (size_t)b->sources * (size_t)b->targets * sizeof *b->elements, table_came,
                        b);
  b->here = true;
  return true;
}

static bool ask(call_t *c, bundle_t *b, int host)
{
  b->asked = true;
  b->bytes = all_bytes(c, b);
  b->data = b->own = malloc(b->bytes + 1);
  return b->data &&
         (b->bytes == 0 || call_receive(c, host, b->data, b->bytes, call_message_done, c));
}

int bundles_begin(call_t *c)
{
  structure_t *s = c->s;
  bundles_t *k = c->bundles = calloc(1, sizeof *k);
  if (!k) return ENOMEM;
  k->in = calloc(2 * (size_t)s->hosts, sizeof *k->in);
  k->at = calloc((size_t)s->members, sizeof *k->at);
  if (!k->in || !k->at) return ENOMEM;
  k->out = k->in + s->hosts;
  bool good = true;
  for (int h = 0; h < s->hosts && good; h++) {
    k->out[h] = (bundle_t){.call = c,
                           .sources = sources_of(c, s->me),
                           .targets = targets_of(c, h),
                           .varied = is_varied(c)};
    k->in[h] = (bundle_t){.call = c,
                          .sources = sources_of(c, h),
                          .targets = targets_of(c, s->me),
                          .varied = is_varied(c)};
    good = fill(c, k, h) && expect(c, &k->in[h], h);
  }
  k->next = 1;
  return good ? 0 : ENOMEM;
}

/* 1: sent, or there is nothing for that host; 0: later; -1: memory is out. */
static int send_to(call_t *c, bundles_t *k, int host)
{
  bundle_t *b = &k->out[host];
  if (b->sources == 0 || b->targets == 0) return 1;
  if (!call_may_send(c, host)) return 0;
  size_t table = (size_t)b->sources * (size_t)b->targets * sizeof *b->elements;
  bool good = true;
  if (b->varied) good = call_send(c, host, b->elements, table, call_message_done, c);
  if (good && b->bytes) good = call_send(c, host, b->data, b->bytes, call_message_done, c);
  return good ? 1 : -1;
}

int bundles_run(call_t *c)
{
  bundles_t *k = c->bundles;
  int hosts = c->s->hosts;
  for (int h = 0; h < hosts; h++)
    if (!k->in[h].asked && k->in[h].here && !ask(c, &k->in[h], h)) return -1;
  for (; k->next < hosts; k->next++) {
    int sent = send_to(c, k, (c->s->me + k->next) % hosts);
    if (sent <= 0) return sent;
  }
  bool over = c->pending == 0;
  for (int h = 0; h < hosts; h++) over = over && k->in[h].asked;
  return over;
}

/* Blocks of a bundle to their targets, whose results have come as far as `to`. */
static void spread(const call_t *c, const bundle_t *b, char *out, size_t *to)
{
  const char *from = b->data;
  for (int i = 0; i < b->sources; i++)
    for (int t = 0; t < b->targets; t++) {
      size_t bytes = (size_t)elements_of(c, b, i, t) * (size_t)c->order.element;
      if (bytes) memcpy(out + to[t], from, bytes);
      to[t] += bytes;
      from += bytes;
    }
}

int bundles_end(call_t *c)
{
  bundles_t *k = c->bundles;
  int hosts = c->s->hosts, targets = targets_of(c, c->s->me);
  size_t *to = k->at, all = 0; /* the input isn't needed any more */
  k->in[c->s->me].data = k->out[c->s->me].data;
  k->in[c->s->me].elements = k->out[c->s->me].elements;
  for (int t = 0; t < targets; t++) {
    part_t *p = &c->part[member_of(c, is_gather(c), t)];
    p->at = to[t] = all;
    for (int h = 0; h < hosts; h++)
      for (int i = 0; i < k->in[h].sources; i++)
        all += (size_t)elements_of(c, &k->in[h], i, t) * (size_t)c->order.element;
    p->bytes = all - p->at;
  }
  if (!call_make_out(c, all)) return ENOMEM;
  for (int h = 0; h < hosts && targets > 0; h++) spread(c, &k->in[h], call_out(c), to);
  k->in[c->s->me].elements = NULL;
  return 0;
}

void bundles_free(bundles_t *k)
{
  if (!k) return;
  for (int h = 0; k->in && k->out && h < k->out - k->in; h++) {
    free(k->in[h].elements);
    free(k->in[h].own);
    free(k->out[h].elements);
    free(k->out[h].own);
  }
  free(k->in);
  free(k->at);
  free(k);
}
