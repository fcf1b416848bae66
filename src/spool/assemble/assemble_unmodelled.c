/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are known by name and count alone. */
#include "spool/assemble/assemble_unmodelled.h"

#include <stdio.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "spool/assemble/assemble_load.h"

int unmodelled_load(rank_load_t *load, const spool_unmodelled_t *u, berth_error_t *err)
{
  long op = load_op_intern(load->a, u->name);
  const unmodelled_t calls = {(uint32_t)op, u->calls};
  return op >= 0 && ARRAY_ADD(&load->unmodelled, &load->n_unmodelled, &load->cap_unmodelled, calls)
             ? BERTH_OK
             : no_memory(err);
}

bool unmodelled_reserve(const rank_load_t *load)
{
  assembly_t *a = load->a;
  return array_reserve(&a->unmodelled, &a->cap_unmodelled, a->n_unmodelled + load->n_unmodelled,
                       sizeof *a->unmodelled);
}

void unmodelled_take(const rank_load_t *load)
{
  assembly_t *a = load->a;
  for (size_t i = 0; i < load->n_unmodelled; i++) {
    size_t k = 0;
    while (k < a->n_unmodelled && a->unmodelled[k].op != load->unmodelled[i].op) k++;
    if (k == a->n_unmodelled)
      a->unmodelled[a->n_unmodelled++] = load->unmodelled[i];
    else
      a->unmodelled[k].calls += load->unmodelled[i].calls;
  }
}

int unmodelled_add(const assembly_t *a, berth_pattern_t *to, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < a->n_unmodelled && !rc; i++) {
    const unmodelled_t *u = &a->unmodelled[i];
    const berth_unmodelled_t calls = {a->ops.items[u->op].bytes, u->calls};
    rc = berth_pattern_add_unmodelled(to, &calls, err);
  }
  return rc;
}

void unmodelled_note(const berth_pattern_t *made, char *text, size_t size)
{
  size_t n, at = 0, i = 0;
  const berth_unmodelled_t *calls = berth_pattern_unmodelled(made, &n);
  *text = '\0';
  for (; i < n && at + 80 < size; i++)
    at += (size_t)snprintf(text + at, size - at, "%s%s: %llu",
                           i ? ", " : "counted by name only, calls of all ranks: ", calls[i].op,
                           (unsigned long long)calls[i].calls);
  if (i < n) snprintf(text + at, size - at, " and %zu more", n - i);
}
