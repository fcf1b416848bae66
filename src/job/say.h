/* SPDX-License-Identifier: BSD-3-Clause */
/* How a library speaks in a job: lines on standard error that begin with its name. */
#ifndef BERTH_JOB_SAY_H
#define BERTH_JOB_SAY_H

#include <stddef.h>

/* The library's name. It stays the caller's. */
void say_as(const char *name);
/* One line. */
void say_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* On a terminal, a line that the next one replaces; the last one is removed. */
void say_progress(const char *what, size_t i, size_t n);

#endif
