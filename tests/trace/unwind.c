/* SPDX-License-Identifier: BSD-3-Clause */
/* A libunwind.so.8 for tests under ThreadSanitizer. The real one takes a lock when a thread's last
 * destructors run, which is when the sanitizer is done with the thread and crashes.
 * With COUNTED it says on standard error how often it was asked. */
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

static _Atomic int asked;

int unw_backtrace(void **addresses, int size);
int unw_backtrace(void **addresses, int size)
{
  void *found[MOST + 1]; /* from this function on */
  int n = backtrace(found, size < MOST ? size + 1 : MOST + 1) - 1;
  if (n > 0) memcpy(addresses, found + 1, (size_t)n * sizeof *addresses);
  asked++;
  return n > 0 ? n : 0;
}

#ifdef COUNTED
__attribute__((destructor)) static void say(void) { fprintf(stderr, "asked %d times\n", asked); }
#endif
