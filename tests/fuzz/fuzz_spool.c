/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's tables: any bytes make a pattern or fail with one line. They are taken as of the version
 * that is read, so that a corpus outlives it. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "spool/assemble/assembly.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  berth_error_t err = {0};
  assembly_t *a = assembly_new(NULL);
  berth_pattern_t *p = NULL;
  uint8_t *aligned = malloc(n ? n : 1); /* the fuzzer's own bytes may lie anywhere */
  if (!a || !aligned) abort();
  memcpy(aligned, data, n);
  if (n >= sizeof(spool_header_t)) ((spool_header_t *)(void *)aligned)->version = SPOOL_VERSION;
  int rc = assembly_add(a, "f", aligned, n, &err);
  free(aligned);
  if (!rc) rc = assembly_finish(a, &p, NULL, &err);
  if (rc && (!*err.text || strchr(err.text, '\n'))) abort();
  berth_pattern_free(p);
  assembly_free(a);
  return 0;
}
