/* SPDX-License-Identifier: BSD-3-Clause */
/* Knows predefined types and operations by their handles, and asks the MPI about others. */
#include "job/reduction.h"

#include <limits.h>
#include <string.h>

enum {
  C_INTEGER = 1,
  UNSIGNED = 256 | C_INTEGER,
  INTEGER = 2, /* Fortran's, and those of both languages */
  FLOATING = 4,
  COMPLEX = 8,
  LOGICAL = 16,
  RAW = 32,
  PAIR = 64,
  NO_REDUCTION = 128,
  PAIR_AT = 16 /* the bit from which on a pair says which one it is */
};
#define PAIR_OF(type) (PAIR | (type) << PAIR_AT)
enum { NUMBERS = C_INTEGER | INTEGER | FLOATING, TYPES = 256 /* places, many more than types */ };

typedef struct known_type {
  uintptr_t handle; /* 0: nothing */
  size_t size, extent;
  int kind, number;
} known_type_t;

static known_type_t types[TYPES];
static MPI_Datatype numbered[REDUCTION_TYPES];
static int n_types;

static struct known_op {
  MPI_Op op;
  int kinds;
  kernel_op_t kernel; /* KERNEL_OPS: none */
} ops[REDUCTION_OPS];
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
  known_type_t t = {.handle = (uintptr_t)type, .kind = kind, .number = n_types};
  numbered[n_types++] = type;
  if (type == mpi.type_null || !may_be_type(type)) return;
  if (measure(type, &t.size, &t.extent) && t.size > 0) *place_of(type) = t;
}

static void add_op(MPI_Op op, int kinds, kernel_op_t kernel)
{
  ops[n_ops++] = (struct known_op){op, kinds, kernel};
}

void reduction_setup(void)
{
  if (n_types > 0) return;
#ifdef OPEN_MPI
#define TYPE(kind, variable, constant) add_type((MPI_Datatype)mpi_variable(#variable), kind);
#else
#define TYPE(kind, variable, constant) add_type(constant, kind);
#endif
#include "job/types.def"
  add_op(mpi.sum, NUMBERS | COMPLEX, KERNEL_SUM);
  add_op(mpi.prod, NUMBERS | COMPLEX, KERNEL_PROD);
  add_op(mpi.max, NUMBERS, KERNEL_MAX);
  add_op(mpi.min, NUMBERS, KERNEL_MIN);
  add_op(mpi.land, C_INTEGER | LOGICAL, KERNEL_LAND);
  add_op(mpi.lor, C_INTEGER | LOGICAL, KERNEL_LOR);
  add_op(mpi.lxor, C_INTEGER | LOGICAL, KERNEL_LXOR);
  add_op(mpi.band, C_INTEGER | INTEGER | RAW, KERNEL_BAND);
  add_op(mpi.bor, C_INTEGER | INTEGER | RAW, KERNEL_BOR);
  add_op(mpi.bxor, C_INTEGER | INTEGER | RAW, KERNEL_BXOR);
  add_op(mpi.maxloc, PAIR, KERNEL_MAXLOC);
  add_op(mpi.minloc, PAIR, KERNEL_MINLOC);
  add_op(mpi.replace, 0, KERNEL_OPS);
  add_op(mpi.no_op, 0, KERNEL_OPS);
  add_op(mpi.op_null, 0, KERNEL_OPS);
}

int reduction_number(MPI_Datatype type)
{
  const known_type_t *t = place_of(type);
  return t->handle ? t->number : -1;
}

MPI_Datatype reduction_type(int number) { return numbered[number]; }

int reduction_op_number(MPI_Op op)
{
  for (size_t i = 0; i < n_ops; i++)
    if (ops[i].op == op) return (int)i;
  return -1;
}

MPI_Op reduction_op(int number) { return ops[number].op; }

/* A predefined operation; NULL: the program has made it. */
static const struct known_op *find_op(MPI_Op op)
{
  for (size_t i = 0; i < n_ops; i++)
    if (ops[i].op == op) return &ops[i];
  return NULL;
}

/* The type as kernels know it; KERNEL_TYPES: they don't. */
static kernel_type_t type_of_kernel(const known_type_t *t)
{
  static const kernel_type_t of_sizes[4][9] = {
      {[1] = KERNEL_I8, [2] = KERNEL_I16, [4] = KERNEL_I32, [8] = KERNEL_I64},
      {[1] = KERNEL_U8, [2] = KERNEL_U16, [4] = KERNEL_U32, [8] = KERNEL_U64},
      {[4] = KERNEL_F32, [8] = KERNEL_F64},
      {[4] = KERNEL_C32, [8] = KERNEL_C64}};
  if (t->kind & PAIR) return (kernel_type_t)(t->kind >> PAIR_AT);
  bool numbers = t->kind & (FLOATING | COMPLEX), complex = t->kind & COMPLEX;
  size_t size = complex ? t->size / 2 : t->size;
  int row = complex ? 3 : numbers ? 2 : (t->kind & UNSIGNED) == UNSIGNED || t->kind & RAW;
  if (t->size != t->extent || size > 8 || (row < 2 && size & (size - 1))) return KERNEL_TYPES;
  if (row >= 2 && size != sizeof(float) && size != sizeof(double)) return KERNEL_TYPES;
  return of_sizes[row][size];
}

/* What is known of a predefined type and operation. Integers wrap around. */
static void describe(const known_type_t *t, const struct known_op *op, reduction_t *r)
{
  bool extreme = op->kernel == KERNEL_MAX || op->kernel == KERNEL_MIN;
  size_t floats = t->kind == FLOATING ? 1 : t->kind == COMPLEX ? 2 : 0, size = t->size;
  r->kernel_op = op->kernel;
  r->kernel_type = type_of_kernel(t);
  if (kernel_bytes(r->kernel_type) == t->extent)
    r->kernel = kernel_find(op->kernel, r->kernel_type);
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
  *r = (reduction_t){type, op, extent, .commutative = commutative, .kernel_op = KERNEL_OPS};
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
