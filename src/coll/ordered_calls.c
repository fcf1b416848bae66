/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/ordered_calls.h"

#include <string.h>

#include "coll/block_calls.h"
#include "coll/fixed_sum.h"
#include "coll/host/host_exchange.h"
#include "coll/pair_calls.h"
#include "coll/reduced_blocks.h"
#include "coll/varied_calls.h"
#include "schedule/two_levels/two_levels_limits.h"

/* Ranks on one host reduce short vectors in their order anyway (host_calls.h). */
static bool is_fixed(const coll_comm_t *c, const reduction_t *r, size_t n)
{
  return coll_job.settings.reproducible && r->floats &&
         !two_levels_gathers(c->size, (int64_t)(n * r->extent));
}

bool ordered_needed(const coll_comm_t *c, const reduction_t *r, size_t n, bool slices)
{
  bool several = c->n_hosts > 1;
  if (c->largest > HOST_EXCHANGERS) return false;
  if (several && !r->commutative && (slices || !c->in_order)) return true;
  return coll_job.settings.reproducible && !r->exact && (several || is_fixed(c, r, n));
}

bool ordered_scan_needed(const coll_comm_t *c, const reduction_t *r)
{
  bool everywhere = coll_job.settings.reproducible && !r->exact;
  return c->n_hosts > 1 && c->largest <= HOST_EXCHANGERS && (!c->in_order || everywhere);
}

static block_data_t bytes_at(const void *data, size_t bytes)
{
  return (block_data_t){.data = (void *)(uintptr_t)data, .count = (int64_t)bytes, .type = mpi.byte};
}

/* Bytes of several ranks, with counts and displacements. */
static block_data_t list_at(const void *data, const int64_t *n, const int64_t *at)
{
  return (block_data_t){.data = (void *)(uintptr_t)data,
                        .type = mpi.byte,
                        .counts = {.wide = n},
                        .displs = {.wide = at}};
}

/* Reduces vectors of n elements that lie one behind the other, a0 op (a1 op (a2 …)), to the last
 * one. */
static int fold(const coll_comm_t *c, char *vectors, size_t n, const reduction_t *r)
{
  int rc = MPI_SUCCESS;
  char *sum = vectors + (size_t)(c->size - 1) * n * r->extent;
  for (int i = c->size - 2; i >= 0 && rc == MPI_SUCCESS; i--)
    rc = reduction_left(r, vectors + (size_t)i * n * r->extent, sum, n);
  return rc;
}

static int reduce_gathered(coll_comm_t *c, const void *in, void *out, size_t n,
                           const reduction_t *r, int root)
{
  size_t bytes = n * r->extent;
  char *all = space_take(&c->ordered, (size_t)c->size * bytes);
  if (!all) return MPI_ERR_NO_MEM;
  int rc = root == ORDERED_EACH ? coll_allgather(c, bytes_at(in, bytes), bytes_at(all, bytes))
                                : coll_gather(c, bytes_at(in, bytes), bytes_at(all, bytes), root);
  if (rc != MPI_SUCCESS || (root != ORDERED_EACH && root != c->rank)) return rc;
  rc = fold(c, all, n, r);
  memcpy(out, all + (size_t)(c->size - 1) * bytes, bytes);
  return rc;
}

/* Slices of a vector, in bytes. */
typedef struct slices {
  int64_t *n, *at;         /* of each rank's slice */
  int64_t *own_n, *own_at; /* of each rank's vector: this rank's slice, one behind the other */
  char *vectors;           /* the slices of all vectors */
} slices_t;

/* `first`: the first element of each rank's slice, and the number of all; NULL: they are alike. */
static bool cut(coll_comm_t *c, size_t n, const size_t *first, size_t extent, slices_t *s)
{
  size_t ranks = (size_t)c->size, own = n / ranks + 1;
  if (first) own = first[c->rank + 1] - first[c->rank];
  size_t list = ranks * sizeof(int64_t);
  char *next = space_take(&c->ordered, 4 * list + ranks * own * extent + 5 * 16);
  if (!next) return false;
  s->n = (int64_t *)(void *)space_divide(&next, list);
  s->at = (int64_t *)(void *)space_divide(&next, list);
  s->own_n = (int64_t *)(void *)space_divide(&next, list);
  s->own_at = (int64_t *)(void *)space_divide(&next, list);
  s->vectors = next;
  for (size_t r = 0; r < ranks; r++) {
    size_t begin = first ? first[r] : n * r / ranks;
    size_t end = first ? first[r + 1] : n * (r + 1) / ranks;
    s->n[r] = (int64_t)((end - begin) * extent);
    s->at[r] = (int64_t)(begin * extent);
  }
  for (size_t r = 0; r < ranks; r++) {
    s->own_n[r] = s->n[c->rank];
    s->own_at[r] = (int64_t)r * s->n[c->rank];
  }
  return true;
}

/* Each rank gets its slice of all vectors. Returns the elements of a slice in *n. */
static int exchange_slices(coll_comm_t *c, const void *in, const slices_t *s, size_t extent,
                           size_t *n)
{
  *n = (size_t)s->n[c->rank] / extent;
  return coll_alltoallv(c, list_at(in, s->n, s->at), list_at(s->vectors, s->own_n, s->own_at));
}

static int reduce_slices(coll_comm_t *c, const void *in, void *out, size_t n, const reduction_t *r,
                         int root)
{
  slices_t s;
  size_t own;
  if (!cut(c, n, NULL, r->extent, &s)) return MPI_ERR_NO_MEM;
  int rc = exchange_slices(c, in, &s, r->extent, &own);
  rc = side_code(rc, fold(c, s.vectors, own, r));
  block_data_t slice = bytes_at(s.vectors + s.own_at[c->size - 1], (size_t)s.n[c->rank]);
  block_data_t to = list_at(out, s.n, s.at);
  return side_code(rc, root == ORDERED_EACH ? coll_allgatherv(c, slice, to)
                                            : coll_gatherv(c, slice, to, root));
}

/* A sum as whole numbers. */
typedef struct fixed {
  size_t n, size; /* floats or doubles, and the bytes of one */
  fixed_code_t *own, *all;
  int64_t *numbers, *sums;
} fixed_t;

static const reduction_t merge = {
    .extent = sizeof(fixed_code_t), .commutative = true, .exact = true, .kernel = fixed_merge};

static reduction_t whole_sum(void)
{
  return (reduction_t){.extent = sizeof(int64_t),
                       .commutative = true,
                       .exact = true,
                       .kernel = kernel_find(KERNEL_SUM, KERNEL_I64)};
}

/* The numbers of all ranks get the same units. */
static int begin_fixed(coll_comm_t *c, const void *in, size_t n, const reduction_t *r, fixed_t *f)
{
  f->n = n * r->floats;
  f->size = r->extent / r->floats;
  size_t codes = f->n * sizeof *f->own, numbers = f->n * sizeof *f->numbers;
  char *next = space_take(&c->ordered, 2 * codes + 2 * numbers + 4 * 16);
  if (!next) return MPI_ERR_NO_MEM;
  f->own = (fixed_code_t *)(void *)space_divide(&next, codes);
  f->all = (fixed_code_t *)(void *)space_divide(&next, codes);
  f->numbers = (int64_t *)(void *)space_divide(&next, numbers);
  f->sums = (int64_t *)(void *)space_divide(&next, numbers);
  fixed_codes(in, f->size, f->n, f->own);
  int rc = coll_allreduce_of(c, f->own, f->all, f->n, &merge);
  if (rc == MPI_SUCCESS) fixed_from(in, f->size, f->n, f->all, c->size, f->numbers);
  return rc;
}

static int reduce_fixed(coll_comm_t *c, const void *in, void *out, size_t n, const reduction_t *r,
                        int root)
{
  fixed_t f;
  const reduction_t sum = whole_sum();
  int rc = begin_fixed(c, in, n, r, &f);
  if (rc != MPI_SUCCESS) return rc;
  rc = root == ORDERED_EACH ? coll_allreduce_of(c, f.numbers, f.sums, f.n, &sum)
                            : coll_reduce_of(c, f.numbers, f.sums, f.n, &sum, root);
  if (root == ORDERED_EACH || root == c->rank) fixed_to(f.sums, f.size, f.n, f.all, c->size, out);
  return rc;
}

int ordered_reduce(coll_comm_t *c, const void *in, void *out, size_t n, const reduction_t *r,
                   int root)
{
  if (is_fixed(c, r, n)) return reduce_fixed(c, in, out, n, r, root);
  if (two_levels_gathers(c->size, (int64_t)(n * r->extent)))
    return reduce_gathered(c, in, out, n, r, root);
  return reduce_slices(c, in, out, n, r, root);
}

/* first[] in floats or doubles. */
static int blocks_fixed(coll_comm_t *c, const void *in, void *out, const size_t *first,
                        const reduction_t *r)
{
  fixed_t f;
  const reduction_t sum = whole_sum();
  int rc = begin_fixed(c, in, first[c->size], r, &f);
  size_t *list = rc == MPI_SUCCESS ? malloc(((size_t)c->size + 1) * sizeof *list) : NULL;
  if (!list) return rc == MPI_SUCCESS ? MPI_ERR_NO_MEM : rc;
  for (int i = 0; i <= c->size; i++) list[i] = first[i] * r->floats;
  size_t begin = list[c->rank], n = list[c->rank + 1] - begin;
  rc = coll_reduce_blocks_of(c, f.numbers, f.sums, list, &sum);
  fixed_to(f.sums, f.size, n, f.all + begin, c->size, out);
  free(list);
  return rc;
}

int ordered_blocks(coll_comm_t *c, const void *in, void *out, const size_t *first,
                   const reduction_t *r)
{
  slices_t s;
  size_t own, all = first[c->size];
  if (is_fixed(c, r, all)) return blocks_fixed(c, in, out, first, r);
  if (!cut(c, all, first, r->extent, &s)) return MPI_ERR_NO_MEM;
  int rc = exchange_slices(c, in, &s, r->extent, &own);
  rc = side_code(rc, fold(c, s.vectors, own, r));
  memcpy(out, s.vectors + s.own_at[c->size - 1], own * r->extent);
  return rc;
}

/* Each rank has a slice of all vectors, and finds that of all results. */
int ordered_scan(coll_comm_t *c, const void *in, void *out, size_t n, bool exclusive,
                 const reduction_t *r)
{
  slices_t s;
  size_t own;
  if (!cut(c, n, NULL, r->extent, &s)) return MPI_ERR_NO_MEM;
  int rc = exchange_slices(c, in, &s, r->extent, &own);
  for (int i = 1; i < c->size && rc == MPI_SUCCESS; i++)
    rc = reduction_of_two(r, s.vectors + s.own_at[i - 1], s.vectors + s.own_at[i],
                          s.vectors + s.own_at[i], own);
  int64_t shift = exclusive ? s.n[c->rank] : 0;
  for (int i = 0; i < c->size; i++) s.own_at[i] -= i ? shift : 0;
  if (exclusive) s.own_n[0] = 0;
  for (int i = 0; exclusive && c->rank == 0 && i < c->size; i++) s.n[i] = 0;
  return side_code(
      rc, coll_alltoallv(c, list_at(s.vectors, s.own_n, s.own_at), list_at(out, s.n, s.at)));
}
