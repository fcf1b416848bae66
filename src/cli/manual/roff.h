/* SPDX-License-Identifier: BSD-3-Clause */
/* Markdown of man/ and docs/ as the text of man pages: man(7) macros, and tbl(1) for tables.
 * Streams are of open_memstream, or any other; what fails is seen when they are closed. */
#ifndef BERTH_CLI_MANUAL_ROFF_H
#define BERTH_CLI_MANUAL_ROFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns of a page: those of the narrowest terminal, and where text begins. man leaves the last
 * two columns free. */
enum { ROFF_COLUMNS = 78, ROFF_INDENT = 7 };

/* The n bytes at s as plain text: requests and escapes of roff are made harmless. */
void roff_text(FILE *to, const char *s, size_t n);

/* One line of Markdown, without a line's end: `code`, **bold**, *italic*, [links](page.md). What
 * names a page of docs/ becomes that page's name in the manual. */
void roff_line(FILE *to, const char *s, size_t n);

/* The number of columns that a text of roff_text or roff_line takes on the terminal. */
size_t roff_width(const char *roff);

/* The number of characters of n bytes of UTF-8. */
size_t roff_characters(const char *s, size_t n);

/* A table: its lines, each of which begins with '|' and has its end. `apart`: something stands
 * above it in its section. */
void roff_table(FILE *to, const char *s, size_t n, bool apart);

/* A text of any number of lines: headings, paragraphs, lists, tables, blocks of code. Paragraphs
 * are separated by empty lines. Lines between fences, and those that begin with two blanks, stay as
 * they are, apart from those that are too long for the page. */
void roff_blocks(FILE *to, const char *s, size_t n);

#endif
