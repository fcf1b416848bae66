/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of MPI that are left by a C++ exception or a jump, as from an error handler. A wrapper
 * doesn't come back then to say that the thread isn't inside any more, so what cuts the stack is
 * looked at on its way: all calls whose frames lie below the new end have been left. What a program
 * brings along itself (a static libstdc++, jumps of its own) isn't seen here; then the next wrapper
 * finds out by its own frame, if it can (tracer_enter_slow). */
#undef _FORTIFY_SOURCE /* which gives longjmp another name */
#include "trace/tracer.h"

#include <dlfcn.h>
#include <setjmp.h>

typedef void (*jump_t)(struct __jmp_buf_tag to[1], int value);

/* Where the stack ends after a jump. The GNU C library keeps the stack pointer scrambled by a
 * secret of the thread; elsewhere a jump is taken to leave the call, since few stay inside. */
static uintptr_t end_after(const struct __jmp_buf_tag *to)
{
#if defined(__x86_64__) && defined(__GLIBC__)
  enum { STACK_POINTER = 6 };
  uintptr_t sp = (uintptr_t)to->__jmpbuf[STACK_POINTER];
  __asm__("ror $0x11, %0\n\txor %%fs:0x30, %0" : "+r"(sp) : : "cc");
  return sp;
#else
  (void)to;
  return UINTPTR_MAX;
#endif
}

static void *find(_Atomic(void *) *known, const char *name)
{
  void *address = atomic_load_explicit(known, memory_order_relaxed);
  if (address) return address;
  address = dlsym(RTLD_NEXT, name);
  atomic_store_explicit(known, address, memory_order_relaxed);
  return address;
}

#define JUMP(name)                                                                                 \
  static _Atomic(void *) next_##name;                                                              \
  EXPORT _Noreturn void name(struct __jmp_buf_tag to[1], int value);                               \
  EXPORT _Noreturn void name(struct __jmp_buf_tag to[1], int value)                                \
  {                                                                                                \
    tracer_cut(end_after(to));                                                                     \
    ((jump_t)find(&next_##name, #name))(to, value);                                                \
    __builtin_unreachable();                                                                       \
  }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)

/* Signal handlers may jump, and the dynamic loader isn't for them. */
static __attribute__((constructor)) void find_jumps(void)
{
  find(&next_longjmp, "longjmp");
  find(&next__longjmp, "_longjmp");
  find(&next_siglongjmp, "siglongjmp");
  find(&next___longjmp_chk, "__longjmp_chk");
}

/* Every handler of C++ begins by this call. */
EXPORT void *__cxa_begin_catch(void *exception);
EXPORT void *__cxa_begin_catch(void *exception)
{
  static _Atomic(void *) next;
  tracer_cut(FRAME + 1);
  return ((void *(*)(void *))find(&next, "__cxa_begin_catch"))(exception);
}
