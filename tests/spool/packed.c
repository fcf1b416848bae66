/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts of messages that aren't contiguous, from tables into patterns. */
#include "assemble_images.h"

static image_t image[2];

static void put(image_t *to, const spool_packed_t *x, size_t n)
{
  image_add(to, image_block(to, SPOOL_PACKED), x, n * sizeof *x);
}

/* Each rank keeps its own; those of its threads are added up. Sites that have nothing else stay. */
static void ranks_keep_their_layouts(void **state)
{
  (void)state;
  static const uint64_t offsets[] = {0x20, 0x10, 0x30};
  static const spool_packed_t
      of_0[] = {{.site = 1, .size = 8, .pieces = 2, .span = 12, .count = 1},
                {.site = 1, .size = 8, .pieces = 2, .span = 12, .count = 0}},
      more[] = {{.site = 1, .size = 8, .pieces = 2, .span = 12, .count = 4}},
      of_1[] = {{2, 1, 16, 4, 70, 6, {0}}, {0, 1, 16, 4, 70, 7, {0}}};
  static const berth_packed_t expected[] = {
      {0, 2, 0, 8, 2, 12, 5}, {1, 0, 1, 16, 4, 70, 7}, {1, 1, 1, 16, 4, 70, 6}};
  for (uint32_t r = 0; r < 2; r++) {
    image_begin(&image[r], r, 2);
    image_sites(&image[r], "MPI_Send", offsets, COUNT(offsets));
  }
  put(&image[0], of_0, COUNT(of_0));
  put(&image[0], more, COUNT(more));
  put(&image[1], of_1, COUNT(of_1));
  size_t n;
  berth_pattern_t *p = assemble(image, 2, NULL);
  const berth_packed_t *x = berth_pattern_packed(p, &n);
  assert_int_equal(n, COUNT(expected));
  for (size_t i = 0; i < n; i++) {
    assert_true(x[i].rank == expected[i].rank && x[i].site == expected[i].site);
    assert_true(x[i].receives == expected[i].receives && x[i].size == expected[i].size);
    assert_true(x[i].pieces == expected[i].pieces && x[i].span == expected[i].span);
    assert_int_equal(x[i].count, expected[i].count);
  }
  berth_pattern_sites(p, &n);
  assert_int_equal(n, 2);
  berth_pattern_free(p);
}

/* What no call can have made is left out. */
static void impossible_layouts_are_left_out(void **state)
{
  (void)state;
  static const uint64_t much = ((uint64_t)1 << 53) + 1;
  const struct {
    const char *name;
    spool_packed_t x;
  } cases[] = {{"an unknown site", {7, 0, 8, 2, 12, 1, {0}}},
               {"a third side", {0, 2, 8, 2, 12, 1, {0}}},
               {"one piece", {0, 0, 8, 1, 12, 1, {0}}},
               {"many pieces", {0, 0, 8, much, 12, 1, {0}}},
               {"less span than data", {0, 0, 8, 2, 7, 1, {0}}},
               {"a large span", {0, 0, 8, 2, much, 1, {0}}},
               {"many messages", {0, 0, 8, 2, 12, much, {0}}}};
  const spool_packed_t good = {0, 1, 8, 2, 12, 3, {0}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    size_t n;
    assembly_stats_t stats;
    image_begin(&image[0], 0, 1);
    put(&image[0], &cases[i].x, 1);
    put(&image[0], &good, 1);
    berth_pattern_t *p = assemble(image, 1, &stats);
    berth_pattern_packed(p, &n);
    if (n != 1 || stats.total.impossible != 1)
      FAIL_ROW(cases[i].name, "%zu layouts, %llu impossible", n,
               (unsigned long long)stats.total.impossible);
    berth_pattern_free(p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_keep_their_layouts),
      cmocka_unit_test(impossible_layouts_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
