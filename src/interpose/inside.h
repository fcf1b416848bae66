/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the application makes an MPI call or another MPI call does, by a mark of the thread.
 * Each library has its own mark. */
#ifndef BERTH_INTERPOSE_INSIDE_H
#define BERTH_INTERPOSE_INSIDE_H

#include "interpose/chain.h"

/* The call that a thread is in: its wrapper's frame (0: none) and return address. */
typedef struct inside {
  uintptr_t frame;
  void *caller;
} inside_t;

/* Whether the frame of a call is still on the thread's stack. */
bool inside_on_stack(uintptr_t frame, const void *caller);

/* The calling thread's mark, for libraries that keep it nowhere else. */
extern __thread inside_t inside_self __attribute__((tls_model("initial-exec")));
/* The way into a call; inside_leave is the way out. Returns false inside another call, or inside
 * a call that one of berth's libraries makes for itself. */
bool inside_enter(inside_t *mark, uintptr_t frame, void *caller);
static inline void inside_leave(inside_t *mark) { mark->frame = 0; }

#endif
