/* SPDX-License-Identifier: BSD-3-Clause */
/* The error of an allocation that failed. */
#ifndef BERTH_BASE_NO_MEMORY_H
#define BERTH_BASE_NO_MEMORY_H

#include <berth/error.h>

/* Fills *err with "out of memory" and returns BERTH_MISSING. */
int no_memory(berth_error_t *err);

#endif
