/* SPDX-License-Identifier: BSD-3-Clause */
/* Comma-separated values: a line of names, then one for each (phase, site, source, destination,
 * size). Columns in any order: src and dst; bytes, of all the messages of the line; messages or
 * count; size of one message; repeats and phase. Others are passed over. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "exchange/exchange_internal.h"

typedef enum column { SRC, DST, SIZE, MESSAGES, BYTES, PHASE, REPEATS, NAME, N_COLUMNS } column_t;

static const struct name {
  const char *name;
  column_t column;
} names[] = {
    {"src", SRC},        {"source", SRC},      {"from", SRC},          {"sender", SRC},
    {"dst", DST},        {"dest", DST},        {"destination", DST},   {"to", DST},
    {"receiver", DST},   {"size", SIZE},       {"messages", MESSAGES}, {"msgs", MESSAGES},
    {"count", MESSAGES}, {"bytes", BYTES},     {"weight", BYTES},      {"volume", BYTES},
    {"phase", PHASE},    {"repeats", REPEATS}, {"name", NAME},
};

enum { MOST_COLUMNS = 64, N_NAMES = sizeof names / sizeof *names };

typedef struct table {
  scan_t scan;
  char separator;
  int n;
  int column[MOST_COLUMNS]; /* what is in each, -1: nothing of use */
  bool has[N_COLUMNS];
} table_t;

/* A field, without its quotes (RFC 4180: "" in quotes is one). */
static char *field(table_t *t)
{
  if (!scan_left(&t->scan) || *t->scan.at != '"') return scan_word(&t->scan, t->separator);
  char *word = t->scan.at + 1, *to = word, *from = word;
  while (*from && (*from != '"' || from[1] == '"')) {
    from += *from == '"';
    *to++ = *from++;
  }
  t->scan.at = *from ? from + 1 : from;
  scan_word(&t->scan, t->separator); /* blanks, and the separator */
  *to = '\0';
  return word;
}

static int column_of(const char *name)
{
  for (int i = 0; i < N_NAMES; i++)
    if (strcasecmp(name, names[i].name) == 0) return names[i].column;
  return -1;
}

static char separator_of(const char *line)
{
  return strchr(line, ',') ? ',' : strchr(line, ';') ? ';' : strchr(line, '\t') ? '\t' : ',';
}

int csv_recognises(const char *text, size_t n)
{
  char head[256];
  snprintf(head, sizeof head, "%.*s", (int)(n < sizeof head ? n : sizeof head - 1), text);
  head[strcspn(head, "\r\n")] = '\0';
  table_t t = {.scan.at = head, .separator = separator_of(head)};
  bool has[N_COLUMNS] = {0};
  while (scan_left(&t.scan)) {
    int column = column_of(field(&t));
    if (column >= 0) has[column] = true;
  }
  return has[SRC] && has[DST];
}

static int read_names(table_t *t, berth_error_t *err)
{
  bool more;
  int rc = scan_content(&t->scan, '#', &more, err);
  if (rc) return rc;
  if (!more) return scan_fail(&t->scan, err, "found an empty file, expected a line of names");
  t->separator = separator_of(t->scan.at);
  while (scan_left(&t->scan)) {
    if (t->n == MOST_COLUMNS)
      return scan_fail(&t->scan, err, "found more than %d columns", MOST_COLUMNS);
    const char *name = field(t);
    int column = column_of(name);
    if (column >= 0 && t->has[column])
      return scan_fail(&t->scan, err, "found '%.60s', a second column of its kind", name);
    if (column >= 0) t->has[column] = true;
    t->column[t->n++] = column;
  }
  if (t->has[SRC] && t->has[DST] && (t->has[BYTES] || t->has[SIZE])) return BERTH_OK;
  return scan_fail(&t->scan, err,
                   "found no column '%s', expected src, dst, and bytes or size and messages",
                   !t->has[SRC]   ? "src"
                   : !t->has[DST] ? "dst"
                                  : "bytes");
}

/* What is in a line: numbers by column, and the phase's name. */
typedef struct row {
  uint64_t value[N_COLUMNS];
  const char *name;
} row_t;

static int read_value(const table_t *t, int column, char *word, row_t *row, berth_error_t *err)
{
  static const char *const what[] = {"src", "dst", "size", "messages", "bytes", "phase", "repeats"};
  scan_t s = t->scan; /* for errors */
  s.at = word;
  if (column == NAME) {
    row->name = word;
    return BERTH_OK;
  }
  if (column == SIZE || column == MESSAGES || column == BYTES)
    return scan_amount(&s, '\n', what[column], &row->value[column], err);
  uint64_t most = column == PHASE     ? INT32_MAX
                  : column == REPEATS ? UINT64_C(1) << 53
                                      : BERTH_MAX_RANKS - 1;
  return scan_u64(&s, '\n', what[column], column == REPEATS, most, &row->value[column], err);
}

static int read_row(table_t *t, row_t *row, berth_error_t *err)
{
  int rc = BERTH_OK;
  *row = (row_t){{[REPEATS] = 1}, ""};
  for (int i = 0; i < t->n && !rc; i++) {
    char *word = field(t);
    if (t->column[i] >= 0) rc = read_value(t, t->column[i], word, row, err);
  }
  if (!rc && scan_left(&t->scan))
    rc = scan_fail(&t->scan, err, "found more fields than the %d names", t->n);
  return rc;
}

/* A phase repeats as often in all its lines. */
static int add_phase(const table_t *t, const row_t *row, traffic_t *out, berth_error_t *err)
{
  uint64_t repeats;
  int id = (int)row->value[PHASE];
  int rc = traffic_phase(out, id, row->name, row->value[REPEATS], &repeats, err);
  if (rc || repeats == row->value[REPEATS]) return rc;
  return scan_fail(&t->scan, err, "repeats: found %llu, expected %llu as before for phase %d",
                   (unsigned long long)row->value[REPEATS], (unsigned long long)repeats, id);
}

/* What a line leaves out: bytes are size times messages; messages are one, or as many as the size
 * asks for. */
static int add_line(const table_t *t, const berth_import_t *in, const uint64_t *value,
                    traffic_t *out, berth_error_t *err)
{
  int src = (int)value[SRC], dst = (int)value[DST];
  uint64_t messages = t->has[MESSAGES] ? value[MESSAGES] : 1, bytes = value[BYTES];
  if (!t->has[BYTES] && __builtin_mul_overflow(value[SIZE], messages, &bytes))
    return scan_fail(&t->scan, err, "found more than 2^64 bytes");
  if (t->has[SIZE] && !t->has[MESSAGES] && t->has[BYTES])
    messages = value[SIZE] ? (bytes + value[SIZE] - 1) / value[SIZE] : 1;
  if (messages == 0 && bytes > 0)
    return scan_fail(&t->scan, err, "found bytes in no messages, expected messages");
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
  bool more = true;
  int rc = read_names(t, err);
  while (!rc && !(rc = scan_content(&t->scan, '#', &more, err)) && more) {
    row_t row;
    rc = read_row(t, &row, err);
    if (!rc && (t->has[PHASE] || t->has[REPEATS])) rc = add_phase(t, &row, out, err);
    if (!rc) rc = add_line(t, in, row.value, out, err);
  }
  return rc;
}

int csv_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < in->n_paths && !rc; i++) {
    table_t t = {0};
    rc = scan_open(&t.scan, in->paths[i], err);
    if (!rc) rc = read_table(&t, in, into, err);
    scan_close(&t.scan);
  }
  return rc;
}

int csv_export(const berth_pattern_t *p, const char *path, berth_error_t *err)
{
  size_t n_phases;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  out_file_t *out = out_open(path, err);
  if (!out) return BERTH_MISSING;
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
