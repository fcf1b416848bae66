/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables in text files: lines of cells, from spreadsheets, scripts and reports of other tools. */
#ifndef BERTH_EXCHANGE_TEXT_CELLS_H
#define BERTH_EXCHANGE_TEXT_CELLS_H

#include <berth/pattern.h>

#include "exchange/text/scan.h"

typedef struct cells {
  scan_t scan;
  char separator; /* ',', ';', a tab, or 0: blanks */
  int column;     /* of the last cell, counted from 1 */
  bool is_open;   /* the line ends in a separator, so an empty cell follows */
} cells_t;

/* Finds what separates the cells of a line. Tabs count as blanks if it has no letters. Commas
 * between groups of three digits don't count if it has blanks. */
char cells_separator(const char *line);

/* Goes to the next line that isn't empty and doesn't begin with '#' or '%'. *more is false at the
 * end of the file. */
int cells_line(cells_t *c, bool *more, berth_error_t *err);

/* The next cell without its quotes (RFC 4180: "" within quotes is one quote). NULL at the end of
 * the line. Valid until the next line. */
char *cells_next(cells_t *c);

/* Normalises a column's name: no blanks, signs and brackets, small letters, and no "rank", "PE" or
 * "process" at its end. */
enum { CELLS_NAME = 40 };
void cells_name(const char *text, char name[CELLS_NAME]);

/* The number of bytes of the unit in a name's brackets, such as "volume (MB)". 1 without brackets,
 * 0 if they have something else. */
double cells_unit(const char *name);

/* Values of a cell. NULL as text means the end of the line. `name` is the column's, for errors. An
 * amount counts `unit` bytes, or something else if `unit` is 0, and is rounded. If `unit` is 1, the
 * cell may have its own unit; if it is 0 or 1, groups of three digits. A rank may follow a word:
 * "PE 3", "rank3:". */
int cells_amount(const cells_t *c, const char *name, const char *text, double unit, uint64_t *out,
                 berth_error_t *err);
int cells_rank(const cells_t *c, const char *name, const char *text, int *out, berth_error_t *err);
int cells_whole(const cells_t *c, const char *name, const char *text, uint64_t min, uint64_t max,
                uint64_t *out, berth_error_t *err);

/* Whether a cell is a rank behind a word. */
bool cells_is_named_rank(const char *text);

/* Fails with the last cell's line and column, and the column's name ("": none). */
int cells_fail(const cells_t *c, const char *name, berth_error_t *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
