/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/pattern_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/progress.h"
#include "pattern/pattern_cut.h"

berth_pattern_t *pattern_file_load(const char *path, int truncated, berth_error_t *err)
{
  progress("reading", path);
  berth_pattern_t *p =
      berth_pattern_load(path, truncated ? BERTH_PATTERN_TRUNCATED : BERTH_PATTERN_STRICT, err);
  progress(NULL, NULL);
  char *text = p ? pattern_cut_text(p) : NULL;
  if (text) fprintf(stderr, "note: %s\n", text);
  free(text);
  return p;
}
