/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "measure/measure.h"

/* Malloc maps large arrays, and they begin 16 bytes behind a page. From memory that was freed
 * before it gives other places, and copies between unlike places take a tenth longer. */
enum { PAGE = 4096, OFFSET = 16 };

char *measure_memory(size_t bytes)
{
  size_t whole = (OFFSET + bytes + PAGE) / PAGE * PAGE;
  char *pages = aligned_alloc(PAGE, whole);
  if (!pages) return NULL;
  memset(pages, 1, whole);
  return pages + OFFSET;
}

void measure_memory_free(char *p)
{
  if (p) free(p - OFFSET);
}
