/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that the build put into the program: cmake/Embed.cmake. */
#ifndef BERTH_REPORT_PARTS_H
#define BERTH_REPORT_PARTS_H

#include <stddef.h>

typedef struct report_part {
  const char *name;
  const unsigned char *data;
  size_t size;
} report_part_t;

/* The list ends with one without a name. */
extern const report_part_t report_parts[];

/* The part of a name of n bytes; NULL where there is none. */
const report_part_t *report_find_part(const char *name, size_t n);

#endif
