/* SPDX-License-Identifier: BSD-3-Clause */
/* What a build of berth may leave out. */
#ifndef BERTH_CLI_BUILD_PARTS_H
#define BERTH_CLI_BUILD_PARTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct build_part {
  const char *what;   /* the library */
  const char *serves; /* what berth does with it */
  const char *option; /* of CMake */
  const char *without;
  bool is_there;
} build_part_t;

const build_part_t *build_parts(size_t *n);

#endif
