/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads comma-separated values: a line of names, then a line for each kind of message.
 * Columns may be in any order: src and dst; bytes, of all the messages of the line; messages or
 * count; size of one message; repeats and phase. Others are ignored. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "exchange/exchange_internal.h"
#include "exchange/text/cells.h"
#include "pattern/pattern_check.h"

typedef enum column { SRC, DST, SIZE, MESSAGES, BYTES, PHASE, REPEATS, NAME, N_COLUMNS } column_t;

/* In the form that cells_name makes. */
static const struct name {
  const char *name;
  column_t column;
} names[] = {
    {"src", SRC},         {"source", SRC},       {"from", SRC},           {"sender", SRC},
    {"sending", SRC},     {"dst", DST},          {"dest", DST},           {"destination", DST},
    {"to", DST},          {"receiver", DST},     {"receiving", DST},      {"target", DST},
    {"size", SIZE},       {"messagesize", SIZE}, {"msgsize", SIZE},       {"messages", MESSAGES},
    {"msgs", MESSAGES},   {"count", MESSAGES},   {"transfers", MESSAGES}, {"bytes", BYTES},
    {"weight", BYTES},    {"volume", BYTES},     {"totalbytes", BYTES},   {"bytessent", BYTES},
    {"sentbytes", BYTES}, {"phase", PHASE},      {"repeats", REPEATS},    {"name", NAME},
};

enum { MAX_COLUMNS = 64, N_NAMES = sizeof names / sizeof *names };

typedef struct table {
  cells_t cells;
  int n;
  int column[MAX_COLUMNS]; /* the meaning of each; -1: ignored */
  double unit[MAX_COLUMNS];
  bool has[N_COLUMNS];
} table_t;

/* The meaning of a column with that name. *unit: bytes of the unit in its name; 0 if that isn't a
 * unit of bytes. */
static int column_of(const char *text, double *unit)
{
  char name[CELLS_NAME];
  cells_name(text, name);
  *unit = cells_unit(text);
  for (int i = 0; i < N_NAMES; i++)
    if (strcmp(name, names[i].name) == 0)
      return *unit == 1 || (*unit > 0 && (names[i].column == SIZE || names[i].column == BYTES))
                 ? (int)names[i].column
                 : -1;
  return -1;
}

/* Counts a line's cells. With `are_names`, also finds whether they are a table's names. */
static int look_at(const char *line, bool *are_names)
{
  char *copy = strdup(line);
  cells_t cells = {.scan.at = copy, .separator = cells_separator(line)};
  bool has[N_COLUMNS] = {0};
  double unit;
  int n = 0;
  for (const char *name; copy && (name = cells_next(&cells)); n++) {
    int column = column_of(name, &unit);
    if (column >= 0) has[column] = true;
  }
  *are_names = !copy || (has[SRC] && has[DST]); /* if memory is out, reading the line will say so */
  free(copy);
  return n;
}

/* Finds a table's names: in a line, or in `comment`, the comment before it ("": none), if that has
 * as many cells. */
typedef enum { NO_NAMES, NAMES_HERE, NAMES_BEFORE } names_t;

static names_t find_names(const char *line, const char *comment)
{
  bool here, before;
  int n = look_at(line, &here);
  if (here || !*comment) return here ? NAMES_HERE : NO_NAMES;
  return look_at(comment, &before) == n && before ? NAMES_BEFORE : NO_NAMES;
}

static bool is_comment(const char *line) { return *line == '#' || *line == '%'; }

int csv_recognises(const char *text, size_t n)
{
  const char *comment = "";
  char *copy = strndup(text, n), *rest = copy, *line = NULL;
  while (copy && (line = strsep(&rest, "\r\n"))) {
    line += strspn(line, " \t\xef\xbb\xbf");
    if (*line && !is_comment(line)) break;
    if (*line) comment = line + 1;
  }
  bool found = !copy || (line && find_names(line, comment) != NO_NAMES);
  free(copy);
  return found;
}

/* Goes to the first line that isn't empty or a comment. *comment is the last comment before it,
 * which the caller frees. */
static int find_first(table_t *t, bool *more, char **comment, berth_error_t *err)
{
  int rc;
  while (!(rc = scan_line(&t->cells.scan, more, err)) && *more) {
    if (!scan_left(&t->cells.scan)) continue;
    if (!is_comment(t->cells.scan.at)) return BERTH_OK;
    free(*comment);
    *comment = strdup(t->cells.scan.at + 1);
    if (!*comment) return no_memory(err);
  }
  return rc;
}

static int take_names(table_t *t, berth_error_t *err)
{
  for (const char *name; (name = cells_next(&t->cells)); t->n++) {
    if (t->n == MAX_COLUMNS)
      return scan_fail(&t->cells.scan, err, "found more than %d columns", MAX_COLUMNS);
    int column = t->column[t->n] = column_of(name, &t->unit[t->n]);
    if (column >= 0 && t->has[column])
      return cells_fail(&t->cells, "", err, "found '%.60s', a second column of its kind", name);
    if (column >= 0) t->has[column] = true;
  }
  if (t->has[SRC] && t->has[DST] && (t->has[BYTES] || t->has[SIZE])) return BERTH_OK;
  return scan_fail(&t->cells.scan, err,
                   "found no column '%s', expected src, dst, and bytes or size and messages",
                   !t->has[SRC]   ? "src"
                   : !t->has[DST] ? "dst"
                                  : "bytes");
}

/* Reads the names. *is_row: the current line already has values. */
static int read_names(table_t *t, bool *is_row, berth_error_t *err)
{
  bool more = false;
  char *comment = NULL;
  int rc = find_first(t, &more, &comment, err);
  if (!rc && !more)
    rc = scan_fail(&t->cells.scan, err, "found an empty file, expected a line of names");
  if (!rc) {
    char *line = t->cells.scan.at;
    *is_row = find_names(line, comment ? comment : "") == NAMES_BEFORE;
    if (*is_row) t->cells.scan.at = comment;
    t->cells.separator = cells_separator(t->cells.scan.at);
    rc = take_names(t, err);
    if (*is_row) {
      t->cells.separator = cells_separator(line);
      t->cells.scan.at = line;
      t->cells.column = 0;
    }
  }
  free(comment);
  return rc;
}

/* A line's numbers by column, and its phase's name. */
typedef struct row {
  uint64_t value[N_COLUMNS];
  const char *name;
} row_t;

static int read_value(const table_t *t, int i, const char *text, row_t *row, berth_error_t *err)
{
  static const char *const what[] = {"src", "dst", "size", "messages", "bytes", "phase", "repeats"};
  int column = t->column[i], rank = 0, rc;
  uint64_t *value = &row->value[column];
  switch (column) {
  case NAME:
    row->name = text ? out_csv_name(text) : "";
    return BERTH_OK;
  case SRC:
  case DST:
    rc = cells_rank(&t->cells, what[column], text, &rank, err);
    *value = (uint64_t)rank;
    return rc;
  case PHASE:
    return cells_whole(&t->cells, what[column], text, 0, INT32_MAX, value, err);
  case REPEATS:
    return cells_whole(&t->cells, what[column], text, 1, BERTH_MAX_AMOUNT, value, err);
  case MESSAGES:
    return cells_amount(&t->cells, what[column], text, 0, value, err);
  default:
    return cells_amount(&t->cells, what[column], text, t->unit[i], value, err);
  }
}

static int read_row(table_t *t, row_t *row, berth_error_t *err)
{
  const char *cell;
  *row = (row_t){{[REPEATS] = 1}, ""};
  for (int i = 0; i < t->n; i++) {
    cell = cells_next(&t->cells);
    int rc = t->column[i] >= 0 ? read_value(t, i, cell, row, err) : BERTH_OK;
    if (rc) return rc;
  }
  while ((cell = cells_next(&t->cells)))
    if (*cell)
      return cells_fail(&t->cells, "", err,
                        "found '%.60s', expected the end of the line behind %d cells", cell, t->n);
  return BERTH_OK;
}

/* All lines of a phase must have the same repeats. */
static int add_phase(const table_t *t, const row_t *row, traffic_t *out, berth_error_t *err)
{
  uint64_t repeats;
  int id = (int)row->value[PHASE];
  int rc = traffic_phase(out, id, row->name, row->value[REPEATS], &repeats, err);
  if (rc || repeats == row->value[REPEATS]) return rc;
  return scan_fail(&t->cells.scan, err, "repeats: found %llu, expected %llu as before for phase %d",
                   (unsigned long long)row->value[REPEATS], (unsigned long long)repeats, id);
}

/* Derives what a line lacks: bytes are size * messages; messages are one, or as many as the size
 * allows. */
static int add_line(const table_t *t, const berth_import_t *in, const uint64_t *value,
                    traffic_t *out, berth_error_t *err)
{
  int src = (int)value[SRC], dst = (int)value[DST];
  uint64_t messages = t->has[MESSAGES] ? value[MESSAGES] : 1, bytes = value[BYTES];
  if (!t->has[BYTES] && __builtin_mul_overflow(value[SIZE], messages, &bytes))
    return scan_fail(&t->cells.scan, err, "found more than 2^64 bytes");
  if (t->has[SIZE] && !t->has[MESSAGES] && t->has[BYTES])
    messages = value[SIZE] ? (bytes + value[SIZE] - 1) / value[SIZE] : 1;
  if (messages == 0 && bytes > 0)
    return scan_fail(&t->cells.scan, err, "found bytes in no messages, expected messages");
  out->at_phase = (int)value[PHASE];
  if (t->has[SIZE])
    return traffic_put(
        out,
        &(berth_message_t){
            .src = src, .dst = dst, .size = value[SIZE], .count = messages, .bytes = bytes},
        err);
  return t->has[MESSAGES] ? traffic_add(out, src, dst, messages, bytes, err)
                          : traffic_add_bytes(out, in, src, dst, bytes, err);
}

static int read_table(table_t *t, const berth_import_t *in, traffic_t *out, berth_error_t *err)
{
  bool more = true, is_row = false;
  int rc = read_names(t, &is_row, err);
  if (!rc && !is_row) rc = cells_line(&t->cells, &more, err);
  while (!rc && more) {
    row_t row;
    rc = read_row(t, &row, err);
    if (!rc && (t->has[PHASE] || t->has[REPEATS])) rc = add_phase(t, &row, out, err);
    if (!rc) rc = add_line(t, in, row.value, out, err);
    if (!rc) rc = cells_line(&t->cells, &more, err);
  }
  return rc;
}

int csv_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < in->n_paths && !rc; i++) {
    table_t t = {0};
    rc = scan_open(&t.cells.scan, in->paths[i], err);
    if (!rc) rc = read_table(&t, in, into, err);
    scan_close(&t.cells.scan);
  }
  return rc;
}

int csv_export(const berth_pattern_t *p, const char *path, berth_error_t *err)
{
  size_t n_phases;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  int rc = pattern_check_finished(p, err);
  out_file_t *out = rc ? NULL : out_open(path, err);
  if (!out) return rc ? rc : BERTH_MISSING;
  out_text(out, "phase,name,repeats,site,src,dst,size,messages,bytes\n");
  for (size_t k = 0; k < n_phases; k++) {
    size_t n;
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    for (size_t i = 0; i < n; i++) {
      out_printf(out, "%d,", phases[k].id);
      out_csv(out, phases[k].name);
      out_printf(out, ",%llu,%d,%d,%d,%llu,%llu,%llu\n", (unsigned long long)phases[k].repeats,
                 m[i].site, m[i].src, m[i].dst, (unsigned long long)m[i].size,
                 (unsigned long long)m[i].count, (unsigned long long)m[i].bytes);
    }
  }
  return out_commit(out, err);
}
