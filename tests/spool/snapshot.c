/* SPDX-License-Identifier: BSD-3-Clause */
/* Two copies of tables that grow between them: counts are the first's, names the second's. */
#include "spool/spool_snapshot.h"

#include "image.h"
#include "spool/assemble/assembly.h"

#include "harness.h"

static image_t image;

/* A rank's tables at a moment: so many lines of operations, and how far counts are. */
static spool_bytes_t copy_at(uint32_t n_lines, uint64_t count)
{
  spool_bytes_t copy = {0};
  berth_error_t err = {0};
  image_begin(&image, 0, 2);
  spool_block_t *b = image_block(&image, SPOOL_WINDOWS);
  for (uint32_t i = 0; i < n_lines; i++) {
    const spool_window_t window = {.id = i + 1, .number = i};
    image_add(&image, b, &window, sizeof window);
  }
  b = image_block(&image, SPOOL_RMAS);
  for (uint32_t i = 0; i < n_lines; i++) {
    const spool_rma_t line = {.id = i + 1,
                              .window = i + 1,
                              .epochs = count + i,
                              .target = -1,
                              .sync = SPOOL_SYNC_FENCE,
                              .name = "Put"};
    image_add(&image, b, &line, sizeof line);
  }
  b = image_block(&image, SPOOL_OPERATIONS); /* copied last: both lines are there by then */
  image_message(&image, b, 1, 1, 8, 10 * count);
  image_message(&image, b, 1, 2, 8, 20 * count);
  image_unmodelled(&image, "File_write", count);
  const spool_image_t live = {"live", image.bytes, image.size};
  if (spool_copy(&live, &copy, &err)) fail_msg("%s", err.text);
  return copy;
}

static void lines_are_names_and_have_a_count(void **state)
{
  (void)state;
  berth_error_t err = {0};
  berth_pattern_t *p = NULL;
  assembly_stats_t stats;
  size_t n;
  spool_bytes_t first = copy_at(1, 3), second = copy_at(2, 7), joined = {0};
  assembly_t *a = assembly_new(&err);
  if (spool_join(&first, &second, &joined, &err) ||
      assembly_add(a, "joined", joined.bytes, joined.size, &err) ||
      assembly_finish(a, &p, &stats, &err))
    fail_msg("%s", err.text);
  const berth_rma_t *rmas = berth_pattern_rmas(p, &n);
  assert_int_equal(n, 2);
  assert_int_equal(stats.total.impossible, 0);
  assert_true(rmas[0].win == 0 && rmas[0].epochs == 3 && rmas[0].msgs[0].count == 30);
  assert_true(rmas[1].win == 1 && rmas[1].epochs == 8 && rmas[1].msgs[0].count == 60);
  assert_int_equal(berth_pattern_unmodelled(p, &n)->calls, 3);
  berth_pattern_free(p);
  assembly_free(a);
  free(first.bytes);
  free(second.bytes);
  free(joined.bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_names_and_have_a_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
