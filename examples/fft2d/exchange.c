/* SPDX-License-Identifier: BSD-3-Clause */
/* All-to-alls of pieces, each with its own part of `send` and `receive`: nothing is overwritten
 * while it is under way. Pieces are tested in their order, one at a time, because each test of an
 * MPI looks at all connections. */
#define _POSIX_C_SOURCE 200809L
#include "exchange.h"

#include <stdlib.h>
#include <time.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#if MPI_VERSION >= 4
#define ALLTOALL_INIT MPI_Alltoall_init
#elif defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#define ALLTOALL_INIT MPIX_Alltoall_init
#endif

bool exchange_has_persistent(void)
{
#ifdef ALLTOALL_INIT
  return true;
#else
  return false;
#endif
}

static void prepare(exchange_t *e)
{
#ifdef ALLTOALL_INIT
  for (int i = 0; i < e->p->n_pieces; i++) {
    const transform_piece_t *piece = &e->p->piece[i];
    ALLTOALL_INIT(e->t->send + piece->at, piece->count, MPI_C_DOUBLE_COMPLEX,
                  e->t->receive + piece->at, piece->count, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD,
                  MPI_INFO_NULL, &e->requests[i]);
  }
#else
  (void)e;
#endif
}

bool exchange_make(exchange_t *e, const transform_t *t, const transform_pieces_t *p,
                   exchange_kind_t kind, bool off)
{
  size_t n = (size_t)p->n_pieces;
  *e = (exchange_t){.t = t, .p = p, .kind = kind, .off = off, .nap_us = 200, .window = p->n_pieces};
  e->requests = malloc(n * sizeof *e->requests);
  if (!e->requests) return false;
  for (size_t i = 0; i < n; i++) e->requests[i] = MPI_REQUEST_NULL;
  if (kind == EXCHANGE_PERSISTENT && !off) prepare(e);
  return true;
}

void exchange_free(exchange_t *e)
{
  for (int i = 0; e->requests && i < e->p->n_pieces; i++)
    if (e->requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&e->requests[i]);
  free(e->requests);
}

void exchange_reset(exchange_t *e) { e->started = e->received = e->ready = 0; }

void exchange_call(exchange_t *e)
{
  const transform_piece_t *piece = &e->p->piece[e->started++];
  if (!e->off)
    MPI_Alltoall(e->t->send + piece->at, piece->count, MPI_C_DOUBLE_COMPLEX,
                 e->t->receive + piece->at, piece->count, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
  e->received++;
}

static void start(exchange_t *e)
{
  int i = e->started++;
  const transform_piece_t *piece = &e->p->piece[i];
  if (e->off) return;
  if (e->kind == EXCHANGE_PERSISTENT)
    MPI_Start(&e->requests[i]);
  else
    MPI_Ialltoall(e->t->send + piece->at, piece->count, MPI_C_DOUBLE_COMPLEX,
                  e->t->receive + piece->at, piece->count, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD,
                  &e->requests[i]);
}

/* Starts what the window allows. */
static void fill_window(exchange_t *e)
{
  while (e->started < e->ready && e->started - e->received < e->window) start(e);
}

void exchange_start(exchange_t *e, int ready)
{
  e->ready = ready;
  fill_window(e);
}

int exchange_test(exchange_t *e)
{
  int before = e->received, done = 1;
  while (e->received < e->started) {
    if (!e->off) MPI_Test(&e->requests[e->received], &done, MPI_STATUS_IGNORE);
    if (!done) break;
    e->received++;
    fill_window(e);
  }
  return e->received - before;
}

void exchange_nap(const exchange_t *e)
{
  nanosleep(&(struct timespec){.tv_nsec = 1000L * e->nap_us}, NULL);
}
