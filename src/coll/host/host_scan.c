/* SPDX-License-Identifier: BSD-3-Clause */
/* Scans in shared memory. Short vectors: each member reduces those of all members before it. Long
 * ones go along the members in pieces: each adds its own and puts the result for the next one. */
#include "coll/host/host_calls.h"
#include "schedule/two_levels/two_levels_limits.h"

/* One piece, and where this member's part of it is. */
typedef struct piece {
  const char *in; /* may be `out` */
  char *out, *total;
  size_t n;
  bool exclusive;
} piece_t;

static void copy(const reduction_t *r, const void *from, void *to, size_t n)
{
  if (from != to) memcpy(to, from, n * r->extent);
}

/* `left`: the reduction of the members before this one, unless it is the first one. `sum` is where
 * the reduction up to this one goes; NULL: nobody needs it. */
static int add_own(const host_t *h, const piece_t *p, const char *left, char *sum,
                   const reduction_t *r)
{
  int rc = MPI_SUCCESS;
  if (h->me == 0) {
    if (sum) copy(r, p->in, sum, p->n);
    if (!p->exclusive) copy(r, p->in, p->out, p->n);
    return rc;
  }
  if (p->exclusive) {
    if (sum) rc = reduction_of_two(r, left, p->in, sum, p->n);
    copy(r, left, p->out, p->n);
    return rc;
  }
  rc = reduction_of_two(r, left, p->in, p->out, p->n);
  if (sum) copy(r, p->out, sum, p->n);
  return rc;
}

/* (a0 op a1) op a2 …, as the pieces of a long one do. */
static int scan_short(host_t *h, const piece_t *p, const reduction_t *r)
{
  _Alignas(16) char room[2][TWO_LEVELS_WHOLE];
  char *before = room[0], *next = room[1];
  size_t bytes = p->n * r->extent;
  uint32_t step = host_begin(h);
  int rc = MPI_SUCCESS;
  host_put(h, step, p->in, bytes);
  for (int i = 0; i < h->me; i++) {
    host_hear(h, i, step);
    const char *own = host_bytes(h, i, step, bytes);
    if (i == 0) {
      memcpy(before, own, bytes);
      continue;
    }
    int code = reduction_of_two(r, before, own, next, p->n);
    if (rc == MPI_SUCCESS) rc = code;
    char *last = before;
    before = next;
    next = last;
  }
  host_end(h);
  int code = add_own(h, p, before, p->total, r);
  return rc == MPI_SUCCESS ? code : rc;
}

static int scan_piece(host_t *h, const piece_t *p, const reduction_t *r)
{
  bool last = h->me == h->n - 1;
  uint32_t step = host_begin(h);
  if (!last) host_free_bytes(h, step, HOST_ROOM);
  if (h->me > 0) host_hear(h, h->me - 1, step);
  const char *left = h->me > 0 ? host_room(h, h->me - 1, step) : NULL;
  int rc = add_own(h, p, left, last ? p->total : host_room(h, h->me, step), r);
  if (!last) host_told(h, step);
  host_end(h);
  return rc;
}

int host_scan(host_t *h, const void *in, void *out, void *total, size_t n, bool exclusive,
              const reduction_t *r)
{
  bool last = h->me == h->n - 1;
  piece_t p = {in, out, last ? total : NULL, n, exclusive};
  if (h->n == 1) return add_own(h, &p, NULL, p.total, r);
  if (n * r->extent <= TWO_LEVELS_WHOLE) return scan_short(h, &p, r);
  int rc = MPI_SUCCESS;
  size_t most = HOST_ROOM / r->extent;
  for (size_t at = 0; at < n; at += most) {
    size_t first = at * r->extent;
    piece_t part = {p.in + first, p.out ? p.out + first : NULL, p.total ? p.total + first : NULL,
                    n - at < most ? n - at : most, exclusive};
    int code = scan_piece(h, &part, r);
    if (rc == MPI_SUCCESS) rc = code;
  }
  return rc;
}
