/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions in shared memory. M.-S. Wu (2005), table 2.3: Group_seg_put and Group_seg_get, with
 * the operation in between. */
#include <stdlib.h>

#include "coll/host/host_calls.h"
#include "coll/host/host_exchange.h"
#include "schedule/two_levels/two_levels_limits.h"

enum {
  DIRECT = 32 * 1024, /* from so many bytes on, members read each other's memory if they may */
  ALONE = 64 * 1024,  /* the same for a reduction of two */
  CROWDED = 2 << 20,  /* members that share cores all reduce only from so many bytes on */
  PIECE = 512 * 1024  /* bytes that are reduced at once then: they stay in a core's cache */
};

/* Reduces so many elements of all members to `out`. Member i's are `offset` bytes into what it put
 * in a step; this member's own are at `own`, which isn't `out`. */
static int reduce_all(const host_t *h, uint32_t step, size_t bytes, size_t offset, const char *own,
                      char *out, size_t n, const reduction_t *r)
{
  int rc = MPI_SUCCESS, last = h->n - 1;
  const char *right = h->me == last ? own : host_bytes(h, last, step, bytes) + offset;
  for (int i = last - 1; i >= 0 && rc == MPI_SUCCESS; i--) {
    const char *left = i == h->me ? own : host_bytes(h, i, step, bytes) + offset;
    rc = reduction_of_two(r, left, right, out, n);
    right = out;
  }
  return rc;
}

/* A piece of up to HOST_ROOM bytes: who gets the result reduces all. Its own elements may be where
 * the result goes; `room` is for a copy of them. */
static int reduce_whole(host_t *h, int root, const void *in, void *out, size_t n, char *room,
                        const reduction_t *r)
{
  int rc = MPI_SUCCESS;
  size_t bytes = n * r->extent;
  uint32_t step = host_begin(h);
  bool gets = root == HOST_EACH || root == h->me;
  if (root != h->me) host_put(h, step, in, bytes);
  if (gets) {
    if (in == out) in = memcpy(room, in, bytes);
    host_hear_all(h, step);
    rc = reduce_all(h, step, bytes, 0, in, out, n, r);
  }
  host_end(h);
  return rc;
}

static int reduce_short(host_t *h, int root, const void *in, void *out, size_t n,
                        const reduction_t *r)
{
  _Alignas(16) char room[TWO_LEVELS_WHOLE];
  return reduce_whole(h, root, in, out, n, room, r);
}

/* The root reduces piece after piece while the others put the next ones. */
static int reduce_at_root(host_t *h, int root, const char *in, char *out, size_t n,
                          const reduction_t *r)
{
  int rc = MPI_SUCCESS;
  size_t most = HOST_ROOM / r->extent;
  char *room = h->me == root && in == out ? space_take(&h->work, HOST_ROOM) : NULL;
  if (h->me == root && in == out && !room) return MPI_ERR_NO_MEM;
  for (size_t at = 0; at < n; at += most) {
    size_t piece = n - at < most ? n - at : most, first = at * r->extent;
    int code = reduce_whole(h, root, in + first, out ? out + first : NULL, piece, room, r);
    if (rc == MPI_SUCCESS) rc = code;
  }
  return rc;
}

/* The first element of a member's slice of n. */
static size_t slice_begin(const host_t *h, int member, size_t n)
{
  return n * (size_t)member / (size_t)h->n;
}

/* Puts what the others reduce: all but the own slice. */
static void put_slices(host_t *h, uint32_t step, const char *in, size_t n, size_t extent)
{
  size_t begin = slice_begin(h, h->me, n) * extent, end = slice_begin(h, h->me + 1, n) * extent;
  char *room = host_room(h, h->me, step);
  host_free_bytes(h, step, HOST_ROOM);
  memcpy(room, in, begin);
  memcpy(room + end, in + end, n * extent - end);
  host_told(h, step);
}

static void get_slices(const host_t *h, uint32_t step, char *out, size_t n, size_t extent)
{
  for (int k = 0; k < h->n; k++) {
    int i = (h->me + k) % h->n;
    size_t begin = slice_begin(h, i, n) * extent, end = slice_begin(h, i + 1, n) * extent;
    if (i != h->me) host_hear(h, i, step);
    memcpy(out + begin, host_room(h, i, step) + begin, end - begin);
  }
}

/* One piece: each member reduces its slice. */
static int reduce_piece(host_t *h, int root, const char *in, char *out, size_t n,
                        const reduction_t *r)
{
  size_t begin = slice_begin(h, h->me, n), end = slice_begin(h, h->me + 1, n);
  size_t offset = begin * r->extent, bytes = HOST_ROOM; /* never beside the step's number */
  uint32_t step = host_begin(h), result = host_begin(h);
  int rc = MPI_SUCCESS;
  put_slices(h, step, in, n, r->extent);
  host_hear_all(h, step);
  host_free_bytes(h, result, HOST_ROOM);
  if (end > begin)
    rc = reduce_all(h, step, bytes, offset, in + offset, host_room(h, h->me, result) + offset,
                    end - begin, r);
  host_told(h, result);
  if (root == HOST_EACH || root == h->me) get_slices(h, result, out, n, r->extent);
  host_end(h);
  return rc;
}

static int reduce_sliced(host_t *h, int root, const char *in, char *out, size_t n,
                         const reduction_t *r)
{
  int rc = MPI_SUCCESS;
  size_t most = HOST_ROOM / r->extent;
  for (size_t at = 0; at < n; at += most) {
    size_t piece = n - at < most ? n - at : most, first = at * r->extent;
    int code = reduce_piece(h, root, in + first, out ? out + first : NULL, piece, r);
    if (rc == MPI_SUCCESS) rc = code;
  }
  return rc;
}

/* What a member tells the others: where its elements are, and where its slice's result will be. */
typedef struct direct {
  const char *in;
  char *result;
} direct_t;

/* Reduces n elements of all, `offset` bytes into each, to `out`. `room` is for two pieces; the own
 * elements may be where the result goes. */
static int reduce_read(const host_t *h, const direct_t *all, size_t offset, char *out, size_t n,
                       char *room, const reduction_t *r)
{
  size_t bytes = n * r->extent;
  const char *own = all[h->me].in + offset;
  int rc = MPI_SUCCESS;
  if (own == out) own = memcpy(room + bytes, own, bytes);
  for (int i = h->n - 1; i >= 0 && rc == MPI_SUCCESS; i--) {
    bool last = i == h->n - 1;
    char *to = last ? out : room;
    if (i == h->me && last)
      memcpy(out, own, bytes);
    else if (i != h->me && !host_read(h, i, all[i].in + offset, to, bytes))
      rc = MPI_ERR_INTERN;
    if (!last && rc == MPI_SUCCESS) rc = reduction_left(r, i == h->me ? own : room, out, n);
  }
  return rc;
}

static int reduce_own_slice(const host_t *h, const direct_t *all, size_t begin, size_t end,
                            char *room, const reduction_t *r)
{
  int rc = MPI_SUCCESS;
  size_t most = r->extent < PIECE ? PIECE / r->extent : 1;
  for (size_t at = begin; at < end && rc == MPI_SUCCESS; at += most) {
    size_t piece = end - at < most ? end - at : most;
    rc = reduce_read(h, all, at * r->extent, all[h->me].result + (at - begin) * r->extent, piece,
                     room, r);
  }
  return rc;
}

/* Each member reads its slice of all others' elements, and who gets the result reads the slices. */
static int reduce_direct(host_t *h, int root, const char *in, char *out, size_t n,
                         const reduction_t *r)
{
  bool gets = root == HOST_EACH || root == h->me;
  size_t begin = slice_begin(h, h->me, n), end = slice_begin(h, h->me + 1, n);
  size_t slice = gets ? 0 : (end - begin) * r->extent, pieces = 2 * PIECE;
  size_t list = (size_t)h->n * sizeof(direct_t);
  char *work = space_take(&h->work, list + pieces + slice);
  if (!work) return MPI_ERR_NO_MEM;
  direct_t *all = (direct_t *)(void *)work;
  char *room = work + list;
  all[h->me] = (direct_t){in, gets ? out + begin * r->extent : room + pieces};
  uint32_t told = host_begin(h), reduced = host_begin(h);
  host_put(h, told, &all[h->me], sizeof *all);
  for (int i = 0; i < h->n; i++)
    if (i != h->me) host_get(h, i, told, &all[i], sizeof *all);
  int rc = reduce_own_slice(h, all, begin, end, room, r);
  host_put(h, reduced, NULL, 0);
  host_hear_all(h, reduced);
  for (int i = 0; gets && i < h->n && rc == MPI_SUCCESS; i++) {
    size_t first = slice_begin(h, i, n), length = slice_begin(h, i + 1, n) - first;
    if (i != h->me && !host_read(h, i, all[i].result, out + first * r->extent, length * r->extent))
      rc = MPI_ERR_INTERN;
  }
  host_end(h);
  if (root == HOST_EACH)
    host_all_done(h, reduced);
  else if (!gets)
    wait_for(&h->member[root].done, reduced, root);
  return rc;
}

/* The root reads all others' elements. */
static int reduce_alone(host_t *h, int root, const char *in, char *out, size_t n,
                        const reduction_t *r)
{
  size_t list = (size_t)h->n * sizeof(direct_t);
  uint32_t step = host_begin(h);
  const direct_t own = {in, out};
  if (h->me != root) {
    host_put(h, step, &own, sizeof own);
    host_end(h);
    wait_for(&h->member[root].done, step, root);
    return MPI_SUCCESS;
  }
  char *work = space_take(&h->work, list + 2 * PIECE);
  int rc = work ? MPI_SUCCESS : MPI_ERR_NO_MEM;
  if (work) {
    direct_t *all = (direct_t *)(void *)work;
    all[root] = own;
    for (int i = 0; i < h->n; i++)
      if (i != root) host_get(h, i, step, &all[i], sizeof *all);
    rc = reduce_own_slice(h, all, 0, n, work + list, r);
  }
  host_end(h);
  return rc;
}

/* Whether the root reduces everything. Of two members: what it would save by the other's help, it
 * would lose by reading the other's result. Where members share cores: they couldn't help, but
 * would have to be waited for. */
static bool is_roots_work(const host_t *h, size_t bytes)
{
  return h->n == 2 || (wait_crowded && bytes < CROWDED);
}

static int reduce_to_root(host_t *h, int root, const void *in, void *out, size_t n,
                          const reduction_t *r)
{
  bool long_enough = n * r->extent >= (h->n == 2 ? ALONE : DIRECT);
  return h->one_copy && long_enough ? reduce_alone(h, root, in, out, n, r)
                                    : reduce_at_root(h, root, in, out, n, r);
}

int host_reduce(host_t *h, int root, const void *in, void *out, size_t n, const reduction_t *r)
{
  size_t bytes = n * r->extent;
  if (n == 0) return MPI_SUCCESS;
  if (h->n == 1) {
    if (in != out) memcpy(out, in, bytes);
    return MPI_SUCCESS;
  }
  if (bytes <= TWO_LEVELS_WHOLE && (root != HOST_EACH || h->n <= HOST_ALL))
    return reduce_short(h, root, in, out, n, r);
  if (root != HOST_EACH && is_roots_work(h, bytes)) return reduce_to_root(h, root, in, out, n, r);
  if (bytes >= DIRECT && h->one_copy) return reduce_direct(h, root, in, out, n, r);
  if (bytes > TWO_LEVELS_WHOLE) return reduce_sliced(h, root, in, out, n, r);
  int rc = reduce_short(h, 0, in, out, n, r);
  int code = host_bcast(h, 0, out, bytes);
  return rc == MPI_SUCCESS ? code : rc;
}

/* All blocks fit into a room. */
static int reduce_blocks_short(host_t *h, const char *in, char *out, const size_t *first,
                               const reduction_t *r)
{
  size_t bytes = first[h->n] * r->extent, offset = first[h->me] * r->extent;
  size_t n = first[h->me + 1] - first[h->me];
  uint32_t step = host_begin(h);
  int rc = MPI_SUCCESS;
  host_put(h, step, in, bytes);
  host_hear_all(h, step);
  if (n > 0) rc = reduce_all(h, step, bytes, offset, in + offset, out, n, r);
  host_end(h);
  return rc;
}

static int reduce_blocks_direct(host_t *h, const char *in, char *out, const size_t *first,
                                const reduction_t *r)
{
  size_t list = (size_t)h->n * sizeof(direct_t);
  char *work = space_take(&h->work, list + 2 * PIECE);
  if (!work) return MPI_ERR_NO_MEM;
  direct_t *all = (direct_t *)(void *)work;
  all[h->me] = (direct_t){in, out};
  uint32_t step = host_begin(h);
  host_put(h, step, &all[h->me], sizeof *all);
  for (int i = 0; i < h->n; i++)
    if (i != h->me) host_get(h, i, step, &all[i], sizeof *all);
  int rc = reduce_own_slice(h, all, first[h->me], first[h->me + 1], work + list, r);
  host_end(h);
  host_all_done(h, step);
  return rc;
}

/* The first member reduces everything that the others put, and gives each its block. */
static int reduce_blocks_at_first(host_t *h, const char *in, char *out, const size_t *first,
                                  const reduction_t *r)
{
  bool reduces = h->me == 0;
  host_lists_t l;
  if (!host_lists(h, &l)) return MPI_ERR_NO_MEM;
  char *all = reduces ? malloc(first[h->n] * r->extent) : NULL;
  if (reduces && !all) return MPI_ERR_NO_MEM;
  int rc = host_reduce(h, 0, in, all, first[h->n], r);
  for (int i = 0; rc == MPI_SUCCESS && reduces && i < h->n; i++)
    l.give[i] = (host_block_t){all + first[i] * r->extent, (first[i + 1] - first[i]) * r->extent};
  if (rc == MPI_SUCCESS) {
    l.get[0] = (host_block_t){out, (first[h->me + 1] - first[h->me]) * r->extent};
    rc = host_exchange(h, &l);
  }
  free(all);
  return rc;
}

int host_reduce_blocks(host_t *h, const void *in, void *out, const size_t *first,
                       const reduction_t *r)
{
  if (first[h->n] == 0) return MPI_SUCCESS;
  if (h->n == 1) {
    memcpy(out, in, first[1] * r->extent);
    return MPI_SUCCESS;
  }
  if (first[h->n] * r->extent <= HOST_ROOM) return reduce_blocks_short(h, in, out, first, r);
  if (h->one_copy) return reduce_blocks_direct(h, in, out, first, r);
  return reduce_blocks_at_first(h, in, out, first, r);
}
