/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages of docs/ that are man pages, too: docs/formats/ in section 5, docs/environment.md in
 * section
 * 7. The build puts their Markdown into the program. */
#ifndef BERTH_CLI_MANUAL_DOC_PAGE_H
#define BERTH_CLI_MANUAL_DOC_PAGE_H

#include <stddef.h>

#include "base/embedded.h"

/* All pages; the list ends with one without a name. Names are those of the files. */
extern const embedded_t doc_pages[];

/* The page of a name without its ending, n bytes: "pattern". NULL if there is none. */
const embedded_t *doc_page_find(const char *name, size_t n);

/* The page that a user names: "pattern" or "pattern.5". NULL if there is none. */
const embedded_t *doc_page_named(const char *name);

/* The length of a page's name without its ending. */
int doc_page_length(const embedded_t *page);

/* How users name the page: "pattern", but "cost.5" where a command has the name. Returns buf. */
enum { DOC_PAGE_NAME = 64 };
const char *doc_page_spelling(const embedded_t *page, char buf[DOC_PAGE_NAME]);

/* The section of the manual that has the page. */
int doc_page_section(const embedded_t *page);

#endif
