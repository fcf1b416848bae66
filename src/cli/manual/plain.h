/* SPDX-License-Identifier: BSD-3-Clause */
/* Markdown of docs/ as plain text, for `berth help PAGE`. */
#ifndef BERTH_CLI_MANUAL_PLAIN_H
#define BERTH_CLI_MANUAL_PLAIN_H

#include <stdio.h>

/* Headings underlined, paragraphs and lists wrapped at ROFF_COLUMNS, code indented as
 * it is. A row of a table is an entry: its first cell, and the others below it. */
void plain_page(FILE *to, const char *markdown);

#endif
