/* SPDX-License-Identifier: BSD-3-Clause */
/* What Open MPI's monitoring writes (pml_monitoring_enable_output 3 and up: a file for each rank; 1
 * and 2: lines on standard output or error):
 *
 *   E <source> <destination> <n> bytes <n> msgs sent <n>,<n>,…
 *
 * are messages of the program, with how many are of 0 bytes, of 1, of 2 and 3, of 4 to 7 and so on;
 * I are those of which the library makes collective calls, S and R one-sided operations, C and D
 * what collective calls asked for. Only E is taken. With pml_monitoring_enable 1 it has both. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/exchange_internal.h"

enum { CLASSES = 66 };

/* A pair's line of either kind. */
typedef struct sent {
  uint64_t src, dst, bytes, messages;
  uint64_t of_class[CLASSES];
} sent_t;

int monitoring_recognises(const char *text, size_t n)
{
  const char *e = memmem(text, n, "\nE\t", 3);
  const char *head = "# POINT TO POINT";
  return memmem(text, n, head, strlen(head)) != NULL && (e || memmem(text, n, "\nI\t", 3));
}

static int expect_word(scan_t *s, const char *word, berth_error_t *err)
{
  const char *found = scan_word(s, 0);
  if (strcmp(found, word) == 0) return BERTH_OK;
  return scan_fail(s, err, "found '%.60s', expected '%s'", found, word);
}

/* The histogram is missing behind lines of kind I. */
static int read_classes(scan_t *s, sent_t *out, berth_error_t *err)
{
  int rc = BERTH_OK;
  memset(out->of_class, 0, sizeof out->of_class);
  for (int i = 0; i < CLASSES && scan_left(s) && !rc; i++)
    rc = scan_u64(s, ',', "messages of a size", 0, UINT64_C(1) << 53, &out->of_class[i], err);
  if (!rc && scan_left(s))
    rc = scan_fail(s, err, "found more than %d sizes, expected the end of the line", CLASSES);
  return rc;
}

static int read_sent(scan_t *s, sent_t *out, berth_error_t *err)
{
  uint64_t last = BERTH_MAX_RANKS - 1, most = UINT64_C(1) << 53;
  int rc = scan_u64(s, 0, "source", 0, last, &out->src, err);
  if (!rc) rc = scan_u64(s, 0, "destination", 0, last, &out->dst, err);
  if (!rc) rc = scan_u64(s, 0, "bytes", 0, most, &out->bytes, err);
  if (!rc) rc = expect_word(s, "bytes", err);
  if (!rc) rc = scan_u64(s, 0, "messages", 0, most, &out->messages, err);
  if (!rc) rc = expect_word(s, "msgs", err);
  if (!rc) rc = expect_word(s, "sent", err);
  return rc ? rc : read_classes(s, out, err);
}

static uint64_t sum(const uint64_t *of_class)
{
  uint64_t n = 0;
  for (int i = 0; i < CLASSES; i++) n += of_class[i];
  return n;
}

static double least_of(int class) { return class == 0 ? 0 : (double)(UINT64_C(1) << (class - 1)); }
static double most_of(int class) { return class == 0 ? 0 : 2 * least_of(class) - 1; }

/* The sizes of a class are taken as far between its least and its largest one as makes the sum what
 * it is; bytes are exact. Where they can't be made so, all messages have the mean size. */
static int add_classes(traffic_t *t, const sent_t *sent, berth_error_t *err)
{
  double least = 0, most = 0, bytes = (double)sent->bytes;
  int last = -1, rc = BERTH_OK, src = (int)sent->src, dst = (int)sent->dst;
  for (int i = 0; i < 54; i++) {
    least += (double)sent->of_class[i] * least_of(i);
    most += (double)sent->of_class[i] * most_of(i);
    if (sent->of_class[i]) last = i;
  }
  if (sum(sent->of_class) != sent->messages || bytes < least || bytes > most)
    return traffic_add(t, src, dst, sent->messages, sent->bytes, err);
  double part = most > least ? (bytes - least) / (most - least) : 0;
  uint64_t left = sent->bytes;
  for (int i = 0; i <= last && !rc; i++) {
    double size = least_of(i) + part * (most_of(i) - least_of(i));
    uint64_t of_class = i == last ? left : (uint64_t)((double)sent->of_class[i] * size + 0.5);
    if (of_class > left) of_class = left;
    rc = traffic_add(t, src, dst, sent->of_class[i], of_class, err);
    left -= of_class;
  }
  return rc;
}

/* The histogram of a pair counts what the library sent by itself, too, of which the next line tells
 * number and bytes. */
static void take_away(sent_t *sent, const sent_t *internal)
{
  if (internal->messages == 0 || sum(sent->of_class) != sent->messages + internal->messages) return;
  uint64_t mean = internal->bytes / internal->messages;
  int class = mean ? 64 - __builtin_clzll(mean) : 0;
  if (sent->of_class[class] >= internal->messages) sent->of_class[class] -= internal->messages;
}

/* Lines of kind I stand behind all of kind E. */
static int read_file(const char *path, sent_t **sent, size_t *n, size_t *cap, berth_error_t *err)
{
  scan_t s;
  bool more = true;
  size_t first = *n;
  int rc = scan_open(&s, path, err);
  if (rc) return rc;
  while (!(rc = scan_line(&s, &more, err)) && more) {
    bool internal = s.at[0] == 'I';
    if ((s.at[0] != 'E' && !internal) || !isblank((unsigned char)s.at[1])) continue;
    sent_t one;
    s.at++;
    rc = read_sent(&s, &one, err);
    if (rc) break;
    if (!internal) {
      if (!ARRAY_GROW(sent, *n, cap)) {
        rc = berth_fail(err, BERTH_MISSING, "out of memory");
        break;
      }
      (*sent)[(*n)++] = one;
    }
    for (size_t i = first; internal && i < *n; i++)
      if ((*sent)[i].src == one.src && (*sent)[i].dst == one.dst) take_away(&(*sent)[i], &one);
  }
  scan_close(&s);
  if (!rc && s.line == 0)
    rc = berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found an empty file, expected what Open MPI's "
                    "monitoring writes",
                    path);
  return rc;
}

int monitoring_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  sent_t *sent = NULL;
  size_t n = 0, cap = 0;
  int rc = BERTH_OK;
  for (size_t i = 0; i < in->n_paths && !rc; i++)
    rc = read_file(in->paths[i], &sent, &n, &cap, err);
  for (size_t i = 0; i < n && !rc; i++) rc = add_classes(into, &sent[i], err);
  /* a rank that sent nothing has a file all the same */
  if ((int)in->n_paths > into->ranks) into->ranks = (int)in->n_paths;
  free(sent);
  return rc;
}
