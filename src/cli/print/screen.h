/* SPDX-License-Identifier: BSD-3-Clause */
/* The terminal that standard output goes to. Where it goes to a file or a pipe there is none: text
 * then has no colours, lines aren't fitted, and tables have the sizes that suit 80 columns. */
#ifndef BERTH_CLI_PRINT_SCREEN_H
#define BERTH_CLI_PRINT_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

enum { SCREEN_USUAL = 80 };

/* Its columns: COLUMNS of the environment, or what the terminal says. 0: there is no terminal, or
 * it doesn't say. */
int screen_columns(void);

/* Its rows; 0 as above. */
int screen_rows(void);

/* Empties the terminal, if it takes such commands, so that what is printed next replaces what was
 * there. Elsewhere it does nothing. */
void screen_clear(void);

/* How many columns there are beyond the usual 80; 0 without a terminal. */
int screen_extra(void);

/* The length of the longest bar of a chart: what the terminal has beside `used` columns, at least
 * 8; `usual` without a terminal. */
int screen_bar(int used, int usual);

typedef enum screen_style {
  SCREEN_PLAIN,
  SCREEN_STRONG,
  SCREEN_GOOD,
  SCREEN_DOUBTFUL,
  SCREEN_BAD,
} screen_style_t;

/* Whether text gets colours: on a terminal other than TERM=dumb, unless NO_COLOR is set and not
 * empty (no-color.org). */
bool screen_has_colours(void);

/* What is printed from here on has the style. It ends at SCREEN_PLAIN. Streams other than stdout
 * have no styles. */
void screen_set_style(FILE *to, screen_style_t style);

/* Prints a text in a style. */
void screen_print(FILE *to, screen_style_t style, const char *text);

#endif
