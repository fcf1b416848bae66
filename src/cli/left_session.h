/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions of `berth trace` that were killed: what their jobs left is in hidden folders, and in
 * folders that nobody else knows. Each session keeps a file in its folder for tables that says
 * where, and holds a lock on it as long as it lives. */
#ifndef BERTH_CLI_LEFT_SESSION_H
#define BERTH_CLI_LEFT_SESSION_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>

#include "spool/spool_live.h"

typedef struct left_session {
  char *spool;   /* the folder for tables */
  char *output;  /* the trace that was asked for */
  char *dir;     /* the folder that the job writes its trace in first */
  bool keep_old; /* a file that has the trace's name already is kept */
} left_session_t;

typedef struct left_sessions {
  left_session_t *list;
  size_t n, cap;
} left_sessions_t;

/* Writes the file of a session whose folder is there, and locks it; -1: it can't be written, and a
 * killed session isn't found. */
int left_session_begin(const left_session_t *s);

/* Removes the file in the folder for tables; `lock` is the session's own, or -1. */
void left_session_end(const char *spool, int lock);

/* Finds this user's sessions that nobody goes on with and whose jobs don't run here any more. Free
 * with left_sessions_clear, whatever is returned. */
int left_sessions_find(left_sessions_t *out, berth_error_t *err);
void left_sessions_clear(left_sessions_t *s);

/* Whether a process that counts is this user's, and `berth recover` will look for its tables
 * without a folder's name. */
bool left_session_will_have(const berth_live_rank_t *rank);

/* How many traces and tables there are of a session. */
size_t left_session_count(const left_session_t *s);

#endif
