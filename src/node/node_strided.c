/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of messages whose data lie in blocks, and what follows from them. */
#include <berth/strided.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
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

static uint64_t table_id(const char *mpi, berth_packer_t by, berth_side_t side, int exchange,
                         double gap)
{
  const int numbers[] = {by, side, exchange != 0};
  uint64_t h = hash_bytes(HASH_START, numbers, sizeof numbers);
  gap += 0; /* -0 is 0 */
  return hash_bytes(hash_bytes(h, &gap, sizeof gap), mpi, strlen(mpi));
}

static berth_strided_t *find(const berth_node_t *n, const char *mpi, berth_packer_t by,
                             berth_side_t side, int exchange, double gap)
{
  size_t at;
  if (!id_table_find(&n->strided_at, table_id(mpi, by, side, exchange, gap), &at)) return NULL;
  if (is_table(&n->strided[at], mpi, by, side, exchange, gap)) return &n->strided[at];
  for (size_t i = 0; i < n->n_strided; i++)
    if (is_table(&n->strided[i], mpi, by, side, exchange, gap)) return &n->strided[i];
  return NULL;
}

const berth_strided_t *berth_node_find_strided(const berth_node_t *n, const char *mpi,
                                               berth_packer_t by, berth_side_t side, int exchange,
                                               double gap)
{
  return find(n, mpi, by, side, exchange, gap);
}

const berth_strided_t *berth_node_exchanges(const berth_node_t *n, size_t k)
{
  for (size_t i = 0; i < n->n_strided; i++) {
    const berth_strided_t *t = &n->strided[i];
    if (is_table(t, t->mpi, BERTH_PACKER_NOBODY, BERTH_SIDE_BOTH, 1, 0) && k-- == 0) return t;
  }
  return NULL;
}

/* Notes where a table is. */
static int put_place(berth_node_t *n, size_t i, berth_error_t *err)
{
  const berth_strided_t *t = &n->strided[i];
  uint64_t id = table_id(t->mpi, t->by, t->side, t->exchange, t->gap);
  return node_put_place(&n->strided_at, id, i) ? BERTH_OK : no_memory(err);
}

int berth_node_remove_strided(berth_node_t *n, const char *mpi, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t kept = 0;
  for (size_t i = 0; i < n->n_strided; i++)
    if (strcmp(n->strided[i].mpi, mpi) != 0) n->strided[kept++] = n->strided[i];
  n->n_strided = kept;
  id_table_clear(&n->strided_at);
  for (size_t i = 0; i < kept && !rc; i++) rc = put_place(n, i, err);
  return rc;
}

int berth_node_add_strided(berth_node_t *n, const berth_strided_t *table, berth_error_t *err)
{
  int rc = check_table(table, err);
  if (rc) return rc;
  berth_strided_t copy = *table;
  const double **const values[] = {&copy.block, &copy.bytes, &copy.seconds, &copy.spread, NULL};
  copy.exchange = table->exchange != 0;
  copy.mpi = arena_strdup(&n->arena, table->mpi);
  if (!copy.mpi || !node_copy_points(n, copy.n, values, &copy.samples)) return no_memory(err);
  berth_strided_t *old = find(n, copy.mpi, copy.by, copy.side, copy.exchange, copy.gap);
  if (old) {
    *old = copy;
    return BERTH_OK;
  }
  if (n->n_strided == NODE_MAX_CURVES)
    return FAIL("strided: found more than %d, expected at most as many", NODE_MAX_CURVES);
  if (!ARRAY_ADD(&n->strided, &n->n_strided, &n->cap_strided, copy)) return no_memory(err);
  return put_place(n, n->n_strided - 1, err);
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

static bool find_exchanges(const berth_node_t *n, const char *mpi, berth_packer_t by,
                           berth_side_t side, tables_t *out)
{
  out->packed = find(n, mpi, by, side, 1, 0);
  out->contiguous = find(n, mpi, BERTH_PACKER_NOBODY, BERTH_SIDE_BOTH, 1, 0);
  return out->packed && out->contiguous;
}

/* On a line between the logarithms of two points. */
static double between(double x, double x0, double y0, double x1, double y1)
{
  return x1 > x0 ? y0 * pow(y1 / y0, log(x / x0) / log(x1 / x0)) : y0;
}

double berth_strided_contiguous_s(const berth_strided_t *t, double bytes)
{
  size_t i = 0;
  while (i < t->n && t->bytes[i] < bytes) i++;
  size_t low = i > 0 ? i - 1 : 0;
  if (i == low || i == t->n) return t->seconds[low] * bytes / t->bytes[low];
  return between(bytes, t->bytes[low], t->seconds[low], t->bytes[i], t->seconds[i]);
}

/* What the smallest blocks of a size take, each the same: what the message takes longer than a
 * contiguous one or, as some MPIs are slow with these, as the increase from larger blocks shows. */
static double blocks_s(const tables_t *t, size_t i)
{
  const berth_strided_t *p = t->packed;
  double bytes = p->bytes[i];
  double all = fmax(0, p->seconds[i] - berth_strided_contiguous_s(t->contiguous, bytes));
  if (i + 1 == p->n || p->bytes[i + 1] != bytes) return all;
  double fewer = p->block[i] / p->block[i + 1]; /* as a share */
  return fmax(all, (p->seconds[i] - p->seconds[i + 1]) / (1 - fewer));
}

/* Of a message in blocks, of the size of the points from `first` on. Larger blocks than measured
 * take as long as those: even a message of two blocks isn't sent as a contiguous one is. */
static double packed_s(const tables_t *t, size_t first, double block)
{
  const berth_strided_t *p = t->packed;
  double bytes = p->bytes[first];
  size_t i = first;
  while (i < p->n && p->bytes[i] == bytes && p->block[i] < block) i++;
  if (i == first) return p->seconds[i] + blocks_s(t, i) * (p->block[i] / block - 1);
  if (i == p->n || p->bytes[i] != bytes) return p->seconds[i - 1];
  return between(block, p->block[i - 1], p->seconds[i - 1], p->block[i], p->seconds[i]);
}

/* The same between the table's sizes; beyond them in proportion to the bytes. */
static double message_s(const tables_t *t, double bytes, double block)
{
  const berth_strided_t *p = t->packed;
  size_t low = 0, high = 0; /* first points of the sizes around it */
  while (high < p->n && p->bytes[high] < bytes) {
    if (p->bytes[high] != p->bytes[low]) low = high;
    high++;
  }
  double y0 = packed_s(t, low, block);
  if (high == p->n || p->bytes[low] >= bytes) return y0 * bytes / p->bytes[low];
  return between(bytes, p->bytes[low], y0, p->bytes[high], packed_s(t, high, block));
}

/* The tables of derived datatypes one way whose gaps are next to `gap`, from below and from above;
 * the same one if it has this gap, NULL where there is none. */
typedef struct around {
  const berth_strided_t *below, *above;
} around_t;

static around_t around_gap(const berth_node_t *n, const char *mpi, berth_side_t side, double gap)
{
  around_t a = {0};
  for (size_t i = 0; i < n->n_strided; i++) {
    const berth_strided_t *t = &n->strided[i];
    if (t->gap <= 0 || !is_table(t, mpi, BERTH_PACKER_TYPE, side, 0, t->gap)) continue;
    if (t->gap <= gap && (!a.below || t->gap > a.below->gap)) a.below = t;
    if (t->gap >= gap && (!a.above || t->gap < a.above->gap)) a.above = t;
  }
  return a;
}

/* Of a message of a derived datatype one way. NAN: there are no tables. */
static double one_way_s(const berth_node_t *n, const char *mpi, berth_side_t side, double bytes,
                        double block, double gap)
{
  const berth_strided_t *whole = find(n, mpi, BERTH_PACKER_NOBODY, BERTH_SIDE_BOTH, 0, 0);
  around_t a = around_gap(n, mpi, side, gap);
  if (!a.below) a.below = a.above;
  if (!a.below) a.below = find(n, mpi, BERTH_PACKER_TYPE, side, 0, 0);
  if (!a.above) a.above = a.below;
  if (!whole || !a.below) return NAN;
  double below = message_s(&(tables_t){a.below, whole}, bytes, block);
  double above = message_s(&(tables_t){a.above, whole}, bytes, block);
  return gap > a.below->gap ? between(gap, a.below->gap, below, a.above->gap, above) : below;
}

static double gap_of(double bytes, double pieces, double span)
{
  return pieces > 1 ? (span - bytes) / (pieces - 1) : 0;
}

double berth_node_packing_s(const berth_node_t *n, const char *mpi, berth_side_t side, double bytes,
                            double pieces, double span)
{
  const berth_strided_t *whole = find(n, mpi, BERTH_PACKER_NOBODY, BERTH_SIDE_BOTH, 0, 0);
  double packed = one_way_s(n, mpi, side, bytes, bytes / pieces, gap_of(bytes, pieces, span));
  if (isnan(packed)) return NAN;
  return pieces > 1 ? packed - berth_strided_contiguous_s(whole, bytes) : 0;
}

double berth_node_exchange_packing_s(const berth_node_t *n, const char *mpi, berth_side_t side,
                                     double bytes, double pieces, double span)
{
  tables_t t;
  if (!find_exchanges(n, mpi, BERTH_PACKER_TYPE, side, &t)) return NAN;
  if (pieces <= 1) return 0;
  double block = bytes / pieces, as_measured = one_way_s(n, mpi, side, bytes, block, block);
  double here = one_way_s(n, mpi, side, bytes, block, gap_of(bytes, pieces, span));
  double wider = isnan(here) ? 1 : here / as_measured;
  return wider * message_s(&t, bytes, block) - berth_strided_contiguous_s(t.contiguous, bytes);
}

/* Of a message of an exchange, by who packs; NAN if it wasn't measured. */
static double exchange_s(const berth_node_t *n, const char *mpi, berth_packer_t by,
                         berth_side_t side, double bytes, double block)
{
  tables_t t;
  return find_exchanges(n, mpi, by, side, &t) ? message_s(&t, bytes, block) : NAN;
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
  if (!find_exchanges(n, mpi, BERTH_PACKER_TYPE, side, &t)) return NAN;
  double from = NAN;
  for (size_t i = 0; i < t.packed->n; i++) {
    double block = t.packed->block[i];
    bool slower = false;
    if (t.packed->bytes[i] != bytes) continue;
    for (berth_packer_t by = BERTH_PACKER_HAND; by < BERTH_PACKER_PACK; by++)
      slower |= TIE * exchange_s(n, mpi, by, side, bytes, block) < t.packed->seconds[i];
    if (slower) from = INFINITY;
    if (!slower && !(from < INFINITY)) from = block;
  }
  return from;
}
