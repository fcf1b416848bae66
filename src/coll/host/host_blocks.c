/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks in shared memory. M.-S. Wu (2005), table 2.2: gather is Group_seg_put, scatter
 * Group_seg_get. Short blocks go through the rooms; long ones are read where they are. */
#include "coll/host/host_blocks.h"

#include "job/large_copy.h"

enum { DIRECT = 16 * 1024 }; /* bytes of a block that is read where it is */

static void copy_own(const void *from, void *to, size_t bytes)
{
  if (to && from != to) job_copy(to, from, bytes);
}

static int gather_direct(host_t *h, int root, const char *in, char *out, size_t bytes)
{
  uint32_t step = host_begin(h);
  bool gets = root == HOST_EACH || root == h->me, read = true;
  if (root != h->me) host_put(h, step, &in, sizeof in);
  for (int i = 0; gets && i < h->n; i++) {
    const char *from;
    if (i == h->me) continue;
    host_get(h, i, step, &from, sizeof from);
    read &= host_read(h, i, from, out + (size_t)i * bytes, bytes);
  }
  host_end(h);
  if (root == HOST_EACH)
    host_all_done(h, step);
  else if (!gets)
    wait_for(&h->member[root].done, step, root);
  return read ? MPI_SUCCESS : MPI_ERR_INTERN;
}

static void gather_pieces(host_t *h, int root, const char *in, char *out, size_t bytes)
{
  bool gets = root == HOST_EACH || root == h->me;
  for (size_t at = 0; at < bytes; at += HOST_ROOM) {
    size_t piece = bytes - at < HOST_ROOM ? bytes - at : HOST_ROOM;
    uint32_t step = host_begin(h);
    if (root != h->me) host_put(h, step, in + at, piece);
    for (int i = 0; gets && i < h->n; i++)
      if (i != h->me) host_get(h, i, step, out + (size_t)i * bytes + at, piece);
    host_end(h);
  }
}

int host_gather(host_t *h, int root, const void *in, void *out, size_t bytes)
{
  int rc = MPI_SUCCESS;
  if (h->n > 1 && h->one_copy && bytes >= DIRECT)
    rc = gather_direct(h, root, in, out, bytes);
  else if (h->n > 1)
    gather_pieces(h, root, in, out, bytes);
  if (root == HOST_EACH || root == h->me) copy_own(in, (char *)out + (size_t)h->me * bytes, bytes);
  return rc;
}

static int scatter_direct(host_t *h, int root, const char *in, char *out, size_t bytes)
{
  uint32_t step = host_begin(h);
  bool read = true;
  if (h->me == root) {
    host_put(h, step, &in, sizeof in);
    host_all_done(h, step);
  } else {
    const char *from;
    host_get(h, root, step, &from, sizeof from);
    read = host_read(h, root, from + (size_t)h->me * bytes, out, bytes);
  }
  host_end(h);
  return read ? MPI_SUCCESS : MPI_ERR_INTERN;
}

/* A place or a room has a piece of each member's block. */
static void scatter_pieces(host_t *h, int root, const char *in, char *out, size_t bytes)
{
  size_t n = (size_t)h->n, most = HOST_ROOM / n;
  for (size_t at = 0; at < bytes; at += most) {
    size_t piece = bytes - at < most ? bytes - at : most;
    uint32_t step = host_begin(h);
    char *pieces = host_bytes(h, root, step, n * piece);
    if (h->me == root) {
      host_free_bytes(h, step, n * piece);
      for (size_t i = 0; i < n; i++) memcpy(pieces + i * piece, in + i * bytes + at, piece);
      host_told(h, step);
    } else {
      host_hear(h, root, step);
      memcpy(out + at, pieces + (size_t)h->me * piece, piece);
    }
    host_end(h);
  }
}

int host_scatter(host_t *h, int root, const void *in, void *out, size_t bytes)
{
  int rc = MPI_SUCCESS;
  if (h->n > 1 && h->one_copy && bytes >= DIRECT)
    rc = scatter_direct(h, root, in, out, bytes);
  else if (h->n > 1)
    scatter_pieces(h, root, in, out, bytes);
  if (h->me == root) copy_own((const char *)in + (size_t)root * bytes, out, bytes);
  return rc;
}
