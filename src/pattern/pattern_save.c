/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes pattern files: JSON Lines, plain or compressed, whole or in parts. */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/array.h"
#include "base/json_out.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "base/text.h"
#include "pattern/message_merge.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_frame.h"
#include "pattern/pattern_grid.h"
#include "pattern/pattern_internal.h"
#include "pattern/pattern_packed.h"
#include "pattern/pattern_steps.h"

typedef struct writer {
  json_out_t json;
  uint64_t records;
} writer_t;

static json_out_t *begin(writer_t *w, const char *kind)
{
  json_open(&w->json, NULL, '{', JSON_COMPACT);
  json_put_string(&w->json, "kind", kind);
  w->records++;
  return &w->json;
}

/* 0 is the default of both members. */
static void put_ids(json_out_t *j, int phase, int site)
{
  if (phase) json_put_u64(j, "phase", (uint64_t)phase);
  if (site) json_put_u64(j, "site", (uint64_t)site);
}

static void put_header(writer_t *w, const berth_pattern_t *p)
{
  json_out_t *j = &w->json;
  json_open(j, NULL, '{', JSON_COMPACT);
  json_put_string(j, "format", "berth-pattern");
  json_put_u64(j, "version", 1);
  json_put_u64(j, "ranks", (uint64_t)p->ranks);
  json_put_strings(j, "command", p->argv, p->argc);
  json_put_string(j, "mpi", p->mpi);
  if (*p->created) json_put_string(j, "created", p->created);
  if (p->unmodelled.n) json_open(j, "unmodelled", '[', JSON_COMPACT);
  for (size_t i = 0; i < p->unmodelled.n; i++) {
    json_open(j, NULL, '{', JSON_COMPACT);
    json_put_string(j, "op", p->unmodelled.items[i].op);
    json_put_u64(j, "calls", p->unmodelled.items[i].calls);
    json_close(j);
  }
  if (p->unmodelled.n) json_close(j);
  pattern_put_parameters(j, p);
  if (p->grids.n) pattern_put_grids(j, p);
  pattern_put_baseline(j, p);
  json_close(j);
}

static void put_phases(writer_t *w, const berth_pattern_t *p)
{
  for (size_t i = 0; i < p->phases.n; i++) {
    if (p->phases.items[i].collective) continue; /* added for estimates */
    json_out_t *j = begin(w, "phase");
    json_put_u64(j, "id", (uint64_t)p->phases.items[i].id);
    json_put_string(j, "name", p->phases.items[i].name);
    json_put_u64(j, "repeats", p->phases.items[i].repeats);
    json_close(j);
  }
}

static void put_sites(writer_t *w, const berth_pattern_t *p)
{
  for (size_t i = 0; i < p->sites.n; i++) {
    const berth_site_t *site = &p->sites.items[i];
    json_out_t *j = begin(w, "site");
    json_put_u64(j, "id", (uint64_t)site->id);
    json_put_string(j, "op", site->op);
    json_put_strings(j, "frames", site->frames, site->n_frames);
    json_close(j);
  }
}

static void put_comms(writer_t *w, const berth_pattern_t *p)
{
  for (size_t i = 0; i < p->comms.n; i++) {
    const berth_comm_t *comm = &p->comms.items[i];
    json_out_t *j = begin(w, "comm");
    json_put_u64(j, "id", (uint64_t)comm->id);
    json_put_ints(j, "ranks", JSON_COMPACT, comm->ranks, comm->n_ranks);
    if (comm->border) json_put_u64(j, "border", comm->border);
    json_close(j);
  }
}

static void put_item(json_out_t *j, const berth_message_t *m)
{
  json_open(j, NULL, '[', JSON_COMPACT);
  json_put_u64(j, NULL, (uint64_t)m->dst);
  json_put_u64(j, NULL, m->size);
  json_put_u64(j, NULL, m->count);
  if (m->bytes != m->size * m->count) json_put_u64(j, NULL, m->bytes);
  json_close(j);
}

static void put_rank(writer_t *w, const berth_pattern_t *p, int rank)
{
  const berth_rank_info_t *info = berth_pattern_rank(p, rank);
  if (!info) return;
  json_out_t *j = begin(w, "rank");
  json_put_u64(j, "rank", (uint64_t)rank);
  if (*info->host) json_put_string(j, "host", info->host);
  if (info->pu >= 0) json_put_u64(j, "pu", (uint64_t)info->pu);
  if (info->wall_s >= 0) {
    json_put_number(j, "wall_s", info->wall_s);
    json_put_number(j, "mpi_s", info->mpi_s);
    if (info->unsure_s > 0) json_put_number(j, "unsure_s", info->unsure_s);
    if (info->core_wait_s >= 0) json_put_number(j, "core_wait_s", info->core_wait_s);
  }
  json_close(j);
}

ORDER_BY(line_order, berth_message_t,
         RISING(src) RISING(phase) RISING(site) RISING(dst) RISING(size))

static void put_order(writer_t *w, const berth_order_t *o)
{
  json_out_t *j = begin(w, "order");
  put_ids(j, o->phase, 0);
  json_put_u64(j, "src", (uint64_t)o->src);
  if (o->rounds != 1) json_put_u64(j, "rounds", o->rounds);
  pattern_put_steps(j, o->steps, o->n_steps);
  json_close(j);
}

static void put_rma(writer_t *w, const berth_rma_t *r)
{
  json_out_t *j = begin(w, "rma");
  put_ids(j, r->phase, r->site);
  json_put_u64(j, "src", (uint64_t)r->src);
  json_put_u64(j, "win", (uint64_t)r->win);
  if (r->comm) json_put_u64(j, "comm", (uint64_t)r->comm);
  json_put_string(j, "sync", r->sync);
  json_put_string(j, "op", r->op);
  json_put_u64(j, "epochs", r->epochs);
  json_open(j, "msgs", '[', JSON_COMPACT);
  for (size_t k = 0; k < r->n_msgs; k++) put_item(j, &r->msgs[k]);
  json_close(j);
  json_close(j);
}

/* A list of bytes by rank, where a run of equal values is [bytes, ranks]. */
static void put_shares(json_out_t *j, const char *key, size_t n, const berth_share_t *shares)
{
  json_open(j, key, '[', JSON_COMPACT);
  for (size_t i = 0; i < n; i++) {
    if (shares[i].ranks == 1) {
      json_put_u64(j, NULL, shares[i].bytes);
      continue;
    }
    json_open(j, NULL, '[', JSON_COMPACT);
    json_put_u64(j, NULL, shares[i].bytes);
    json_put_u64(j, NULL, shares[i].ranks);
    json_close(j);
  }
  json_close(j);
}

static void put_colls(writer_t *w, const berth_pattern_t *p)
{
  for (size_t i = 0; i < p->colls.n; i++) {
    const berth_coll_t *c = &p->colls.items[i];
    json_out_t *j = begin(w, "coll");
    put_ids(j, c->phase, c->site);
    json_put_u64(j, "comm", (uint64_t)c->comm);
    json_put_string(j, "op", c->op);
    json_put_u64(j, "bytes", c->bytes);
    json_put_u64(j, "count", c->count);
    if (c->root >= 0)
      json_put_u64(j, "root", (uint64_t)c->root);
    else
      json_put_string(j, "root", NULL);
    if (c->element) json_put_u64(j, "element", c->element);
    if (c->in_place) json_put_bool(j, "in_place", true);
    if (c->uncommutative) json_put_bool(j, "commutative", false);
    if (c->user_operation) json_put_bool(j, "built_in", false);
    if (c->n_shares) put_shares(j, "rank_bytes", c->n_shares, c->shares);
    json_close(j);
  }
}

static void put_times(writer_t *w, const berth_pattern_t *p)
{
  for (size_t i = 0; i < p->times.n; i++) {
    const berth_time_t *t = &p->times.items[i];
    json_out_t *j = begin(w, "time");
    json_put_string(j, "op", t->op);
    put_ids(j, 0, t->site);
    if (t->comm >= 0) json_put_u64(j, "comm", (uint64_t)t->comm);
    json_put_number(j, "total_s", t->total_s);
    json_put_number(j, "max_s", t->max_s);
    json_put_u64(j, "max_rank", (uint64_t)t->max_rank);
    json_close(j);
  }
}

static void put_row(writer_t *w, const berth_row_t *r)
{
  json_out_t *j = begin(w, "row");
  put_ids(j, r->phase, r->site);
  json_put_u64(j, "comm", (uint64_t)r->comm);
  json_put_string(j, "op", r->op);
  json_put_u64(j, "src", (uint64_t)r->src);
  put_shares(j, "rank_bytes", r->n_shares, r->shares);
  json_close(j);
}

/* A cursor over the lines of ranks, in the order of ranks. It holds the messages of one group. */
typedef struct lines {
  const berth_order_t **orders;
  const berth_rma_t **rmas;
  const berth_row_t **rows;
  berth_message_t *messages;
  size_t n_messages, cap_messages;
  size_t message, order, rma, row, packed; /* indices of the next entries */
} lines_t;

/* Writes one source's lines of a list that is sorted by phase first. They stay in the list's
 * order. */
#define BY_SOURCE(name, type, list)                                                                \
  static int name##_order(const void *a, const void *b)                                            \
  {                                                                                                \
    const type *x = *(const type *const *)a, *y = *(const type *const *)b;                         \
    return x->src != y->src ? ORDER(x->src, y->src) : ORDER(x, y);                                 \
  }                                                                                                \
  static const type **name(const berth_pattern_t *p)                                               \
  {                                                                                                \
    const type **sorted = malloc((p->list.n + 1) * sizeof *sorted);                                \
    for (size_t i = 0; sorted && i < p->list.n; i++) sorted[i] = &p->list.items[i];                \
    if (sorted && p->list.n > 1) qsort(sorted, p->list.n, sizeof *sorted, name##_order);           \
    return sorted;                                                                                 \
  }
BY_SOURCE(orders_by_source, berth_order_t, orders)
BY_SOURCE(rmas_by_source, berth_rma_t, rmas)
BY_SOURCE(rows_by_source, berth_row_t, rows)

static bool lines_begin(lines_t *l, const berth_pattern_t *p)
{
  *l = (lines_t){
      .orders = orders_by_source(p), .rmas = rmas_by_source(p), .rows = rows_by_source(p)};
  return l->orders && l->rmas && l->rows;
}

static void lines_free(lines_t *l)
{
  free(l->orders);
  free(l->rmas);
  free(l->rows);
  free(l->messages);
}

/* The first message of a phase with a source of at least `src`. */
static size_t first_from(const berth_pattern_t *p, size_t phase, int src)
{
  size_t n;
  const berth_message_t *m = berth_pattern_messages(p, phase, &n);
  return p->phase_start[phase] + message_find(m, n, src, 0);
}

/* Collects the messages of a range of sources in the order of lines. */
static bool take_messages(lines_t *l, const berth_pattern_t *p, int first, int end)
{
  l->n_messages = l->message = 0;
  for (size_t k = 0; k < p->phases.n; k++) {
    size_t from = first_from(p, k, first), n = first_from(p, k, end) - from;
    if (!n || p->phases.items[k].collective) continue;
    if (!array_reserve(&l->messages, &l->cap_messages, l->n_messages + n, sizeof *l->messages))
      return false;
    memcpy(l->messages + l->n_messages, p->messages.items + from, n * sizeof *l->messages);
    l->n_messages += n;
  }
  if (l->n_messages > 1) qsort(l->messages, l->n_messages, sizeof *l->messages, line_order);
  return true;
}

/* Writes one line: the next layouts of one rank, site and side. */
static void put_packed(writer_t *w, const berth_pattern_t *p, lines_t *l)
{
  const berth_packed_t *x = &p->packed.items[l->packed];
  size_t n = pattern_packed_line(x, p->packed.n - l->packed);
  json_out_t *j = begin(w, "packed");
  pattern_put_packed(j, x, n);
  json_close(j);
  l->packed += n;
}

/* Writes one line: the next messages of one source, phase and site. */
static void put_messages(writer_t *w, lines_t *l)
{
  const berth_message_t *first = &l->messages[l->message], *m = first;
  json_out_t *j = begin(w, "p2p");
  put_ids(j, m->phase, m->site);
  json_put_u64(j, "src", (uint64_t)m->src);
  json_open(j, "msgs", '[', JSON_COMPACT);
  for (; l->message < l->n_messages; m = &l->messages[++l->message]) {
    if (m->src != first->src || m->phase != first->phase || m->site != first->site) break;
    put_item(j, m);
  }
  json_close(j);
  json_close(j);
}

/* Writes the lines of ranks `first` to `end` - 1. Calls must go through the ranks in order. */
static int put_ranks(writer_t *w, const berth_pattern_t *p, lines_t *l, int first, int end,
                     berth_error_t *err)
{
  if (!take_messages(l, p, first, end)) return no_memory(err);
  for (int r = first; r < end; r++) {
    put_rank(w, p, r);
    while (l->message < l->n_messages && l->messages[l->message].src == r) put_messages(w, l);
    for (; l->order < p->orders.n && l->orders[l->order]->src == r; l->order++)
      put_order(w, l->orders[l->order]);
    for (; l->rma < p->rmas.n && l->rmas[l->rma]->src == r; l->rma++) put_rma(w, l->rmas[l->rma]);
    for (; l->row < p->rows.n && l->rows[l->row]->src == r; l->row++) put_row(w, l->rows[l->row]);
    while (l->packed < p->packed.n && p->packed.items[l->packed].rank == r) put_packed(w, p, l);
  }
  return BERTH_OK;
}

uint64_t pattern_items(const berth_pattern_t *p)
{
  uint64_t n = 0;
  for (size_t k = 0; k < p->phases.n; k++)
    n += p->phases.items[k].collective ? 0 : p->phase_start[k + 1] - p->phase_start[k];
  for (size_t i = 0; i < p->orders.n; i++) n += p->orders.items[i].n_steps;
  for (size_t i = 0; i < p->rmas.n; i++) n += p->rmas.items[i].n_msgs;
  for (size_t i = 0; i < p->rows.n; i++) n += p->rows.items[i].n_shares;
  return n + p->packed.n;
}

/* A frame has a fixed overhead and shares no history with others, so it should hold some hundred
 * items. Its number of ranks is limited, because one process writes all of them. */
int pattern_group(int ranks, uint64_t items)
{
  enum { MIN_GROUP = 16, MAX_GROUP = 1024, ITEMS = 1024 };
  int group = MIN_GROUP;
  while (group < MAX_GROUP && items * (uint64_t)group < (uint64_t)ITEMS * (uint64_t)ranks)
    group *= 2;
  return group;
}

int pattern_pack(const char *text, size_t n, uint64_t items, char **frame, size_t *size,
                 berth_error_t *err)
{
  enum { FEW = 1 << 17 }; /* this many items are compressed at a high level within a second */
  size_t max = ZSTD_compressBound(n), packed = 0;
  ZSTD_CCtx *context = ZSTD_createCCtx();
  *frame = malloc(max);
  bool good = context && *frame;
  if (good) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, items <= FEW ? 19 : 9);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    packed = ZSTD_compress2(context, *frame, max, text, n);
    good = !ZSTD_isError(packed);
  }
  ZSTD_freeCCtx(context);
  *size = packed;
  if (good) return BERTH_OK;
  free(*frame);
  *frame = NULL;
  return no_memory(err);
}

void pattern_put_head(const berth_pattern_t *p, out_file_t *out, uint64_t *records)
{
  writer_t w = {.json.out = out, .records = *records};
  put_header(&w, p);
  put_phases(&w, p);
  put_sites(&w, p);
  put_comms(&w, p);
  put_colls(&w, p);
  put_times(&w, p);
  *records = w.records;
}

int pattern_put_rank(const berth_pattern_t *p, int rank, out_file_t *out, uint64_t *records,
                     berth_error_t *err)
{
  writer_t w = {.json.out = out, .records = *records};
  lines_t l;
  int rc = lines_begin(&l, p) ? BERTH_OK : no_memory(err);
  while (!rc && l.order < p->orders.n && l.orders[l.order]->src < rank) l.order++;
  while (!rc && l.rma < p->rmas.n && l.rmas[l.rma]->src < rank) l.rma++;
  while (!rc && l.row < p->rows.n && l.rows[l.row]->src < rank) l.row++;
  while (!rc && l.packed < p->packed.n && p->packed.items[l.packed].rank < rank) l.packed++;
  if (!rc) rc = put_ranks(&w, p, &l, rank, rank + 1, err);
  lines_free(&l);
  *records = w.records;
  return rc;
}

void pattern_put_end(out_file_t *out, uint64_t records)
{
  json_out_t j = {.out = out};
  json_open(&j, NULL, '{', JSON_COMPACT);
  json_put_string(&j, "kind", "end");
  json_put_u64(&j, "records", records);
  json_close(&j);
}

/* Writes the part of ranks `first` to `end` - 1, with header and end line where they belong. */
static int put_group(const berth_pattern_t *p, lines_t *l, int first, int end, out_file_t *out,
                     uint64_t *records, berth_error_t *err)
{
  if (first == 0) pattern_put_head(p, out, records);
  writer_t w = {.json.out = out, .records = *records};
  int rc = put_ranks(&w, p, l, first, end, err);
  *records = w.records;
  if (end == p->ranks) pattern_put_end(out, *records);
  return rc;
}

static int put_frame(const berth_pattern_t *p, lines_t *l, int first, int end, out_file_t *out,
                     uint64_t *records, berth_error_t *err)
{
  char *text = NULL, *frame = NULL;
  size_t n, size;
  out_file_t *memory = out_open_memory(&text, &n, err);
  if (!memory) return BERTH_MISSING;
  int rc = put_group(p, l, first, end, memory, records, err);
  int ended = out_commit(memory, rc ? NULL : err);
  if (!rc) rc = ended;
  if (!rc) rc = pattern_pack(text, n, pattern_items(p), &frame, &size, err);
  if (!rc) out_write(out, frame, size);
  free(frame);
  free(text);
  return rc;
}

static int put_all(const berth_pattern_t *p, bool packed, out_file_t *out, berth_error_t *err)
{
  lines_t l;
  uint64_t records = 0;
  int group = pattern_group(p->ranks, pattern_items(p));
  int rc = lines_begin(&l, p) ? BERTH_OK : no_memory(err);
  for (int first = 0, end; first < p->ranks && !rc; first = end) {
    end = first < p->ranks - group ? first + group : p->ranks;
    rc = packed ? put_frame(p, &l, first, end, out, &records, err)
                : put_group(p, &l, first, end, out, &records, err);
  }
  lines_free(&l);
  return rc;
}

int berth_pattern_save(const berth_pattern_t *p, const char *path, berth_error_t *err)
{
  int rc = pattern_check_finished(p, err);
  out_file_t *out = rc ? NULL : out_open_raw(path, err);
  if (!out) return rc ? rc : BERTH_MISSING;
  rc = put_all(p, text_ends(path, ".zst"), out, err);
  if (!rc) return out_commit(out, err);
  out_abort(out);
  return rc;
}
