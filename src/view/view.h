/* SPDX-License-Identifier: BSD-3-Clause */
/* A full-screen browser of lists. */
#ifndef BERTH_VIEW_H
#define BERTH_VIEW_H

#include <berth/error.h>
#include <stddef.h>
#include <stdio.h>

/* Prints a row as one line without its end, or what there is to know about it as lines. */
typedef void view_print_t(void *data, size_t row, FILE *to);

typedef struct view_screen {
  const char *name; /* one word or two */
  const char *head; /* above the columns */
  size_t n;         /* rows */
  view_print_t *row, *details;
  void *data;
  const char *empty; /* why there are no rows; may be NULL if there are always some */
} view_screen_t;

/* Shows n screens on the terminal of standard input and output until the user ends it. Rows may be
 * longer than the terminal is wide. BERTH_MISSING if there is no terminal, or one that can't be
 * controlled; then nothing was shown. */
int view_run(const char *title, const view_screen_t *screens, size_t n, berth_error_t *err);

#endif
