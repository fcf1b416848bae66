/* SPDX-License-Identifier: BSD-3-Clause */
/* Long lines on a terminal: broken between words, and continued below what they continue. */
#ifndef BERTH_CLI_PRINT_FIT_H
#define BERTH_CLI_PRINT_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* Takes n bytes of output; false: they couldn't be written. */
typedef bool fit_put_t(void *to, const char *s, size_t n);

/* Puts a line of n bytes without its end, in pieces of at most `columns`, with ends between them.
 * Columns are characters; escape sequences have none. A piece ends at blanks. A word that is longer
 * than a piece ends behind a slash, a comma or a colon, or anywhere if there is none. A line of one
 * word is left as it is: somebody may copy it.
 *
 * Further pieces begin below the last column of a table's row (text behind two blanks), if that
 * begins in the left half; else a little to the right of the line's beginning. The lines of a drawn
 * tree go on. */
bool fit_line(const char *line, size_t n, int columns, fit_put_t *put, void *to);

#endif
