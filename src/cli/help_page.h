/* SPDX-License-Identifier: BSD-3-Clause */
/* What people read about a command: man/berth-NAME.md, and man/options.md for options that several
 * commands have. */
#ifndef BERTH_CLI_HELP_PAGE_H
#define BERTH_CLI_HELP_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* The parts of a page. Texts live in the arena. If memory is out they are empty, and the command
 * fails in the end (cli_checked). */
typedef struct page {
  const char *summary;  /* one line, no full stop */
  const char *synopsis; /* what stands behind "berth NAME"; alternatives are lines */
  const char *purpose;  /* the first paragraph */
  const char *details;  /* the paragraphs behind it, Markdown; only man pages have them */
  const char *options;  /* the list of options, Markdown */
  const char *notes;    /* Markdown; empty: none */
  const char *more; /* further sections with their headings, Markdown; only man pages have them */
  const char *see_also; /* names of pages */
} page_t;

typedef struct page_option {
  char letter;       /* 0: none */
  bool is_optional;  /* the value */
  const char *value; /* NULL: takes none */
  const char *help;
} page_option_t;

/* The page of a command, or of the program (""). */
page_t page_of(const char *command, arena_t *arena);

/* An option by its long name, with its dashes: of the page, else of man/options.md. */
page_option_t page_option(const page_t *page, const char *name, arena_t *arena);

/* A section of man/berth.md, which is about the program, by its heading. */
const char *page_section(const char *heading, arena_t *arena);

/* The text of a file of man/; empty if there is none. */
const char *page_text(const char *file);

#endif
