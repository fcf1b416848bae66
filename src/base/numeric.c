/* SPDX-License-Identifier: BSD-3-Clause */
/* Switches a thread to the "C" locale's numbers and back. */
#include "base/numeric.h"

#include <pthread.h>

static locale_t c_locale;

static void make_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

locale_t numeric_begin(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_c_locale);
  return c_locale ? uselocale(c_locale) : (locale_t)0;
}

void numeric_end(locale_t before)
{
  if (before) uselocale(before);
}
