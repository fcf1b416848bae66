/* SPDX-License-Identifier: BSD-3-Clause */
/* Barrier and broadcast in shared memory. M.-S. Wu (2005), tables 2.2 and 2.3: a broadcast is
 * Sender_put and Group_get, a barrier Group_sync. Data longer than a room go in pieces, one behind
 * the other, through the rooms of the ring (section 2.5.3). */
#include "coll/host/host_calls.h"

enum { DIRECT = 32 * 1024 }; /* from so many bytes on, members read the root's memory if they may */

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

void host_release(host_t *h, int leader) { (void)host_bcast(h, leader, NULL, 0); }

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

/* All read the root's memory at once. The root waits for them: the data are the program's. */
static int bcast_direct(host_t *h, int root, void *data, size_t bytes)
{
  uint32_t step = host_begin(h);
  void *from;
  bool read = true;
  if (h->me == root) {
    host_put(h, step, &data, sizeof data);
    host_all_done(h, step);
  } else {
    host_get(h, root, step, &from, sizeof from);
    read = host_read(h, root, from, data, bytes);
  }
  host_end(h);
  return read ? MPI_SUCCESS : MPI_ERR_INTERN;
}

int host_bcast(host_t *h, int root, void *data, size_t bytes)
{
  if (h->n == 1) return MPI_SUCCESS;
  if (h->one_copy && bytes >= DIRECT) return bcast_direct(h, root, data, bytes);
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
  return MPI_SUCCESS;
}
