/* SPDX-License-Identifier: BSD-3-Clause */
/* How to get from a function's frame to its caller's: what the unwind tables (.eh_frame) say of a
 * return address, where that is as simple as it is in nearly all functions. */
#ifndef BERTH_TRACE_FRAME_H
#define BERTH_TRACE_FRAME_H

#include <stdint.h>

typedef enum frame_kind {
  FRAME_OTHER, /* none of these: libunwind has to be asked */
  FRAME_BY_SP, /* the frame ends so many bytes above the stack pointer, */
  FRAME_BY_BP, /* or above the base pointer; below its end is the return address */
  FRAME_LAST   /* nobody called this function */
} frame_kind_t;

typedef struct frame_rule {
  frame_kind_t kind;
  int32_t end;  /* of the frame, above the pointer */
  int32_t base; /* where the caller's base pointer is kept, above the end; 0: it is unchanged */
} frame_rule_t;

/* The rule at an address that a call returns to. Asks the dynamic loader: not to be called under a
 * lock. */
frame_rule_t frame_rule(uintptr_t pc);

#endif
