/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/say.h"

#include <stdarg.h>
#include <stdio.h>

static const char *speaker = "berth";

void say_as(const char *name) { speaker = name; }

void say_line(const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(stderr, "%s: %s\n", speaker, text);
}

void say_progress(const char *what, size_t i, size_t n)
{
  fprintf(stderr, "\r%s: %s: %zu of %zu\033[K%s", speaker, what, i, n, i == n ? "\r\033[K" : "");
}
