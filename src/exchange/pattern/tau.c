/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads TAU's profiles of a run with TAU_COMM_MATRIX=1, profile.RANK.CONTEXT.THREAD.
 *
 * Behind the line "# eventname numevents max min mean sumsqr" each event has a line. The lines
 *
 *   "Message size sent to node N" <messages> <largest> <smallest> <mean> <sum of squares>
 *
 * are what the file's rank sent to rank N. Events with " : " in their names are parts of these, by
 * call path. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "exchange/exchange_internal.h"
#include "exchange/text/cells.h"

static const char events_line[] = "# eventname numevents";
static const char sent_to[] = "Message size sent to node ";

int tau_recognises(const char *text, size_t n)
{
  static const char mark[] = " templated_functions";
  size_t digits = strspn(text, "0123456789");
  return digits > 0 && n > digits + sizeof mark && text_starts(text + digits, mark);
}

/* The rank in a file's name. */
static int read_rank(const char *path, int *out, berth_error_t *err)
{
  static const char start[] = "profile.";
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *digits = name + (text_starts(name, start) ? strlen(start) : 0);
  char number[24] = "";
  size_t n = strspn(digits, "0123456789");
  uint64_t rank;
  if (digits > name && digits[n] == '.' && n < sizeof number) memcpy(number, digits, n);
  if (!text_to_u64(number, 0, BERTH_MAX_RANKS - 1, &rank))
    return berth_fail(err, BERTH_BAD_INPUT,
                      "%s: found no rank in its name, expected profile.RANK.0.0", scan_name(path));
  *out = (int)rank;
  return BERTH_OK;
}

static int read_event(cells_t *c, int src, traffic_t *into, berth_error_t *err)
{
  int dst = 0;
  uint64_t messages = 0, mean = 0, ignored;
  const char *event = cells_next(c);
  if (!event || !text_starts(event, sent_to) || strstr(event, " : ")) return BERTH_OK;
  int rc = cells_rank(c, "node", event + strlen(sent_to), &dst, err);
  if (!rc) rc = cells_amount(c, "numevents", cells_next(c), 0, &messages, err);
  if (!rc) rc = cells_amount(c, "max", cells_next(c), 0, &ignored, err);
  if (!rc) rc = cells_amount(c, "min", cells_next(c), 0, &ignored, err);
  char *text = rc ? NULL : cells_next(c);
  if (!rc) rc = cells_amount(c, "mean", text, 0, &mean, err);
  if (rc) return rc;
  double bytes = (double)messages * strtod(text, NULL);
  if (bytes > (double)BERTH_MAX_AMOUNT)
    return cells_fail(c, "mean", err, "found more than 2^53 bytes, expected less");
  return traffic_add(into, src, dst, messages, (uint64_t)(bytes + 0.5), err);
}

static int read_profile(const char *path, traffic_t *into, berth_error_t *err)
{
  int src = 0, rc = read_rank(path, &src, err);
  bool more = true, in_events = false;
  cells_t c = {0};
  if (!rc) rc = scan_open(&c.scan, path, err);
  while (!rc && !(rc = scan_line(&c.scan, &more, err)) && more) {
    c.column = 0;
    if (in_events) rc = read_event(&c, src, into, err);
    in_events |= text_starts(c.scan.at, events_line);
  }
  scan_close(&c.scan);
  if (!rc && src >= into->ranks) into->ranks = src + 1; /* it may have sent nothing */
  if (rc || in_events) return rc;
  return berth_fail(err, BERTH_BAD_INPUT, "%s: found no line '%s', expected a profile of TAU",
                    scan_name(path), events_line);
}

int tau_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < in->n_paths && !rc; i++) rc = read_profile(in->paths[i], into, err);
  return rc;
}
