/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a call of MPI comes from the application or from inside of another: a thread's mark, one
 * of each library. */
#ifndef BERTH_INTERPOSE_INSIDE_H
#define BERTH_INTERPOSE_INSIDE_H

#include "interpose/chain.h"

/* The call that a thread is in: its wrapper's frame, 0 for none, and where that returns to. */
typedef struct inside {
  uintptr_t frame;
  void *caller;
} inside_t;

/* Whether the frame of a call is still on the thread's stack. */
bool inside_on_stack(uintptr_t frame, const void *caller);

/* The calling thread's mark, for libraries that have no other place for it. */
extern __thread inside_t inside_self __attribute__((tls_model("initial-exec")));
/* The way into a call: false inside of another one, or of a call that one of berth's libraries
 * makes for itself. The other half is inside_leave. */
bool inside_enter(inside_t *mark, uintptr_t frame, void *caller);
static inline void inside_leave(inside_t *mark) { mark->frame = 0; }

#endif
