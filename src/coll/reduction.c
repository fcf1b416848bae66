/* SPDX-License-Identifier: BSD-3-Clause */
/* Knows predefined types and operations by their handles, and asks the MPI about others. */
#include "coll/reduction.h"

#include <limits.h>
#include <string.h>

enum {
  C_INTEGER = 1,
  INTEGER = 2, /* Fortran's, and those of both languages */
  FLOATING = 4,
  COMPLEX = 8,
  LOGICAL = 16,
  RAW = 32,
  PAIR = 64,
  NO_REDUCTION = 128
};
enum { NUMBERS = C_INTEGER | INTEGER | FLOATING, TYPES = 256 /* places, many more than types */ };

typedef struct known_type {
  uintptr_t handle; /* 0: nothing */
  size_t size, extent;
  int kind;
} known_type_t;

static known_type_t types[TYPES];

static struct known_op {
  MPI_Op op;
  int kinds;
  int kernel; /* a kernel_op_t, or KERNEL_OPS: none */
} ops[16];
static size_t n_ops;

static known_type_t *place_of(MPI_Datatype type)
{
  uintptr_t handle = (uintptr_t)type;
  size_t at = (uint64_t)handle * 0x9e3779b97f4a7c15u >> 56;
  while (types[at].handle && types[at].handle != handle) at = (at + 1) % TYPES;
  return &types[at];
}

/* A type's bytes, its extent and its true extent, from its first byte on; false: not so simple. */
static bool measure(MPI_Datatype type, size_t *size, size_t *extent)
{
  MPI_Count bytes, low, all, true_low, true_all;
  if (mpi.Type_size_x(type, &bytes) != MPI_SUCCESS || bytes == MPI_UNDEFINED) return false;
  *size = (size_t)bytes;
  if (mpi.Type_get_extent_x(type, &low, &all) != MPI_SUCCESS ||
      mpi.Type_get_true_extent_x(type, &true_low, &true_all) != MPI_SUCCESS)
    return false;
  *extent = low == 0 && true_low == 0 && true_all <= all ? (size_t)all : 0;
  return true;
}

static void add_type(MPI_Datatype type, int kind)
{
  known_type_t t = {.handle = (uintptr_t)type, .kind = kind};
  if (type == mpi.type_null || !may_be_type(type)) return;
  if (measure(type, &t.size, &t.extent) && t.size > 0) *place_of(type) = t;
}

static void add_op(MPI_Op op, int kinds, kernel_op_t kernel)
{
  ops[n_ops++] = (struct known_op){op, kinds, kernel};
}

void reduction_setup(void)
{
#ifdef OPEN_MPI
#define TYPE(kind, variable, constant) add_type((MPI_Datatype)mpi_variable(#variable), kind);
#else
#define TYPE(kind, variable, constant) add_type(constant, kind);
#endif
#include "coll/types.def"
  add_op(mpi.sum, NUMBERS | COMPLEX, KERNEL_SUM);
  add_op(mpi.prod, NUMBERS | COMPLEX, KERNEL_PROD);
  add_op(mpi.max, NUMBERS, KERNEL_MAX);
  add_op(mpi.min, NUMBERS, KERNEL_MIN);
  add_op(mpi.land, C_INTEGER | LOGICAL, KERNEL_OPS);
  add_op(mpi.lor, C_INTEGER | LOGICAL, KERNEL_OPS);
  add_op(mpi.lxor, C_INTEGER | LOGICAL, KERNEL_OPS);
  add_op(mpi.band, C_INTEGER | INTEGER | RAW, KERNEL_BAND);
  add_op(mpi.bor, C_INTEGER | INTEGER | RAW, KERNEL_BOR);
  add_op(mpi.bxor, C_INTEGER | INTEGER | RAW, KERNEL_BXOR);
  add_op(mpi.maxloc, PAIR, KERNEL_OPS);
  add_op(mpi.minloc, PAIR, KERNEL_OPS);
  add_op(mpi.replace, 0, KERNEL_OPS);
  add_op(mpi.no_op, 0, KERNEL_OPS);
  add_op(mpi.op_null, 0, KERNEL_OPS);
}

/* A predefined operation; NULL: the program has made it. */
static const struct known_op *find_op(MPI_Op op)
{
  for (size_t i = 0; i < n_ops; i++)
    if (ops[i].op == op) return &ops[i];
  return NULL;
}

static kernel_t *find_kernel(const known_type_t *t, const struct known_op *op)
{
  if (op->kernel == KERNEL_OPS || !(t->kind & (NUMBERS | RAW)) || t->size != t->extent) return NULL;
  return kernel_find((kernel_op_t)op->kernel, t->kind == FLOATING, t->size);
}

/* What is known of a predefined type and operation. Integers wrap around. */
static void describe(const known_type_t *t, const struct known_op *op, reduction_t *r)
{
  bool extreme = op->kernel == KERNEL_MAX || op->kernel == KERNEL_MIN;
  size_t floats = t->kind == FLOATING ? 1 : t->kind == COMPLEX ? 2 : 0, size = t->size;
  r->kernel = find_kernel(t, op);
  r->exact = t->kind & (C_INTEGER | INTEGER | LOGICAL | RAW) || (extreme && r->kernel);
  if (op->kernel == KERNEL_SUM && floats && t->extent == size &&
      (size == floats * sizeof(float) || size == floats * sizeof(double)))
    r->floats = floats;
}

bool reduction_of(MPI_Datatype type, MPI_Op op, size_t most, reduction_t *r)
{
  const known_type_t *t = place_of(type);
  const struct known_op *known = find_op(op);
  int commutative = 1;
  size_t size, extent = t->extent;
  if (known && !(t->handle && t->kind & known->kinds)) return false;
  if (!t->handle && (!may_be_type(type) || type == mpi.type_null ||
                     !measure(type, &size, &extent) || size != extent))
    return false;
  if (!known && mpi.Op_commutative(op, &commutative) != MPI_SUCCESS) return false;
  *r = (reduction_t){type, op, extent, .commutative = commutative};
  if (known) describe(t, known, r);
  return extent > 0 && extent <= most;
}

bool reduction_layout(MPI_Datatype type, size_t *size, bool *dense)
{
  const known_type_t *t = place_of(type);
  size_t extent;
  *dense = t->handle && t->size == t->extent;
  if (t->handle) *size = t->size;
  return t->handle || (may_be_type(type) && type != mpi.type_null && measure(type, size, &extent));
}

int reduction_left(const reduction_t *r, const void *from, void *into, size_t n)
{
  int rc = MPI_SUCCESS;
  if (r->kernel) {
    r->kernel(from, into, into, n);
    return rc;
  }
  for (size_t at = 0; at < n && rc == MPI_SUCCESS; at += INT_MAX) {
    int piece = n - at < INT_MAX ? (int)(n - at) : INT_MAX;
    rc = mpi.Reduce_local((const char *)from + at * r->extent, (char *)into + at * r->extent, piece,
                          r->type, r->op);
  }
  return rc;
}

int reduction_of_two(const reduction_t *r, const void *left, const void *right, void *to, size_t n)
{
  if (r->kernel) {
    r->kernel(left, right, to, n);
    return MPI_SUCCESS;
  }
  if (to != right) memcpy(to, right, n * r->extent);
  return reduction_left(r, left, to, n);
}

int reduction_right(const reduction_t *r, void *into, const void *from, size_t n, void *room)
{
  if (r->commutative) return reduction_left(r, from, into, n);
  memcpy(room, from, n * r->extent);
  int rc = reduction_left(r, into, room, n);
  memcpy(into, room, n * r->extent);
  return rc;
}
