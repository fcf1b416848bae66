/* SPDX-License-Identifier: BSD-3-Clause */
/* The error of an allocation that failed. */
#ifndef BERTH_BASE_NO_MEMORY_H
#define BERTH_BASE_NO_MEMORY_H

#include <berth/error.h>
#include <stddef.h>

/* Fills *err with "out of memory" and returns BERTH_MISSING. */
int no_memory(berth_error_t *err);

/* The same for functions that return a pointer, NULL, or a number from 0, -1. */
static inline void *no_memory_null(berth_error_t *err) { return no_memory(err), NULL; }
static inline int no_memory_index(berth_error_t *err) { return no_memory(err), -1; }

#endif
