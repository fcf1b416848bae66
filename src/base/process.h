/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting processes: other programs, and parts of berth that may crash. */
#ifndef BERTH_BASE_PROCESS_H
#define BERTH_BASE_PROCESS_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct process {
  pid_t pid;    /* 0: none, or already waited for */
  int to, from; /* this side of its standard input and output; -1: not open */
} process_t;

/* Which of the child's streams are connected to this process. */
typedef enum process_streams {
  PROCESS_INHERITS = 0, /* the child shares this process's streams */
  PROCESS_FROM = 1,     /* its output is a pipe to here; its input is empty */
  PROCESS_BOTH = 2,     /* its input and output are pipes */
  PROCESS_QUIETLY = 3   /* like PROCESS_FROM, and its standard error is dropped */
} process_streams_t;

/* Starts argv; argv[0] is looked up in PATH. Returns BERTH_MISSING if that fails. The caller
 * calls process_wait at the end. */
int process_start(process_t *p, char *const *argv, process_streams_t streams, berth_error_t *err);

/* Starts a copy of this process, which calls part(fd, context) and then ends. The copy's fd and
 * p->to are the ends of one connection; p->from is -1. Returns BERTH_MISSING if that fails. The
 * caller calls process_wait at the end. */
int process_start_part(process_t *p, void (*part)(int fd, void *context), void *context,
                       berth_error_t *err);

/* How a process ended: its exit code, or the signal that ended it. */
typedef struct process_end {
  int code, signal; /* signal: 0 if none; code: -1 if unknown */
} process_end_t;

/* "ended with exit code 7", "ended by signal 9". Returns buf. */
const char *process_end_text(process_end_t end, char *buf, size_t size);

/* Closes the streams and waits for the end. */
process_end_t process_wait(process_t *p);

/* Whether it has ended. If so, don't call process_wait. */
bool process_has_ended(process_t *p, process_end_t *end);

/* Starts argv with this process's streams and waits for it. The terminal's interrupts reach both
 * processes; SIGTERM and SIGHUP are passed on. *code is its exit code, or 128 + n after signal
 * n. */
int process_run(char *const *argv, int *code, berth_error_t *err);

/* Runs argv without standard error and keeps the beginning of its output in buf, as a string.
 * Returns false, with "" in buf, if it can't be started. */
bool process_output(char *const *argv, char *buf, size_t size);

/* Replaces this process by argv. Returns only on failure. */
int process_become(char *const *argv, berth_error_t *err);

/* The path of this program, which the caller frees. NULL with errno if it is unknown. */
char *process_self(void);

#endif
