/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders ranks along Hilbert's curve, in two or three dimensions.
 *
 * It uses the bit operations of Hamilton and Rau-Chaplin, "Compact Hilbert indices" (2008),
 * sections 2 and 3. `e` is the corner where the curve enters the current cube, `d` the direction in
 * which it leaves. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "map/geometry/divide.h"

typedef struct placed {
  uint64_t key;
  int rank;
} placed_t;

static unsigned rotate_left(unsigned x, int by, int n)
{
  by %= n;
  return ((x << by) | (x >> (n - by))) & ((1u << n) - 1);
}

static unsigned gray(unsigned x) { return x ^ (x >> 1); }

static unsigned gray_inverse(unsigned x)
{
  for (unsigned shifted = x >> 1; shifted; shifted >>= 1) x ^= shifted;
  return x;
}

static int trailing_ones(unsigned x)
{
  int n = 0;
  for (; x & 1; x >>= 1) n++;
  return n;
}

/* The corner where the curve enters the w-th part of a cube; and its direction through that
 * part. */
static unsigned entry(unsigned w) { return w ? gray((w - 1) & ~1u) : 0; }

static int crossing(unsigned w, int n)
{
  if (w == 0) return 0;
  return trailing_ones(w % 2 ? w : w - 1) % n;
}

/* The index of a point on the curve through a cube of 2^bits points a side, in n dimensions. */
static uint64_t curve_index(const unsigned *x, int n, int bits)
{
  uint64_t index = 0;
  unsigned e = 0;
  int d = 0;
  for (int bit = bits - 1; bit >= 0; bit--) {
    unsigned part = 0;
    for (int k = 0; k < n; k++) part |= (x[k] >> bit & 1u) << k;
    unsigned w = gray_inverse(rotate_left(part ^ e, n - (d + 1) % n, n));
    e ^= rotate_left(entry(w), d + 1, n);
    d = (d + crossing(w, n) + 1) % n;
    index = index << n | w;
  }
  return index;
}

ORDER_BY(by_key, placed_t, RISING(key) RISING(rank))

int divide_order_by_curve(const layout_t *l, int *ranks, berth_error_t *err)
{
  int axis[LAYOUT_AXES], n = 0, bits = 1;
  placed_t *order = malloc((size_t)l->n * sizeof *order);
  if (!order) return no_memory(err);
  for (int k = 0; k < LAYOUT_AXES; k++) {
    if (l->size[k] > 1) axis[n++] = k;
    while (l->size[k] > 1 << bits) bits++;
  }
  for (int r = 0; r < l->n; r++) {
    unsigned x[LAYOUT_AXES] = {0};
    for (int k = 0; k < n; k++) x[k] = (unsigned)l->at[axis[k]][r];
    order[r] = (placed_t){n > 1 ? curve_index(x, n, bits) : x[0], r};
  }
  qsort(order, (size_t)l->n, sizeof *order, by_key);
  for (int r = 0; r < l->n; r++) ranks[r] = order[r].rank;
  free(order);
  return BERTH_OK;
}
