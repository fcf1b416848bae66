/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of hosts: what is read prints as a text that reads back as the same parts. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "topo/discover/topo_description.h"

static void check(int holds)
{
  if (!holds) abort();
}

static int same_part(const part_t *a, const part_t *b)
{
  return a->parent == b->parent && a->size == b->size && a->is_pu == b->is_pu &&
         a->has_memory == b->has_memory && a->outer == b->outer && a->inner == b->inner &&
         a->os_index == b->os_index && a->core == b->core;
}

static void check_round_trip(const parts_t *p)
{
  parts_t again = {0};
  char *text = parts_print(p);
  check(text && description_parts_read(&again, text, NULL) == BERTH_OK && again.n == p->n);
  for (size_t i = 0; i < p->n; i++) check(same_part(&p->part[i], &again.part[i]));
  free(text);
  free(again.part);
}

/* The printer recurses per level, which hwloc bounds and a fuzzer doesn't. */
static int is_deep(const parts_t *p)
{
  enum { MOST = 200 };
  for (size_t i = 0; i < p->n; i++) {
    int depth = 0;
    for (int k = (int)i; k >= 0 && depth <= MOST; k = p->part[k].parent) depth++;
    if (depth > MOST) return 1;
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  parts_t p = {0};
  berth_error_t err = {0};
  char *text = malloc(n + 1);
  if (!text) return 0;
  memcpy(text, data, n);
  text[n] = '\0';
  if (description_parts_read(&p, text, &err))
    check(err.code == BERTH_BAD_INPUT && *err.text && !strchr(err.text, '\n'));
  else if (p.n < 5000 && !is_deep(&p))
    check_round_trip(&p);
  free(p.part);
  free(text);
  return 0;
}
