/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that the build put into the program (berth_embed in cmake/BerthModule.cmake). */
#ifndef BERTH_BASE_EMBEDDED_H
#define BERTH_BASE_EMBEDDED_H

#include <stddef.h>

typedef struct embedded {
  const char *name; /* without the folder */
  const unsigned char *data;
  size_t size;
} embedded_t;

/* Finds a file by its name of n bytes; NULL if there is none. An entry without a name ends the
 * list. */
const embedded_t *embedded_find(const embedded_t *list, const char *name, size_t n);

#endif
