/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the output of Open MPI's monitoring.
 *
 * With pml_monitoring_enable_output 3 and up it is a file for each rank, with 1 and 2 lines on
 * standard output or error. A line
 *   E <source> <destination> <n> bytes <n> msgs sent <n>,<n>,…
 * is for messages of the program. The list counts messages of 0 bytes, of 1, of 2 and 3, of 4 to 7
 * and so on. Lines I are for messages by which the library implements collective calls, S and R for
 * one-sided operations, C and D for what collective calls requested. Only E is used. With
 * pml_monitoring_enable 1, it includes I. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "base/text.h"
#include "exchange/exchange_internal.h"

enum { CLASSES = 66 };

/* A pair's line, E or I. */
typedef struct sent {
  uint64_t src, dst, bytes, messages;
  uint64_t of_class[CLASSES];
} sent_t;

int monitoring_recognises(const char *text, size_t n)
{
  static const char head[] = "# POINT TO POINT", next[] = "\n# OSC";
  return memmem(text, n, head, sizeof head - 1) &&
         (memmem(text, n, "\nE\t", 3) || memmem(text, n, "\nI\t", 3) ||
          memmem(text, n, next, sizeof next - 1));
}

static int expect_word(scan_t *s, const char *word, berth_error_t *err)
{
  const char *found = scan_word(s, 0);
  if (strcmp(found, word) == 0) return BERTH_OK;
  return scan_fail(s, err, "found '%.60s', expected '%s'", found, word);
}

/* Reads the numbers of messages by class of size. Lines I often lack the last ones. */
static int read_classes(scan_t *s, sent_t *out, bool needed, berth_error_t *err)
{
  int rc = BERTH_OK, n = 0;
  memset(out->of_class, 0, sizeof out->of_class);
  for (; n < CLASSES && scan_left(s) && !rc; n++)
    rc = scan_u64(s, ',', "messages of a size", 0, BERTH_MAX_AMOUNT, &out->of_class[n], err);
  if (!rc && scan_left(s))
    return scan_fail(s, err, "found more than %d sizes, expected the end of the line", CLASSES);
  if (!rc && n < CLASSES && (needed || n > 0))
    return scan_fail(s, err, "found %d sizes, expected %d: the line is truncated", n, CLASSES);
  return rc;
}

static int read_sent(scan_t *s, sent_t *out, bool internal, berth_error_t *err)
{
  uint64_t last = BERTH_MAX_RANKS - 1;
  int rc = scan_u64(s, 0, "source", 0, last, &out->src, err);
  if (!rc) rc = scan_u64(s, 0, "destination", 0, last, &out->dst, err);
  if (!rc) rc = scan_u64(s, 0, "bytes", 0, BERTH_MAX_AMOUNT, &out->bytes, err);
  if (!rc) rc = expect_word(s, "bytes", err);
  if (!rc) rc = scan_u64(s, 0, "messages", 0, BERTH_MAX_AMOUNT, &out->messages, err);
  if (!rc) rc = expect_word(s, "msgs", err);
  if (!rc) rc = expect_word(s, "sent", err);
  return rc ? rc : read_classes(s, out, !internal, err);
}

static uint64_t sum(const uint64_t *of_class)
{
  uint64_t n = 0;
  for (int i = 0; i < CLASSES; i++) n += of_class[i];
  return n;
}

static double min_of(int class) { return class == 0 ? 0 : (double)(UINT64_C(1) << (class - 1)); }
static double max_of(int class) { return class == 0 ? 0 : 2 * min_of(class) - 1; }

/* Adds a pair's messages. Each class gets a size between its minimum and its maximum, at the same
 * relative position, so that the total is exact. If that is impossible, all messages get the mean
 * size. */
static int add_classes(traffic_t *t, const sent_t *sent, berth_error_t *err)
{
  double min = 0, max = 0, bytes = (double)sent->bytes;
  int last = -1, rc = BERTH_OK, src = (int)sent->src, dst = (int)sent->dst;
  for (int i = 0; i < 54; i++) {
    min += (double)sent->of_class[i] * min_of(i);
    max += (double)sent->of_class[i] * max_of(i);
    if (sent->of_class[i]) last = i;
  }
  if (sum(sent->of_class) != sent->messages || bytes < min || bytes > max)
    return traffic_add(t, src, dst, sent->messages, sent->bytes, err);
  double part = max > min ? (bytes - min) / (max - min) : 0;
  uint64_t left = sent->bytes;
  for (int i = 0; i <= last && !rc; i++) {
    double size = min_of(i) + part * (max_of(i) - min_of(i));
    uint64_t of_class = i == last ? left : (uint64_t)((double)sent->of_class[i] * size + 0.5);
    if (of_class > left) of_class = left;
    rc = traffic_add(t, src, dst, sent->of_class[i], of_class, err);
    left -= of_class;
  }
  return rc;
}

/* A pair's list includes messages of the library, whose number and bytes are in the next line.
 * Subtracts them. */
static void take_away(sent_t *sent, const sent_t *internal)
{
  if (internal->messages == 0 || sum(sent->of_class) != sent->messages + internal->messages) return;
  uint64_t mean = internal->bytes / internal->messages;
  int class = mean ? 64 - __builtin_clzll(mean) : 0;
  if (sent->of_class[class] >= internal->messages) sent->of_class[class] -= internal->messages;
}

typedef struct sent_list {
  sent_t *items;
  size_t n, cap;
} sent_list_t;

typedef struct files {
  const berth_import_t *in;
  sent_list_t external, internal; /* lines E and I */
  int *file_of_rank;              /* number + 1 of the file with its lines; 0: none */
  size_t n_ranks, cap;
  size_t silent; /* files whose rank is unknown */
} files_t;

/* Sets the number of ranks; fails if it was another one. */
static int know_ranks(files_t *f, uint64_t ranks, berth_error_t *err)
{
  if (ranks <= f->n_ranks) return BERTH_OK;
  if (!array_reserve(&f->file_of_rank, &f->cap, ranks, sizeof *f->file_of_rank))
    return no_memory(err);
  memset(f->file_of_rank + f->n_ranks, 0, (ranks - f->n_ranks) * sizeof *f->file_of_rank);
  f->n_ranks = ranks;
  return BERTH_OK;
}

/* Records the file of a rank's lines; fails if they are in two files, because they would count
 * twice. */
static int know_sender(files_t *f, const scan_t *s, size_t file, uint64_t rank, berth_error_t *err)
{
  int rc = know_ranks(f, rank + 1, err);
  if (rc) return rc;
  int *known = &f->file_of_rank[rank];
  if (*known && *known != (int)file + 1)
    return scan_fail(
        s, err, "found lines of rank %llu, which %.200s has, too, expected one file of each rank",
        (unsigned long long)rank, scan_name(f->in->paths[*known - 1]));
  *known = (int)file + 1;
  return BERTH_OK;
}

/* Reads the line with the ranks of MPI_COMM_WORLD: "D MPI_COMM_WORLD procs: 0,1,2,3". */
static int read_world(files_t *f, const scan_t *s, berth_error_t *err)
{
  const char *last = strrchr(s->at, ',');
  uint64_t rank;
  if (!strstr(s->at, "MPI_COMM_WORLD") || !last ||
      !text_to_u64(last + 1, 0, BERTH_MAX_RANKS - 1, &rank))
    return BERTH_OK;
  return know_ranks(f, rank + 1, err);
}

static int read_pair(files_t *f, scan_t *s, size_t file, berth_error_t *err)
{
  bool internal = *s->at++ == 'I';
  sent_list_t *list = internal ? &f->internal : &f->external;
  if (!ARRAY_GROW(&list->items, list->n, &list->cap)) return no_memory(err);
  sent_t *sent = &list->items[list->n];
  int rc = read_sent(s, sent, internal, err);
  if (!rc) rc = know_sender(f, s, file, sent->src, err);
  if (!rc) list->n++;
  return rc;
}

/* Reads a line: its kind, a tab, then the rank that wrote it. *sender: it says which rank that
 * is. */
static int read_line(files_t *f, scan_t *s, size_t file, bool *sender, berth_error_t *err)
{
  static const char *const others[] = {"C\t", "S\t", "R\t", "O2A\t", "A2O\t", "A2A\t"};
  if ((*s->at == 'E' || *s->at == 'I') && s->at[1] == '\t') {
    *sender = true;
    return read_pair(f, s, file, err);
  }
  if (text_starts(s->at, "D\t")) return read_world(f, s, err);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    uint64_t rank;
    if (!text_starts(s->at, others[i])) continue;
    *sender = true;
    s->at += strlen(others[i]);
    int rc = scan_u64(s, 0, "rank", 0, BERTH_MAX_RANKS - 1, &rank, err);
    return rc ? rc : know_sender(f, s, file, rank, err);
  }
  return BERTH_OK;
}

static int read_file(files_t *f, size_t file, berth_error_t *err)
{
  scan_t s;
  bool more = true, begun = false, complete = false, sender = false;
  int rc = scan_open(&s, f->in->paths[file], err);
  if (rc) return rc;
  while (!(rc = scan_line(&s, &more, err)) && more) {
    begun = begun || text_starts(s.at, "# POINT TO POINT");
    complete = complete || text_starts(s.at, "# COLLECTIVES");
    if ((rc = read_line(f, &s, file, &sender, err))) break;
  }
  scan_close(&s);
  f->silent += !sender;
  if (!rc && !begun)
    rc = berth_fail(
        err, BERTH_BAD_INPUT,
        "%s: found no line '# POINT TO POINT', expected what Open MPI's monitoring writes", s.path);
  if (!rc && !complete)
    rc = scan_fail(
        &s, err,
        "found the end of the file, expected a line '# COLLECTIVES': the file is truncated");
  return rc;
}

ORDER_BY(by_ends, sent_t, RISING(src) RISING(dst))

static int check_pairs(const files_t *f, const sent_list_t *list, berth_error_t *err)
{
  for (size_t i = 1; i < list->n; i++)
    if (by_ends(&list->items[i - 1], &list->items[i]) == 0)
      return berth_fail(
          err, BERTH_BAD_INPUT, "%s: found two lines of rank %llu to rank %llu, expected one",
          scan_name(f->in->paths[f->file_of_rank[list->items[i].src] - 1]),
          (unsigned long long)list->items[i].src, (unsigned long long)list->items[i].dst);
  return BERTH_OK;
}

static int add_pairs(files_t *f, traffic_t *into, berth_error_t *err)
{
  sent_list_t *e = &f->external, *own = &f->internal;
  if (e->n == 0)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "%s: found no lines 'E', expected messages of the program",
                      scan_name(f->in->paths[0]));
  qsort(e->items, e->n, sizeof *e->items, by_ends);
  if (own->n) qsort(own->items, own->n, sizeof *own->items, by_ends);
  int rc = check_pairs(f, e, err);
  if (!rc) rc = check_pairs(f, own, err);
  for (size_t i = 0; i < own->n && !rc; i++) {
    sent_t *sent = bsearch(&own->items[i], e->items, e->n, sizeof *e->items, by_ends);
    if (sent) take_away(sent, &own->items[i]);
  }
  for (size_t i = 0; i < e->n && !rc; i++) {
    rc = add_classes(into, &e->items[i], err);
    if (!rc) rc = know_ranks(f, e->items[i].dst + 1, err);
  }
  return rc;
}

/* Tells the user which ranks are missing, such as "1, 3-10", as far as there is room. */
static void note_missing(const files_t *f)
{
  char list[200] = "";
  size_t used = 0, missing = 0;
  for (size_t r = 0, end; r < f->n_ranks; r = end) {
    for (end = r + 1; end < f->n_ranks && !f->file_of_rank[end] == !f->file_of_rank[r];) end++;
    if (f->file_of_rank[r]) continue;
    missing += end - r;
    if (used + 40 > sizeof list) continue;
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%zu", used ? ", " : "", r);
    if (end > r + 1) used += (size_t)snprintf(list + used, sizeof list - used, "-%zu", end - 1);
    if (used + 40 > sizeof list) snprintf(list + used, sizeof list - used, ", …");
  }
  if (missing > f->silent)
    formats_import_note(f->in, "found no files of %zu of %zu ranks, whose messages are missing: %s",
                        missing, f->n_ranks, list);
}

int monitoring_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  files_t f = {.in = in};
  int rc = BERTH_OK;
  for (size_t i = 0; i < in->n_paths && !rc; i++) rc = read_file(&f, i, err);
  if (!rc) rc = add_pairs(&f, into, err);
  if (!rc) note_missing(&f);
  if ((int)f.n_ranks > into->ranks) into->ranks = (int)f.n_ranks;
  free(f.external.items);
  free(f.internal.items);
  free(f.file_of_rank);
  return rc;
}
