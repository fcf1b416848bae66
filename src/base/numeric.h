/* SPDX-License-Identifier: BSD-3-Clause */
/* Locale-independent numbers. Files have a decimal point, whatever locale the process has: the
 * library and the tracer run in other people's programs. */
#ifndef BERTH_BASE_NUMERIC_H
#define BERTH_BASE_NUMERIC_H

#include <locale.h>

/* Gives the calling thread the "C" locale's numbers until numeric_end, which takes the result of
 * numeric_begin. */
locale_t numeric_begin(void);
void numeric_end(locale_t before);

#endif
