/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes of every kind, and in how many pieces their data are. */
#ifndef BERTH_TESTS_TRACE_PACKED_TYPES_H
#define BERTH_TESTS_TRACE_PACKED_TYPES_H

#include <mpi.h>

enum { ROOM = 1 << 23, MIDDLE = ROOM / 2 };
static char room[ROOM];

static MPI_Datatype committed(MPI_Datatype t)
{
  MPI_Type_commit(&t);
  return t;
}

/* The datatype of other ones, which are freed. */
static MPI_Datatype instead(MPI_Datatype t, MPI_Datatype of)
{
  MPI_Type_free(&of);
  return t;
}

static MPI_Datatype contiguous(int n, MPI_Datatype of)
{
  MPI_Datatype t;
  MPI_Type_contiguous(n, of, &t);
  return t;
}

static MPI_Datatype vector(int n, int length, int stride, MPI_Datatype of)
{
  MPI_Datatype t;
  MPI_Type_vector(n, length, stride, of, &t);
  return t;
}

static MPI_Datatype hvector(int n, int length, MPI_Aint stride, MPI_Datatype of)
{
  MPI_Datatype t;
  MPI_Type_create_hvector(n, length, stride, of, &t);
  return t;
}

static MPI_Datatype resized(MPI_Datatype of, MPI_Aint extent)
{
  MPI_Datatype t;
  MPI_Type_create_resized(of, 0, extent, &t);
  return t;
}

static MPI_Datatype structure(int n, const int *lengths, const MPI_Aint *at, const MPI_Datatype *of)
{
  MPI_Datatype t;
  MPI_Type_create_struct(n, (int *)lengths, (MPI_Aint *)at, (MPI_Datatype *)of, &t);
  return t;
}

static MPI_Datatype make_contiguous(void) { return contiguous(4, MPI_INT); }
static MPI_Datatype make_vector(void) { return vector(3, 2, 4, MPI_INT); }
static MPI_Datatype make_dense_vector(void) { return vector(3, 4, 4, MPI_INT); }
static MPI_Datatype make_lone_vector(void) { return vector(1, 5, 9, MPI_INT); }
static MPI_Datatype make_hvector(void) { return hvector(4, 1, 10, MPI_SHORT); }
static MPI_Datatype make_backwards(void) { return hvector(3, 1, -8, MPI_INT); }
static MPI_Datatype make_overlap(void) { return hvector(3, 1, 0, MPI_INT); }
static MPI_Datatype make_million(void) { return vector(1000000, 1, 2, MPI_CHAR); }
static MPI_Datatype make_empty(void) { return contiguous(0, MPI_INT); }

static MPI_Datatype make_indexed(void)
{
  MPI_Datatype t;
  MPI_Type_indexed(3, (int[]){2, 1, 3}, (int[]){0, 4, 5}, MPI_INT, &t);
  return t;
}

static MPI_Datatype make_empty_blocks(void)
{
  MPI_Datatype t;
  MPI_Type_indexed(4, (int[]){2, 0, 0, 3}, (int[]){0, 9, 4, 2}, MPI_INT, &t);
  return t;
}

static MPI_Datatype make_disorder(void)
{
  MPI_Datatype t;
  MPI_Type_indexed(2, (int[]){4, 4}, (int[]){4, 0}, MPI_CHAR, &t);
  return t;
}

static MPI_Datatype make_hindexed(void)
{
  MPI_Datatype t;
  MPI_Type_create_hindexed(2, (int[]){2, 4}, (MPI_Aint[]){3, 10}, MPI_CHAR, &t);
  return t;
}

static MPI_Datatype make_indexed_block(void)
{
  MPI_Datatype t;
  MPI_Type_create_indexed_block(3, 2, (int[]){0, 2, 10}, MPI_INT, &t);
  return t;
}

static MPI_Datatype make_hindexed_block(void)
{
  MPI_Datatype t;
  MPI_Type_create_hindexed_block(3, 2, (MPI_Aint[]){0, 9, 20}, MPI_INT, &t);
  return t;
}

static MPI_Datatype make_many_blocks(void)
{
  static int places[5000];
  MPI_Datatype t;
  for (int i = 0; i < 5000; i++) places[i] = 2 * i;
  MPI_Type_create_indexed_block(5000, 1, places, MPI_INT, &t);
  return t;
}

static MPI_Datatype make_struct(void)
{
  return structure(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE});
}

static MPI_Datatype make_dense_struct(void)
{
  return structure(2, (int[]){1, 3}, (MPI_Aint[]){0, 4}, (MPI_Datatype[]){MPI_INT, MPI_FLOAT});
}

/* More members than are kept on the stack. */
static MPI_Datatype make_wide_struct(void)
{
  int lengths[40];
  MPI_Aint at[40];
  MPI_Datatype of[40];
  for (int i = 0; i < 40; i++) {
    lengths[i] = 1;
    at[i] = 8 * i;
    of[i] = i % 2 ? MPI_INT : MPI_DOUBLE;
  }
  return structure(40, lengths, at, of);
}

static MPI_Datatype make_absolute(void)
{
  MPI_Aint at[2];
  MPI_Get_address(room + MIDDLE, &at[0]);
  MPI_Get_address(room + MIDDLE + 40, &at[1]);
  return structure(2, (int[]){1, 1}, at, (MPI_Datatype[]){MPI_INT, MPI_INT});
}

static MPI_Datatype make_subarray(void)
{
  MPI_Datatype t;
  MPI_Type_create_subarray(2, (int[]){6, 8}, (int[]){3, 4}, (int[]){1, 2}, MPI_ORDER_C, MPI_INT,
                           &t);
  return t;
}

static MPI_Datatype make_fortran_subarray(void)
{
  MPI_Datatype t;
  MPI_Type_create_subarray(3, (int[]){4, 5, 6}, (int[]){4, 2, 3}, (int[]){0, 1, 2},
                           MPI_ORDER_FORTRAN, MPI_INT, &t);
  return t;
}

static MPI_Datatype make_whole_subarray(void)
{
  MPI_Datatype t;
  MPI_Type_create_subarray(2, (int[]){6, 8}, (int[]){6, 8}, (int[]){0, 0}, MPI_ORDER_C, MPI_INT,
                           &t);
  return t;
}

static MPI_Datatype make_darray(void)
{
  MPI_Datatype t;
  MPI_Type_create_darray(2, 0, 2, (int[]){8, 8},
                         (int[]){MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE},
                         (int[]){MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, (int[]){2, 1},
                         MPI_ORDER_C, MPI_INT, &t);
  return t;
}

static MPI_Datatype make_dup(void)
{
  MPI_Datatype t, v = make_vector();
  MPI_Type_dup(v, &t);
  return instead(t, v);
}

static MPI_Datatype make_resized(void) { return resized(MPI_INT, 12); }

static MPI_Datatype make_column(void)
{
  MPI_Datatype v = vector(4, 1, 5, MPI_INT);
  return instead(resized(v, 4), v);
}

static MPI_Datatype make_double_int(void) { return MPI_DOUBLE_INT; }
static MPI_Datatype make_short_int(void) { return MPI_SHORT_INT; }
static MPI_Datatype make_2int(void) { return MPI_2INT; }
static MPI_Datatype make_double(void) { return MPI_DOUBLE; }

static MPI_Datatype make_pair_vector(void) { return vector(2, 1, 2, MPI_DOUBLE_INT); }

static MPI_Datatype make_nested(void)
{
  MPI_Datatype v = vector(2, 1, 2, MPI_INT);
  return instead(hvector(3, 1, 64, v), v);
}

static MPI_Datatype make_array_of_structs(void)
{
  MPI_Datatype s =
      structure(2, (int[]){1, 1}, (MPI_Aint[]){0, 4}, (MPI_Datatype[]){MPI_CHAR, MPI_INT});
  return instead(contiguous(2, s), s);
}

static MPI_Datatype make_struct_of_vectors(void)
{
  MPI_Datatype v = make_vector();
  return instead(
      structure(3, (int[]){1, 0, 2}, (MPI_Aint[]){0, 50, 100}, (MPI_Datatype[]){v, v, v}), v);
}

static MPI_Datatype make_real(void)
{
  MPI_Datatype t;
  MPI_Type_create_f90_real(12, MPI_UNDEFINED, &t);
  return t;
}

static MPI_Datatype make_reals(void)
{
  return structure(2, (int[]){1, 1}, (MPI_Aint[]){0, 16}, (MPI_Datatype[]){make_real(), MPI_INT});
}

static MPI_Datatype deep(int levels)
{
  MPI_Datatype t = make_vector();
  for (int i = 0; i < levels; i++) t = instead(contiguous(1, t), t);
  return t;
}
static MPI_Datatype make_deep(void) { return deep(30); }

#if MPI_VERSION >= 4
static MPI_Datatype make_contiguous_c(void)
{
  MPI_Datatype t, v = vector(2, 1, 2, MPI_INT);
  MPI_Type_contiguous_c(3, v, &t);
  return instead(t, v);
}

static MPI_Datatype make_vector_c(void)
{
  MPI_Datatype t;
  MPI_Type_vector_c(3, 2, 4, MPI_INT, &t);
  return t;
}

static MPI_Datatype make_hvector_c(void)
{
  MPI_Datatype t;
  MPI_Type_create_hvector_c(4, 1, 10, MPI_SHORT, &t);
  return t;
}

static MPI_Datatype make_indexed_c(void)
{
  MPI_Datatype t;
  MPI_Type_indexed_c(3, (MPI_Count[]){2, 1, 3}, (MPI_Count[]){0, 4, 5}, MPI_INT, &t);
  return t;
}

static MPI_Datatype make_hindexed_c(void)
{
  MPI_Datatype t;
  MPI_Type_create_hindexed_c(2, (MPI_Count[]){2, 4}, (MPI_Count[]){3, 10}, MPI_CHAR, &t);
  return t;
}

static MPI_Datatype make_indexed_block_c(void)
{
  MPI_Datatype t;
  MPI_Type_create_indexed_block_c(3, 2, (MPI_Count[]){0, 2, 10}, MPI_INT, &t);
  return t;
}

static MPI_Datatype make_hindexed_block_c(void)
{
  MPI_Datatype t;
  MPI_Type_create_hindexed_block_c(3, 2, (MPI_Count[]){0, 9, 20}, MPI_INT, &t);
  return t;
}

static MPI_Datatype make_struct_c(void)
{
  MPI_Datatype t;
  MPI_Type_create_struct_c(2, (MPI_Count[]){1, 1}, (MPI_Count[]){0, 8},
                           (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &t);
  return t;
}

static MPI_Datatype make_subarray_c(void)
{
  MPI_Datatype t;
  MPI_Type_create_subarray_c(3, (MPI_Count[]){4, 5, 6}, (MPI_Count[]){4, 2, 3},
                             (MPI_Count[]){0, 1, 2}, MPI_ORDER_FORTRAN, MPI_INT, &t);
  return t;
}

static MPI_Datatype make_resized_c(void)
{
  MPI_Datatype t;
  MPI_Type_create_resized_c(MPI_INT, 0, 12, &t);
  return t;
}
#endif

/* One message of each: what the trace must have of it. One piece: nothing. */
static const struct {
  MPI_Datatype (*make)(void);
  int count;
  long size, pieces, span;
  int only_sent, own, bottom; /* overlapping data can't be received; MPI's own can't be freed */
} cases[] = {
    {make_contiguous, 3, 48, 1, 48},
    {make_vector, 1, 24, 3, 40},
    {make_vector, 2, 48, 5, 80}, /* the second one begins where the first one ends */
    {make_dense_vector, 2, 96, 1, 96},
    {make_lone_vector, 2, 40, 1, 40},
    {make_hvector, 1, 8, 4, 32},
    {make_backwards, 1, 12, 3, 20},
    {make_overlap, 1, 12, 3, 12, 1},
    {make_million, 1, 1000000, 1000000, 1999999},
    {make_empty, 7, 0, 1, 0},
    {make_indexed, 1, 24, 2, 32},
    {make_empty_blocks, 1, 20, 1, 20},
    {make_disorder, 1, 8, 2, 8},
    {make_hindexed, 1, 6, 2, 11},
    {make_indexed_block, 1, 24, 2, 48},
    {make_hindexed_block, 1, 24, 3, 28},
    {make_many_blocks, 1, 20000, 5000, 39996},
    {make_struct, 1, 12, 2, 16},
    {make_struct, 3, 36, 4, 48},
    {make_dense_struct, 3, 48, 1, 48},
    {make_wide_struct, 1, 240, 20, 316}, /* each int is behind a double */
    {make_absolute, 1, 8, 2, 44, 0, 0, 1},
    {make_subarray, 1, 48, 3, 80},
    {make_subarray, 2, 96, 6, 272},
    {make_fortran_subarray, 1, 96, 3, 192},
    {make_whole_subarray, 2, 384, 1, 384},
    {make_darray, 1, 128, 1, 128}, /* isn't looked at */
    {make_dup, 1, 24, 3, 40},
    {make_resized, 1, 4, 1, 4},
    {make_resized, 3, 12, 3, 28},
    {make_column, 5, 80, 20, 80},
    {make_double_int, 1, 12, 1, 12, 0, 1},
    {make_double_int, 4, 48, 4, 60, 0, 1},
    {make_short_int, 1, 6, 2, 8, 0, 1},
    {make_short_int, 3, 18, 4, 24, 0, 1},
    {make_2int, 5, 40, 1, 40, 0, 1},
    {make_double, 5, 40, 1, 40, 0, 1},
    {make_double, 0, 0, 1, 0, 0, 1},
    {make_vector, 0, 0, 1, 0},
    {make_pair_vector, 1, 24, 2, 44},
    {make_nested, 1, 24, 6, 140},
    {make_array_of_structs, 1, 10, 3, 16},
    {make_struct_of_vectors, 1, 72, 8, 180},
    {make_real, 3, 24, 1, 24, 0, 1},
    {make_reals, 1, 12, 2, 20},
    {make_deep, 1, 24, 3, 40},
#if MPI_VERSION >= 4
    {make_contiguous_c, 1, 24, 4, 36},
    {make_vector_c, 1, 24, 3, 40},
    {make_hvector_c, 1, 8, 4, 32},
    {make_indexed_c, 1, 24, 2, 32},
    {make_hindexed_c, 1, 6, 2, 11},
    {make_indexed_block_c, 1, 24, 2, 48},
    {make_hindexed_block_c, 1, 24, 3, 28},
    {make_struct_c, 1, 12, 2, 16},
    {make_subarray_c, 1, 96, 3, 192},
    {make_resized_c, 3, 12, 3, 28},
#endif
};

#endif
