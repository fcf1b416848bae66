/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a pattern from an SQLite database with the tables of sqlite_schema.c. Whoever made it may
 * have changed it: every value is checked, views and triggers are not run. */
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "exchange/exchange_internal.h"
#include "exchange/sqlite_schema.h"

static const uint64_t MOST = UINT64_C(1) << 53;

typedef struct reader {
  sqlite3 *db;
  const char *path;
  berth_pattern_t *p;
  int ranks;
  berth_error_t *err;
} reader_t;

/* The rows of a table, of which the current one is looked at; sorted by the table's key. */
typedef struct rows {
  reader_t *r;
  const sqlite_table_t *table;
  sqlite3_stmt *statement;
  long row;
  bool has;
} rows_t;

int sqlite_recognises(const char *text, size_t n)
{
  static const char head[16] = "SQLite format 3";
  return n >= sizeof head && memcmp(text, head, sizeof head) == 0;
}

/* An error of SQLite's: of a damaged file, as everything else has been seen to. */
static int broken(reader_t *r)
{
  if (sqlite3_errcode(r->db) == SQLITE_NOMEM)
    return berth_fail(r->err, BERTH_MISSING, "out of memory");
  return berth_fail(r->err, BERTH_BAD_INPUT,
                    "%s: found a damaged database (%s), expected a whole one", r->path,
                    sqlite3_errmsg(r->db));
}

static int rows_next(rows_t *rows)
{
  int code = sqlite3_step(rows->statement);
  rows->has = code == SQLITE_ROW;
  rows->row++;
  return rows->has || code == SQLITE_DONE ? BERTH_OK : broken(rows->r);
}

static int no_columns(reader_t *r, const sqlite_table_t *t)
{
  char columns[200] = "";
  size_t used = 0;
  for (int i = 0; i < t->n; i++)
    used += (size_t)snprintf(columns + used, sizeof columns - used, "%s%s", i ? ", " : "",
                             t->column[i].name);
  return berth_fail(r->err, BERTH_BAD_INPUT, "%s: table %s: found %s, expected columns %s", r->path,
                    t->name, sqlite3_errmsg(r->db), columns);
}

/* Starts with the first row of a table; rows_close is due whatever this returns. */
static int rows_open(rows_t *rows, reader_t *r, sqlite_table_id_t id)
{
  const sqlite_table_t *t = &sqlite_tables[id];
  *rows = (rows_t){.r = r, .table = t};
  sqlite3_str *sql = sqlite3_str_new(r->db);
  for (int i = 0; i < t->n; i++)
    sqlite3_str_appendf(sql, "%s%s", i ? ", " : "SELECT ", t->column[i].name);
  sqlite3_str_appendf(sql, " FROM %s%s%s", t->name, *t->key ? " ORDER BY " : "", t->key);
  char *text = sqlite3_str_finish(sql);
  if (!text) return berth_fail(r->err, BERTH_MISSING, "out of memory");
  int code = sqlite3_prepare_v2(r->db, text, -1, &rows->statement, NULL);
  sqlite3_free(text);
  if (code == SQLITE_ERROR) return no_columns(r, t);
  return code == SQLITE_OK ? rows_next(rows) : broken(r);
}

static void rows_close(rows_t *rows) { sqlite3_finalize(rows->statement); }

static int fail(const rows_t *rows, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(const rows_t *rows, int column, const char *format, ...)
{
  char what[300];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return berth_fail(rows->r->err, BERTH_BAD_INPUT, "%s: table %s, row %ld%s%s: %s", rows->r->path,
                    rows->table->name, rows->row, column < 0 ? "" : ", ",
                    column < 0 ? "" : rows->table->column[column].name, what);
}

static int unexpected(const rows_t *rows, int column, const char *expected)
{
  sqlite3_stmt *s = rows->statement;
  int type = sqlite3_column_type(s, column);
  if (type == SQLITE_NULL) return fail(rows, column, "found nothing, expected %s", expected);
  if (type == SQLITE_BLOB) return fail(rows, column, "found a blob, expected %s", expected);
  return fail(rows, column, "found '%.60s', expected %s",
              (const char *)sqlite3_column_text(s, column), expected);
}

static int whole(const rows_t *rows, int column, uint64_t least, uint64_t most, uint64_t *out)
{
  char expected[80];
  sqlite3_int64 value = sqlite3_column_int64(rows->statement, column);
  *out = (uint64_t)value;
  if (sqlite3_column_type(rows->statement, column) == SQLITE_INTEGER && value >= 0 &&
      *out >= least && *out <= most)
    return BERTH_OK;
  snprintf(expected, sizeof expected, "a whole number from %llu to %llu", (unsigned long long)least,
           (unsigned long long)most);
  return unexpected(rows, column, expected);
}

static int number(const rows_t *rows, int column, int most, int *out)
{
  uint64_t value;
  int rc = whole(rows, column, 0, (uint64_t)most, &value);
  *out = rc ? 0 : (int)value;
  return rc;
}

static int rank_of(const rows_t *rows, int column, int *out)
{
  return number(rows, column, rows->r->ranks - 1, out);
}

static bool is_null(const rows_t *rows, int column)
{
  return sqlite3_column_type(rows->statement, column) == SQLITE_NULL;
}

/* A number that isn't negative. */
static int real(const rows_t *rows, int column, double *out)
{
  int type = sqlite3_column_type(rows->statement, column);
  *out = sqlite3_column_double(rows->statement, column);
  if ((type == SQLITE_FLOAT || type == SQLITE_INTEGER) && *out >= 0 && isfinite(*out))
    return BERTH_OK;
  return unexpected(rows, column, "a number from 0");
}

/* Text that any pattern may have, `free_form` where that is all that isn't a NUL; valid until the
 * next row. */
static int any_text(const rows_t *rows, int column, bool free_form, const char **out)
{
  const char *text = (const char *)sqlite3_column_text(rows->statement, column);
  size_t n = (size_t)sqlite3_column_bytes(rows->statement, column);
  *out = text;
  if (sqlite3_column_type(rows->statement, column) == SQLITE_TEXT && text && strlen(text) == n &&
      text_utf8_valid(text, n, NULL) && (free_form || !text_has_control(text)))
    return BERTH_OK;
  return unexpected(rows, column,
                    free_form ? "text in UTF-8" : "text in UTF-8 without control characters");
}

static int name(const rows_t *rows, int column, const char **out)
{
  return any_text(rows, column, false, out);
}

/* What the builder says to a row. */
static int added(const rows_t *rows, int rc)
{
  berth_error_t why = *rows->r->err;
  return rc == BERTH_BAD_INPUT ? fail(rows, -1, "%s", why.text) : rc;
}

/* Whether the current row belongs to that one of the table above it, whose rows are gone through in
 * the same order. */
static bool belongs(const rows_t *rows, uint64_t above)
{
  return rows->has && sqlite3_column_type(rows->statement, 0) == SQLITE_INTEGER &&
         sqlite3_column_int64(rows->statement, 0) == (sqlite3_int64)above;
}

/* At the end no row is left. */
static int expect_end(const rows_t *rows, sqlite_table_id_t above)
{
  char expected[80];
  snprintf(expected, sizeof expected, "a row of table %s", sqlite_tables[above].name);
  return rows->has ? unexpected(rows, 0, expected) : BERTH_OK;
}

/* Calls `read` for each row; the errors are its own. */
static int each(reader_t *r, sqlite_table_id_t id, int (*read)(rows_t *rows, void *into),
                void *into)
{
  rows_t rows;
  int rc = rows_open(&rows, r, id);
  while (!rc && rows.has) {
    rc = read(&rows, into);
    if (!rc) rc = rows_next(&rows);
  }
  rows_close(&rows);
  return rc;
}

/* The same with the rows of another table that belong to each: `read` takes all of them. */
static int each_with(reader_t *r, sqlite_table_id_t above_id, sqlite_table_id_t below_id,
                     int (*read)(rows_t *above, rows_t *below))
{
  rows_t above = {0}, below;
  int rc = rows_open(&below, r, below_id);
  if (!rc) rc = rows_open(&above, r, above_id);
  while (!rc && above.has) {
    rc = read(&above, &below);
    if (!rc) rc = rows_next(&above);
  }
  if (!rc) rc = expect_end(&below, above_id);
  rows_close(&above);
  rows_close(&below);
  return rc;
}

typedef struct meta {
  bool is_pattern;
  uint64_t version, ranks;
  char *mpi, *created;
  arena_t arena;
} meta_t;

static int keep_text(rows_t *rows, int column, arena_t *arena, char **out)
{
  const char *text;
  int rc = name(rows, column, &text);
  if (rc) return rc;
  *out = arena_strdup(arena, text);
  return *out ? BERTH_OK : berth_fail(rows->r->err, BERTH_MISSING, "out of memory");
}

static int read_meta_row(rows_t *rows, void *into)
{
  meta_t *m = into;
  const char *key, *text;
  int rc = name(rows, 0, &key);
  if (rc) return rc;
  if (strcmp(key, "format") == 0) {
    rc = name(rows, 1, &text);
    m->is_pattern = !rc && strcmp(text, "berth-pattern") == 0;
    return rc || m->is_pattern ? rc : unexpected(rows, 1, "'berth-pattern'");
  }
  if (strcmp(key, "version") == 0)
    return whole(rows, 1, SQLITE_SCHEMA_VERSION, SQLITE_SCHEMA_VERSION, &m->version);
  if (strcmp(key, "ranks") == 0) return whole(rows, 1, 1, BERTH_MAX_RANKS, &m->ranks);
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
  int rc = any_text(rows, column, true, &text);
  if (rc) return rc;
  if (!(text = arena_strdup(&to->arena, text)) || !ARRAY_GROW(&to->text, to->n, &to->cap))
    return berth_fail(rows->r->err, BERTH_MISSING, "out of memory");
  to->text[to->n++] = text;
  return BERTH_OK;
}

static void clear_texts(texts_t *t)
{
  arena_free(&t->arena);
  free(t->text);
}

static int read_argument(rows_t *rows, void *into) { return add_text(rows, 1, into); }

/* The pattern itself; `most_ranks` where more are asked for than the database has. */
static int read_head(reader_t *r, int ranks)
{
  meta_t m = {0};
  texts_t command = {0};
  int rc = each(r, TABLE_META, read_meta_row, &m);
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
  if (!rc) rc = each(r, TABLE_COMMAND, read_argument, &command);
  if (!rc) {
    r->ranks = ranks ? ranks : (int)m.ranks;
    r->p = berth_pattern_new(r->ranks, r->err);
    rc = r->p ? berth_pattern_set_command(r->p, command.n, command.text, r->err) : BERTH_MISSING;
  }
  if (!rc)
    rc = berth_pattern_set_origin(r->p, m.mpi ? m.mpi : "", m.created ? m.created : "", r->err);
  clear_texts(&command);
  arena_free(&m.arena);
  return rc;
}

static int read_rank(rows_t *rows, void *unused)
{
  (void)unused;
  int rank, rc = rank_of(rows, 0, &rank);
  berth_rank_info_t info = {.host = "", .pu = -1, .wall_s = -1, .mpi_s = -1};
  if (!rc && !is_null(rows, 1)) rc = name(rows, 1, &info.host);
  if (!rc && !is_null(rows, 2)) rc = number(rows, 2, INT32_MAX, &info.pu);
  if (!rc && !is_null(rows, 3)) rc = real(rows, 3, &info.wall_s);
  if (!rc && !is_null(rows, 4)) rc = real(rows, 4, &info.mpi_s);
  if (!rc && !is_null(rows, 5)) rc = real(rows, 5, &info.unsure_s);
  if (rc || (!*info.host && info.pu < 0 && info.wall_s < 0 && info.mpi_s < 0)) return rc;
  return added(rows, berth_pattern_set_rank(rows->r->p, rank, &info, rows->r->err));
}

static int read_phase(rows_t *rows, void *unused)
{
  (void)unused;
  berth_phase_t phase;
  int rc = number(rows, 0, INT32_MAX, &phase.id);
  if (!rc) rc = name(rows, 1, &phase.name);
  if (!rc) rc = whole(rows, 2, 0, MOST, &phase.repeats);
  return rc ? rc : added(rows, berth_pattern_add_phase(rows->r->p, &phase, rows->r->err));
}

static int read_site(rows_t *above, rows_t *below)
{
  berth_site_t site = {0};
  texts_t frames = {0};
  int rc = number(above, 0, INT32_MAX, &site.id);
  if (!rc) rc = name(above, 1, &site.op);
  while (!rc && belongs(below, (uint64_t)site.id)) {
    rc = add_text(below, 2, &frames);
    if (!rc) rc = rows_next(below);
  }
  site.n_frames = frames.n;
  site.frames = frames.text;
  if (!rc) rc = added(above, berth_pattern_add_site(above->r->p, &site, above->r->err));
  clear_texts(&frames);
  return rc;
}

static int read_comm(rows_t *above, rows_t *below)
{
  uint64_t id;
  int *ranks = NULL, rc = whole(above, 0, 1, INT32_MAX, &id);
  size_t n = 0, cap = 0;
  while (!rc && belongs(below, id)) {
    if (!ARRAY_GROW(&ranks, n, &cap))
      rc = berth_fail(above->r->err, BERTH_MISSING, "out of memory");
    if (!rc) rc = rank_of(below, 2, &ranks[n++]);
    if (!rc) rc = rows_next(below);
  }
  if (!rc)
    rc = added(above, berth_pattern_add_comm(above->r->p, &(berth_comm_t){(int)id, n, ranks},
                                             above->r->err));
  free(ranks);
  return rc;
}

/* Size, count and bytes stand beside each other. */
static int read_amounts(const rows_t *rows, int column, berth_message_t *m)
{
  int rc = whole(rows, column, 0, MOST, &m->size);
  if (!rc) rc = whole(rows, column + 1, 0, MOST, &m->count);
  return rc ? rc : whole(rows, column + 2, 0, MOST, &m->bytes);
}

static int read_message(rows_t *rows, void *unused)
{
  (void)unused;
  berth_message_t m = {0};
  int rc = number(rows, 0, INT32_MAX, &m.phase);
  if (!rc) rc = number(rows, 1, INT32_MAX, &m.site);
  if (!rc) rc = rank_of(rows, 2, &m.src);
  if (!rc) rc = rank_of(rows, 3, &m.dst);
  if (!rc) rc = read_amounts(rows, 4, &m);
  return rc ? rc : added(rows, berth_pattern_add_message(rows->r->p, &m, rows->r->err));
}

static int read_send(const rows_t *rows, berth_send_t *s)
{
  int rc = rank_of(rows, 2, &s->dst);
  if (!rc) rc = whole(rows, 3, 0, MOST, &s->size);
  if (!rc) rc = number(rows, 4, 1, &s->blocking);
  return rc ? rc : whole(rows, 5, 1, MOST, &s->times);
}

static int read_order(rows_t *above, rows_t *below)
{
  uint64_t id;
  size_t cap = 0;
  berth_send_t *sends = NULL;
  berth_order_t o = {0};
  int rc = whole(above, 0, 0, MOST, &id);
  if (!rc) rc = number(above, 1, INT32_MAX, &o.phase);
  if (!rc) rc = rank_of(above, 2, &o.src);
  if (!rc) rc = whole(above, 3, 1, MOST, &o.rounds);
  while (!rc && belongs(below, id)) {
    if (!ARRAY_GROW(&sends, o.n_sends, &cap))
      rc = berth_fail(above->r->err, BERTH_MISSING, "out of memory");
    if (!rc) rc = read_send(below, &sends[o.n_sends++]);
    if (!rc) rc = rows_next(below);
  }
  o.sends = sends;
  if (!rc) rc = added(above, berth_pattern_add_order(above->r->p, &o, above->r->err));
  free(sends);
  return rc;
}

/* The shares that belong to a row, which the caller frees. */
static int read_shares(rows_t *rows, uint64_t above, berth_share_t **out, size_t *n)
{
  size_t cap = 0;
  int rc = BERTH_OK;
  for (*n = 0; !rc && belongs(rows, above);) {
    if (!ARRAY_GROW(out, *n, &cap)) return berth_fail(rows->r->err, BERTH_MISSING, "out of memory");
    rc = whole(rows, 2, 0, MOST, &(*out)[*n].bytes);
    if (!rc) rc = whole(rows, 3, 1, (uint64_t)rows->r->ranks, &(*out)[(*n)++].ranks);
    if (!rc) rc = rows_next(rows);
  }
  return rc;
}

/* What operations begin with: their number, phase and call site. */
static int read_ids(const rows_t *rows, uint64_t *id, int *phase, int *site)
{
  int rc = whole(rows, 0, 0, MOST, id);
  if (!rc) rc = number(rows, 1, INT32_MAX, phase);
  return rc ? rc : number(rows, 2, INT32_MAX, site);
}

static int read_coll(rows_t *above, rows_t *below)
{
  uint64_t id;
  berth_share_t *shares = NULL;
  berth_coll_t c = {.root = -1};
  int rc = read_ids(above, &id, &c.phase, &c.site);
  if (!rc) rc = number(above, 3, INT32_MAX, &c.comm);
  if (!rc) rc = name(above, 4, &c.op);
  if (!rc) rc = whole(above, 5, 0, MOST, &c.bytes);
  if (!rc) rc = whole(above, 6, 0, MOST, &c.count);
  if (!rc && !is_null(above, 7)) rc = rank_of(above, 7, &c.root);
  if (!rc) rc = read_shares(below, id, &shares, &c.n_shares);
  c.shares = shares;
  if (!rc) rc = added(above, berth_pattern_add_coll(above->r->p, &c, above->r->err));
  free(shares);
  return rc;
}

static int read_row(rows_t *above, rows_t *below)
{
  uint64_t id;
  berth_share_t *shares = NULL;
  berth_row_t row = {0};
  int rc = read_ids(above, &id, &row.phase, &row.site);
  if (!rc) rc = number(above, 3, INT32_MAX, &row.comm);
  if (!rc) rc = rank_of(above, 4, &row.src);
  if (!rc) rc = name(above, 5, &row.op);
  if (!rc) rc = read_shares(below, id, &shares, &row.n_shares);
  row.shares = shares;
  if (!rc) rc = added(above, berth_pattern_add_row(above->r->p, &row, above->r->err));
  free(shares);
  return rc;
}

static int read_rma(rows_t *above, rows_t *below)
{
  uint64_t id;
  size_t cap = 0;
  berth_message_t *msgs = NULL;
  berth_rma_t rma = {0};
  int rc = read_ids(above, &id, &rma.phase, &rma.site);
  if (!rc) rc = rank_of(above, 3, &rma.src);
  if (!rc) rc = number(above, 4, INT32_MAX, &rma.win);
  if (!rc) rc = name(above, 5, &rma.sync);
  if (!rc) rc = name(above, 6, &rma.op);
  if (!rc) rc = whole(above, 7, 0, MOST, &rma.epochs);
  while (!rc && belongs(below, id)) {
    if (!ARRAY_GROW(&msgs, rma.n_msgs, &cap))
      rc = berth_fail(above->r->err, BERTH_MISSING, "out of memory");
    if (!rc) msgs[rma.n_msgs] = (berth_message_t){0};
    if (!rc) rc = rank_of(below, 2, &msgs[rma.n_msgs].dst);
    if (!rc) rc = read_amounts(below, 3, &msgs[rma.n_msgs++]);
    if (!rc) rc = rows_next(below);
  }
  rma.msgs = msgs;
  if (!rc) rc = added(above, berth_pattern_add_rma(above->r->p, &rma, above->r->err));
  free(msgs);
  return rc;
}

static int read_unmodelled(rows_t *rows, void *unused)
{
  (void)unused;
  berth_unmodelled_t u;
  int rc = name(rows, 0, &u.op);
  if (!rc) rc = whole(rows, 1, 0, MOST, &u.calls);
  return rc ? rc : added(rows, berth_pattern_add_unmodelled(rows->r->p, &u, rows->r->err));
}

/* What belongs to a baseline. */
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
  int rc = number(rows, 1, INT32_MAX, &phase.id);
  if (!rc) rc = keep_text(rows, 2, &b->arena, &copy);
  if (!rc) rc = real(rows, 3, &phase.cost_s);
  if (!rc && !ARRAY_GROW(&b->phase, b->n_phases, &b->cap))
    rc = berth_fail(rows->r->err, BERTH_MISSING, "out of memory");
  phase.name = copy;
  if (!rc) b->phase[b->n_phases++] = phase;
  return rc;
}

static int read_baseline_rank(rows_t *rows, void *into)
{
  base_t *b = into;
  uint64_t rank = (uint64_t)b->known; /* sorted: each has to be the next one */
  int rc = b->known < rows->r->ranks ? whole(rows, 0, rank, rank, &rank)
                                     : unexpected(rows, 0, "no more ranks than the pattern's");
  return rc ? rc : number(rows, 1, INT32_MAX, &b->pu_of_rank[b->known++]);
}

static int read_hash(const rows_t *rows, int column, uint64_t *out)
{
  const char *text;
  int rc = name(rows, column, &text);
  if (rc) return rc;
  *out = strtoull(text, NULL, 16);
  if (strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16) return BERTH_OK;
  return unexpected(rows, column, "16 digits from 0 to 9 and a to f");
}

static int read_baseline_row(rows_t *rows, void *into)
{
  base_t *parts = into;
  reader_t *r = rows->r;
  berth_baseline_t b = {0};
  if (rows->row > 1) return fail(rows, -1, "found a second baseline, expected one at most");
  int rc = each(r, TABLE_BASELINE_PHASE, read_baseline_phase, parts);
  if (!rc) rc = each(r, TABLE_BASELINE_RANK, read_baseline_rank, parts);
  if (!rc && parts->known < r->ranks)
    rc = fail(rows, -1, "found the places of %d ranks, expected those of %d", parts->known,
              r->ranks);
  b.n_phases = parts->n_phases;
  b.phases = parts->phase;
  b.pu_of_rank = parts->pu_of_rank;
  if (!rc) rc = name(rows, 0, &b.berth);
  if (!rc) rc = name(rows, 1, &b.model);
  if (!rc) rc = name(rows, 2, &b.topology);
  if (!rc) rc = read_hash(rows, 3, &b.topology_hash);
  if (!rc) rc = real(rows, 4, &b.cost_s);
  if (!rc) rc = name(rows, 5, &b.algorithm);
  return rc ? rc : berth_pattern_set_baseline(r->p, &b, r->err);
}

static int read_baseline(reader_t *r)
{
  base_t parts = {.pu_of_rank = malloc((size_t)r->ranks * sizeof *parts.pu_of_rank)};
  int rc = parts.pu_of_rank ? each(r, TABLE_BASELINE, read_baseline_row, &parts)
                            : berth_fail(r->err, BERTH_MISSING, "out of memory");
  free(parts.pu_of_rank);
  free(parts.phase);
  arena_free(&parts.arena);
  return rc;
}

static int read_pattern(reader_t *r, int ranks)
{
  int rc = read_head(r, ranks);
  if (!rc) rc = each(r, TABLE_RANK, read_rank, NULL);
  if (!rc) rc = each(r, TABLE_PHASE, read_phase, NULL);
  if (!rc) rc = each_with(r, TABLE_SITE, TABLE_FRAME, read_site);
  if (!rc) rc = each_with(r, TABLE_COMM, TABLE_COMM_RANK, read_comm);
  if (!rc) rc = each(r, TABLE_MESSAGE, read_message, NULL);
  if (!rc) rc = each_with(r, TABLE_SEND_ORDER, TABLE_SEND, read_order);
  if (!rc) rc = each_with(r, TABLE_COLL, TABLE_COLL_SHARE, read_coll);
  if (!rc) rc = each_with(r, TABLE_COLL_ROW, TABLE_ROW_SHARE, read_row);
  if (!rc) rc = each_with(r, TABLE_RMA, TABLE_RMA_MESSAGE, read_rma);
  if (!rc) rc = each(r, TABLE_UNMODELLED, read_unmodelled, NULL);
  return rc ? rc : read_baseline(r);
}

/* Whether a statement's first row begins with that text; -1 where it fails. */
static int says(reader_t *r, const char *sql, const char *parameter, const char *expected,
                char *found, size_t room)
{
  sqlite3_stmt *s = NULL;
  int code = sqlite3_prepare_v2(r->db, sql, -1, &s, NULL);
  if (code == SQLITE_OK && parameter) sqlite3_bind_text(s, 1, parameter, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_step(s);
  const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
  snprintf(found, room, "%s", text ? text : "");
  sqlite3_finalize(s);
  if (code != SQLITE_ROW && code != SQLITE_DONE) return -1;
  return strcmp(found, expected) == 0;
}

/* That the file is whole, and that the tables are tables: not views, which could run for ever. */
static int check_database(reader_t *r)
{
  char found[120];
  int good = says(r, "PRAGMA quick_check(1)", NULL, "ok", found, sizeof found);
  if (good < 0) return broken(r);
  if (!good)
    return berth_fail(r->err, BERTH_BAD_INPUT,
                      "%s: found a damaged database (%s), expected a whole one", r->path, found);
  for (int t = 0; t < TABLE_N_READ; t++) {
    good = says(r, "SELECT type FROM sqlite_master WHERE name = ? AND rootpage > 0",
                sqlite_tables[t].name, "table", found, sizeof found);
    if (good < 0) return broken(r);
    if (!good)
      return berth_fail(
          r->err, BERTH_BAD_INPUT,
          "%s: found no table '%s', expected the tables that `berth export -f sqlite` "
          "writes",
          r->path, sqlite_tables[t].name);
  }
  return BERTH_OK;
}

static int open_database(reader_t *r, char *bytes, size_t n)
{
  enum { PAGE_SIZE = 16, WRITE_VERSION = 18, READ_VERSION = 19, WAL = 2, HEADER = 100 };
  if (n < HEADER || !sqlite_recognises(bytes, n))
    return berth_fail(r->err, BERTH_BAD_INPUT, "%s: found no SQLite database, expected one",
                      r->path);
  if (bytes[WRITE_VERSION] == WAL || bytes[READ_VERSION] == WAL)
    return berth_fail(r->err, BERTH_BAD_INPUT,
                      "%s: found a database in WAL mode, expected one after PRAGMA "
                      "journal_mode=DELETE",
                      r->path);
  const unsigned char *size = (const unsigned char *)bytes + PAGE_SIZE;
  unsigned page = size[0] << 8 | size[1]; /* 1: 65536 */
  if (page > 1 && n % page > 0)
    return berth_fail(r->err, BERTH_BAD_INPUT,
                      "%s: found a database of %zu bytes, expected whole pages of %u bytes",
                      r->path, n, page);
  if (sqlite3_open_v2(":memory:", &r->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
      sqlite3_deserialize(r->db, "main", (unsigned char *)bytes, (sqlite3_int64)n, (sqlite3_int64)n,
                          SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
    return berth_fail(r->err, BERTH_MISSING, "out of memory");
  sqlite3_db_config(r->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(r->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(r->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  return check_database(r);
}

int sqlite_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  char *bytes = NULL;
  size_t n = 0;
  int rc = one_file(in, err);
  reader_t r = {.path = rc ? "" : scan_name(in->paths[0]), .err = err};
  if (!rc) rc = in_read_all(in->paths[0], &bytes, &n, err);
  if (!rc) rc = open_database(&r, bytes, n);
  if (!rc) rc = read_pattern(&r, in->ranks);
  sqlite3_close(r.db);
  free(bytes);
  if (rc)
    berth_pattern_free(r.p);
  else
    traffic_whole(into, r.p);
  return rc;
}
