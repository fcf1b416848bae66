/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables in text: lines of cells, as spreadsheets, scripts and other tools' reports have them. */
#ifndef BERTH_EXCHANGE_TEXT_CELLS_H
#define BERTH_EXCHANGE_TEXT_CELLS_H

#include <berth/pattern.h>

#include "exchange/text/scan.h"

typedef struct cells {
  scan_t scan;
  char separator; /* ',', ';', a tab, or 0: blanks */
  int column;     /* of the last cell that was taken, from 1 */
  bool is_open;   /* the line ends in a separator: behind it is an empty cell */
} cells_t;

/* What separates the cells of such a line. Tabs are blanks where it has no letters, which might
 * have blanks between them; commas between groups of three digits are none where there are blanks.
 */
char cells_separator(const char *line);

/* Goes to the next line that isn't empty and doesn't begin with '#' or '%'; *more is false at the
 * end of the file. */
int cells_line(cells_t *c, bool *more, berth_error_t *err);

/* The next cell without its quotes (RFC 4180: "" in quotes is one); NULL at the end of the line.
 * Valid until the next line. */
char *cells_next(cells_t *c);

/* What a column's name stands for: without blanks, signs and brackets, in small letters, and
 * without "rank", "PE" or "process" at its end. */
enum { CELLS_NAME = 40 };
void cells_name(const char *text, char name[CELLS_NAME]);

/* How many bytes the unit in a name's brackets is, such as in "volume (MB)": 1 where there are no
 * brackets, 0 where they have something else. */
double cells_unit(const char *name);

/* Numbers of a cell; NULL in place of text is the end of the line. `name` is the column's, for
 * errors. An amount is one of `unit` bytes, or of no bytes where that is 0, and rounded; with a
 * unit of 1 it may have one of its own, and with 0 or 1 groups of three digits. A rank may follow a
 * word: "PE 3", "rank3:". */
int cells_amount(const cells_t *c, const char *name, const char *text, double unit, uint64_t *out,
                 berth_error_t *err);
int cells_rank(const cells_t *c, const char *name, const char *text, int *out, berth_error_t *err);
int cells_whole(const cells_t *c, const char *name, const char *text, uint64_t min, uint64_t max,
                uint64_t *out, berth_error_t *err);

/* Whether a cell is an amount, or a rank behind a word. */
bool cells_is_amount(const char *text);
bool cells_is_named_rank(const char *text);

/* Fails with the last cell's line, column and the column's name ("" for none). */
int cells_fail(const cells_t *c, const char *name, berth_error_t *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
