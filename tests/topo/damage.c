/* SPDX-License-Identifier: BSD-3-Clause */
/* A small file damaged at every place: it loads, or fails with one line; it never crashes. */
#include <berth/topo.h>

#include "base/in_file.h"
#include "topo/topo_internal.h"

#include "harness.h"

static char *small;
static size_t small_n;

static int load_text(void **state)
{
  (void)state;
  char path[512];
  snprintf(path, sizeof path, "%s/tests/topo/data/small.topo.json", getenv("BERTH_SOURCE_DIR"));
  return in_read_all(path, &small, &small_n, NULL);
}

static int free_text(void **state)
{
  (void)state;
  free(small);
  return 0;
}

/* Parses a copy that ends where the text does, so that a sanitizer sees a read beyond it. Returns
 * whether it was taken. */
static int try(const char *text, size_t n, const char *what, size_t at)
{
  static const topo_limits_t limits = {1 << 16, 1 << 17, 1 << 22};
  berth_error_t err = {0};
  char *copy = malloc(n ? n : 1);
  memcpy(copy, text, n);
  berth_topo_t *t = topo_parse(copy, n, "f", &limits, &err);
  free(copy);
  int taken = t != NULL;
  if (taken && berth_topo_n_pus(t) < 1) fail_msg("%s at %zu: no PUs", what, at);
  if (!taken && (err.code != BERTH_BAD_INPUT || strncmp(err.text, "f:", 2) != 0 ||
                 strchr(err.text, '\n') || strlen(err.text) < 8))
    fail_msg("%s at %zu: code %d, \"%s\"", what, at, err.code, err.text);
  berth_topo_free(t);
  return taken;
}

static void a_file_cut_anywhere_is_refused(void **state)
{
  (void)state;
  size_t end = small_n;
  while (end > 0 && small[end - 1] != '}') end--;
  for (size_t n = 0; n < small_n; n++)
    if (try(small, n, "cut", n) != (n >= end)) fail_msg("cut at %zu was taken", n);
}

static void a_changed_byte_never_crashes(void **state)
{
  (void)state;
  static const unsigned char put[] = {0, '"', '{', '}', '[', ']', ',', '9', '-', 'e', '%', 0xc3};
  size_t taken = 0;
  for (size_t i = 0; i < small_n; i++) {
    char before = small[i];
    for (int bit = 0; bit < 8; bit++) {
      small[i] = (char)(before ^ 1 << bit);
      taken += (size_t)try(small, small_n, "bit flip", i);
    }
    for (size_t k = 0; k < COUNT(put); k++) {
      small[i] = (char)put[k];
      taken += (size_t)try(small, small_n, "new byte", i);
    }
    small[i] = before;
  }
  assert_true(taken > 0 && taken < small_n * (8 + COUNT(put)));
}

static void a_byte_too_many_or_too_few_never_crashes(void **state)
{
  (void)state;
  char *text = malloc(small_n + 1);
  for (size_t i = 0; i < small_n; i++) {
    memcpy(text, small, i);
    memcpy(text + i, small + i + 1, small_n - i - 1);
    try(text, small_n - 1, "left out", i);
    text[i] = '0';
    memcpy(text + i + 1, small + i, small_n - i);
    try(text, small_n + 1, "put in", i);
  }
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_cut_anywhere_is_refused),
      cmocka_unit_test(a_changed_byte_never_crashes),
      cmocka_unit_test(a_byte_too_many_or_too_few_never_crashes),
  };
  return cmocka_run_group_tests(tests, load_text, free_text);
}
