/* SPDX-License-Identifier: BSD-3-Clause */
/* The way from a function's frame to its caller's, from the unwind tables (.eh_frame). It covers
 * the simple rules that nearly all functions have. */
#ifndef BERTH_TRACE_FRAME_H
#define BERTH_TRACE_FRAME_H

#include <stdint.h>

typedef enum frame_kind {
  FRAME_OTHER,   /* anything else: ask libunwind */
  FRAME_BY_SP,   /* the frame ends `end` bytes above the stack pointer */
  FRAME_BY_BP,   /* or above the base pointer; the return address is below the end */
  FRAME_BY_SLOT, /* its end is kept `end` bytes above the base pointer, which points to the
                    caller's: compilers align the stack so, for vectors */
  FRAME_LAST     /* nobody called this function */
} frame_kind_t;

typedef struct frame_rule {
  frame_kind_t kind;
  int32_t end;  /* bytes from the pointer to the frame's end */
  int32_t base; /* place of the caller's base pointer, from the frame's end; 0: it is unchanged */
} frame_rule_t;

/* The rule at a return address. Don't call it under a lock: it asks the dynamic loader. */
frame_rule_t frame_rule(uintptr_t pc);

#endif
