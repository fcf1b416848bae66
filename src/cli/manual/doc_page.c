/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/manual/doc_page.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static const char ending[] = ".md";

const embedded_t *doc_page_find(const char *name, size_t n)
{
  for (const embedded_t *page = doc_pages; page->name; page++)
    if ((size_t)doc_page_length(page) == n && strncmp(page->name, name, n) == 0) return page;
  return NULL;
}

const embedded_t *doc_page_named(const char *name)
{
  size_t n = strcspn(name, ".");
  const embedded_t *page = doc_page_find(name, n);
  char section[8];
  if (!page || !name[n]) return page;
  snprintf(section, sizeof section, ".%d", doc_page_section(page));
  return strcmp(name + n, section) == 0 ? page : NULL;
}

int doc_page_length(const embedded_t *page)
{
  return (int)(strlen(page->name) - (sizeof ending - 1));
}

int doc_page_section(const embedded_t *page)
{
  return strcmp(page->name, "environment.md") == 0 ? 7 : 5;
}

const char *doc_page_spelling(const embedded_t *page, char buf[DOC_PAGE_NAME])
{
  int n = snprintf(buf, DOC_PAGE_NAME, "%.*s", doc_page_length(page), page->name);
  if (cli_find(buf)) snprintf(buf + n, (size_t)(DOC_PAGE_NAME - n), ".%d", doc_page_section(page));
  return buf;
}
