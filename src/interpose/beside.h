/* SPDX-License-Identifier: BSD-3-Clause */
/* Berth's own libraries that a library in a job loads when it needs them, so that the application
 * sees neither their symbols nor those of what they are linked with. */
#ifndef BERTH_INTERPOSE_BESIDE_H
#define BERTH_INTERPOSE_BESIDE_H

#include <stddef.h>

/* A function of a library, whose path is from this library's folder. NULL: `why` says why. */
void *beside_load(const char *path, const char *function, char *why, size_t size);

#endif
