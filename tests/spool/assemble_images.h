/* SPDX-License-Identifier: BSD-3-Clause */
/* A pattern of images, which must be good: by one process, and the same by a team. */
#ifndef BERTH_TESTS_SPOOL_ASSEMBLE_IMAGES_H
#define BERTH_TESTS_SPOOL_ASSEMBLE_IMAGES_H

#include "harness.h"
#include "image.h"
#include "spool/assemble/assembly.h"
#include "together.h"

static inline berth_pattern_t *assemble(image_t *image, int n, assembly_stats_t *stats)
{
  assembly_stats_t own;
  const image_t *images[MOST_MEMBERS];
  berth_error_t err = {0};
  assembly_t *a = assembly_new(&err);
  berth_pattern_t *p = NULL;
  for (int i = 0; i < n; i++)
    if (assembly_add(a, "image", image[i].bytes, image[i].size, &err)) fail_msg("%s", err.text);
  if (assembly_finish(a, &p, stats ? stats : &own, &err)) fail_msg("%s", err.text);
  for (int i = 0; i < n; i++) images[i] = &image[i];
  check_together(images, (size_t)n, p, stats ? stats : &own);
  assembly_free(a);
  return p;
}

#endif
