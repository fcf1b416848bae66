/* SPDX-License-Identifier: BSD-3-Clause */
/* What unit tests share: cmocka, and tables of cases. */
#ifndef BERTH_TESTS_HARNESS_H
#define BERTH_TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Fails the test with the row's name in front. */
#define FAIL_ROW(name, ...)                                                                        \
  do {                                                                                             \
    print_error("case '%s': ", (name));                                                            \
    print_error(__VA_ARGS__);                                                                      \
    print_error("\n");                                                                             \
    fail();                                                                                        \
  } while (0)

/* How often a property is tried: so many times, or BERTH_TEST_ROUNDS times as many (0.2: a fifth of
 * them). */
static inline int rounds_of(int usual)
{
  const char *times = getenv("BERTH_TEST_ROUNDS");
  double rounds = usual * (times && atof(times) > 0 ? atof(times) : 1);
  return rounds < 1 ? 1 : (int)rounds;
}

/* Whether so many are tried that what is rare is among them. */
static inline int all_rounds(void) { return rounds_of(100) >= 100; }

/* Writes n bytes to a file in the test's scratch folder and returns its path (static buffer). */
static inline const char *scratch_file(const char *name, const void *data, size_t n)
{
  static char path[512];
  const char *dir = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/berth-test-%ld-%s", dir ? dir : "/tmp", (long)getpid(), name);
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, n, f) != n || fclose(f)) {
    print_error("cannot write %s\n", path);
    abort();
  }
  return path;
}

#endif
