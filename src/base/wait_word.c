/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/wait_word.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long futex(const void *word, int operation, uint32_t value, const struct timespec *timeout)
{
  return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

void wait_word_wake(wait_word_t *w) { futex(&w->value, FUTEX_WAKE, INT32_MAX, NULL); }

void wait_word_sleep(wait_word_t *w, uint32_t value, long ns)
{
  const struct timespec timeout = {.tv_nsec = ns};
  atomic_fetch_add(&w->sleepers, 1);
  uint32_t seen = atomic_load(&w->value);
  if ((int32_t)(seen - value) < 0) futex(&w->value, FUTEX_WAIT, seen, &timeout);
  atomic_fetch_sub(&w->sleepers, 1);
}
