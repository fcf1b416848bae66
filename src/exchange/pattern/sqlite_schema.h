/* SPDX-License-Identifier: BSD-3-Clause */
/* A pattern as tables of an SQLite database: what their columns are, for those who write and read
 * them. docs/formats/exchange.md has examples of queries. */
#ifndef BERTH_EXCHANGE_PATTERN_SQLITE_SCHEMA_H
#define BERTH_EXCHANGE_PATTERN_SQLITE_SCHEMA_H

/* With a unit of their own where they count something. */
typedef struct sqlite_column {
  const char *name, *type; /* the type with its constraints */
  const char *unit, *about;
} sqlite_column_t;

typedef struct sqlite_table {
  const char *name;
  const char *key; /* what tells rows apart, in the order in which they are read; "" for none */
  int n;
  const sqlite_column_t *column;
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
  TABLE_SEND,
  TABLE_COMM,
  TABLE_COMM_RANK,
  TABLE_COLL,
  TABLE_COLL_SHARE,
  TABLE_COLL_ROW,
  TABLE_ROW_SHARE,
  TABLE_RMA,
  TABLE_RMA_MESSAGE,
  TABLE_UNMODELLED,
  TABLE_BASELINE,
  TABLE_BASELINE_PHASE,
  TABLE_BASELINE_RANK,
  TABLE_N_READ, /* what follows is for people and not read */
  TABLE_SIZE_BIN = TABLE_N_READ,
  TABLE_UNIT,
  TABLE_N_TABLES
} sqlite_table_id_t;

extern const sqlite_table_t sqlite_tables[TABLE_N_TABLES];

/* Views, for people. */
extern const char sqlite_views[];

/* The version of the schema. */
enum { SQLITE_SCHEMA_VERSION = 1 };

#endif
