/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/large_copy.h"

#include <stdlib.h>

#include "job/say.h"

large_copy_t large_copy = {.from = SIZE_MAX};

void large_copy_begin(void)
{
  const char *text = getenv("BERTH_COPY"), *colon = text ? strchr(text, ':') : NULL;
  char name[40] = "", *end = NULL;
  if (!text || !*text) return;
  size_t n = colon ? (size_t)(colon - text) : 0;
  if (n < sizeof name) memcpy(name, text, n);
  const copy_kernel_t *kernel = n < sizeof name ? copy_find(name) : NULL;
  long long bytes = colon ? strtoll(colon + 1, &end, 10) : 0;
  if (!kernel || bytes < 1 || *end) {
    say_line("BERTH_COPY: found \"%.60s\", expected a kernel of this processor and the bytes from "
             "which it copies, such as memcpy:1048576; berth takes memcpy",
             text);
    return;
  }
  large_copy.copy = kernel->copy;
  large_copy.from = (size_t)bytes;
}
