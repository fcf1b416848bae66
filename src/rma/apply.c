/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/apply.h"

#include <stdint.h>
#include <string.h>

#include "job/reduction.h"

enum { ROOM = 4096, ALIGNED = 16 };

bool apply_only_reads(int op) { return op >= 0 && reduction_op(op) == mpi.no_op; }

static bool replaces(int op) { return reduction_op(op) == mpi.replace; }

bool apply_is_defined(int op, int element)
{
  reduction_t r;
  if (op < 0 || reduction_op(op) == mpi.op_null) return false;
  if (apply_only_reads(op) || replaces(op)) return true;
  return element >= 0 && reduction_of(reduction_type(element), reduction_op(op), SIZE_MAX, &r);
}

bool apply_is_compared(MPI_Datatype type)
{
  reduction_t r;
  bool bits = reduction_of(type, mpi.band, SIZE_MAX, &r),
       logic = reduction_of(type, mpi.land, SIZE_MAX, &r);
  return reduction_number(type) >= 0 && (bits || logic || type == mpi.c_char);
}

static bool aligned(const void *p, size_t unit)
{
  size_t to = unit % ALIGNED == 0 ? ALIGNED
              : unit % 8 == 0     ? 8
              : unit % 4 == 0     ? 4
              : unit % 2          ? 1
                                  : 2;
  return (uintptr_t)p % to == 0;
}

/* By way of memory that is aligned. */
static int reduce_aside(const reduction_t *r, size_t unit, char *at, const char *data, size_t n)
{
  _Alignas(64) char left[ROOM], right[ROOM];
  int rc = MPI_SUCCESS;
  size_t most = ROOM / unit;
  for (size_t done = 0, k; done < n && rc == MPI_SUCCESS; done += k) {
    k = n - done < most ? n - done : most;
    memcpy(left, data + done * unit, k * unit);
    memcpy(right, at + done * unit, k * unit);
    rc = reduction_left(r, left, right, k);
    memcpy(at + done * unit, right, k * unit);
  }
  return rc;
}

int apply_to(const apply_t *a, char *at, const char *data, char *old, size_t n)
{
  reduction_t r;
  size_t bytes = n * a->unit;
  if (old) memcpy(old, at, bytes);
  if (apply_only_reads(a->op)) return MPI_SUCCESS;
  if (replaces(a->op)) {
    memmove(at, data, bytes);
    return MPI_SUCCESS;
  }
  if (!reduction_of(reduction_type(a->element), reduction_op(a->op), SIZE_MAX, &r))
    return MPI_ERR_OP;
  if (LIKELY(aligned(at, a->unit) && aligned(data, a->unit)))
    return reduction_left(&r, data, at, n);
  return reduce_aside(&r, a->unit, at, data, n);
}

void apply_swap(size_t unit, char *at, const char *compare, const char *data, char *old)
{
  bool same = memcmp(at, compare, unit) == 0;
  memcpy(old, at, unit);
  if (same) memcpy(at, data, unit);
}
