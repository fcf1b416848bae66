/* SPDX-License-Identifier: BSD-3-Clause */
/* What a terminal is able to do. */
#ifndef BERTH_BASE_TERMINAL_H
#define BERTH_BASE_TERMINAL_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether a descriptor is a terminal that takes escape sequences: nobody knows one without TERM,
 * and TERM=dumb takes none. */
static inline bool terminal_takes_escapes(int descriptor)
{
  const char *term = getenv("TERM");
  return isatty(descriptor) && term && *term && strcmp(term, "dumb") != 0;
}

#endif
