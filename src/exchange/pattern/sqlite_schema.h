/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables and columns of a pattern's SQLite database, for its reader and writer.
 * docs/formats/exchange.md has examples of queries. */
#ifndef BERTH_EXCHANGE_PATTERN_SQLITE_SCHEMA_H
#define BERTH_EXCHANGE_PATTERN_SQLITE_SCHEMA_H

/* A column; amounts have a unit. */
typedef struct sqlite_column {
  const char *name, *type; /* SQL type with constraints */
  const char *unit, *about;
  int since; /* the version of the schema that has it first; 0: that of its table */
} sqlite_column_t;

typedef struct sqlite_table {
  const char *name;
  const char *key; /* what identifies a row, and the order of reading; "": none */
  int n;
  const sqlite_column_t *column;
  int since; /* the version of the schema that has it first; 0: the first one that berth reads */
} sqlite_table_t;

typedef enum sqlite_table_id {
  TABLE_META,
  TABLE_COMMAND,
  TABLE_RANK,
  TABLE_PHASE,
  TABLE_SITE,
  TABLE_FRAME,
  TABLE_MESSAGE,
  TABLE_SEND_ORDER,
  TABLE_STEP,
  TABLE_COMM,
  TABLE_COMM_RANK,
  TABLE_COLL,
  TABLE_COLL_SHARE,
  TABLE_COLL_ROW,
  TABLE_ROW_SHARE,
  TABLE_RMA,
  TABLE_RMA_MESSAGE,
  TABLE_UNMODELLED,
  TABLE_TIME,
  TABLE_PARAMETER,
  TABLE_GRID,
  TABLE_PACKED,
  TABLE_BASELINE,
  TABLE_BASELINE_PHASE,
  TABLE_BASELINE_RANK,
  TABLE_N_READ, /* the tables from here on are for people; berth doesn't read them */
  TABLE_SIZE_BIN = TABLE_N_READ,
  TABLE_UNIT,
  TABLE_N_TABLES
} sqlite_table_id_t;

extern const sqlite_table_t sqlite_tables[TABLE_N_TABLES];

/* Names of berth_step_kind_t in the database; NULL ends the list. */
extern const char *const sqlite_step_kinds[];

/* Views, for people. */
extern const char sqlite_views[];

/* The version of the schema that berth writes, and the first one that it reads. */
enum { SQLITE_SCHEMA_VERSION = 11, SQLITE_SCHEMA_FIRST = 4 };

#endif
