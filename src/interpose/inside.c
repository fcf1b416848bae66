/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds whether the frame of an MPI call is still on the stack.
 *
 * A C++ exception or a jump, for example of an error handler, may leave a wrapper before it
 * ends. What its frame held may stay in memory long after. So the stack is unwound. */
#include <dlfcn.h>
#include <pthread.h>
#include <unwind.h>

#include "interpose/inside.h"

__thread inside_t inside_self;

/* Of libgcc_s, which is loaded at first use; NULL if there is none. */
static __typeof__(&_Unwind_Backtrace) backtrace;
static __typeof__(&_Unwind_GetCFA) get_end;
static __typeof__(&_Unwind_GetIP) get_address;

static void load_unwinder(void)
{
  void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  *(void **)&get_end = dlsym(library, "_Unwind_GetCFA");
  *(void **)&get_address = dlsym(library, "_Unwind_GetIP");
  if (get_end && get_address) *(void **)&backtrace = dlsym(library, "_Unwind_Backtrace");
}

typedef struct search {
  uintptr_t end;    /* of the frame: behind the base pointer and the return address */
  uintptr_t caller; /* where it returns to */
  bool found;
} search_t;

/* Called for each function on the stack, with its canonical frame address: the end of its
 * callee's frame. */
static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *search)
{
  search_t *s = search;
  uintptr_t end = get_end(context);
  s->found = end == s->end && get_address(context) == s->caller;
  return end < s->end ? _URC_NO_REASON : _URC_END_OF_STACK;
}

bool inside_on_stack(uintptr_t frame, const void *caller)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_unwinder);
  if (!backtrace) return true; /* trust what the frame held */
  search_t s = {frame + 2 * sizeof(uintptr_t), (uintptr_t)caller, false};
  backtrace(look_at_frame, &s);
  return s.found;
}

bool inside_enter(inside_t *mark, uintptr_t frame, void *caller)
{
  if (berth_interpose_own) return false;
  if (mark->frame > frame && ((void *const *)mark->frame)[1] == mark->caller &&
      inside_on_stack(mark->frame, mark->caller))
    return false;
  *mark = (inside_t){frame, caller};
  return true;
}
