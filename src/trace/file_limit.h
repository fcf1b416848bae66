/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing files in a program that reached RLIMIT_FSIZE. The kernel would send SIGXFSZ, which
 * ends a process that doesn't expect it. Between the two functions, this thread gets EFBIG
 * instead. The program's own handling of the signal doesn't change. */
#ifndef BERTH_TRACE_FILE_LIMIT_H
#define BERTH_TRACE_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

typedef struct file_limit {
  sigset_t mask; /* what the thread blocked before */
  bool pending;  /* a SIGXFSZ for the program was pending */
} file_limit_t;

void file_limit_begin(file_limit_t *l);
void file_limit_end(const file_limit_t *l);

#endif
