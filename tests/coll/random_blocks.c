/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls with blocks of equal size. */
#include "random.h"

/* Broadcast: the root's type and the others' have the same data in other places. */
void place_type(int form, size_t n, MPI_Datatype *type, int *count, size_t *stride)
{
  *stride = 1;
  *count = (int)n;
  *type = MPI_INT;
  if (form == 0) return;
  *stride = form == 3 ? 1 : 2;
  *count = form == 2 ? 1 : (int)n;
  if (form == 1) MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), type);
  if (form == 2) MPI_Type_vector((int)n, 1, 2, MPI_INT, type);
  if (form == 3) MPI_Type_contiguous(1, MPI_INT, type);
  MPI_Type_commit(type);
}

/* Blocks of n numbers, `blocks` of them, in a type with or without gaps between elements. */
typedef struct blocks {
  MPI_Datatype type;
  int form, count; /* of elements in a block */
  size_t n, blocks, stride;
  int *data;
} blocks_t;

/* A block of a type may be one element of it: form 2 has its gaps between numbers, but blocks
 * follow one another only if the type is resized. */
static blocks_t make_blocks(int form, size_t n, size_t blocks)
{
  blocks_t b = {.form = form, .n = n, .blocks = blocks};
  MPI_Datatype whole;
  if (form == 2 && n > 0) {
    place_type(2, n, &whole, &b.count, &b.stride);
    MPI_Type_create_resized(whole, 0, (MPI_Aint)(2 * n * sizeof(int)), &b.type);
    MPI_Type_commit(&b.type);
    MPI_Type_free(&whole);
  } else {
    if (form == 2) b.form = 0;
    place_type(b.form, n, &b.type, &b.count, &b.stride);
  }
  b.data = malloc((2 * n * blocks + 1) * sizeof *b.data);
  for (size_t i = 0; i < 2 * n * blocks; i++) b.data[i] = -7;
  return b;
}
static void free_blocks(blocks_t *b)
{
  if (b->form) MPI_Type_free(&b->type);
  free(b->data);
}
static int *number(const blocks_t *b, size_t block, size_t i)
{
  return &b->data[(block * b->n + i) * b->stride];
}

/* What block `block` has of a rank. */
static int block_value(const part_t *p, int rank, int block, size_t i)
{
  return (int)value(p->world[rank], i + 1000003 * (size_t)block);
}

static void check_blocks(const part_t *p, const char *what, const blocks_t *b)
{
  for (size_t i = 0; b->stride == 2 && i < b->n * b->blocks; i++)
    check(p, what, i, b->data[2 * i + 1] == -7);
}

void try_gather(const part_t *p, int all)
{
  int root = draw(p->size), in_place = draw(3) == 0, in_form = draw(4), out_form[2];
  size_t n = draw_count(LONGEST / 4 / sizeof(int) / p->size), size = p->size;
  int gets = all || p->rank == root;
  out_form[0] = draw(4);
  out_form[1] = (out_form[0] + p->rank) % 4;
  blocks_t in = make_blocks((in_form + p->rank) % 4, n, 1),
           out = make_blocks(out_form[1], n, gets ? size : 0);
  for (size_t i = 0; i < n; i++) *number(&in, 0, i) = block_value(p, p->rank, 0, i);
  int place = in_place && gets;
  for (size_t i = 0; place && i < n; i++) *number(&out, p->rank, i) = block_value(p, p->rank, 0, i);
  const void *from = place ? MPI_IN_PLACE : in.data;
  if (all)
    CALL(Allgather, from, in.count, in.type, out.data, out.count, out.type, p->comm);
  else
    CALL(Gather, from, in.count, in.type, out.data, out.count, out.type, root, p->comm);
  for (size_t r = 0; gets && r < size; r++)
    for (size_t i = 0; i < n; i++)
      check(p, all ? "Allgather" : "Gather", r * n + i,
            *number(&out, r, i) == block_value(p, r, 0, i));
  if (gets) check_blocks(p, "Gather's gaps", &out);
  free_blocks(&in);
  free_blocks(&out);
}

void try_scatter(const part_t *p)
{
  int root = draw(p->size), in_place = draw(3) == 0, in_form = draw(4), out_form = draw(4);
  size_t n = draw_count(LONGEST / 4 / sizeof(int) / p->size), size = p->size;
  int gives = p->rank == root;
  blocks_t in = make_blocks((in_form + p->rank) % 4, n, gives ? size : 0),
           out = make_blocks((out_form + p->rank) % 4, n, 1);
  for (size_t r = 0; gives && r < size; r++)
    for (size_t i = 0; i < n; i++) *number(&in, r, i) = block_value(p, root, r, i);
  int place = in_place && gives;
  CALL(Scatter, in.data, in.count, in.type, place ? MPI_IN_PLACE : out.data, out.count, out.type,
       root, p->comm);
  for (size_t i = 0; !place && i < n; i++)
    check(p, "Scatter", i, *number(&out, 0, i) == block_value(p, root, p->rank, i));
  check_blocks(p, "Scatter's gaps", &out);
  free_blocks(&in);
  free_blocks(&out);
}

void try_alltoall(const part_t *p)
{
  int in_place = draw(3) == 0, in_form = draw(4), out_form = draw(4);
  size_t n = draw_count(LONGEST / 4 / sizeof(int) / p->size), size = p->size;
  blocks_t in = make_blocks((in_form + p->rank) % 4, n, size),
           out = make_blocks((out_form + p->rank) % 4, n, size);
  const blocks_t *from = in_place ? &out : &in;
  for (size_t r = 0; r < size; r++)
    for (size_t i = 0; i < n; i++) *number(from, r, i) = block_value(p, p->rank, r, i);
  CALL(Alltoall, in_place ? MPI_IN_PLACE : in.data, in.count, in.type, out.data, out.count,
       out.type, p->comm);
  for (size_t r = 0; r < size; r++)
    for (size_t i = 0; i < n; i++)
      check(p, "Alltoall", r * n + i, *number(&out, r, i) == block_value(p, r, p->rank, i));
  check_blocks(p, "Alltoall's gaps", &out);
  free_blocks(&in);
  free_blocks(&out);
}
