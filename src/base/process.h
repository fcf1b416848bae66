/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that berth starts: other programs, and parts of berth that may crash. */
#ifndef BERTH_BASE_PROCESS_H
#define BERTH_BASE_PROCESS_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct process {
  pid_t pid;    /* 0: there is none, or it was waited for */
  int to, from; /* this end of its standard input and output; -1: neither asked for nor open */
} process_t;

/* Which of its streams are this process's to use. */
typedef enum process_streams {
  PROCESS_INHERITS = 0, /* it has this process's own */
  PROCESS_FROM = 1,     /* its output comes here; it has nothing to read */
  PROCESS_BOTH = 2,     /* its input and output are pipes from and to here */
  PROCESS_QUIETLY = 3   /* as PROCESS_FROM, and nobody sees its standard error */
} process_streams_t;

/* Starts argv; argv[0] is looked up in PATH. BERTH_MISSING when it can't be started. The caller
 * ends with process_wait. */
int process_start(process_t *p, char *const *argv, process_streams_t streams, berth_error_t *err);

/* Starts a copy of this process, which calls part(fd, context) and ends when that returns. The
 * copy's fd and p->to are two ends of a connection; p->from is -1. BERTH_MISSING when it can't be
 * started. The caller ends with process_wait. */
int process_start_part(process_t *p, void (*part)(int fd, void *context), void *context,
                       berth_error_t *err);

/* How a process ended: its exit code, or the signal that ended it. */
typedef struct process_end {
  int code, signal; /* signal: 0 if none; code: -1 if nobody knows */
} process_end_t;

/* "ended with exit code 7", "ended by signal 9". Returns buf. */
const char *process_end_text(process_end_t end, char *buf, size_t size);

/* Closes the streams and waits for the end. */
process_end_t process_wait(process_t *p);

/* Whether it has ended; it isn't waited for again. */
bool process_has_ended(process_t *p, process_end_t *end);

/* Starts argv and waits for it. It has this process's streams. The terminal's interrupts reach
 * both; SIGTERM and SIGHUP are passed on. *code is its exit code, 128 + n after signal n. */
int process_run(char *const *argv, int *code, berth_error_t *err);

/* Runs argv quietly and keeps the beginning of its output in buf, as a string. False, and "", when
 * it can't be started. */
bool process_output(char *const *argv, char *buf, size_t size);

/* Becomes argv; returns only when that fails. */
int process_become(char *const *argv, berth_error_t *err);

/* The path of this program, which the caller frees; NULL and errno when it isn't known. */
char *process_self(void);

#endif
