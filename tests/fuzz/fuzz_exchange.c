/* SPDX-License-Identifier: BSD-3-Clause */
/* The importers of single files: any bytes make a pattern or fail with one line. The first byte
 * chooses the format; OTF2 archives are read by their own library. */
#include <berth/exchange.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static const char *const formats[] = {"monitoring", "ipm",   "mpip",   "csv",   "matrix-market",
                                      "matrix",     "metis", "scotch", "sqlite"};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static void check(int holds)
{
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  if (n < 1) return 0;
  char path[64];
  int fd = memfd_create("f", 0);
  check(fd >= 0 && write(fd, data + 1, n - 1) == (ssize_t)n - 1);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const char *paths[] = {path};
  berth_error_t err = {0};
  berth_import_t in = {
      .n_paths = 1, .paths = paths, .format = berth_exchange_find(formats[data[0] % N_FORMATS])};
  berth_pattern_t *p = berth_import(&in, &err);
  if (!p) check(err.code != BERTH_OK && *err.text && !strchr(err.text, '\n'));
  berth_pattern_free(p);
  berth_exchange_of(path, NULL);
  close(fd);
  return 0;
}
