/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of machines: what is taken makes a machine, or an error of one line. */
#include <berth/sketch.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void check(int holds)
{
  if (!holds) abort();
}

/* Whether a count is so large that the machine takes long: that is no fault. */
static int is_large(const char *text)
{
  unsigned long product = 1;
  for (const char *c = text; *c; c++)
    if (*c >= '0' && *c <= '9') {
      char *end;
      unsigned long n = strtoul(c, &end, 10);
      product = n > 1 && n < 1000 && product < 100000 ? product * n : product;
      if ((n >= 1000 && n < 33554433) || product >= 100000) return 1;
      c = end - 1;
    }
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  berth_error_t err = {0};
  char *text = malloc(n + 1), *rest = text;
  berth_sketch_t *s = berth_sketch_new(&err);
  int rc = text && s ? BERTH_OK : BERTH_MISSING;
  if (!rc) memcpy(text, data, n);
  if (!rc) text[n] = '\0';
  if (!rc && is_large(text)) rc = BERTH_MISSING;
  for (char *word; !rc && (word = strsep(&rest, " \n"));)
    if (*word) rc = berth_sketch_add(s, word, &err);
  if (!rc) {
    berth_topo_t *t = berth_sketch_topo(s, NULL, &err);
    check(t ? berth_topo_n_pus(t) > 0 : *err.text && !strchr(err.text, '\n'));
    berth_topo_free(t);
  }
  berth_sketch_free(s);
  free(text);
  return 0;
}
