/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls: reads one rank's, merges those of all ranks, and adds them to the pattern. */
#include "spool/assemble/assemble_calls.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_phase.h"
#include "spool/assemble/assemble_rows.h"
#include "spool/assemble/assemble_team.h"

/* Reads everything but the operation's name. Returns false if no call can have made the record. */
static bool read_call(const rank_load_t *load, const spool_coll_t *c, called_t *k)
{
  k->root = c->root;
  k->varies = (c->flags & SPOOL_COLL_VARIES) != 0;
  k->parts = (c->flags & SPOOL_COLL_PARTS) != 0;
  k->rows = (c->flags & SPOOL_COLL_ROWS) != 0;
  k->in_place = (c->flags & SPOOL_COLL_IN_PLACE) != 0;
  k->user = (c->flags & SPOOL_COLL_USER) != 0;
  k->uncommutative = (c->flags & SPOOL_COLL_UNCOMMUTATIVE) != 0;
  k->element = c->element;
  k->bytes = c->bytes;
  k->given = c->given;
  k->count = k->sum = c->count;
  return load_numbers_translate(&load->site, c->site, &k->site) &&
         load_numbers_translate(&load->comm, c->comm, &k->comm) && k->root >= -1 &&
         k->root < (int64_t)load_comms_length(load->a, k->comm) && k->bytes <= BERTH_MAX_AMOUNT &&
         k->element <= BERTH_MAX_AMOUNT && k->given <= BERTH_MAX_AMOUNT &&
         k->count <= BERTH_MAX_AMOUNT && c->phase < SPOOL_MAX_PHASES;
}

static bool append(rank_load_t *load, const called_t *k)
{
  return ARRAY_ADD(&load->called, &load->n_called, &load->cap_called, *k);
}

int calls_load(rank_load_t *load, const spool_coll_t *c, uint32_t phase, berth_error_t *err)
{
  called_t k = {.phase = phase};
  if (c->count == 0) return BERTH_OK;
  if (!read_call(load, c, &k)) return load_rank_leave_out(load);
  long op = load_op_intern(load->a, c->name);
  if (op < 0) return no_memory(err);
  k.op = (uint32_t)op;
  bool enough = append(load, &k) && load_numbers_set(&load->op, c->op, k.op + 1);
  k.src = load->header->rank + 1;
  k.ranks = 1;
  if (k.parts) enough = enough && append(load, &k);
  const row_line_t line = {c->id, phase < CLASS_0 ? 0 : phase, k};
  if (c->id)
    enough = enough && ARRAY_ADD(&load->row_line, &load->n_row_lines, &load->cap_row_lines, line);
  return enough ? BERTH_OK : no_memory(err);
}

int calls_load_row(rank_load_t *load, const spool_message_t *m, uint32_t phase, berth_error_t *err)
{
  const row_item_t item = {spool_key_site(m->key), phase, spool_key_dst(m->key) + 1,
                           m->excess & ~SPOOL_TOUCHED};
  if (m->count == 0) return BERTH_OK;
  if (item.bytes > BERTH_MAX_AMOUNT) return load_rank_leave_out(load);
  return ARRAY_ADD(&load->row_item, &load->n_row_items, &load->cap_row_items, item)
             ? BERTH_OK
             : no_memory(err);
}

ORDER_BY(line_order, row_line_t, RISING(id) RISING(phase))

/* A row is dropped if its call was taken back. */
int calls_join_rows(rank_load_t *load, berth_error_t *err)
{
  if (load->n_row_lines)
    qsort(load->row_line, load->n_row_lines, sizeof *load->row_line, line_order);
  for (size_t i = 0; i < load->n_row_items && load->n_row_lines; i++) {
    const row_item_t *item = &load->row_item[i];
    const row_line_t key = {.id = item->id, .phase = item->phase};
    const row_line_t *line =
        bsearch(&key, load->row_line, load->n_row_lines, sizeof key, line_order);
    if (!line || item->dst > load_comms_length(load->a, line->call.comm)) continue;
    called_t k = line->call;
    k.dst = item->dst;
    k.given = item->bytes;
    if (!append(load, &k)) return no_memory(err);
  }
  return BERTH_OK;
}

/* For each kind of call, the maximum over the ranks of the calls in all phases. Sorted by kind. */
static called_t *count_max_called(const assembly_t *a, size_t *n_max_called)
{
  called_t *max_called = malloc((a->n_called + 1) * sizeof *max_called);
  size_t n = 0;
  for (size_t i = 0; max_called && i < a->n_ranks; i++) {
    size_t first = a->share[i].first_called, of_rank = 0;
    for (size_t j = first; j < first + a->share[i].n_called; j++) {
      if (a->called[j].src) continue;
      max_called[n + of_rank] = a->called[j];
      max_called[n + of_rank++].phase = 0;
    }
    n += merge_called(max_called + n, of_rank, false);
  }
  *n_max_called = max_called ? merge_called(max_called, n, true) : 0;
  return max_called;
}

/* Limits the calls in the rest (phase 0). If a rank died inside a call, it may count the call in
 * an automatic phase while another rank counts it in the rest. So the rest has at most what
 * remains of the maximum over the ranks. If no call remains, what ranks gave moves to a phase
 * that has calls. */
static int cap_rest(assembly_t *a, const called_t *max_called, berth_error_t *err)
{
  called_t *k = a->called;
  int rc = BERTH_OK;
  for (size_t i = 0, end; i < a->n_called && !rc; i = end, max_called++) {
    uint64_t others = 0;
    for (end = i; end < a->n_called && merge_called_kind_order(&k[i], &k[end], false) == 0; end++)
      if (k[end].phase && !k[end].src) others += k[end].count;
    uint64_t left = max_called->count > others ? max_called->count - others : 0;
    if (k[i].phase || k[i].count <= left) continue;
    k[i].count = left;
    if (left) continue;
    rc = calls_note_change(
        a, &(changed_t){.from = k[i], .phase = k[end - 1].phase, .site = k[i].site}, err);
    for (size_t j = i; j < end && k[j].phase == 0; j++) k[j].phase = k[end - 1].phase;
  }
  a->n_called = merge_called(a->called, a->n_called, true);
  return rc;
}

int calls_note_change(assembly_t *a, const changed_t *change, berth_error_t *err)
{
  if (!change->from.rows) return BERTH_OK;
  bool enough = ARRAY_ADD(&a->changed, &a->n_changed, &a->cap_changed, *change);
  return enough ? BERTH_OK : no_memory(err);
}

int calls_merge(assembly_t *a, berth_error_t *err)
{
  if (a->n_auto && !(a->max_called = count_max_called(a, &a->n_max_called))) return no_memory(err);
  int rc = rows_put_aside(a, err);
  a->n_called = merge_called(a->called, a->n_called, true);
  return rc || a->team ? rc : calls_cap(a, err);
}

int calls_cap(assembly_t *a, berth_error_t *err)
{
  int rc = a->max_called ? cap_rest(a, a->max_called, err) : BERTH_OK;
  free(a->max_called);
  a->max_called = NULL;
  return rc;
}

/* Calls that are being added to the pattern. */
typedef struct adding {
  const assembly_t *a;
  berth_pattern_t *to;
  const names_t *names;
  uint32_t *place; /* index in the current communicator's list, by world rank */
  uint64_t *bytes; /* by rank of the communicator */
  shares_t shares;
  totals_t *total;
} adding_t;

bool calls_add_shares(shares_t *x, uint64_t bytes, uint64_t ranks)
{
  if (x->n && x->items[x->n - 1].bytes == bytes) {
    x->items[x->n - 1].ranks += ranks;
    return true;
  }
  return ranks == 0 || ARRAY_ADD(&x->items, &x->n, &x->cap, (berth_share_t){bytes, ranks});
}

/* Adds what ranks gave to the communicator's bytes. */
static void add_part(adding_t *x, const called_t *k, uint32_t length, const uint32_t *list)
{
  for (uint32_t rank = k->src - 1; rank < k->src - 1 + k->ranks; rank++) {
    uint32_t at = list ? x->place[rank] : rank;
    if (at < length && (!list || list[at] == rank)) x->bytes[at] += k->given;
  }
}

/* Sums the shares of a communicator's ranks over n entries, of which the first is the calls.
 * Returns false if memory is out. */
static bool share_out(adding_t *x, const called_t *k, size_t n)
{
  uint32_t length = load_comms_length(x->a, k->comm);
  const uint32_t *list = k->comm ? x->a->comm[k->comm - 1].ranks : NULL;
  for (uint32_t i = 0; i < length; i++) x->bytes[i] = 0;
  for (uint32_t i = 0; i < length && list; i++) x->place[list[i]] = i;
  for (size_t i = 1; i < n; i++) add_part(x, &k[i], length, list);
  for (uint32_t i = 0; i < length; i++)
    if (!calls_add_shares(&x->shares, x->bytes[i], 1)) return false;
  return true;
}

/* Adds one line for n entries, of which the first is the calls. */
static int add_line(adding_t *x, const called_t *k, size_t n, berth_error_t *err)
{
  const assembly_t *a = x->a;
  uint64_t mean = k->varies && k->sum ? (k->given + k->sum / 2) / k->sum : k->bytes;
  x->shares.n = 0;
  if (k->parts && !share_out(x, k, n)) return no_memory(err);
  bool said = k->varies && x->shares.n == 1 && x->shares.items->bytes == mean * k->count;
  const berth_coll_t coll = {.phase = (int)k->phase,
                             .site = k->site ? (int)x->names->site[k->site - 1] : 0,
                             .comm = (int)numbers_get(&x->names->comm, k->comm),
                             .op = a->ops.items[k->op].bytes,
                             .bytes = mean,
                             .count = k->count / phases_repeats(a, k->phase),
                             .root = k->root,
                             .element = k->element,
                             .in_place = k->in_place,
                             .user_operation = k->user,
                             .uncommutative = k->uncommutative,
                             .n_shares = said ? 0 : x->shares.n,
                             .shares = x->shares.items};
  x->total->calls += k->count;
  return berth_pattern_add_coll(x->to, &coll, err);
}

int calls_add(assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err)
{
  adding_t x = {.a = a, .to = to, .names = names, .total = &a->total};
  size_t longest = a->ranks;
  for (size_t i = 0; i < a->comms.n; i++)
    if (a->comm[i].n > longest) longest = a->comm[i].n;
  x.place = calloc(a->ranks, sizeof *x.place);
  x.bytes = malloc(longest * sizeof *x.bytes);
  int rc = x.place && x.bytes ? BERTH_OK : no_memory(err);
  for (size_t i = 0, end; i < a->n_called && !rc; i = end) {
    const called_t *k = &a->called[i];
    end = merge_called_kind_end(a->called, a->n_called, i);
    if (k->comm && !numbers_get(&names->comm, k->comm))
      a->total.unknown_calls += k->count;
    else
      rc = add_line(&x, k, end - i, err);
  }
  free(x.place);
  free(x.bytes);
  free(x.shares.items);
  return rc;
}
