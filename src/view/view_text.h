/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows as text. Columns are characters. */
#ifndef BERTH_VIEW_TEXT_H
#define BERTH_VIEW_TEXT_H

#include "view/view.h"

/* What a function prints of a row, without anything that could steer a terminal: as one line, or as
 * lines. The caller frees it. NULL: no memory. */
char *view_text_row(view_print_t *print, void *data, size_t row);
char *view_text_lines(view_print_t *print, void *data, size_t row);

/* The part of a text from column `left` on, of at most `columns`. Returns its beginning, *n its
 * bytes. */
const char *view_text_part(const char *text, int left, int columns, size_t *n);

int view_text_columns(const char *text);

/* The bytes of a text's first line if it is broken between words for so many columns. A word that
 * is longer is divided. */
size_t view_text_line(const char *text, int columns);

/* The next row from `from` on, downwards or (step -1) upwards and round, whose text has `word` in
 * it, in upper or lower case. n if there is none. */
size_t view_text_find(const view_screen_t *s, size_t from, int step, const char *word);

#endif
