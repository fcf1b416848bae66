/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing files in a program that may write no more: past RLIMIT_FSIZE the kernel sends SIGXFSZ,
 * which ends a process that doesn't expect it. In between both functions this thread gets an error
 * (EFBIG) instead, and the program's own handling of the signal stays what it is. */
#ifndef BERTH_TRACE_FILE_LIMIT_H
#define BERTH_TRACE_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

typedef struct file_limit {
  sigset_t mask; /* what the thread blocked before */
  bool pending;  /* a SIGXFSZ of the program's own was waiting */
} file_limit_t;

void file_limit_begin(file_limit_t *l);
void file_limit_end(const file_limit_t *l);

#endif
