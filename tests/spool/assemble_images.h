/* SPDX-License-Identifier: BSD-3-Clause */
/* A pattern of the images of all ranks, which must be good. */
#ifndef BERTH_TESTS_SPOOL_ASSEMBLE_IMAGES_H
#define BERTH_TESTS_SPOOL_ASSEMBLE_IMAGES_H

#include "harness.h"
#include "image.h"
#include "spool/assemble.h"

static inline berth_pattern_t *assemble(image_t *image, int n, assembly_stats_t *stats)
{
  berth_error_t err = {0};
  assembly_t *a = assembly_new(&err);
  berth_pattern_t *p = NULL;
  for (int i = 0; i < n; i++)
    if (assembly_add(a, "image", image[i].bytes, image[i].size, &err)) fail_msg("%s", err.text);
  if (assembly_finish(a, &p, stats, &err)) fail_msg("%s", err.text);
  assembly_free(a);
  return p;
}

#endif
