/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks SIGXFSZ while the tracer writes files. */
#include "trace/file_limit.h"

#include <pthread.h>
#include <stddef.h>
#include <time.h>

static sigset_t only_limit(void)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

static bool is_pending(void)
{
  sigset_t set;
  return sigpending(&set) == 0 && sigismember(&set, SIGXFSZ) == 1;
}

void file_limit_begin(file_limit_t *l)
{
  sigset_t set = only_limit();
  pthread_sigmask(SIG_BLOCK, &set, &l->mask);
  l->pending = is_pending();
}

void file_limit_end(const file_limit_t *l)
{
  static const struct timespec now = {0, 0};
  sigset_t set = only_limit();
  if (!l->pending && is_pending()) sigtimedwait(&set, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &l->mask, NULL);
}
