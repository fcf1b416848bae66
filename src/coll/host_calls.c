/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls in shared memory. M.-S. Wu (2005), tables 2.2 and 2.3: a broadcast is Sender_put
 * and Group_get, a barrier Group_sync, a reduction Group_seg_put and Group_seg_get with the
 * operation in between. What is longer than a place goes in pieces, one behind the other, through
 * the places of the ring (section 2.5.3). */
#include "coll/host_calls.h"

enum { WHOLE = 2048 }; /* up to so many bytes aren't divided into slices */

void host_arrive(host_t *h, int leader)
{
  if (h->n == 1) return;
  uint32_t step = host_begin(h);
  if (h->me == leader)
    host_hear_all(h, step);
  else
    host_put(h, step, NULL, 0);
  host_end(h);
}

void host_release(host_t *h, int leader) { host_bcast(h, leader, NULL, 0); }

void host_barrier(host_t *h)
{
  if (h->n > HOST_ALL) {
    host_arrive(h, 0);
    host_release(h, 0);
  } else if (h->n > 1) {
    uint32_t step = host_begin(h);
    host_put(h, step, NULL, 0);
    host_hear_all(h, step);
    host_end(h);
  }
}

void host_bcast(host_t *h, int root, void *data, size_t bytes)
{
  if (h->n == 1) return;
  size_t at = 0;
  do {
    size_t piece = bytes - at < HOST_ROOM ? bytes - at : HOST_ROOM;
    uint32_t step = host_begin(h);
    if (h->me == root)
      host_put(h, step, (char *)data + at, piece);
    else
      host_get(h, root, step, (char *)data + at, piece);
    host_end(h);
    at += piece;
  } while (at < bytes);
}

/* Reduces so many elements of all members to `out`. Member i's are `offset` bytes into what it put
 * in a step; this member's own are at `own`. */
static int reduce_all(const host_t *h, uint32_t step, size_t bytes, size_t offset, const char *own,
                      char *out, size_t n, const reduction_t *r)
{
  int rc = MPI_SUCCESS, last = h->n - 1;
  memcpy(out, h->me == last ? own : host_bytes(h, last, step, bytes) + offset, n * r->extent);
  for (int i = last - 1; i >= 0 && rc == MPI_SUCCESS; i--) {
    const char *from = i == h->me ? own : host_bytes(h, i, step, bytes) + offset;
    rc = reduction_left(r, from, out, n);
  }
  return rc;
}

/* Few bytes: who gets the result reduces all. Its own elements may be where the result goes. */
static int reduce_whole(host_t *h, int root, const void *in, void *out, size_t n,
                        const reduction_t *r)
{
  char own[WHOLE];
  int rc = MPI_SUCCESS;
  size_t bytes = n * r->extent;
  uint32_t step = host_begin(h);
  bool gets = root == HOST_EACH || root == h->me;
  if (root != h->me) host_put(h, step, in, bytes);
  if (gets) {
    if (in == out) in = memcpy(own, in, bytes);
    host_hear_all(h, step);
    rc = reduce_all(h, step, bytes, 0, in, out, n, r);
  }
  host_end(h);
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
  host_free_place(h, step);
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
  host_free_place(h, result);
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

int host_reduce(host_t *h, int root, const void *in, void *out, size_t n, const reduction_t *r)
{
  size_t bytes = n * r->extent;
  if (n == 0) return MPI_SUCCESS;
  if (h->n == 1) {
    if (in != out) memcpy(out, in, bytes);
    return MPI_SUCCESS;
  }
  if (bytes > WHOLE) return reduce_sliced(h, root, in, out, n, r);
  if (root != HOST_EACH || h->n <= HOST_ALL) return reduce_whole(h, root, in, out, n, r);
  int rc = reduce_whole(h, 0, in, out, n, r);
  host_bcast(h, 0, out, bytes);
  return rc;
}
