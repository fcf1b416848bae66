/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of byte strings, numbered in the order in which they were added. */
#ifndef BERTH_SPOOL_ASSEMBLE_INTERN_H
#define BERTH_SPOOL_ASSEMBLE_INTERN_H

#include <stddef.h>
#include <stdint.h>

typedef struct intern_item {
  char *bytes; /* followed by a NUL */
  size_t n;
  uint64_t hash;
} intern_item_t;

typedef struct intern {
  intern_item_t *items;
  size_t n, cap;
  uint32_t *slots; /* item number + 1; 0: empty */
  size_t n_slots;  /* a power of two */
} intern_t;

/* The number of the string, which is copied if it is new; -1 if memory is out. */
long intern(intern_t *set, const void *bytes, size_t n);
void intern_clear(intern_t *set);

#endif
