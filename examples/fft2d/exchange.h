/* SPDX-License-Identifier: BSD-3-Clause */
/* How pieces are exchanged: by blocking, non-blocking or persistent all-to-alls. Only the main
 * thread calls these functions. */
#ifndef FFT2D_EXCHANGE_H
#define FFT2D_EXCHANGE_H

#include "transform.h"

#include <mpi.h>

typedef enum { EXCHANGE_CALLS, EXCHANGE_STARTS, EXCHANGE_PERSISTENT } exchange_kind_t;

typedef struct {
  const transform_t *t;
  const transform_pieces_t *p;
  exchange_kind_t kind;
  bool off;              /* nothing is sent, and pieces count as received */
  int nap_us;            /* how long a moment is; 200 to begin with */
  int window;            /* so many pieces are under way at most; all to begin with */
  int ready;             /* pieces that may be started, in their order */
  int started, received; /* pieces of this transform, which count in their order */
  MPI_Request *requests;
} exchange_t;

/* Whether the MPI has persistent all-to-alls. */
bool exchange_has_persistent(void);

/* All ranks call it. False: not enough memory. Free with exchange_free in both cases. */
bool exchange_make(exchange_t *e, const transform_t *t, const transform_pieces_t *p,
                   exchange_kind_t kind, bool off);
void exchange_free(exchange_t *e);

/* Before each transform. */
void exchange_reset(exchange_t *e);

/* Exchanges the next piece, and returns when it has come. */
void exchange_call(exchange_t *e);

/* Begins to exchange the pieces up to this one, as soon as the window allows it. */
void exchange_start(exchange_t *e, int ready);

/* Lets the MPI go on, and returns how many more pieces have come. */
int exchange_test(exchange_t *e);

/* Whether pieces are under way or wait for the window. */
static inline bool exchange_busy(const exchange_t *e) { return e->received < e->ready; }

/* Gives the core to others for a moment. */
void exchange_nap(const exchange_t *e);

#endif
