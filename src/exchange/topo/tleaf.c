/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes target files of Scotch and TopoMatch, "tleaf".
 * Scotch's user's guide, version 7, section 5.4: the height, then from the root down each level's
 * arity and the cost of its links. "tleaf 3 8 90 8 9 8 1" is 8:8:8 with 1:10:100 in other formats:
 * a way between two leaves costs the sum of all levels from where it turns down to the leaves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numeric.h"
#include "exchange/exchange_internal.h"
#include "exchange/topo/regular.h"

int tleaf_recognises(const char *text, size_t n)
{
  return n > 5 && memcmp(text, "tleaf", 5) == 0 && strchr(" \t\r\n", text[5]) != NULL;
}

/* The next word, on this line or a later one; NULL at the end of the file. */
static int next(scan_t *s, char **word, berth_error_t *err)
{
  bool more = true;
  int rc = BERTH_OK;
  while (!rc && more && (!s->at || !scan_left(s))) rc = scan_line(s, &more, err);
  *word = rc || !more ? NULL : scan_word(s, 0);
  return rc;
}

static int number(scan_t *s, const char *what, uint64_t min, uint64_t max, uint64_t *out,
                  berth_error_t *err)
{
  bool more = true;
  int rc = BERTH_OK;
  while (!rc && more && (!s->at || !scan_left(s))) rc = scan_line(s, &more, err);
  if (!rc && !more) return scan_fail(s, err, "%s: found the end of the file", what);
  return rc ? rc : scan_u64(s, 0, what, min, max, out, err);
}

static int read_cost(scan_t *s, double *cost, berth_error_t *err)
{
  char *word, *end;
  int rc = next(s, &word, err);
  if (rc) return rc;
  *cost = word ? strtod(word, &end) : -1;
  if (word && end > word && *end == '\0' && *cost >= 0 && isfinite(*cost)) return BERTH_OK;
  return scan_fail(s, err, "a link's cost: found '%.40s', expected a number from 0",
                   word ? word : "the end of the file");
}

static int read_tree(scan_t *s, regular_t *r, berth_error_t *err)
{
  char *word;
  uint64_t height = 0, arity;
  int rc = next(s, &word, err);
  if (!rc && (!word || strcmp(word, "tleaf") != 0))
    return scan_fail(s, err, "found '%.40s', expected 'tleaf'",
                     word ? word : "the end of the file");
  if (!rc) rc = number(s, "height", 1, REGULAR_MAX_LEVELS, &height, err);
  r->n = (int)height;
  for (int i = r->n - 1; i >= 0 && !rc; i--) {
    rc = number(s, "arity", 1, BERTH_MAX_PUS, &arity, err);
    if (!rc) rc = read_cost(s, &r->distance[i], err);
    if (!rc) r->arity[i] = (int)arity;
  }
  if (!rc) rc = next(s, &word, err);
  if (!rc && word)
    rc = scan_fail(s, err, "found '%.40s' behind %d levels, expected the end of the file", word,
                   r->n);
  for (int i = 1; i < r->n && !rc; i++) r->distance[i] += r->distance[i - 1];
  return rc;
}

berth_topo_t *tleaf_read(const char *path, const char *name, berth_error_t *err)
{
  scan_t s;
  regular_t r = {0};
  int rc = scan_open(&s, path, err);
  if (!rc) rc = read_tree(&s, &r, err);
  scan_close(&s);
  return rc ? NULL : regular_build(&r, path, name, err);
}

/* Removes levels that Scotch refuses: those with one member, and those without a distance to the
 * level inside. */
static void merge_levels(regular_t *r)
{
  int n = 0;
  for (int i = 0; i < r->n; i++) {
    if (r->arity[i] == 1) continue;
    if (n > 0 && r->distance[i] <= r->distance[n - 1]) {
      r->arity[n - 1] *= r->arity[i];
      continue;
    }
    r->arity[n] = r->arity[i];
    r->distance[n++] = r->distance[i];
  }
  r->n = n;
}

static double step(const regular_t *r, int i)
{
  return r->distance[i] - (i ? r->distance[i - 1] : 0);
}

static uint64_t common_part(uint64_t a, uint64_t b)
{
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Makes costs whole numbers. If they aren't, they are scaled so that the smallest is 100, or less
 * if the largest distance would overflow Scotch's sums; common factors are removed. */
static void make_whole(const regular_t *r, double *cost)
{
  uint64_t common = 0;
  double min_step = step(r, 0), max_distance = r->distance[r->n - 1];
  bool whole = true;
  for (int i = 0; i < r->n; i++) {
    cost[i] = step(r, i);
    min_step = fmin(min_step, cost[i]);
    whole = whole && cost[i] > 0.5 && fabs(cost[i] - round(cost[i])) < 1e-9 * cost[i];
  }
  double as = fmax(floor(fmin(100, TARGET_DISTANCE * min_step / max_distance)), 1);
  double scale = whole ? 1 : as / min_step;
  for (int i = 0; i < r->n; i++) cost[i] = round(cost[i] * scale);
  for (int i = 0; i < r->n; i++)
    common = cost[i] <= INT32_MAX ? common_part(common, (uint64_t)cost[i]) : 1; /* refused later */
  for (int i = 0; i < r->n && !whole && common; i++) cost[i] /= (double)common;
}

int tleaf_write(const berth_topo_t *t, const char *path, berth_error_t *err)
{
  regular_t r;
  int rc = regular_of(t, &r, err);
  if (rc) return rc;
  merge_levels(&r);
  if (r.n == 0 || !(r.distance[0] > 0))
    return berth_fail(err, BERTH_BAD_INPUT, "found %s, expected PUs that lie apart for tleaf",
                      r.n == 0 ? "one PU" : "PUs between which nothing costs anything");
  double cost[REGULAR_MAX_LEVELS];
  make_whole(&r, cost);
  for (int i = 0; i < r.n; i++)
    if (cost[i] > INT32_MAX)
      return berth_fail(err, BERTH_BAD_INPUT,
                        "found distances %g and %g in one tree, expected less than 2^31 times",
                        r.distance[0], r.distance[i]);
  out_file_t *out = out_open(path, err);
  if (!out) return BERTH_MISSING;
  out_printf(out, "tleaf %d", r.n);
  for (int i = r.n - 1; i >= 0; i--) out_printf(out, " %d %.0f", r.arity[i], cost[i]);
  out_text(out, "\n");
  return out_commit(out, err);
}
