/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds lists of a host's parts, and writes them as a description. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "topo/discover/topo_description.h"

const char *const topo_kind_names[N_KINDS] = {"host", "package", "numa", "die", "group",
                                              "l4",   "l3",      "l2",   "l1",  "core"};

static int add_part(parts_t *p, const part_t *part)
{
  if (p->n >= PARTS_MAX || !ARRAY_GROW(&p->part, p->n, &p->cap)) return -1;
  p->part[p->n] = *part;
  return (int)p->n++;
}

int parts_add_level(parts_t *p, int parent, kind_t outer, kind_t inner)
{
  bool has_memory = parent >= 0 && (outer == KIND_PACKAGE || outer == KIND_NUMA);
  return add_part(
      p,
      &(part_t){
          .parent = parent, .size = 1, .has_memory = has_memory, .outer = outer, .inner = inner});
}

int parts_add_pu(parts_t *p, int parent, int os_index, int core)
{
  return add_part(
      p, &(part_t){.parent = parent, .size = 1, .is_pu = true, .os_index = os_index, .core = core});
}

void parts_finish(parts_t *p)
{
  for (size_t i = 0; i < p->n; i++) p->part[i].size = 1;
  for (size_t i = p->n; i-- > 1;) p->part[p->part[i].parent].size += p->part[i].size;
}

/* The differences between the numbers of two parts' PUs. */
typedef struct steps {
  int os_index, core;
} steps_t;

/* Whether b equals a, with all PUs' numbers increased by the same steps. */
static bool is_shifted(const part_t *a, const part_t *b, steps_t *steps)
{
  bool known = false;
  if (a->size != b->size) return false;
  for (int i = 0; i < a->size; i++) {
    const part_t *x = &a[i], *y = &b[i];
    if (x->is_pu != y->is_pu || x->size != y->size) return false;
    if (!x->is_pu && (x->outer != y->outer || x->inner != y->inner)) return false;
    if (!x->is_pu) continue;
    steps_t here = {y->os_index - x->os_index, y->core - x->core};
    if (known ? here.os_index != steps->os_index || here.core != steps->core
              : here.os_index < 0 || here.core < 0)
      return false;
    *steps = here;
    known = true;
  }
  return true;
}

/* How many siblings, `first` included, repeat it with the same steps. */
static int count_copies(const part_t *first, const part_t *end, steps_t *steps)
{
  int n = 1;
  for (const part_t *a = first, *b = a + a->size; b < end; a = b, b += b->size, n++) {
    steps_t here = {0, 0};
    if (!is_shifted(a, b, &here)) break;
    if (n > 1 && (here.os_index != steps->os_index || here.core != steps->core)) break;
    *steps = here;
  }
  return n;
}

/* hwloc's number of levels bounds the recursion. */
static void print_part(FILE *to, const part_t *part)
{
  if (part->is_pu) {
    fprintf(to, "%d:%d", part->os_index, part->core);
    return;
  }
  fputs(topo_kind_names[part->outer], to);
  if (part->inner != part->outer) fprintf(to, "+%s", topo_kind_names[part->inner]);
  fputc('(', to);
  const part_t *end = part + part->size;
  for (const part_t *m = part + 1; m < end;) {
    steps_t steps = {0, 0};
    int n = count_copies(m, end, &steps);
    if (m > part + 1) fputc(',', to);
    print_part(to, m);
    if (n > 1) fprintf(to, "*%d+%d+%d", n, steps.os_index, steps.core);
    m += (ptrdiff_t)n * m->size;
  }
  fputc(')', to);
}

char *parts_print(const parts_t *p)
{
  char *text = NULL;
  size_t n;
  FILE *to = open_memstream(&text, &n);
  if (to) print_part(to, &p->part[0]);
  return text_end(to, &text);
}
