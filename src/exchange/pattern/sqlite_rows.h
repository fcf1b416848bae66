/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the tables of a database from an untrusted source. Every value is checked; errors name its
 * table, row and column. Functions return codes. */
#ifndef BERTH_EXCHANGE_PATTERN_SQLITE_ROWS_H
#define BERTH_EXCHANGE_PATTERN_SQLITE_ROWS_H

#include <berth/pattern.h>
#include <sqlite3.h>
#include <stdbool.h>

#include "exchange/pattern/sqlite_schema.h"

typedef struct database {
  sqlite3 *db;
  const char *path; /* for errors */
  berth_pattern_t *p;
  int ranks;
  bool widened; /* the database has fewer: its grids aren't of all ranks */
  int version;  /* of its schema; 0: not known yet. What columns lack then is NULL */
  berth_error_t *err;
} database_t;

/* Opens a database in memory, which must stay until it is closed. Checks that it is undamaged and
 * has the tables of the first schema that berth reads. Views and triggers are never run. */
int sqlite_open(database_t *r, char *bytes, size_t n);
/* Checks that it has the tables that came after that, up to its version of the schema. */
int sqlite_check_newer(database_t *r);

/* A table's rows, sorted by its key. Values are those of the current row. */
typedef struct rows {
  database_t *r;
  const sqlite_table_t *table;
  sqlite3_stmt *statement;
  long row;
  bool has;
} rows_t;

int rows_next(rows_t *rows);

/* Calls `read` for each row of a table, until it returns an error. */
int rows_each(database_t *r, sqlite_table_id_t id, int (*read)(rows_t *rows, void *into),
              void *into);
/* The same together with the rows of a second table whose first column names the current row.
 * `read` must take all of these, with rows_belongs and rows_next. */
int rows_each_with(database_t *r, sqlite_table_id_t above_id, sqlite_table_id_t below_id,
                   int (*read)(rows_t *above, rows_t *below));
bool rows_belongs(const rows_t *rows, uint64_t above);

/* Values of the current row. Text is UTF-8 and valid until the next row; names have no control
 * characters. Numbers aren't negative. */
int rows_whole(const rows_t *rows, int column, uint64_t min, uint64_t max, uint64_t *out);
int rows_number(const rows_t *rows, int column, int max, int *out);
/* Takes consecutive columns from that one on, each to a pointer. Kinds: 'i' int, 'r' rank (int),
 * 'a' amount (uint64_t), 'f' flag (bool), 'd' double, 't' text and 'n' name (const char *). If '?'
 * follows, NULL leaves the value alone. */
int rows_take(const rows_t *rows, int column, const char *kinds, ...);

/* Fails with table, row and column (counted from 0). */
int rows_fail(const rows_t *rows, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int rows_unexpected(const rows_t *rows, int column, const char *expected);
/* Adds table and row to an error of the pattern's builder. */
int rows_added(const rows_t *rows, int rc);

#endif
