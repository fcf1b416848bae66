/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and checks the tables of a pattern's database. */
#include "exchange/pattern/sqlite_rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/field.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "exchange/exchange_internal.h"

/* Fails with an error of SQLite, which means a damaged file: everything else was checked before. */
static int broken(database_t *r)
{
  if (sqlite3_errcode(r->db) == SQLITE_NOMEM) return no_memory(r->err);
  return berth_fail(r->err, BERTH_BAD_INPUT,
                    "%s: found a damaged database (%s), expected a whole one", r->path,
                    sqlite3_errmsg(r->db));
}

int rows_next(rows_t *rows)
{
  int code = sqlite3_step(rows->statement);
  rows->has = code == SQLITE_ROW;
  rows->row++;
  return rows->has || code == SQLITE_DONE ? BERTH_OK : broken(rows->r);
}

static int no_columns(database_t *r, const sqlite_table_t *t)
{
  char columns[200] = "";
  size_t used = 0;
  for (int i = 0; i < t->n; i++)
    used += (size_t)snprintf(columns + used, sizeof columns - used, "%s%s", i ? ", " : "",
                             t->column[i].name);
  return berth_fail(r->err, BERTH_BAD_INPUT, "%s: table %s: found %s, expected columns %s", r->path,
                    t->name, sqlite3_errmsg(r->db), columns);
}

/* Starts with a table's first row. Call rows_close also after a failure. */
static int rows_open(rows_t *rows, database_t *r, sqlite_table_id_t id)
{
  const sqlite_table_t *t = &sqlite_tables[id];
  *rows = (rows_t){.r = r, .table = t};
  sqlite3_str *sql = sqlite3_str_new(r->db);
  for (int i = 0; i < t->n; i++)
    sqlite3_str_appendf(sql, "%s%s", i ? ", " : "SELECT ",
                        t->column[i].since > r->version ? "NULL" : t->column[i].name);
  sqlite3_str_appendf(sql, " FROM %s%s%s", t->name, *t->key ? " ORDER BY " : "", t->key);
  char *text = sqlite3_str_finish(sql);
  if (!text) return no_memory(r->err);
  int code = sqlite3_prepare_v2(r->db, text, -1, &rows->statement, NULL);
  sqlite3_free(text);
  if (code == SQLITE_ERROR) return no_columns(r, t);
  return code == SQLITE_OK ? rows_next(rows) : broken(r);
}

static void rows_close(rows_t *rows) { sqlite3_finalize(rows->statement); }

int rows_fail(const rows_t *rows, int column, const char *format, ...)
{
  FIELD_ARGUMENTS(what, 300, format);
  return berth_fail(rows->r->err, BERTH_BAD_INPUT, "%s: table %s, row %ld%s%s: %s", rows->r->path,
                    rows->table->name, rows->row, column < 0 ? "" : ", ",
                    column < 0 ? "" : rows->table->column[column].name, what);
}

int rows_unexpected(const rows_t *rows, int column, const char *expected)
{
  sqlite3_stmt *s = rows->statement;
  int type = sqlite3_column_type(s, column);
  if (type == SQLITE_NULL) return rows_fail(rows, column, "found nothing, expected %s", expected);
  if (type == SQLITE_BLOB) return rows_fail(rows, column, "found a blob, expected %s", expected);
  return rows_fail(rows, column, "found '%.60s', expected %s",
                   (const char *)sqlite3_column_text(s, column), expected);
}

int rows_whole(const rows_t *rows, int column, uint64_t min, uint64_t max, uint64_t *out)
{
  char expected[80];
  sqlite3_int64 value = sqlite3_column_int64(rows->statement, column);
  *out = (uint64_t)value;
  if (sqlite3_column_type(rows->statement, column) == SQLITE_INTEGER && value >= 0 && *out >= min &&
      *out <= max)
    return BERTH_OK;
  snprintf(expected, sizeof expected, "a whole number from %llu to %llu", (unsigned long long)min,
           (unsigned long long)max);
  return rows_unexpected(rows, column, expected);
}

int rows_number(const rows_t *rows, int column, int max, int *out)
{
  uint64_t value;
  int rc = rows_whole(rows, column, 0, (uint64_t)max, &value);
  *out = rc ? 0 : (int)value;
  return rc;
}

static int take_real(const rows_t *rows, int column, double *out)
{
  int type = sqlite3_column_type(rows->statement, column);
  *out = sqlite3_column_double(rows->statement, column);
  if ((type == SQLITE_FLOAT || type == SQLITE_INTEGER) && *out >= 0 && isfinite(*out))
    return BERTH_OK;
  return rows_unexpected(rows, column, "a number from 0");
}

static int take_text(const rows_t *rows, int column, bool free_form, const char **out)
{
  const char *text = (const char *)sqlite3_column_text(rows->statement, column);
  size_t n = (size_t)sqlite3_column_bytes(rows->statement, column);
  *out = text;
  if (sqlite3_column_type(rows->statement, column) == SQLITE_TEXT && text && strlen(text) == n &&
      text_utf8_valid(text, n, NULL) && (free_form || !text_has_control(text)))
    return BERTH_OK;
  return rows_unexpected(rows, column,
                         free_form ? "text in UTF-8" : "text in UTF-8 without control characters");
}

static int take_flag(const rows_t *rows, int column, bool *out)
{
  int value, rc = rows_number(rows, column, 1, &value);
  *out = value == 1;
  return rc;
}

/* Takes a value of rows_take. */
static int take(const rows_t *rows, int column, char kind, void *out)
{
  switch (kind) {
  case 'i':
    return rows_number(rows, column, INT32_MAX, out);
  case 'r':
    return rows_number(rows, column, rows->r->ranks - 1, out);
  case 'a':
    return rows_whole(rows, column, 0, BERTH_MAX_AMOUNT, out);
  case 'f':
    return take_flag(rows, column, out);
  case 'd':
    return take_real(rows, column, out);
  default:
    return take_text(rows, column, kind == 't', out);
  }
}

int rows_take(const rows_t *rows, int column, const char *kinds, ...)
{
  int rc = BERTH_OK;
  va_list args;
  va_start(args, kinds);
  for (; *kinds && !rc; kinds++, column++) {
    void *out = va_arg(args, void *);
    bool may_lack = kinds[1] == '?',
         lacks = sqlite3_column_type(rows->statement, column) == SQLITE_NULL;
    if (!may_lack || !lacks) rc = take(rows, column, *kinds, out);
    kinds += may_lack;
  }
  va_end(args);
  return rc;
}

int rows_added(const rows_t *rows, int rc)
{
  berth_error_t why = *rows->r->err;
  return rc == BERTH_BAD_INPUT ? rows_fail(rows, -1, "%s", why.text) : rc;
}

bool rows_belongs(const rows_t *rows, uint64_t above)
{
  return rows->has && sqlite3_column_type(rows->statement, 0) == SQLITE_INTEGER &&
         sqlite3_column_int64(rows->statement, 0) == (sqlite3_int64)above;
}

/* Fails if a row of the lower table belongs to no row of `above`. */
static int expect_end(const rows_t *rows, sqlite_table_id_t above)
{
  char expected[80];
  snprintf(expected, sizeof expected, "a row of table %s", sqlite_tables[above].name);
  return rows->has ? rows_unexpected(rows, 0, expected) : BERTH_OK;
}

int rows_each(database_t *r, sqlite_table_id_t id, int (*read)(rows_t *rows, void *into),
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

int rows_each_with(database_t *r, sqlite_table_id_t above_id, sqlite_table_id_t below_id,
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

/* Whether a statement's first row begins with that text; -1 if it fails. */
static int says(database_t *r, const char *sql, const char *parameter, const char *expected,
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

/* Checks that the tables are there that came after version `first`, up to version `last`, and that
 * they aren't views, which could run for ever. */
static int check_tables(database_t *r, int first, int last)
{
  char found[120];
  for (int t = 0; t < TABLE_N_READ; t++) {
    if (sqlite_tables[t].since <= first || sqlite_tables[t].since > last) continue;
    int good = says(r, "SELECT type FROM sqlite_master WHERE name = ? AND rootpage > 0",
                    sqlite_tables[t].name, "table", found, sizeof found);
    if (good < 0) return broken(r);
    if (!good)
      return berth_fail(
          r->err, BERTH_BAD_INPUT,
          "%s: found no table '%s', expected the tables that `berth export -f sqlite` writes",
          r->path, sqlite_tables[t].name);
  }
  return BERTH_OK;
}

int sqlite_check_newer(database_t *r) { return check_tables(r, 0, r->version); }

/* Checks that the file is undamaged and has the tables of the first schema. */
static int check_database(database_t *r)
{
  char found[120];
  int good = says(r, "PRAGMA quick_check(1)", NULL, "ok", found, sizeof found);
  if (good < 0) return broken(r);
  if (!good && strstr(found, "error code=7")) /* SQLITE_NOMEM, which the check reports as damage */
    return no_memory(r->err);
  if (!good)
    return berth_fail(r->err, BERTH_BAD_INPUT,
                      "%s: found a damaged database (%s), expected a whole one", r->path, found);
  return check_tables(r, -1, 0);
}

int sqlite_open(database_t *r, char *bytes, size_t n)
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
  unsigned page = size[0] << 8 | size[1]; /* 1 means 65536 */
  if (page > 1 && n % page > 0)
    return berth_fail(r->err, BERTH_BAD_INPUT,
                      "%s: found a database of %zu bytes, expected whole pages of %u bytes",
                      r->path, n, page);
  if (sqlite3_open_v2(":memory:", &r->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
      sqlite3_deserialize(r->db, "main", (unsigned char *)bytes, (sqlite3_int64)n, (sqlite3_int64)n,
                          SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
    return no_memory(r->err);
  sqlite3_db_config(r->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(r->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(r->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  return check_database(r);
}
