/* SPDX-License-Identifier: BSD-3-Clause */
/* The facts that a team's members exchange to make one pattern.
 *
 * Each member has some of the tables. A rank's own lines (messages, one-sided operations,
 * orders, rows) stay with its table. Everything else goes to the first member, with each rank's
 * parts of calls. Members number sites, communicators and windows differently, so facts have
 * their contents. */
#include "spool/assemble/assemble_team.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "spool/assemble/assemble_calls.h"
#include "spool/assemble/assemble_keys.h"
#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_rma.h"
#include "spool/assemble/assemble_rows.h"
#include "spool/assemble/assemble_spent.h"
#include "team/team_facts.h"

enum {
  FACT_HEADER,
  FACT_PHASE,
  FACT_CALL,
  FACT_MAX_CALLED, /* the same for `max_called` */
  FACT_COMM,
  FACT_WINDOW,
  FACT_UNMODELLED,
  FACT_SITE,
  FACT_SITE_OF_TIMES, /* if no FACT_SITE is of it */
  FACT_SPENT,
  FACT_MOVED, /* calls that moved from phase 0 to another */
  FACT_FOLDED /* calls that got another site */
};

/* The value of a fact about a phase. The key is the phase's number. */
typedef struct phase_value {
  uint64_t repeats;
  uint32_t used, uneven;
} phase_value_t;

/* Consecutive world ranks that gave the same; `src` is 1 + the first one. Ranks that gave
 * nothing are left out. */
typedef struct run {
  uint32_t src, ranks;
  uint64_t given;
} run_t;

/* The value of a fact about calls. The runs of all their ranks follow it in order. */
typedef struct call_value {
  called_t call;
  run_t run[];
} call_value_t;

/* Big-endian, so that numbers sort as bytes. */
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

static size_t run_count(const fact_t *fact)
{
  return (fact->value_bytes - sizeof(call_value_t)) / sizeof(run_t);
}

/* Appends a run to n, or extends the last one. Returns the new number of runs. */
static size_t add_run(run_t *run, size_t n, run_t next)
{
  run_t *last = n ? &run[n - 1] : NULL;
  if (last && last->given == next.given && last->src + last->ranks == next.src) {
    last->ranks += next.ranks;
    return n;
  }
  if (next.given) run[n++] = next;
  return n;
}

static void combine_calls(facts_t *into, const fact_t *a, const fact_t *b)
{
  called_t more;
  run_t run;
  size_t n = run_count(a), n_more = run_count(b);
  call_value_t *all = malloc(a->value_bytes + b->value_bytes);
  if (!all) {
    into->failed = true;
    return;
  }
  memcpy(all, a->value, a->value_bytes);
  memcpy(&more, b->value, sizeof more);
  merge_called_add(&all->call, &more, true);
  for (size_t i = 0; i < n_more; i++) {
    memcpy(&run, b->value + sizeof *all + i * sizeof run, sizeof run);
    n = add_run(all->run, n, run);
  }
  facts_put(into, a->kind, a->key, a->key_bytes, all, sizeof *all + n * sizeof run);
  free(all);
}

static void combine_sums(facts_t *into, const fact_t *a, const fact_t *b)
{
  uint64_t sum[sizeof(totals_t) / sizeof(uint64_t)];
  memcpy(sum, a->value, a->value_bytes);
  assembly_add_up(sum, b->value, a->value_bytes);
  facts_put(into, a->kind, a->key, a->key_bytes, sum, a->value_bytes);
}

static void combine_spent(facts_t *into, const fact_t *a, const fact_t *b)
{
  spent_t sum, more;
  memcpy(&sum, a->value, sizeof sum);
  memcpy(&more, b->value, sizeof more);
  spent_merge_one(&sum, &more);
  facts_put(into, a->kind, a->key, a->key_bytes, &sum, sizeof sum);
}

static void combine(facts_t *into, const fact_t *a, const fact_t *b)
{
  if (a->kind == FACT_PHASE)
    combine_phases(into, a, b);
  else if (a->kind == FACT_CALL || a->kind == FACT_MAX_CALLED)
    combine_calls(into, a, b);
  else if (a->kind == FACT_UNMODELLED)
    combine_sums(into, a, b);
  else if (a->kind == FACT_SPENT)
    combine_spent(into, a, b);
  else { /* both are equal, or one is empty */
    const fact_t *known = a->value_bytes ? a : b;
    facts_put(into, a->kind, a->key, a->key_bytes, known->value, known->value_bytes);
  }
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
    const phase_entry_t entry = {get_number(&fact), value.used, value.uneven, value.repeats};
    if (!ARRAY_ADD(&a->phase, &a->n_phases, &a->cap_phases, entry)) rc = no_memory(err);
  }
  facts_clear(&f);
  return rc;
}

static void put_spent(facts_t *f, const assembly_t *a, const spent_t *x)
{
  size_t n;
  unsigned char *key = key_of_spent(a, x, &n);
  if (!key) f->failed = true;
  if (key) facts_put(f, FACT_SPENT, key, n, x, sizeof *x);
  free(key);
}

/* Puts n entries, of which the first is the calls and the others are ranks' parts. */
static void put_call(facts_t *f, uint32_t kind, const assembly_t *a, const called_t *k, size_t n)
{
  size_t key_bytes, runs = 0;
  unsigned char *key = key_of_call(a, k, &key_bytes);
  call_value_t *value = malloc(sizeof *value + n * sizeof *value->run);
  if (!key || !value) f->failed = true;
  if (value) value->call = *k;
  for (size_t i = 1; i < n && value; i++)
    runs = add_run(value->run, runs, (run_t){k[i].src, k[i].ranks, k[i].given});
  if (key && value)
    facts_put(f, kind, key, key_bytes, value, sizeof *value + runs * sizeof *value->run);
  free(key);
  free(value);
}

static void put_calls(facts_t *f, const assembly_t *a)
{
  for (size_t i = 0, end; i < a->n_called; i = end) {
    end = merge_called_kind_end(a->called, a->n_called, i);
    put_call(f, FACT_CALL, a, &a->called[i], end - i);
  }
  for (size_t i = 0; a->max_called && i < a->n_max_called; i++)
    put_call(f, FACT_MAX_CALLED, a, &a->max_called[i], 1);
}

static bool take_call(assembly_t *a, const fact_t *fact, called_t **list, size_t *n, size_t *cap)
{
  called_t k;
  run_t run;
  size_t runs = run_count(fact);
  memcpy(&k, fact->value, sizeof k);
  if (!key_take_call(a, fact, &k) || !array_reserve(list, cap, *n + 1 + runs, sizeof k))
    return false;
  (*list)[(*n)++] = k;
  for (size_t i = 0; i < runs; i++) {
    memcpy(&run, fact->value + sizeof k + i * sizeof run, sizeof run);
    k.src = run.src;
    k.ranks = run.ranks;
    k.given = run.given;
    (*list)[(*n)++] = k;
  }
  return true;
}

static bool take_members(assembly_t *a, const fact_t *fact)
{
  comm_key_t key;
  memcpy(&key, fact->key, sizeof key);
  long number = key_take_comm(a, &key);
  if (number < 1 || a->comm[number - 1].ranks || !fact->value_bytes) return number >= 0;
  uint32_t *ranks = malloc(fact->value_bytes);
  if (!ranks) return false;
  memcpy(ranks, fact->value, fact->value_bytes);
  a->comm[number - 1] = (comm_entry_t){(uint32_t)(fact->value_bytes / sizeof *ranks), ranks};
  return true;
}

static bool take_unmodelled(assembly_t *a, const fact_t *fact)
{
  long op = intern(&a->ops, fact->key, fact->key_bytes);
  unmodelled_t u = {.op = (uint32_t)op};
  memcpy(&u.calls, fact->value, sizeof u.calls);
  return op >= 0 && ARRAY_ADD(&a->unmodelled, &a->n_unmodelled, &a->cap_unmodelled, u);
}

static bool take_spent(assembly_t *a, const fact_t *fact)
{
  spent_t x;
  memcpy(&x, fact->value, sizeof x);
  return key_take_spent(a, fact, &x) && ARRAY_ADD(&a->spent, &a->n_spent, &a->cap_spent, x);
}

static void take_header(assembly_t *a, const fact_t *fact)
{
  memcpy(&a->first, fact->value, sizeof a->first);
  a->job = a->first.job;
}

static void put_window(facts_t *f, const assembly_t *a, size_t window, const uint32_t *number)
{
  uint32_t comm, own;
  rma_windows_key(a, window, &comm, &own);
  const window_key_t key = {key_of_comm(a, comm), own};
  facts_put(f, FACT_WINDOW, &key, sizeof key, number, number ? sizeof *number : 0);
}

static void put_all(facts_t *f, const assembly_t *a)
{
  if (a->n_ranks) facts_put(f, FACT_HEADER, NULL, 0, &a->first, sizeof a->first);
  put_calls(f, a);
  for (size_t i = 0; i < a->comms.n; i++) {
    const comm_entry_t *c = &a->comm[i];
    const comm_key_t key = key_of_comm(a, (uint32_t)i + 1);
    facts_put(f, FACT_COMM, &key, sizeof key, c->ranks, c->ranks ? c->n * sizeof *c->ranks : 0);
  }
  for (size_t i = 0; i < a->windows.n; i++) put_window(f, a, i, NULL);
  for (size_t i = 0; i < a->n_unmodelled; i++) {
    const intern_item_t *op = &a->ops.items[a->unmodelled[i].op];
    facts_put(f, FACT_UNMODELLED, op->bytes, op->n, &a->unmodelled[i].calls, sizeof(uint64_t));
  }
  for (size_t i = 0; i < a->n_spent; i++) put_spent(f, a, &a->spent[i]);
}

static int take_all(assembly_t *a, const facts_t *f, berth_error_t *err)
{
  fact_t fact;
  bool good = true, any = false;
  for (size_t at = 0; good && facts_next(f, &at, &fact);) {
    if (fact.kind == FACT_HEADER) take_header(a, &fact), any = true;
    if (fact.kind == FACT_CALL)
      good = take_call(a, &fact, &a->called, &a->n_called, &a->cap_called);
    if (fact.kind == FACT_MAX_CALLED)
      good = take_call(a, &fact, &a->max_called, &a->n_max_called, &a->cap_max_called);
    if (fact.kind == FACT_COMM) good = take_members(a, &fact);
    if (fact.kind == FACT_WINDOW) good = key_take_window(a, &fact) >= 0;
    if (fact.kind == FACT_UNMODELLED) good = take_unmodelled(a, &fact);
    if (fact.kind == FACT_SPENT) good = take_spent(a, &fact);
  }
  if (!good) return no_memory(err);
  return any ? BERTH_OK : berth_fail(err, BERTH_MISSING, "found no rank's table");
}

int team_gather(assembly_t *a, int rc, berth_error_t *err)
{
  facts_t f = {0};
  if (!a->team) return rc;
  put_all(&f, a);
  rc = facts_agree(&f, a->team, combine, false, rc, err);
  a->n_called = a->n_unmodelled = a->n_max_called = a->n_spent = 0;
  a->cap_max_called = 0;
  free(a->max_called);
  a->max_called = NULL;
  if (!rc && assembly_is_first(a)) rc = take_all(a, &f, err);
  a->n_called = merge_called(a->called, a->n_called, true);
  a->n_max_called = merge_called(a->max_called, a->n_max_called, true);
  if (!rc) rc = calls_cap(a, err);
  facts_clear(&f);
  return rc;
}

static void put_comm_number(facts_t *f, const assembly_t *a, const names_t *names, uint32_t comm)
{
  uint32_t number = numbers_get(&names->comm, comm);
  const comm_key_t key = key_of_comm(a, comm);
  if (comm && number) facts_put(f, FACT_COMM, &key, sizeof key, &number, sizeof number);
}

/* Puts what only the first member knows. Other members need the numbers of communicators if they
 * have rows of their calls, orders with these calls, or operations on their windows. */
static int put_numbers(facts_t *f, assembly_t *a, const names_t *names, berth_error_t *err)
{
  uint32_t last = 0, *window = rma_windows_number(a);
  if (!window) return no_memory(err);
  for (size_t i = 0; i < a->windows.n; i++) {
    uint32_t comm, number;
    rma_windows_key(a, i, &comm, &number);
    put_window(f, a, i, &window[i]);
    put_comm_number(f, a, names, comm);
  }
  free(window);
  for (size_t i = 0; i < a->n_called; i++) { /* sorted by communicator */
    const called_t *k = &a->called[i];
    if ((!k->rows && !a->ordered) || k->comm == last) continue;
    put_comm_number(f, a, names, k->comm);
    last = k->comm;
  }
  return BERTH_OK;
}

static void put_changes(facts_t *f, assembly_t *a)
{
  for (size_t i = 0; i < a->n_changed; i++) {
    const changed_t *c = &a->changed[i];
    const intern_item_t *site = c->site ? &a->sites.items[c->site - 1] : NULL;
    size_t n;
    unsigned char *key = key_of_call(a, &c->from, &n);
    if (!key) f->failed = true;
    if (key && !c->folded) facts_put(f, FACT_MOVED, key, n, &c->phase, sizeof c->phase);
    if (key && c->folded)
      facts_put(f, FACT_FOLDED, key, n, site ? site->bytes : NULL, site ? site->n : 0);
    free(key);
  }
  a->n_changed = 0;
}

static bool take_change(assembly_t *a, const fact_t *fact, changed_t *c)
{
  *c = (changed_t){.folded = fact->kind == FACT_FOLDED};
  if (!key_take_call(a, fact, &c->from)) return false;
  c->phase = c->from.phase;
  c->site = c->from.site;
  long site = c->folded ? key_take_site(a, fact->value, fact->value_bytes) : (long)c->site;
  if (c->folded) c->site = (uint32_t)site;
  if (!c->folded) memcpy(&c->phase, fact->value, sizeof c->phase);
  return site >= 0;
}

/* Applies the changes of one kind to rows. Returns false if memory is out. */
static bool take_changes(assembly_t *a, const facts_t *f, uint32_t kind)
{
  fact_t fact;
  bool good = true;
  changed_t *list = NULL;
  size_t n = 0, cap = 0;
  for (size_t at = 0; good && facts_next(f, &at, &fact);) {
    if (fact.kind != kind) continue;
    good = ARRAY_GROW(&list, n, &cap) && take_change(a, &fact, &list[n]);
    n++;
  }
  if (good) rows_change(a, list, n);
  free(list);
  return good;
}

/* Numbers a site, unless it has a number as one of the other kind. */
static bool number_site(assembly_t *a, names_t *names, const fact_t *fact, numbers_t *numbered,
                        size_t *cap)
{
  long number = intern(&a->sites, fact->key, fact->key_bytes);
  if (number >= 0 && numbers_get(numbered, (uint32_t)number)) return true;
  return number >= 0 && load_numbers_set(numbered, (uint32_t)number, 1) &&
         ARRAY_ADD(&names->sorted, &names->n_sites, cap, (uint32_t)number);
}

static bool number_window(assembly_t *a, names_t *names, const fact_t *fact, size_t *cap)
{
  long number = key_take_window(a, fact);
  size_t need = (size_t)number + 1;
  if (number < 0 || !array_reserve(&names->window, cap, need, sizeof *names->window)) return false;
  memcpy(&names->window[number], fact->value, sizeof *names->window);
  return true;
}

static bool number_comm(assembly_t *a, names_t *names, const fact_t *fact)
{
  comm_key_t key;
  uint32_t number;
  memcpy(&key, fact->key, sizeof key);
  memcpy(&number, fact->value, sizeof number);
  long comm = key_take_comm(a, &key);
  return comm >= 0 && load_numbers_set(&names->comm, (uint32_t)comm, number);
}

/* Gives used names the numbers that follow from the facts, which are the same at all members. */
static int number_names(assembly_t *a, names_t *names, const facts_t *f, berth_error_t *err)
{
  fact_t fact;
  numbers_t numbered = {0};
  size_t cap = 0, cap_windows = 0;
  bool good = true;
  for (size_t at = 0; good && facts_next(f, &at, &fact);) {
    if (fact.kind == FACT_SITE || fact.kind == FACT_SITE_OF_TIMES)
      good = number_site(a, names, &fact, &numbered, &cap);
    if (fact.kind == FACT_WINDOW) good = number_window(a, names, &fact, &cap_windows);
    if (fact.kind == FACT_COMM) good = number_comm(a, names, &fact);
  }
  free(numbered.of);
  good = good && take_changes(a, f, FACT_MOVED) && take_changes(a, f, FACT_FOLDED);
  uint32_t *site = good ? calloc(a->sites.n + 1, sizeof *site) : NULL;
  if (!site) return no_memory(err);
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
      facts_put(&f, names->site[i] == SITE_USED ? FACT_SITE : FACT_SITE_OF_TIMES,
                a->sites.items[i].bytes, a->sites.items[i].n, NULL, 0);
  if (!rc && assembly_is_first(a)) rc = put_numbers(&f, a, names, err);
  if (!rc && assembly_is_first(a)) put_changes(&f, a);
  rc = facts_agree(&f, a->team, combine, true, rc, err);
  if (!rc) rc = number_names(a, names, &f, err);
  facts_clear(&f);
  return rc;
}

int team_totals(assembly_t *a, int rc, berth_error_t *err)
{
  return facts_agree_on(a->team, combine_sums, &a->total, sizeof a->total, true, rc, err);
}
