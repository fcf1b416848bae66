/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of messages whose data lie in blocks, and what follows from them. */
#include <berth/strided.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "node/node_internal.h"
#include "node/node_json.h"

static const char *const packer_names[BERTH_PACKERS] = {"contiguous", "hand", "memcpy",
                                                        "touch",      "pack", "type"};
static const char *const side_names[BERTH_SIDES] = {"send", "receive", "both"};

const char *berth_packer_name(berth_packer_t by)
{
  return by >= 0 && by < BERTH_PACKERS ? packer_names[by] : NULL;
}

const char *berth_side_name(berth_side_t side)
{
  return side >= 0 && side < BERTH_SIDES ? side_names[side] : NULL;
}

#define FAIL(...) berth_fail(err, BERTH_BAD_INPUT, __VA_ARGS__)

static int check_point(const berth_strided_t *t, size_t i, berth_error_t *err)
{
  bool rises = i == 0 || t->bytes[i] > t->bytes[i - 1] ||
               (t->bytes[i] == t->bytes[i - 1] && t->block[i] > t->block[i - 1]);
  if (!(t->block[i] >= 1 && t->bytes[i] >= t->block[i] && t->bytes[i] <= NODE_MAX_VALUE) || !rises)
    return FAIL("points[%zu]: found a block of %g and %g bytes, expected at least 1 and at least "
                "as much, in rising order of bytes, then of blocks",
                i, t->block[i], t->bytes[i]);
  if (!(t->seconds[i] > 0 && t->seconds[i] <= NODE_MAX_VALUE))
    return FAIL("points[%zu]: found %g s, expected a number above 0, at most 1e18", i,
                t->seconds[i]);
  return node_check_measured(t->spread[i], t->samples[i], i, err);
}

static int check_table(const berth_strided_t *t, berth_error_t *err)
{
  if (!*t->mpi) return FAIL("mpi: found an empty text, expected an MPI library's name");
  if (!berth_packer_name(t->by) || !berth_side_name(t->side))
    return FAIL("found packer %d and side %d, expected other values", (int)t->by, (int)t->side);
  if (t->n == 0 || t->n > NODE_MAX_POINTS)
    return FAIL("points: found %zu, expected 1 to %d", t->n, NODE_MAX_POINTS);
  if (!(t->gap >= 0 && t->gap <= NODE_MAX_VALUE))
    return FAIL("gap: found %g, expected a number from 0 to 1e18", t->gap);
  int rc = node_check_text("mpi", t->mpi, err);
  for (size_t i = 0; i < t->n && !rc; i++) rc = check_point(t, i, err);
  return rc;
}

static bool is_table(const berth_strided_t *t, const char *mpi, berth_packer_t by,
                     berth_side_t side, int exchange, double gap)
{
  return t->by == by && t->side == side && t->exchange == exchange && t->gap == gap &&
         strcmp(t->mpi, mpi) == 0;
}

static berth_strided_t *find(const berth_node_t *n, const char *mpi, berth_packer_t by,
                             berth_side_t side, int exchange, double gap)
{
  for (size_t i = 0; i < n->n_strided; i++)
    if (is_table(&n->strided[i], mpi, by, side, exchange, gap)) return &n->strided[i];
  return NULL;
}

int berth_node_add_strided(berth_node_t *n, const berth_strided_t *table, berth_error_t *err)
{
  int rc = check_table(table, err);
  if (rc) return rc;
  berth_strided_t copy = *table;
  size_t bytes = table->n * sizeof *table->block;
  copy.exchange = table->exchange != 0;
  copy.mpi = arena_strdup(&n->arena, table->mpi);
  copy.block = arena_copy(&n->arena, table->block, bytes);
  copy.bytes = arena_copy(&n->arena, table->bytes, bytes);
  copy.seconds = arena_copy(&n->arena, table->seconds, bytes);
  copy.spread = arena_copy(&n->arena, table->spread, bytes);
  copy.samples = arena_copy(&n->arena, table->samples, table->n * sizeof *table->samples);
  if (!copy.mpi || !copy.block || !copy.bytes || !copy.seconds || !copy.spread || !copy.samples)
    return no_memory(err);
  berth_strided_t *old = find(n, copy.mpi, copy.by, copy.side, copy.exchange, copy.gap);
  if (old)
    *old = copy;
  else if (n->n_strided == NODE_MAX_CURVES)
    return FAIL("strided: found more than %d, expected at most as many", NODE_MAX_CURVES);
  else if (!ARRAY_ADD(&n->strided, &n->n_strided, &n->cap_strided, copy))
    return no_memory(err);
  return BERTH_OK;
}

size_t berth_node_n_strided(const berth_node_t *n) { return n->n_strided; }
const berth_strided_t *berth_node_strided_at(const berth_node_t *n, size_t i)
{
  return &n->strided[i];
}

int node_same_strided(const berth_strided_t *a, const berth_strided_t *b)
{
  size_t bytes = a->n * sizeof *a->block;
  return is_table(a, b->mpi, b->by, b->side, b->exchange, b->gap) && a->n == b->n &&
         memcmp(a->block, b->block, bytes) == 0 && memcmp(a->bytes, b->bytes, bytes) == 0 &&
         memcmp(a->seconds, b->seconds, bytes) == 0 && memcmp(a->spread, b->spread, bytes) == 0 &&
         memcmp(a->samples, b->samples, a->n * sizeof *a->samples) == 0;
}

/* --- which MPI --- */

/* The length of a library's name without its version: "Open MPI" of "Open MPI 4.1.4". */
static size_t name_length(const char *mpi)
{
  const char *space = strrchr(mpi, ' ');
  return space ? (size_t)(space - mpi) : strlen(mpi);
}

const char *berth_node_strided_mpi(const berth_node_t *n, const char *mpi)
{
  const char *other = NULL;
  size_t length = name_length(mpi);
  for (size_t i = 0; i < n->n_strided; i++) {
    const char *here = n->strided[i].mpi;
    if (strcmp(here, mpi) == 0) return here;
    if (name_length(here) == length && strncmp(here, mpi, length) == 0) other = here;
  }
  return other;
}

/* --- values between points --- */

/* The tables of one who packs, and those of contiguous messages, which they are compared with. */
typedef struct tables {
  const berth_strided_t *packed, *contiguous;
} tables_t;

static bool find_tables(const berth_node_t *n, const char *mpi, berth_packer_t by,
                        berth_side_t side, int exchange, double gap, tables_t *out)
{
  out->packed = find(n, mpi, by, side, exchange, gap);
  out->contiguous = find(n, mpi, BERTH_PACKER_NOBODY, BERTH_SIDE_BOTH, exchange, 0);
  return out->packed && out->contiguous;
}

/* Between two values: on a line between their logarithms if they have the same sign. */
static double between(double x, double x0, double y0, double x1, double y1)
{
  double share = x1 > x0 ? log(x / x0) / log(x1 / x0) : 0;
  if (y0 * y1 <= 0) return y0 + share * (y1 - y0);
  return copysign(exp(log(fabs(y0)) + share * (log(fabs(y1)) - log(fabs(y0)))), y0);
}

/* Of a contiguous message of a measured size; NAN if there is none. */
static double contiguous_s(const berth_strided_t *t, double bytes)
{
  for (size_t i = 0; i < t->n; i++)
    if (t->bytes[i] == bytes) return t->seconds[i];
  return NAN;
}

/* Seconds more for each byte, for blocks of a size in the points from `first` on, which are of
 * messages of equal size. A message that is one block is contiguous. */
static double extra_per_byte(const tables_t *t, size_t first, double block)
{
  const berth_strided_t *p = t->packed;
  double bytes = p->bytes[first], base = contiguous_s(t->contiguous, bytes);
  size_t i = first;
  while (i < p->n && p->bytes[i] == bytes && p->block[i] < block) i++;
  bool is_end = i == p->n || p->bytes[i] != bytes;
  size_t low = i > first ? i - 1 : first;
  double y0 = (p->seconds[low] - base) / bytes;
  if (is_end && block >= bytes) return 0;
  if (is_end) return between(block, p->block[low], y0, bytes, 0);
  if (i == first) return y0 * p->block[first] / block; /* a time for each block */
  return between(block, p->block[low], y0, p->block[i], (p->seconds[i] - base) / bytes);
}

/* Seconds more of a message than of a contiguous one. Beyond the largest and the smallest message,
 * they are in proportion to its bytes. */
static double extra_s(const tables_t *t, double bytes, double block)
{
  const berth_strided_t *p = t->packed;
  size_t low = 0, high = 0; /* first points of the sizes around it */
  while (high < p->n && p->bytes[high] < bytes) {
    if (p->bytes[high] != p->bytes[low]) low = high;
    high++;
  }
  double y0 = extra_per_byte(t, low, block);
  if (high == p->n || p->bytes[low] >= bytes) return y0 * bytes;
  return between(bytes, p->bytes[low], y0, p->bytes[high], extra_per_byte(t, high, block)) * bytes;
}

/* The table with the smallest gap from `from` on, above 0, among those of derived datatypes one
 * way; `tight`: of those with gaps smaller than their blocks, else of the others. NULL: there is
 * none. */
static const berth_strided_t *next_gap(const berth_node_t *n, const char *mpi, berth_side_t side,
                                       double from, bool tight)
{
  const berth_strided_t *next = NULL;
  for (size_t i = 0; i < n->n_strided; i++) {
    const berth_strided_t *t = &n->strided[i];
    bool here = is_table(t, mpi, BERTH_PACKER_TYPE, side, 0, t->gap) && t->gap >= from &&
                (t->block[0] > t->gap) == tight;
    if (here && (!next || t->gap < next->gap)) next = t;
  }
  return next;
}

double berth_node_packing_s(const berth_node_t *n, const char *mpi, berth_side_t side, double bytes,
                            double pieces, double span)
{
  tables_t t;
  double block = bytes / pieces, gap = pieces > 1 ? (span - bytes) / (pieces - 1) : 0;
  if (!find_tables(n, mpi, BERTH_PACKER_TYPE, side, 0, 0, &t)) return NAN;
  double low = block, there = extra_s(&t, bytes, block);
  const berth_strided_t *tight = next_gap(n, mpi, side, nextafter(0, 1), true);
  if (gap < block && tight && tight->gap < block) {
    t.packed = tight;
    double here = extra_s(&t, bytes, block);
    return gap <= tight->gap ? here : between(gap, tight->gap, here, block, there);
  }
  while (gap > low && (t.packed = next_gap(n, mpi, side, nextafter(low, INFINITY), false))) {
    double high = t.packed->gap, next = extra_s(&t, bytes, block);
    if (gap < high) return between(gap, low, there, high, next);
    low = high;
    there = next;
  }
  return there;
}

/* Of an exchange by who packs; NAN if it wasn't measured. */
static double exchange_s(const berth_node_t *n, const char *mpi, berth_packer_t by,
                         berth_side_t side, double bytes, double block)
{
  tables_t t;
  return find_tables(n, mpi, by, side, 1, 0, &t) ? extra_s(&t, bytes, block) : NAN;
}

double berth_node_packed_by_program_s(const berth_node_t *n, const char *mpi, berth_side_t side,
                                      double bytes, double pieces, double span, berth_packer_t *by)
{
  double block = bytes / pieces, type = exchange_s(n, mpi, BERTH_PACKER_TYPE, side, bytes, block);
  double now = berth_node_packing_s(n, mpi, side, bytes, pieces, span), best = type;
  *by = BERTH_PACKER_TYPE;
  for (berth_packer_t i = BERTH_PACKER_HAND; i < BERTH_PACKER_TYPE; i++) {
    double here = exchange_s(n, mpi, i, side, bytes, block);
    if (!(here < best)) continue;
    best = here;
    *by = i;
  }
  return now - (type - best);
}

/* Times that differ by less are equal. */
static const double TIE = 1.03;

double berth_node_crossover(const berth_node_t *n, const char *mpi, berth_side_t side, double bytes)
{
  tables_t t;
  if (!find_tables(n, mpi, BERTH_PACKER_TYPE, side, 1, 0, &t)) return NAN;
  double from = NAN, base = contiguous_s(t.contiguous, bytes);
  for (size_t i = 0; i < t.packed->n; i++) {
    double block = t.packed->block[i];
    bool slower = false;
    if (t.packed->bytes[i] != bytes) continue;
    for (berth_packer_t by = BERTH_PACKER_HAND; by < BERTH_PACKER_PACK; by++)
      slower |= TIE * (base + exchange_s(n, mpi, by, side, bytes, block)) < t.packed->seconds[i];
    if (slower) from = INFINITY;
    if (!slower && !(from < INFINITY)) from = block;
  }
  return from;
}
