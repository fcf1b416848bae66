/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls with blocks of different sizes, in any order and with room between them. */
#include "random.h"

/* Blocks of numbers: block b has count[b] elements of the type, the first of which is element
 * displ[b]. Types are of one number each, with or without a gap behind it. */
typedef struct varied {
  MPI_Datatype type;
  int blocks, form, *count, *displ;
  size_t stride, numbers;
  int *data;
#if MPI_VERSION >= 4
  MPI_Count *large_count;
  MPI_Aint *large_displ;
#endif
} varied_t;

/* `seed` is of this rank: other ranks may order their blocks otherwise. */
static varied_t make_varied(int form, int blocks, const int *counts, uint64_t seed)
{
  varied_t v = {.form = form == 2 ? 1 : form, .blocks = blocks};
  int *place = malloc((blocks + 1) * sizeof *place), one, end = 0;
  place_type(v.form, 1, &v.type, &one, &v.stride);
  v.count = malloc((blocks + 1) * sizeof *v.count);
  v.displ = malloc((blocks + 1) * sizeof *v.displ);
  for (int i = 0; i < blocks; i++) place[i] = i;
  for (int i = blocks - 1; i > 0; i--) {
    int other = (int)(mix(seed + i) % (i + 1)), kept = place[i];
    place[i] = place[other];
    place[other] = kept;
  }
  for (int i = 0; i < blocks; i++) {
    int b = place[i];
    v.count[b] = counts[b];
    v.displ[b] = end + (int)(mix(seed - i) % 3);
    end = v.displ[b] + counts[b];
  }
  v.numbers = (end + 1) * v.stride;
  v.data = malloc(v.numbers * sizeof *v.data);
  for (size_t i = 0; i < v.numbers; i++) v.data[i] = -7;
#if MPI_VERSION >= 4
  v.large_count = malloc((blocks + 1) * sizeof *v.large_count);
  v.large_displ = malloc((blocks + 1) * sizeof *v.large_displ);
  for (int i = 0; i < blocks; i++) v.large_count[i] = v.count[i], v.large_displ[i] = v.displ[i];
#endif
  free(place);
  return v;
}

static int *number(const varied_t *v, int block, int i)
{
  return &v->data[(size_t)(v->displ[block] + i) * v->stride];
}

static void fill(const varied_t *v, const part_t *p, int block, int from, int to)
{
  for (int i = 0; i < v->count[block]; i++)
    *number(v, block, i) = (int)value(p->world[from], i + 1000003 * (size_t)to);
}

/* The numbers that a rank gave another one; they are then as nothing had been there. */
static void check_block(const varied_t *v, const part_t *p, const char *what, int block, int from,
                        int to)
{
  for (int i = 0; i < v->count[block]; i++) {
    int *n = number(v, block, i);
    check(p, what, i, *n == (int)value(p->world[from], i + 1000003 * (size_t)to));
    *n = -7;
  }
}

/* After all blocks were checked: nothing else has been written. */
static void free_varied(varied_t *v, const part_t *p, const char *what)
{
  for (size_t i = 0; what && i < v->numbers; i++) check(p, what, i, v->data[i] == -7);
  if (v->form) MPI_Type_free(&v->type);
  free(v->count);
  free(v->displ);
  free(v->data);
#if MPI_VERSION >= 4
  free(v->large_count);
  free(v->large_displ);
#endif
}

/* The lists of a side, as the function takes them. */
#define INTS(v)  (v).count, (v).displ
#define LARGE(v) (v).large_count, (v).large_displ
#if MPI_VERSION >= 4
#define IF_LARGE(call)                                                                             \
  if (draw(2))                                                                                     \
    call;                                                                                          \
  else
#else
#define IF_LARGE(call)
#endif

/* How many numbers each rank has in a gather or scatter. */
static int *draw_counts(int n)
{
  size_t largest = draw_count(LONGEST / 8 / sizeof(int) / n);
  int *counts = malloc((n + 1) * sizeof *counts), most = draw(5) == 0;
  for (int i = 0; i < n; i++) counts[i] = draw(4) == 0 ? 0 : (int)draw(2 * largest + 1);
  if (most && n > 1) counts[draw(n)] = (int)largest; /* one large block */
  return counts;
}

void try_gatherv(const part_t *p, int all)
{
  int root = draw(p->size), in_place = draw(3) == 0, form = draw(4), gets = all || p->rank == root;
  int *counts = draw_counts(p->size);
  varied_t in = make_varied((form + p->rank) % 4, 1, &counts[p->rank], value(p->rank, 1)),
           out =
               make_varied((form + 2 * p->rank) % 4, gets ? p->size : 0, counts, value(p->rank, 2));
  int place = in_place && gets;
  fill(&in, p, 0, p->rank, 0);
  if (place) fill(&out, p, p->rank, p->rank, 0);
  const void *from = place ? MPI_IN_PLACE : number(&in, 0, 0);
  int *no_list = gets ? out.count : NULL; /* only the root has lists */
  if (all) {
    IF_LARGE(MPI_Allgatherv_c(from, in.count[0], in.type, out.data, LARGE(out), out.type, p->comm))
    MPI_Allgatherv(from, in.count[0], in.type, out.data, INTS(out), out.type, p->comm);
  } else {
    IF_LARGE(
        MPI_Gatherv_c(from, in.count[0], in.type, out.data, LARGE(out), out.type, root, p->comm))
    MPI_Gatherv(from, in.count[0], in.type, gets ? out.data : NULL, no_list,
                gets ? out.displ : NULL, out.type, root, p->comm);
  }
  for (int r = 0; gets && r < p->size; r++)
    check_block(&out, p, all ? "Allgatherv" : "Gatherv", r, r, 0);
  check_block(&in, p, "Gatherv's input", 0, p->rank, 0);
  free_varied(&in, p, NULL);
  free_varied(&out, p, "Gatherv's gaps");
  free(counts);
}

void try_scatterv(const part_t *p)
{
  int root = draw(p->size), in_place = draw(3) == 0, form = draw(4), gives = p->rank == root;
  int *counts = draw_counts(p->size);
  varied_t in = make_varied((form + p->rank) % 4, gives ? p->size : 0, counts, value(p->rank, 1)),
           out = make_varied((form + 2 * p->rank) % 4, 1, &counts[p->rank], value(p->rank, 2));
  int place = in_place && gives;
  for (int r = 0; gives && r < p->size; r++) fill(&in, p, r, root, r);
  void *to = place ? MPI_IN_PLACE : number(&out, 0, 0);
  IF_LARGE(MPI_Scatterv_c(in.data, LARGE(in), in.type, to, out.count[0], out.type, root, p->comm))
  MPI_Scatterv(in.data, gives ? in.count : NULL, gives ? in.displ : NULL, in.type, to, out.count[0],
               out.type, root, p->comm);
  if (!place) check_block(&out, p, "Scatterv", 0, root, p->rank);
  for (int r = 0; gives && r < p->size; r++) check_block(&in, p, "Scatterv's input", r, root, r);
  free_varied(&in, p, NULL);
  free_varied(&out, p, "Scatterv's gaps");
  free(counts);
}

/* How many numbers a rank sends another one; in place both ways are alike. */
static int pair_count(uint64_t seed, size_t largest, int sparse, int from, int to, int alike)
{
  int low = from < to ? from : to, high = from < to ? to : from;
  uint64_t drawn = alike ? mix(seed + 1000 * low + high) : mix(seed + 1000 * from + to);
  return drawn % 10 < (sparse ? 8u : 2u) ? 0 : (int)(drawn / 10 % (2 * largest + 1));
}

void try_alltoallv(const part_t *p)
{
  int in_place = draw(3) == 0, form = draw(4), sparse = draw(2);
  size_t largest = draw_count(LONGEST / 8 / sizeof(int) / p->size);
  uint64_t seed = draw(1 << 30);
  int *sent = malloc(p->size * sizeof *sent), *got = malloc(p->size * sizeof *got);
  for (int r = 0; r < p->size; r++) {
    sent[r] = pair_count(seed, largest, sparse, p->rank, r, in_place);
    got[r] = pair_count(seed, largest, sparse, r, p->rank, in_place);
  }
  varied_t in = make_varied((form + p->rank) % 4, p->size, sent, value(p->rank, 1)),
           out = make_varied((form + 2 * p->rank) % 4, p->size, got, value(p->rank, 2));
  for (int r = 0; r < p->size; r++) fill(in_place ? &out : &in, p, r, p->rank, r);
  const void *from = in_place ? MPI_IN_PLACE : in.data;
  IF_LARGE(MPI_Alltoallv_c(from, LARGE(in), in.type, out.data, LARGE(out), out.type, p->comm))
  MPI_Alltoallv(from, INTS(in), in.type, out.data, INTS(out), out.type, p->comm);
  for (int r = 0; r < p->size; r++) {
    check_block(&out, p, "Alltoallv", r, r, p->rank);
    if (!in_place) check_block(&in, p, "Alltoallv's input", r, p->rank, r);
  }
  free_varied(&in, p, "Alltoallv's input");
  free_varied(&out, p, "Alltoallv's gaps");
  free(sent);
  free(got);
}
