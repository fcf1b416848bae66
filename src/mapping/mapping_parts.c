/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads placements that graph tools write.
 * - Scotch's mapping file (its user's guide, version 7, section 5.5): the number of lines that
 *   follow, then a vertex and the number of its target place in each. That is the number of a PU,
 *   because both count leaves in the order of the tree.
 * - METIS's partition file (its manual, version 5, section 4.2): line i has the part of vertex i.
 *   METIS knows no machine. If there are as many parts as PUs, parts are PUs. If there are as many
 *   as hosts, parts are hosts, whose cores berth gives to their ranks in order. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "base/text.h"
#include "mapping/mapping_internal.h"

typedef struct parts {
  const char *name;
  const mapping_rules_t *rules;
  berth_error_t *err;
  const char *at;
  long line;
} parts_t;

bool parts_recognises(const char *text, size_t n)
{
  while (n > 0 && isspace((unsigned char)*text)) text++, n--;
  return n > 0 && isdigit((unsigned char)*text);
}

/* Skips empty lines; false at the end of the file. */
static bool next_line(parts_t *p)
{
  for (;; p->at++, p->line++) {
    p->at += strspn(p->at, " \t\r");
    if (*p->at != '\n') return *p->at != '\0';
  }
}

static int read_number(parts_t *p, const char *what, uint64_t max, int *out)
{
  char word[64];
  uint64_t value = 0;
  p->at += strspn(p->at, " \t");
  size_t n = strcspn(p->at, " \t\r\n");
  snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), p->at);
  p->at += n;
  if (n == 0 || !text_to_u64(word, 0, max, &value))
    return berth_fail(p->err, BERTH_BAD_INPUT,
                      "%s:%ld: %s: found %s%s%s, expected a whole number from 0 to %llu", p->name,
                      p->line, what, n ? "'" : "", n ? word : "the end of the line", n ? "'" : "",
                      (unsigned long long)max);
  *out = (int)value;
  return BERTH_OK;
}

static int end_line(parts_t *p)
{
  p->at += strspn(p->at, " \t\r");
  if (*p->at == '\n' || *p->at == '\0') return BERTH_OK;
  int n = (int)strcspn(p->at, "\r\n");
  return berth_fail(p->err, BERTH_BAD_INPUT, "%s:%ld: found '%.*s', expected the end of the line",
                    p->name, p->line, n < 20 ? n : 20, p->at);
}

static int check_ranks(const parts_t *p, const char *what, int ranks)
{
  if (ranks < 1)
    return berth_fail(p->err, BERTH_BAD_INPUT, "%s: found no %s, expected some", p->name, what);
  if (p->rules->ranks < 0 || ranks == p->rules->ranks) return BERTH_OK;
  return berth_fail(p->err, BERTH_BAD_INPUT,
                    "%s: found %d %s, expected %d, the number of the pattern's ranks", p->name,
                    ranks, what, p->rules->ranks);
}

/* Reads "RANK PU" lines in any order. -1 in pu_of_rank marks ranks that are still missing. */
static int read_pairs(parts_t *p, berth_mapping_t *m)
{
  int lines = 0, rc = BERTH_OK;
  for (; !rc && next_line(p); lines++) {
    int rank = 0, pu = 0;
    rc = read_number(p, "rank", (uint64_t)m->ranks - 1, &rank);
    if (!rc) rc = read_number(p, "PU", (uint64_t)p->rules->pus - 1, &pu);
    if (!rc) rc = end_line(p);
    if (!rc && m->pu_of_rank[rank] >= 0)
      rc = berth_fail(p->err, BERTH_BAD_INPUT, "%s:%ld: found rank %d twice, expected once",
                      p->name, p->line, rank);
    if (!rc) m->pu_of_rank[rank] = pu;
  }
  if (!rc && lines != m->ranks)
    rc = berth_fail(p->err, BERTH_BAD_INPUT, "%s: found %d ranks, expected %d, as the file begins",
                    p->name, lines, m->ranks);
  return rc;
}

/* The first line says how many follow. */
static int read_scotch(parts_t *p, berth_mapping_t *m)
{
  int rc = next_line(p) ? read_number(p, "ranks", BERTH_MAX_RANKS, &m->ranks) : BERTH_OK;
  if (!rc) rc = end_line(p);
  if (!rc) rc = check_ranks(p, "ranks", m->ranks);
  m->pu_of_rank = rc ? NULL : malloc(((size_t)m->ranks + 1) * sizeof *m->pu_of_rank);
  if (!rc && !m->pu_of_rank) rc = no_memory(p->err);
  for (int r = 0; !rc && r < m->ranks; r++) m->pu_of_rank[r] = -1;
  return rc ? rc : read_pairs(p, m);
}

/* The number of parts: the end of the file's name, as gpmetis writes it. */
static int count_parts(const parts_t *p, const berth_mapping_t *m)
{
  uint64_t n;
  int last = 0;
  const char *end = strstr(p->name, ".part.");
  for (int r = 0; r < m->ranks; r++)
    if (m->pu_of_rank[r] > last) last = m->pu_of_rank[r];
  for (const char *next = end; next; next = strstr(next + 1, ".part.")) end = next;
  if (end && text_to_u64(end + strlen(".part."), (uint64_t)last + 1, BERTH_MAX_PUS, &n))
    return (int)n;
  return last + 1;
}

typedef struct slot {
  int host, core, pu, thread; /* thread: index within its core */
} slot_t;

ORDER_BY(by_core, slot_t, RISING(host) RISING(core) RISING(pu))

ORDER_BY(by_thread, slot_t, RISING(host) RISING(thread) RISING(pu))

/* Lists the PUs of each host in turn, the first threads of all its cores before the second ones. */
static void order_slots(const berth_topo_t *t, slot_t *slot)
{
  int n = berth_topo_n_pus(t);
  for (int i = 0; i < n; i++) {
    const berth_pu_t *pu = berth_topo_pu(t, i);
    slot[i] = (slot_t){pu->host, pu->core, i, 0};
  }
  qsort(slot, (size_t)n, sizeof *slot, by_core);
  for (int i = 1; i < n; i++)
    if (slot[i].host == slot[i - 1].host && slot[i].core == slot[i - 1].core)
      slot[i].thread = slot[i - 1].thread + 1;
  qsort(slot, (size_t)n, sizeof *slot, by_thread);
}

/* Replaces ranks' hosts by PUs. taken has an entry for each host. */
static int take_slots(parts_t *p, const slot_t *slot, int *first, int *taken, berth_mapping_t *m)
{
  const berth_topo_t *t = p->rules->t;
  for (int i = berth_topo_n_pus(t) - 1; i >= 0; i--) first[slot[i].host] = i;
  for (int r = 0; r < m->ranks; r++) {
    int part = m->pu_of_rank[r];
    const berth_host_t *host = berth_topo_host(t, part);
    int room = berth_topo_element(t, host->element)->n_pus;
    if (taken[part] == room && !p->rules->shared)
      return berth_fail(p->err, BERTH_BAD_INPUT,
                        "%s: rank %d: found part %d with more than %d ranks, the PUs of host %s, "
                        "expected no more (sharing a PU is taken only with `shared`)",
                        p->name, r, part, room, host->name);
    m->pu_of_rank[r] = slot[first[part] + taken[part]++ % room].pu;
  }
  return BERTH_OK;
}

static int spread_on_hosts(parts_t *p, berth_mapping_t *m)
{
  const berth_topo_t *t = p->rules->t;
  slot_t *slot = malloc((size_t)berth_topo_n_pus(t) * sizeof *slot);
  int *first = calloc((size_t)berth_topo_n_hosts(t), sizeof *first);
  int *taken = calloc((size_t)berth_topo_n_hosts(t), sizeof *taken);
  int rc = slot && first && taken ? BERTH_OK : no_memory(p->err);
  if (!rc) {
    order_slots(t, slot);
    rc = take_slots(p, slot, first, taken, m);
  }
  free(slot);
  free(first);
  free(taken);
  return rc;
}

static int read_metis(parts_t *p, berth_mapping_t *m)
{
  int rc = BERTH_OK, hosts = p->rules->t ? berth_topo_n_hosts(p->rules->t) : 0;
  size_t cap = 0, n = 0;
  while (!rc && next_line(p)) {
    if (n == BERTH_MAX_RANKS || !ARRAY_GROW(&m->pu_of_rank, n, &cap)) return no_memory(p->err);
    rc = read_number(p, "part", (uint64_t)p->rules->pus - 1, &m->pu_of_rank[n]);
    if (!rc) rc = end_line(p);
    n++;
  }
  m->ranks = (int)n;
  if (!rc) rc = check_ranks(p, "lines", m->ranks);
  if (rc || !p->rules->t) return rc;
  int parts = count_parts(p, m);
  if (parts == p->rules->pus) return BERTH_OK;
  if (parts == hosts) return spread_on_hosts(p, m);
  return berth_fail(p->err, BERTH_BAD_INPUT,
                    "%s: found %d parts, expected %d, the machine's PUs, or %d, its hosts", p->name,
                    parts, p->rules->pus, hosts);
}

static int check_shared(const parts_t *p, const berth_mapping_t *m)
{
  int rc = BERTH_OK;
  int *rank_of_pu = p->rules->shared ? NULL : calloc((size_t)p->rules->pus, sizeof *rank_of_pu);
  if (!p->rules->shared && !rank_of_pu) return no_memory(p->err);
  for (int r = 0; rank_of_pu && r < m->ranks && !rc; r++) {
    int pu = m->pu_of_rank[r];
    if (rank_of_pu[pu])
      rc = berth_fail(p->err, BERTH_BAD_INPUT, "%s: rank %d: " MAPPING_PU_TAKEN, p->name, r, pu,
                      rank_of_pu[pu] - 1);
    rank_of_pu[pu] = r + 1;
  }
  free(rank_of_pu);
  return rc;
}

/* Whether the second line has two words. */
static bool is_scotch(const char *text)
{
  text += strspn(text, " \t\r\n");
  text += strcspn(text, "\n");
  text += strspn(text, " \t\r\n");
  text += strcspn(text, " \t\r\n");
  text += strspn(text, " \t");
  return isalnum((unsigned char)*text) || *text == '-';
}

int parts_parse(const char *text, size_t n, const char *name, const mapping_rules_t *rules,
                berth_mapping_t *m, berth_error_t *err)
{
  char *copy = strndup(text, n); /* terminated by a zero */
  parts_t p = {name, rules, err, copy, 1};
  if (!copy) return no_memory(err);
  bool scotch = is_scotch(copy);
  int rc = scotch ? read_scotch(&p, m) : read_metis(&p, m);
  if (!rc) rc = check_shared(&p, m);
  m->algorithm = strdup(scotch ? "scotch" : "metis");
  m->model = strdup("");
  m->topology = strdup("");
  if (!rc && (!m->algorithm || !m->model || !m->topology)) rc = no_memory(err);
  free(copy);
  return rc;
}
