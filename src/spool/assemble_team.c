/* SPDX-License-Identifier: BSD-3-Clause */
/* A pattern made by a team, of which each member has some of the tables: what they tell each other.
 * A rank's own lines (messages, one-sided operations, orders) stay where its table is; everything
 * that belongs to no rank comes to the first member. Numbers of sites, communicators and windows
 * are each member's own, so between members they go by their contents. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "spool/assemble_internal.h"

enum {
  FACT_HEADER,
  FACT_PHASE,
  FACT_CALL,
  FACT_MOST, /* the same of `most` */
  FACT_COMM,
  FACT_WINDOW,
  FACT_UNMODELLED,
  FACT_SITE,
  FACT_TOTALS
};

/* What a fact of a phase, whose number is the key, says. */
typedef struct phase_value {
  uint64_t repeats;
  uint32_t used, uneven;
} phase_value_t;

/* A communicator between members. */
typedef struct comm_key {
  uint64_t key[3]; /* 0 of MPI_COMM_WORLD */
} comm_key_t;

typedef struct window_key {
  comm_key_t comm;
  uint64_t number;
} window_key_t;

/* The key of a call; behind it stand the operation and the site, which may be none. */
typedef struct call_key {
  comm_key_t comm;
  uint64_t bytes; /* of calls that don't vary */
  uint32_t phase, varies, op_bytes, parts, src, dst;
  int32_t root, unused;
} call_key_t;

/* Numbers in the order of bytes. */
static void put_number(facts_t *f, uint32_t kind, uint32_t number, const void *value, size_t n)
{
  const unsigned char key[4] = {(unsigned char)(number >> 24), (unsigned char)(number >> 16),
                                (unsigned char)(number >> 8), (unsigned char)number};
  facts_put(f, kind, key, sizeof key, value, n);
}

static uint32_t get_number(const fact_t *fact)
{
  return (uint32_t)fact->key[0] << 24 | (uint32_t)fact->key[1] << 16 | (uint32_t)fact->key[2] << 8 |
         fact->key[3];
}

static void combine_phases(facts_t *into, const fact_t *a, const fact_t *b)
{
  phase_value_t p, q;
  memcpy(&p, a->value, sizeof p);
  memcpy(&q, b->value, sizeof q);
  p.used |= q.used;
  p.uneven |= q.uneven | (p.repeats != q.repeats);
  facts_put(into, a->kind, a->key, a->key_bytes, &p, sizeof p);
}

static void combine_calls(facts_t *into, const fact_t *a, const fact_t *b)
{
  called_t call, more;
  memcpy(&call, a->value, sizeof call);
  memcpy(&more, b->value, sizeof more);
  called_add(&call, &more, true);
  facts_put(into, a->kind, a->key, a->key_bytes, &call, sizeof call);
}

/* Whole numbers, added up one by one. */
static void combine_sums(facts_t *into, const fact_t *a, const fact_t *b)
{
  uint64_t sum[sizeof(totals_t) / sizeof(uint64_t)], x;
  memcpy(sum, a->value, a->value_bytes);
  for (size_t i = 0; i < a->value_bytes / sizeof x; i++) {
    memcpy(&x, b->value + i * sizeof x, sizeof x);
    sum[i] += x;
  }
  facts_put(into, a->kind, a->key, a->key_bytes, sum, a->value_bytes);
}

static void combine(facts_t *into, const fact_t *a, const fact_t *b)
{
  if (a->kind == FACT_PHASE)
    combine_phases(into, a, b);
  else if (a->kind == FACT_CALL || a->kind == FACT_MOST)
    combine_calls(into, a, b);
  else if (a->kind == FACT_UNMODELLED || a->kind == FACT_TOTALS)
    combine_sums(into, a, b);
  else { /* both say the same, or one of them says nothing */
    const fact_t *known = a->value_bytes ? a : b;
    facts_put(into, a->kind, a->key, a->key_bytes, known->value, known->value_bytes);
  }
}

static comm_key_t comm_key(const assembly_t *a, uint32_t comm)
{
  comm_key_t key = {{0}};
  if (comm) memcpy(&key, a->comms.items[comm - 1].bytes, sizeof key);
  return key;
}

/* The number of a communicator + 1, 0 for MPI_COMM_WORLD; -1: out of memory. */
static long take_comm(assembly_t *a, const comm_key_t *key)
{
  static const comm_key_t world;
  if (memcmp(key, &world, sizeof world) == 0) return 0;
  long number = comms_intern(a, key->key);
  return number < 0 ? -1 : number + 1;
}

int team_phases(assembly_t *a, int rc, berth_error_t *err)
{
  facts_t f = {0};
  fact_t fact;
  phase_value_t value;
  if (!a->team) return rc;
  for (size_t i = 0; i < a->n_phases; i++) {
    const phase_entry_t *p = &a->phase[i];
    value = (phase_value_t){p->repeats, p->used, p->uneven};
    put_number(&f, FACT_PHASE, p->id, &value, sizeof value);
  }
  rc = facts_agree(&f, a->team, combine, true, rc, err);
  a->n_phases = 0;
  for (size_t at = 0; facts_next(&f, &at, &fact) && !rc;) {
    memcpy(&value, fact.value, sizeof value);
    if (!ARRAY_GROW(&a->phase, a->n_phases, &a->cap_phases)) rc = assembly_no_memory(err);
    if (rc) break;
    a->phase[a->n_phases++] = (phase_entry_t){.id = get_number(&fact),
                                              .used = value.used,
                                              .uneven = value.uneven,
                                              .repeats = value.repeats};
  }
  facts_clear(&f);
  return rc;
}

static void put_call(facts_t *f, uint32_t kind, const assembly_t *a, const called_t *k)
{
  const intern_item_t *op = &a->ops.items[k->op], *site = NULL;
  if (k->site) site = &a->sites.items[k->site - 1];
  const call_key_t head = {.comm = comm_key(a, k->comm),
                           .bytes = k->bytes,
                           .phase = k->phase,
                           .varies = k->varies,
                           .op_bytes = (uint32_t)op->n,
                           .parts = k->parts,
                           .src = k->src,
                           .dst = k->dst,
                           .root = k->root};
  size_t n = sizeof head + op->n + (site ? site->n : 0);
  unsigned char *key = malloc(n);
  if (!key) {
    f->failed = true;
    return;
  }
  memcpy(key, &head, sizeof head);
  memcpy(key + sizeof head, op->bytes, op->n);
  if (site) memcpy(key + sizeof head + op->n, site->bytes, site->n);
  facts_put(f, kind, key, n, k, sizeof *k);
  free(key);
}

static bool take_call(assembly_t *a, const fact_t *fact, called_t **list, size_t *n, size_t *cap)
{
  call_key_t head;
  called_t k;
  memcpy(&head, fact->key, sizeof head);
  memcpy(&k, fact->value, sizeof k);
  const unsigned char *op = fact->key + sizeof head, *site = op + head.op_bytes;
  size_t site_bytes = fact->key_bytes - sizeof head - head.op_bytes;
  long comm = take_comm(a, &head.comm), op_number = intern(&a->ops, op, head.op_bytes);
  long site_number = site_bytes ? intern(&a->sites, site, site_bytes) + 1 : 0;
  if (comm < 0 || op_number < 0 || (site_bytes && !site_number) || !ARRAY_GROW(list, *n, cap))
    return false;
  k.comm = (uint32_t)comm;
  k.op = (uint32_t)op_number;
  k.site = (uint32_t)site_number;
  (*list)[(*n)++] = k;
  return true;
}

static bool take_members(assembly_t *a, const fact_t *fact)
{
  comm_key_t key;
  memcpy(&key, fact->key, sizeof key);
  long number = take_comm(a, &key);
  if (number < 1 || a->comm[number - 1].ranks || !fact->value_bytes) return number >= 0;
  uint32_t *ranks = malloc(fact->value_bytes);
  if (!ranks) return false;
  memcpy(ranks, fact->value, fact->value_bytes);
  a->comm[number - 1] = (comm_entry_t){(uint32_t)(fact->value_bytes / sizeof *ranks), ranks};
  return true;
}

/* The number of a window from 0; -1: out of memory. */
static long take_window(assembly_t *a, const fact_t *fact)
{
  window_key_t key;
  memcpy(&key, fact->key, sizeof key);
  long comm = take_comm(a, &key.comm);
  return comm < 0 ? -1 : windows_intern(a, (uint32_t)comm, (uint32_t)key.number);
}

static bool take_unmodelled(assembly_t *a, const fact_t *fact)
{
  unmodelled_t u;
  long op = intern(&a->ops, fact->key, fact->key_bytes);
  if (op < 0 || !ARRAY_GROW(&a->unmodelled, a->n_unmodelled, &a->cap_unmodelled)) return false;
  u.op = (uint32_t)op;
  memcpy(&u.calls, fact->value, sizeof u.calls);
  a->unmodelled[a->n_unmodelled++] = u;
  return true;
}

static void take_header(assembly_t *a, const fact_t *fact)
{
  memcpy(&a->first, fact->value, sizeof a->first);
  a->job = a->first.job;
}

static void put_window(facts_t *f, const assembly_t *a, size_t window, const uint32_t *number)
{
  uint32_t comm, own;
  windows_key(a, window, &comm, &own);
  const window_key_t key = {comm_key(a, comm), own};
  facts_put(f, FACT_WINDOW, &key, sizeof key, number, number ? sizeof *number : 0);
}

static void put_all(facts_t *f, const assembly_t *a)
{
  if (a->n_ranks) facts_put(f, FACT_HEADER, NULL, 0, &a->first, sizeof a->first);
  for (size_t i = 0; i < a->n_called; i++) put_call(f, FACT_CALL, a, &a->called[i]);
  for (size_t i = 0; a->most && i < a->n_most; i++) put_call(f, FACT_MOST, a, &a->most[i]);
  for (size_t i = 0; i < a->comms.n; i++) {
    const comm_entry_t *c = &a->comm[i];
    const comm_key_t key = comm_key(a, (uint32_t)i + 1);
    facts_put(f, FACT_COMM, &key, sizeof key, c->ranks, c->ranks ? c->n * sizeof *c->ranks : 0);
  }
  for (size_t i = 0; i < a->windows.n; i++) put_window(f, a, i, NULL);
  for (size_t i = 0; i < a->n_unmodelled; i++) {
    const intern_item_t *op = &a->ops.items[a->unmodelled[i].op];
    facts_put(f, FACT_UNMODELLED, op->bytes, op->n, &a->unmodelled[i].calls, sizeof(uint64_t));
  }
}

static int take_all(assembly_t *a, const facts_t *f, berth_error_t *err)
{
  fact_t fact;
  bool good = true, any = false;
  for (size_t at = 0; good && facts_next(f, &at, &fact);) {
    if (fact.kind == FACT_HEADER) take_header(a, &fact), any = true;
    if (fact.kind == FACT_CALL)
      good = take_call(a, &fact, &a->called, &a->n_called, &a->cap_called);
    if (fact.kind == FACT_MOST) good = take_call(a, &fact, &a->most, &a->n_most, &a->cap_most);
    if (fact.kind == FACT_COMM) good = take_members(a, &fact);
    if (fact.kind == FACT_WINDOW) good = take_window(a, &fact) >= 0;
    if (fact.kind == FACT_UNMODELLED) good = take_unmodelled(a, &fact);
  }
  if (!good) return assembly_no_memory(err);
  return any ? BERTH_OK : berth_fail(err, BERTH_MISSING, "found no rank's table");
}

int team_gather(assembly_t *a, int rc, berth_error_t *err)
{
  facts_t f = {0};
  if (!a->team) return rc;
  put_all(&f, a);
  rc = facts_agree(&f, a->team, combine, false, rc, err);
  a->n_called = a->n_unmodelled = a->n_most = 0;
  a->cap_most = 0;
  free(a->most);
  a->most = NULL;
  if (!rc && assembly_is_first(a)) rc = take_all(a, &f, err);
  a->n_called = called_merge(a->called, a->n_called, true);
  a->n_most = called_merge(a->most, a->n_most, true);
  if (!rc) calls_cap(a);
  facts_clear(&f);
  return rc;
}

/* Gives what is used the numbers that the facts, which all have, stand for. */
static int number_names(assembly_t *a, names_t *names, const facts_t *f, berth_error_t *err)
{
  fact_t fact;
  size_t cap = 0, cap_windows = 0;
  for (size_t at = 0; facts_next(f, &at, &fact);) {
    bool is_site = fact.kind == FACT_SITE;
    long number = is_site ? intern(&a->sites, fact.key, fact.key_bytes) : take_window(a, &fact);
    size_t need = (size_t)number + 1;
    if (number < 0 || (is_site && !ARRAY_GROW(&names->sorted, names->n_sites, &cap)) ||
        (!is_site && !array_reserve(&names->window, &cap_windows, need, sizeof *names->window)))
      return assembly_no_memory(err);
    if (is_site)
      names->sorted[names->n_sites++] = (uint32_t)number;
    else
      memcpy(&names->window[number], fact.value, sizeof *names->window);
  }
  uint32_t *site = calloc(a->sites.n + 1, sizeof *site);
  if (!site) return assembly_no_memory(err);
  for (size_t i = 0; i < names->n_sites; i++) site[names->sorted[i]] = (uint32_t)i + 1;
  free(names->site);
  names->site = site;
  return BERTH_OK;
}

int team_names(assembly_t *a, names_t *names, int rc, berth_error_t *err)
{
  facts_t f = {0};
  for (size_t i = 0; i < a->sites.n && !rc; i++)
    if (names->site[i])
      facts_put(&f, FACT_SITE, a->sites.items[i].bytes, a->sites.items[i].n, NULL, 0);
  uint32_t *window = !rc && assembly_is_first(a) ? windows_number(a) : NULL;
  for (size_t i = 0; i < a->windows.n && window; i++) put_window(&f, a, i, &window[i]);
  if (!rc && assembly_is_first(a) && !window) rc = assembly_no_memory(err);
  rc = facts_agree(&f, a->team, combine, true, rc, err);
  if (!rc) rc = number_names(a, names, &f, err);
  facts_clear(&f);
  free(window);
  return rc;
}

int team_totals(assembly_t *a, int rc, berth_error_t *err)
{
  facts_t f = {0};
  fact_t fact;
  facts_put(&f, FACT_TOTALS, NULL, 0, &a->total, sizeof a->total);
  rc = facts_agree(&f, a->team, combine, true, rc, err);
  for (size_t at = 0; !rc && facts_next(&f, &at, &fact);)
    memcpy(&a->total, fact.value, sizeof a->total);
  facts_clear(&f);
  return rc;
}
