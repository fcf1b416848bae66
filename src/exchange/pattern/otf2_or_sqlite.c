/* SPDX-License-Identifier: BSD-3-Clause */
/* How files begin whose readers a build may leave out. It still says what they are. */
#include <string.h>

#include "exchange/exchange_internal.h"

/* An anchor file: a byte, a byte that tells the byte order, then the format's name. */
int otf2_recognises(const char *text, size_t n)
{
  return n > 6 && memcmp(text + 2, "OTF2", 4) == 0;
}

int sqlite_recognises(const char *text, size_t n)
{
  static const char head[16] = "SQLite format 3";
  return n >= sizeof head && memcmp(text, head, sizeof head) == 0;
}
