/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in files are written with a point, whatever locale the process has: the library and the
 * tracer live in other people's programs. */
#ifndef BERTH_BASE_NUMERIC_H
#define BERTH_BASE_NUMERIC_H

#include <locale.h>

/* Gives the calling thread the "C" locale's numbers until numeric_end, which takes what
 * numeric_begin returned. */
locale_t numeric_begin(void);
void numeric_end(locale_t before);

#endif
