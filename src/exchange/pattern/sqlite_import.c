/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a pattern from an SQLite database with the tables of sqlite_schema.c. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/no_memory.h"
#include "exchange/exchange_internal.h"
#include "exchange/pattern/sqlite_rows.h"

const char sqlite_about[] = "an SQLite database of a whole pattern";

typedef struct meta {
  bool is_pattern;
  uint64_t version, ranks;
  char *mpi, *created;
  arena_t arena;
} meta_t;

static int keep_text(rows_t *rows, int column, arena_t *arena, char **out)
{
  const char *text;
  int rc = rows_take(rows, column, "n", &text);
  if (rc) return rc;
  *out = arena_strdup(arena, text);
  return *out ? BERTH_OK : no_memory(rows->r->err);
}

static int read_meta_row(rows_t *rows, void *into)
{
  meta_t *m = into;
  const char *key, *text;
  int rc = rows_take(rows, 0, "n", &key);
  if (rc) return rc;
  if (strcmp(key, "format") == 0) {
    rc = rows_take(rows, 1, "n", &text);
    m->is_pattern = !rc && strcmp(text, "berth-pattern") == 0;
    return rc || m->is_pattern ? rc : rows_unexpected(rows, 1, "'berth-pattern'");
  }
  if (strcmp(key, "version") == 0)
    return rows_whole(rows, 1, SQLITE_SCHEMA_FIRST, SQLITE_SCHEMA_VERSION, &m->version);
  if (strcmp(key, "ranks") == 0) return rows_whole(rows, 1, 1, BERTH_MAX_RANKS, &m->ranks);
  if (strcmp(key, "mpi") == 0) return keep_text(rows, 1, &m->arena, &m->mpi);
  return strcmp(key, "created") == 0 ? keep_text(rows, 1, &m->arena, &m->created) : BERTH_OK;
}

typedef struct texts {
  arena_t arena;
  const char **text;
  size_t n, cap;
} texts_t;

static int add_text(rows_t *rows, int column, texts_t *to)
{
  const char *text;
  int rc = rows_take(rows, column, "t", &text);
  if (rc) return rc;
  if (!(text = arena_strdup(&to->arena, text)) || !ARRAY_GROW(&to->text, to->n, &to->cap))
    return no_memory(rows->r->err);
  to->text[to->n++] = text;
  return BERTH_OK;
}

static void clear_texts(texts_t *t)
{
  arena_free(&t->arena);
  free(t->text);
}

static int read_argument(rows_t *rows, void *into) { return add_text(rows, 1, into); }

/* Makes the pattern, with more ranks than the database has if requested. */
static int read_head(database_t *r, int ranks)
{
  meta_t m = {0};
  texts_t command = {0};
  int rc = rows_each(r, TABLE_META, read_meta_row, &m);
  const char *missing = !m.is_pattern ? "format"
                        : !m.version  ? "version"
                        : !m.ranks    ? "ranks"
                                      : NULL;
  if (!rc && missing)
    rc = berth_fail(r->err, BERTH_BAD_INPUT, "%s: table meta: found no row '%s', expected one",
                    r->path, missing);
  if (!rc && ranks && m.ranks > (uint64_t)ranks)
    rc = berth_fail(r->err, BERTH_BAD_INPUT, "%s: found %llu ranks, expected at most %d", r->path,
                    (unsigned long long)m.ranks, ranks);
  if (!rc) rc = rows_each(r, TABLE_COMMAND, read_argument, &command);
  if (!rc) {
    r->ranks = ranks ? ranks : (int)m.ranks;
    r->widened = r->ranks > (int)m.ranks;
    r->p = berth_pattern_new(r->ranks, r->err);
    rc = r->p ? berth_pattern_set_command(r->p, command.n, command.text, r->err) : BERTH_MISSING;
  }
  if (!rc)
    rc = berth_pattern_set_origin(r->p, m.mpi ? m.mpi : "", m.created ? m.created : "", r->err);
  r->version = (int)m.version;
  clear_texts(&command);
  arena_free(&m.arena);
  return rc;
}

static int read_rank(rows_t *rows, void *unused)
{
  (void)unused;
  int rank;
  berth_rank_info_t info = {.host = "", .pu = -1, .wall_s = -1, .mpi_s = -1, .core_wait_s = -1};
  int rc = rows_take(rows, 0, "rn?i?d?d?d?d?", &rank, &info.host, &info.pu, &info.wall_s,
                     &info.mpi_s, &info.unsure_s, &info.core_wait_s);
  if (rc || (!*info.host && info.pu < 0 && info.wall_s < 0 && info.mpi_s < 0)) return rc;
  return rows_added(rows, berth_pattern_set_rank(rows->r->p, rank, &info, rows->r->err));
}

static int read_phase(rows_t *rows, void *unused)
{
  (void)unused;
  berth_phase_t phase = {0};
  int rc = rows_take(rows, 0, "ina", &phase.id, &phase.name, &phase.repeats);
  return rc ? rc : rows_added(rows, berth_pattern_add_phase(rows->r->p, &phase, rows->r->err));
}

static int read_site(rows_t *above, rows_t *below)
{
  berth_site_t site = {0};
  texts_t frames = {0};
  int rc = rows_take(above, 0, "in", &site.id, &site.op);
  while (!rc && rows_belongs(below, (uint64_t)site.id)) {
    rc = add_text(below, 2, &frames);
    if (!rc) rc = rows_next(below);
  }
  site.n_frames = frames.n;
  site.frames = frames.text;
  if (!rc) rc = rows_added(above, berth_pattern_add_site(above->r->p, &site, above->r->err));
  clear_texts(&frames);
  return rc;
}

static int read_comm(rows_t *above, rows_t *below)
{
  uint64_t id, border = 0;
  int *ranks = NULL, rc = rows_whole(above, 0, 1, INT32_MAX, &id);
  if (!rc) rc = rows_take(above, 1, "a?", &border);
  size_t n = 0, cap = 0;
  while (!rc && rows_belongs(below, id)) {
    if (!ARRAY_GROW(&ranks, n, &cap)) rc = no_memory(above->r->err);
    if (!rc) rc = rows_take(below, 2, "r", &ranks[n++]);
    if (!rc) rc = rows_next(below);
  }
  if (!rc)
    rc = rows_added(above,
                    berth_pattern_add_comm(above->r->p, &(berth_comm_t){(int)id, n, ranks, border},
                                           above->r->err));
  free(ranks);
  return rc;
}

static int read_message(rows_t *rows, void *unused)
{
  (void)unused;
  berth_message_t m = {0};
  int rc =
      rows_take(rows, 0, "iirraaa", &m.phase, &m.site, &m.src, &m.dst, &m.size, &m.count, &m.bytes);
  return rc ? rc : rows_added(rows, berth_pattern_add_message(rows->r->p, &m, rows->r->err));
}

static int read_kind(const rows_t *rows, int column, berth_step_kind_t *out)
{
  const char *text;
  int rc = rows_take(rows, column, "n", &text);
  for (unsigned k = 0; !rc && sqlite_step_kinds[k]; k++)
    if (strcmp(text, sqlite_step_kinds[k]) == 0) return *out = (berth_step_kind_t)k, BERTH_OK;
  return rc ? rc : rows_unexpected(rows, column, "the kind of a step");
}

/* A name lasts as long as its row, so it is copied. */
static int read_step(const rows_t *rows, arena_t *names, berth_step_t *s)
{
  *s = (berth_step_t){.peer = BERTH_ANY_RANK};
  int rc = read_kind(rows, 2, &s->kind);
  if (!rc) rc = rows_take(rows, 3, "i?a", &s->peer, &s->size);
  if (!rc) rc = rows_number(rows, 5, BERTH_SEND_MODES - 1, &s->mode);
  if (!rc) rc = rows_whole(rows, 6, 1, BERTH_MAX_AMOUNT, &s->times);
  if (!rc) rc = rows_take(rows, 7, "r?an?", &s->root, &s->steps, &s->op);
  if (!rc && s->op && !(s->op = arena_strdup(names, s->op))) rc = no_memory(rows->r->err);
  if (s->kind == BERTH_STEP_LOOP) s->peer = 0;
  return rc;
}

static int read_order(rows_t *above, rows_t *below)
{
  uint64_t id;
  size_t cap = 0;
  berth_step_t *steps = NULL;
  arena_t names = {0};
  berth_order_t o = {0};
  int rc = rows_take(above, 0, "air", &id, &o.phase, &o.src);
  if (!rc) rc = rows_whole(above, 3, 1, BERTH_MAX_AMOUNT, &o.rounds);
  while (!rc && rows_belongs(below, id)) {
    if (!ARRAY_GROW(&steps, o.n_steps, &cap)) rc = no_memory(above->r->err);
    if (!rc) rc = read_step(below, &names, &steps[o.n_steps++]);
    if (!rc) rc = rows_next(below);
  }
  o.steps = steps;
  if (!rc) rc = rows_added(above, berth_pattern_add_order(above->r->p, &o, above->r->err));
  free(steps);
  arena_free(&names);
  return rc;
}

/* Reads the shares of a row of another table. The caller frees them. */
static int read_shares(rows_t *rows, uint64_t above, berth_share_t **out, size_t *n)
{
  size_t cap = 0;
  int rc = BERTH_OK;
  for (*n = 0; !rc && rows_belongs(rows, above);) {
    if (!ARRAY_GROW(out, *n, &cap)) return no_memory(rows->r->err);
    rc = rows_take(rows, 2, "a", &(*out)[*n].bytes);
    if (!rc) rc = rows_whole(rows, 3, 1, (uint64_t)rows->r->ranks, &(*out)[(*n)++].ranks);
    if (!rc) rc = rows_next(rows);
  }
  return rc;
}

static int read_coll(rows_t *above, rows_t *below)
{
  uint64_t id;
  berth_share_t *shares = NULL;
  berth_coll_t c = {.root = -1};
  bool in_place = false, commutative = true, built_in = true;
  int rc = rows_take(above, 0, "aiiinaar?a?f?f?f?", &id, &c.phase, &c.site, &c.comm, &c.op,
                     &c.bytes, &c.count, &c.root, &c.element, &in_place, &commutative, &built_in);
  c.in_place = in_place;
  c.uncommutative = !commutative;
  c.user_operation = !built_in;
  if (!rc) rc = read_shares(below, id, &shares, &c.n_shares);
  c.shares = shares;
  if (!rc) rc = rows_added(above, berth_pattern_add_coll(above->r->p, &c, above->r->err));
  free(shares);
  return rc;
}

static int read_row(rows_t *above, rows_t *below)
{
  uint64_t id;
  berth_share_t *shares = NULL;
  berth_row_t row = {0};
  int rc = rows_take(above, 0, "aiiirn", &id, &row.phase, &row.site, &row.comm, &row.src, &row.op);
  if (!rc) rc = read_shares(below, id, &shares, &row.n_shares);
  row.shares = shares;
  if (!rc) rc = rows_added(above, berth_pattern_add_row(above->r->p, &row, above->r->err));
  free(shares);
  return rc;
}

static int read_rma(rows_t *above, rows_t *below)
{
  uint64_t id;
  size_t cap = 0;
  berth_message_t *msgs = NULL;
  berth_rma_t rma = {0};
  int rc = rows_take(above, 0, "aiirinnai", &id, &rma.phase, &rma.site, &rma.src, &rma.win,
                     &rma.sync, &rma.op, &rma.epochs, &rma.comm);
  while (!rc && rows_belongs(below, id)) {
    if (!ARRAY_GROW(&msgs, rma.n_msgs, &cap)) rc = no_memory(above->r->err);
    berth_message_t m = {0};
    if (!rc) rc = rows_take(below, 2, "raaa", &m.dst, &m.size, &m.count, &m.bytes);
    if (!rc) msgs[rma.n_msgs++] = m;
    if (!rc) rc = rows_next(below);
  }
  rma.msgs = msgs;
  if (!rc) rc = rows_added(above, berth_pattern_add_rma(above->r->p, &rma, above->r->err));
  free(msgs);
  return rc;
}

static int read_unmodelled(rows_t *rows, void *unused)
{
  (void)unused;
  berth_unmodelled_t u;
  int rc = rows_take(rows, 0, "na", &u.op, &u.calls);
  return rc ? rc : rows_added(rows, berth_pattern_add_unmodelled(rows->r->p, &u, rows->r->err));
}

static int read_time(rows_t *rows, void *unused)
{
  (void)unused;
  berth_time_t t = {.comm = -1};
  int rc =
      rows_take(rows, 0, "nii?ddr", &t.op, &t.site, &t.comm, &t.total_s, &t.max_s, &t.max_rank);
  return rc ? rc : rows_added(rows, berth_pattern_add_time(rows->r->p, &t, rows->r->err));
}

static int read_parameter(rows_t *rows, void *unused)
{
  (void)unused;
  berth_parameter_t p = {0};
  int rc = rows_take(rows, 0, "nnt?", &p.name, &p.value, &p.text);
  return rc ? rc : rows_added(rows, berth_pattern_add_parameter(rows->r->p, &p, rows->r->err));
}

/* A grid whose dimensions are being read: one row each. */
typedef struct dims {
  uint64_t id;
  berth_grid_t grid;
} dims_t;

static int add_grid(database_t *r, dims_t *dims)
{
  berth_error_t why = {0};
  if (!dims->grid.n_dims) return BERTH_OK;
  int rc = berth_pattern_add_grid(r->p, &dims->grid, &why);
  if (rc == BERTH_MISSING) return no_memory(r->err);
  if (rc)
    return berth_fail(r->err, rc, "%s: table grid, grid %llu: %s", r->path,
                      (unsigned long long)dims->id, why.text);
  dims->grid.n_dims = 0;
  return BERTH_OK;
}

static int read_dim(rows_t *rows, void *into)
{
  dims_t *dims = into;
  uint64_t id;
  int dim, ranks;
  bool periodic;
  int rc = rows_take(rows, 0, "aiif", &id, &dim, &ranks, &periodic);
  if (!rc && id != dims->id) rc = add_grid(rows->r, dims);
  if (rc) return rc;
  dims->id = id;
  int n = dims->grid.n_dims;
  if (n == BERTH_GRID_DIMS || dim != n)
    return rows_fail(rows, 1, "found '%d', expected %d, the next of at most %d dimensions", dim, n,
                     BERTH_GRID_DIMS);
  dims->grid.dims[n] = ranks;
  dims->grid.periodic[n] = periodic;
  dims->grid.n_dims++;
  return BERTH_OK;
}

static int read_grids(database_t *r)
{
  dims_t dims = {0};
  int rc = rows_each(r, TABLE_GRID, read_dim, &dims);
  return rc ? rc : add_grid(r, &dims);
}

static int read_packed(rows_t *rows, void *unused)
{
  (void)unused;
  bool receives;
  berth_packed_t x = {0};
  int rc = rows_take(rows, 0, "rifaaaa", &x.rank, &x.site, &receives, &x.size, &x.pieces, &x.span,
                     &x.count);
  if (rc) return rc;
  x.receives = receives;
  return rows_added(rows, berth_pattern_add_packed(rows->r->p, &x, rows->r->err));
}

/* Reads what older databases lack. */
static int read_newer(database_t *r)
{
  int rc = sqlite_check_newer(r);
  if (!rc && r->version >= sqlite_tables[TABLE_TIME].since)
    rc = rows_each(r, TABLE_TIME, read_time, NULL);
  if (!rc && r->version >= sqlite_tables[TABLE_PARAMETER].since)
    rc = rows_each(r, TABLE_PARAMETER, read_parameter, NULL);
  if (!rc && r->version >= sqlite_tables[TABLE_GRID].since && !r->widened) rc = read_grids(r);
  if (!rc && r->version >= sqlite_tables[TABLE_PACKED].since)
    rc = rows_each(r, TABLE_PACKED, read_packed, NULL);
  return rc;
}

/* A baseline while it is read. */
typedef struct base {
  arena_t arena;
  berth_baseline_phase_t *phase;
  size_t n_phases, cap;
  int *pu_of_rank, known;
} base_t;

static int read_baseline_phase(rows_t *rows, void *into)
{
  base_t *b = into;
  char *copy = NULL;
  berth_baseline_phase_t phase;
  int rc = rows_number(rows, 1, INT32_MAX, &phase.id);
  if (!rc) rc = keep_text(rows, 2, &b->arena, &copy);
  if (!rc) rc = rows_take(rows, 3, "d", &phase.cost_s);
  if (!rc && !ARRAY_GROW(&b->phase, b->n_phases, &b->cap)) rc = no_memory(rows->r->err);
  phase.name = copy;
  if (!rc) b->phase[b->n_phases++] = phase;
  return rc;
}

static int read_baseline_rank(rows_t *rows, void *into)
{
  base_t *b = into;
  uint64_t rank = (uint64_t)b->known; /* rows are sorted, so each must be the next one */
  int rc = b->known < rows->r->ranks ? rows_whole(rows, 0, rank, rank, &rank)
                                     : rows_unexpected(rows, 0, "no more ranks than the pattern's");
  return rc ? rc : rows_number(rows, 1, INT32_MAX, &b->pu_of_rank[b->known++]);
}

static int read_hash(const rows_t *rows, int column, uint64_t *out)
{
  const char *text;
  int rc = rows_take(rows, column, "n", &text);
  if (rc) return rc;
  *out = strtoull(text, NULL, 16);
  if (strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16) return BERTH_OK;
  return rows_unexpected(rows, column, "16 digits from 0 to 9 and a to f");
}

static int read_baseline_row(rows_t *rows, void *into)
{
  base_t *parts = into;
  database_t *r = rows->r;
  berth_baseline_t b = {0};
  if (rows->row > 1) return rows_fail(rows, -1, "found a second baseline, expected one at most");
  int rc = rows_each(r, TABLE_BASELINE_PHASE, read_baseline_phase, parts);
  if (!rc) rc = rows_each(r, TABLE_BASELINE_RANK, read_baseline_rank, parts);
  if (!rc && parts->known < r->ranks)
    rc = rows_fail(rows, -1, "found the places of %d ranks, expected those of %d", parts->known,
                   r->ranks);
  b.n_phases = parts->n_phases;
  b.phases = parts->phase;
  b.pu_of_rank = parts->pu_of_rank;
  if (!rc) rc = rows_take(rows, 0, "nnn", &b.berth, &b.model, &b.topology);
  if (!rc) rc = read_hash(rows, 3, &b.topology_hash);
  if (!rc)
    rc = rows_take(rows, 4, "dnnn", &b.cost_s, &b.algorithm, &b.rules[BERTH_ONE_SIDED],
                   &b.rules[BERTH_COLLECTIVES]);
  return rc ? rc : berth_pattern_set_baseline(r->p, &b, r->err);
}

static int read_baseline(database_t *r)
{
  base_t parts = {.pu_of_rank = malloc((size_t)r->ranks * sizeof *parts.pu_of_rank)};
  int rc = parts.pu_of_rank ? rows_each(r, TABLE_BASELINE, read_baseline_row, &parts)
                            : no_memory(r->err);
  free(parts.pu_of_rank);
  free(parts.phase);
  arena_free(&parts.arena);
  return rc;
}

static int read_pattern(database_t *r, int ranks)
{
  int rc = read_head(r, ranks);
  if (!rc) rc = rows_each(r, TABLE_RANK, read_rank, NULL);
  if (!rc) rc = rows_each(r, TABLE_PHASE, read_phase, NULL);
  if (!rc) rc = rows_each_with(r, TABLE_SITE, TABLE_FRAME, read_site);
  if (!rc) rc = rows_each_with(r, TABLE_COMM, TABLE_COMM_RANK, read_comm);
  if (!rc) rc = rows_each(r, TABLE_MESSAGE, read_message, NULL);
  if (!rc) rc = rows_each_with(r, TABLE_SEND_ORDER, TABLE_STEP, read_order);
  if (!rc) rc = rows_each_with(r, TABLE_COLL, TABLE_COLL_SHARE, read_coll);
  if (!rc) rc = rows_each_with(r, TABLE_COLL_ROW, TABLE_ROW_SHARE, read_row);
  if (!rc) rc = rows_each_with(r, TABLE_RMA, TABLE_RMA_MESSAGE, read_rma);
  if (!rc) rc = rows_each(r, TABLE_UNMODELLED, read_unmodelled, NULL);
  if (!rc) rc = read_newer(r);
  return rc ? rc : read_baseline(r);
}

int sqlite_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  char *bytes = NULL;
  size_t n = 0;
  int rc = formats_one_file(in, err);
  database_t r = {.path = rc ? "" : scan_name(in->paths[0]), .err = err};
  if (!rc) rc = in_read_all(in->paths[0], &bytes, &n, err);
  if (!rc) rc = sqlite_open(&r, bytes, n);
  if (!rc) rc = read_pattern(&r, in->ranks);
  sqlite3_close(r.db);
  free(bytes);
  if (rc)
    berth_pattern_free(r.p);
  else
    traffic_whole(into, r.p);
  return rc;
}
