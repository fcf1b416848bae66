/* SPDX-License-Identifier: BSD-3-Clause */
/* A copy of a pattern is the pattern to the byte, without what was added for estimates. */
#include <berth/collectives.h>
#include <berth/one_sided.h>
#include <berth/pattern.h>

#include "harness.h"

static const char *source(const char *name)
{
  static char path[512];
  snprintf(path, sizeof path, "%s/tests/fuzz/corpus/pattern/%s", getenv("BERTH_SOURCE_DIR"), name);
  return path;
}

/* The bytes of a saved pattern; the caller frees them. */
static char *bytes_of(const berth_pattern_t *p, const char *name, size_t *n)
{
  const char *path = scratch_file(name, "", 0);
  assert_int_equal(berth_pattern_save(p, path, NULL), BERTH_OK);
  FILE *f = fopen(path, "rb");
  char *bytes = malloc(1 << 20);
  *n = fread(bytes, 1, 1 << 20, f);
  fclose(f);
  unlink(path);
  return bytes;
}

static void assert_copied(const char *name, const berth_pattern_t *p, const char *as, size_t n)
{
  size_t size;
  berth_error_t err = {0};
  berth_pattern_t *copy = berth_pattern_copy(p, &err);
  if (!copy) FAIL_ROW(name, "%s", err.text);
  char *bytes = bytes_of(copy, "copy", &size);
  if (size != n || memcmp(bytes, as, n) != 0) FAIL_ROW(name, "found another pattern");
  assert_string_equal(berth_pattern_rules(copy, BERTH_COLLECTIVES), "");
  free(bytes);
  berth_pattern_free(copy);
}

static const char *const patterns[] = {
    "baseline.acp",   "grids.acp", "natures.acp",  "one-sided.acp",  "order.acp", "packed.acp",
    "parameters.acp", "parts.acp", "receives.acp", "two-phases.acp", "whole.acp"};

static void copies_have_everything(void **state)
{
  (void)state;
  size_t included = 0;
  for (size_t i = 0; i < COUNT(patterns); i++) {
    size_t n, before, after;
    berth_error_t err = {0};
    berth_pattern_t *p = berth_pattern_load(source(patterns[i]), BERTH_PATTERN_STRICT, &err);
    if (!p) FAIL_ROW(patterns[i], "%s", err.text);
    berth_pattern_add_time(p, &(berth_time_t){0, -1, "MPI_Wait", 1, 1, 0}, NULL);
    assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
    char *bytes = bytes_of(p, "original", &n);
    assert_copied(patterns[i], p, bytes, n);
    berth_pattern_phases(p, &before);
    assert_int_equal(berth_one_sided_include(p, "openmpi-4.1", NULL, NULL), BERTH_OK);
    assert_int_equal(berth_collectives_include_by_hosts(p, "mpich-4.0", 0, NULL, NULL), BERTH_OK);
    berth_pattern_phases(p, &after);
    included += after > before;
    assert_copied(patterns[i], p, bytes, n);
    free(bytes);
    berth_pattern_free(p);
  }
  assert_true(included > 2); /* or the second comparison says nothing new */
}

static void a_truncated_pattern_stays_one(void **state)
{
  (void)state;
  berth_pattern_t *p = berth_pattern_load(source("cut.acp"), BERTH_PATTERN_TRUNCATED, NULL);
  assert_non_null(p);
  berth_pattern_t *copy = berth_pattern_copy(p, NULL);
  assert_non_null(berth_pattern_cut(p));
  assert_non_null(berth_pattern_cut(copy));
  assert_int_equal(berth_pattern_cut(copy)->lines, berth_pattern_cut(p)->lines);
  assert_int_equal(berth_pattern_cut(copy)->senders, berth_pattern_cut(p)->senders);
  assert_string_equal(berth_pattern_cut(copy)->why, berth_pattern_cut(p)->why);
  berth_pattern_free(p);
  berth_pattern_free(copy);
}

static void an_unfinished_pattern_is_refused(void **state)
{
  (void)state;
  berth_error_t err = {0};
  berth_pattern_t *p = berth_pattern_new(2, NULL);
  assert_null(berth_pattern_copy(p, &err));
  assert_int_equal(err.code, BERTH_BAD_INPUT);
  berth_pattern_free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_have_everything),
      cmocka_unit_test(a_truncated_pattern_stays_one),
      cmocka_unit_test(an_unfinished_pattern_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
