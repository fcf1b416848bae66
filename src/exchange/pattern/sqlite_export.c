/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a pattern as an SQLite database.
 * It has tables (sqlite_schema.c), which berth can read again, and views with sums. The database is
 * made in memory, so that its file appears at once like every other output, and may be a pipe. */
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/exchange_internal.h"
#include "exchange/pattern/sqlite_schema.h"
#include "pattern/pattern_check.h"

typedef struct writer {
  sqlite3 *db;
  sqlite3_stmt *insert;
  const char *path;
  berth_error_t *err;
  int rc;
} writer_t;

static void check(writer_t *w, int code)
{
  if (w->rc || code == SQLITE_OK || code == SQLITE_DONE) return;
  w->rc = berth_fail(w->err, BERTH_MISSING, "%s: cannot write: %s", w->path,
                     w->db ? sqlite3_errmsg(w->db) : "out of memory");
}

static void run(writer_t *w, const char *sql)
{
  if (!w->rc) check(w, sqlite3_exec(w->db, sql, NULL, NULL, NULL));
}

/* Executes the statements in `text`, and frees it. */
static void run_text(writer_t *w, sqlite3_str *text)
{
  char *sql = sqlite3_str_finish(text);
  if (!sql) check(w, SQLITE_NOMEM);
  if (sql) run(w, sql);
  sqlite3_free(sql);
}

static void create(writer_t *w, const sqlite_table_t *t)
{
  sqlite3_str *sql = sqlite3_str_new(w->db);
  sqlite3_str_appendf(sql, "CREATE TABLE %s(", t->name);
  for (int i = 0; i < t->n; i++)
    sqlite3_str_appendf(sql, "%s%s%s%s", i ? ", " : "", t->column[i].name,
                        *t->column[i].type ? " " : "", t->column[i].type);
  if (*t->key) sqlite3_str_appendf(sql, ", PRIMARY KEY(%s)", t->key);
  sqlite3_str_appendf(sql, ")%s", strchr(t->key, ',') ? " WITHOUT ROWID" : "");
  run_text(w, sql);
}

/* Begins a table: the next rows go there. */
static void begin(writer_t *w, sqlite_table_id_t id)
{
  const sqlite_table_t *t = &sqlite_tables[id];
  sqlite3_finalize(w->insert);
  w->insert = NULL;
  if (w->rc) return;
  sqlite3_str *sql = sqlite3_str_new(w->db);
  sqlite3_str_appendf(sql, "INSERT INTO %s VALUES(?", t->name);
  for (int i = 1; i < t->n; i++) sqlite3_str_appendall(sql, ",?");
  sqlite3_str_appendall(sql, ")");
  char *text = sqlite3_str_finish(sql);
  check(w, text ? sqlite3_prepare_v2(w->db, text, -1, &w->insert, NULL) : SQLITE_NOMEM);
  sqlite3_free(text);
}

/* Writes a row. Kinds of values: 'i' int, 'u' uint64_t, 'd' double, 's' text. Negative ints and
 * doubles and NULL texts mean unknown, and become NULL. */
static void put(writer_t *w, const char *kinds, ...)
{
  va_list args;
  va_start(args, kinds);
  for (int i = 0; kinds[i] && !w->rc; i++) {
    int whole, code = SQLITE_OK;
    double real;
    const char *text;
    if (kinds[i] == 'i' && (whole = va_arg(args, int)) >= 0)
      code = sqlite3_bind_int(w->insert, i + 1, whole);
    else if (kinds[i] == 'u')
      code = sqlite3_bind_int64(w->insert, i + 1, (sqlite3_int64)va_arg(args, uint64_t));
    else if (kinds[i] == 'd' && (real = va_arg(args, double)) >= 0)
      code = sqlite3_bind_double(w->insert, i + 1, real);
    else if (kinds[i] == 's' && (text = va_arg(args, const char *)))
      code = sqlite3_bind_text(w->insert, i + 1, text, -1, SQLITE_STATIC);
    else
      code = sqlite3_bind_null(w->insert, i + 1);
    check(w, code);
  }
  va_end(args);
  if (w->rc) return;
  sqlite3_step(w->insert);
  check(w, sqlite3_reset(w->insert));
}

static void put_meta(writer_t *w, const berth_pattern_t *p)
{
  size_t n;
  const char *const *command = berth_pattern_command(p, &n);
  begin(w, TABLE_META);
  put(w, "sss", "format", "berth-pattern", "what this database holds");
  put(w, "sis", "version", SQLITE_SCHEMA_VERSION, "of its tables");
  put(w, "sis", "ranks", berth_pattern_ranks(p), "how many there are");
  put(w, "sss", "mpi", berth_pattern_mpi(p), "the MPI that was traced");
  put(w, "sss", "created", berth_pattern_created(p), "when it was traced");
  begin(w, TABLE_COMMAND);
  for (size_t i = 0; i < n; i++) put(w, "us", (uint64_t)i, command[i]);
}

static void put_ranks(writer_t *w, const berth_pattern_t *p)
{
  static const berth_rank_info_t unknown = {"", -1, -1, -1, 0, -1};
  begin(w, TABLE_RANK);
  for (int r = 0; r < berth_pattern_ranks(p); r++) {
    const berth_rank_info_t *info = berth_pattern_rank(p, r);
    if (!info) info = &unknown;
    put(w, "isidddd", r, *info->host ? info->host : NULL, info->pu, info->wall_s, info->mpi_s,
        info->wall_s < 0 ? -1 : info->unsure_s, info->wall_s < 0 ? -1 : info->core_wait_s);
  }
}

static void put_names(writer_t *w, const berth_pattern_t *p)
{
  size_t n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n);
  begin(w, TABLE_PHASE);
  for (size_t i = 0; i < n; i++) put(w, "isu", phases[i].id, phases[i].name, phases[i].repeats);
  const berth_site_t *sites = berth_pattern_sites(p, &n);
  begin(w, TABLE_SITE);
  for (size_t i = 0; i < n; i++) put(w, "is", sites[i].id, sites[i].op);
  begin(w, TABLE_FRAME);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < sites[i].n_frames; k++)
      put(w, "ius", sites[i].id, (uint64_t)k, sites[i].frames[k]);
  const berth_comm_t *comms = berth_pattern_comms(p, &n);
  begin(w, TABLE_COMM);
  for (size_t i = 0; i < n; i++) put(w, "iu", comms[i].id, (uint64_t)comms[i].border);
  begin(w, TABLE_COMM_RANK);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < comms[i].n_ranks; k++)
      put(w, "iui", comms[i].id, (uint64_t)k, comms[i].ranks[k]);
}

static void put_messages(writer_t *w, const berth_pattern_t *p)
{
  size_t n_phases;
  berth_pattern_phases(p, &n_phases);
  begin(w, TABLE_MESSAGE);
  for (size_t k = 0; k < n_phases; k++) {
    size_t n;
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    for (size_t i = 0; i < n && !w->rc; i++)
      put(w, "iiiiuuu", m[i].phase, m[i].site, m[i].src, m[i].dst, m[i].size, m[i].count,
          m[i].bytes);
  }
}

static void put_orders(writer_t *w, const berth_pattern_t *p)
{
  size_t n;
  const berth_order_t *o = berth_pattern_orders(p, &n);
  begin(w, TABLE_SEND_ORDER);
  for (size_t i = 0; i < n; i++) put(w, "uiiu", (uint64_t)i, o[i].phase, o[i].src, o[i].rounds);
  begin(w, TABLE_STEP);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < o[i].n_steps && !w->rc; k++) {
      const berth_step_t *s = &o[i].steps[k];
      bool rooted = s->kind == BERTH_STEP_FROM_ROOT || s->kind == BERTH_STEP_TO_ROOT;
      put(w, "uusiuiuius", (uint64_t)i, (uint64_t)k, sqlite_step_kinds[s->kind],
          s->kind == BERTH_STEP_LOOP ? -1 : s->peer, s->size, s->mode, s->times,
          rooted ? s->root : -1, (uint64_t)s->steps, s->op);
    }
}

static void put_shares(writer_t *w, size_t of, size_t n, const berth_share_t *shares)
{
  for (size_t k = 0; k < n; k++)
    put(w, "uuuu", (uint64_t)of, (uint64_t)k, shares[k].bytes, shares[k].ranks);
}

static void put_collectives(writer_t *w, const berth_pattern_t *p)
{
  size_t n;
  const berth_coll_t *c = berth_pattern_colls(p, &n);
  begin(w, TABLE_COLL);
  for (size_t i = 0; i < n; i++)
    put(w, "uiiisuuiuiii", (uint64_t)i, c[i].phase, c[i].site, c[i].comm, c[i].op, c[i].bytes,
        c[i].count, c[i].root, c[i].element, c[i].in_place, !c[i].uncommutative,
        !c[i].user_operation);
  begin(w, TABLE_COLL_SHARE);
  for (size_t i = 0; i < n; i++) put_shares(w, i, c[i].n_shares, c[i].shares);
  const berth_row_t *r = berth_pattern_rows(p, &n);
  begin(w, TABLE_COLL_ROW);
  for (size_t i = 0; i < n; i++)
    put(w, "uiiiis", (uint64_t)i, r[i].phase, r[i].site, r[i].comm, r[i].src, r[i].op);
  begin(w, TABLE_ROW_SHARE);
  for (size_t i = 0; i < n; i++) put_shares(w, i, r[i].n_shares, r[i].shares);
}

static void put_rmas(writer_t *w, const berth_pattern_t *p)
{
  size_t n;
  const berth_rma_t *r = berth_pattern_rmas(p, &n);
  begin(w, TABLE_RMA);
  for (size_t i = 0; i < n; i++)
    put(w, "uiiiissui", (uint64_t)i, r[i].phase, r[i].site, r[i].src, r[i].win, r[i].sync, r[i].op,
        r[i].epochs, r[i].comm);
  begin(w, TABLE_RMA_MESSAGE);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < r[i].n_msgs && !w->rc; k++) {
      const berth_message_t *m = &r[i].msgs[k];
      put(w, "uuiuuu", (uint64_t)i, (uint64_t)k, m->dst, m->size, m->count, m->bytes);
    }
  const berth_unmodelled_t *u = berth_pattern_unmodelled(p, &n);
  begin(w, TABLE_UNMODELLED);
  for (size_t i = 0; i < n; i++) put(w, "su", u[i].op, u[i].calls);
}

static void put_parameters(writer_t *w, const berth_pattern_t *p)
{
  size_t n;
  const berth_parameter_t *all = berth_pattern_parameters(p, &n);
  begin(w, TABLE_PARAMETER);
  for (size_t i = 0; i < n; i++) put(w, "sss", all[i].name, all[i].value, all[i].text);
}

static void put_grids(writer_t *w, const berth_pattern_t *p)
{
  size_t n;
  const berth_grid_t *all = berth_pattern_grids(p, &n);
  begin(w, TABLE_GRID);
  for (size_t i = 0; i < n; i++)
    for (int d = 0; d < all[i].n_dims; d++)
      put(w, "uiii", (uint64_t)i, d, all[i].dims[d], all[i].periodic[d]);
}

static void put_times(writer_t *w, const berth_pattern_t *p)
{
  size_t n;
  const berth_time_t *t = berth_pattern_times(p, &n);
  begin(w, TABLE_TIME);
  for (size_t i = 0; i < n; i++)
    put(w, "siiddi", t[i].op, t[i].site, t[i].comm, t[i].total_s, t[i].max_s, t[i].max_rank);
}

static void put_packed(writer_t *w, const berth_pattern_t *p)
{
  size_t n;
  const berth_packed_t *x = berth_pattern_packed(p, &n);
  begin(w, TABLE_PACKED);
  for (size_t i = 0; i < n; i++)
    put(w, "iiiuuuu", x[i].rank, x[i].site, x[i].receives, x[i].size, x[i].pieces, x[i].span,
        x[i].count);
}

static void put_baseline(writer_t *w, const berth_pattern_t *p)
{
  char hash[17];
  const berth_baseline_t *b = berth_pattern_baseline(p);
  if (!b) return;
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)b->topology_hash);
  begin(w, TABLE_BASELINE);
  put(w, "ssssdsss", b->berth, b->model, b->topology, hash, b->cost_s, b->algorithm,
      b->rules[BERTH_ONE_SIDED], b->rules[BERTH_COLLECTIVES]);
  begin(w, TABLE_BASELINE_PHASE);
  for (size_t k = 0; k < b->n_phases; k++)
    put(w, "uisd", (uint64_t)k, b->phases[k].id, b->phases[k].name, b->phases[k].cost_s);
  begin(w, TABLE_BASELINE_RANK);
  for (int r = 0; r < berth_pattern_ranks(p); r++) put(w, "ii", r, b->pu_of_rank[r]);
}

/* Writes the table that explains the others to people. */
static void put_help(writer_t *w)
{
  begin(w, TABLE_SIZE_BIN);
  put(w, "uui", UINT64_C(0), UINT64_C(0), 0);
  for (int bin = 1; bin <= 54; bin++)
    put(w, "uui", UINT64_C(1) << (bin - 1), (UINT64_C(1) << bin) - 1, bin);
  begin(w, TABLE_UNIT);
  for (int t = 0; t < TABLE_N_TABLES; t++)
    for (int i = 0; i < sqlite_tables[t].n; i++) {
      const sqlite_column_t *c = &sqlite_tables[t].column[i];
      put(w, "ssss", sqlite_tables[t].name, c->name, c->unit, c->about);
    }
}

static void fill(writer_t *w, const berth_pattern_t *p)
{
  run(w, "BEGIN");
  for (int t = 0; t < TABLE_N_TABLES; t++) create(w, &sqlite_tables[t]);
  run(w, sqlite_views);
  put_meta(w, p);
  put_ranks(w, p);
  put_names(w, p);
  put_messages(w, p);
  put_orders(w, p);
  put_collectives(w, p);
  put_rmas(w, p);
  put_times(w, p);
  put_parameters(w, p);
  put_grids(w, p);
  put_packed(w, p);
  put_baseline(w, p);
  put_help(w);
  sqlite3_finalize(w->insert);
  run(w, "COMMIT");
}

int sqlite_export(const berth_pattern_t *p, const char *path, berth_error_t *err)
{
  writer_t w = {.path = strcmp(path, "-") == 0 ? "standard output" : path, .err = err};
  sqlite3_int64 n = 0;
  if (pattern_check_finished(p, err)) return BERTH_BAD_INPUT;
  check(&w, sqlite3_open_v2(":memory:", &w.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL));
  if (!w.rc) fill(&w, p);
  unsigned char *bytes = w.rc ? NULL : sqlite3_serialize(w.db, "main", &n, 0);
  if (!bytes) check(&w, SQLITE_NOMEM);
  sqlite3_close(w.db);
  out_file_t *out = bytes ? out_open(path, err) : NULL;
  if (bytes && !out) w.rc = BERTH_MISSING;
  if (out) {
    out_write(out, bytes, (size_t)n);
    w.rc = out_commit(out, err);
  }
  sqlite3_free(bytes);
  return w.rc;
}
