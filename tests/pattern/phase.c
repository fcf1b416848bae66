/* SPDX-License-Identifier: BSD-3-Clause */
/* One phase of a pattern as a pattern of its own. */
#include <berth/pattern.h>

#include "harness.h"

static berth_pattern_t *three_phases(void)
{
  berth_pattern_t *p = berth_pattern_new(4, NULL);
  static const berth_phase_t phases[] = {{2, "a", 3}, {5, "b", 7}, {9, "silent", 1}};
  static const berth_message_t messages[] = {
      {2, 0, 0, 1, 8, 1, 8}, {2, 0, 1, 2, 8, 1, 8}, {5, 0, 3, 0, 16, 2, 32}, {5, 1, 3, 0, 8, 1, 8}};
  static const berth_coll_t colls[] = {
      {2, 0, 0, "A", 1, 1, -1}, {5, 0, 0, "B", 1, 1, -1}, {5, 0, 0, "C", 1, 1, -1}};
  static const berth_rma_t rma = {9, 0, 1, 0, "fence", "MPI_Put", 1, 1, &messages[0]};
  static const berth_share_t to_each = {8, 4};
  static const berth_row_t rows[] = {{5, 0, 0, 1, "B", 1, &to_each},
                                     {5, 0, 0, 0, "B", 1, &to_each}};
  for (size_t i = 0; i < COUNT(phases); i++) berth_pattern_add_phase(p, &phases[i], NULL);
  for (size_t i = 0; i < COUNT(messages); i++) berth_pattern_add_message(p, &messages[i], NULL);
  for (size_t i = 0; i < COUNT(colls); i++) berth_pattern_add_coll(p, &colls[i], NULL);
  for (size_t i = 0; i < COUNT(rows); i++) berth_pattern_add_row(p, &rows[i], NULL);
  berth_pattern_add_rma(p, &rma, NULL);
  berth_pattern_add_time(p, &(berth_time_t){0, -1, "MPI_Wait", 1, 1, 0}, NULL);
  berth_pattern_add_packed(p, &(berth_packed_t){0, 0, 0, 8, 2, 12, 3}, NULL);
  berth_pattern_set_rank(p, 0, &(berth_rank_info_t){"h", 1, 2, 1}, NULL);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

/* What each phase has of everything that belongs to phases. */
static const struct {
  const char *name;
  int id;
  size_t messages, colls, rows, rmas;
} expected[] = {{"a", 2, 2, 1, 0, 0}, {"b", 5, 2, 2, 2, 0}, {"silent", 9, 0, 0, 0, 1}};

static void a_phase_has_its_own_and_nothing_else(void **state)
{
  (void)state;
  berth_pattern_t *p = three_phases();
  for (size_t k = 0; k < COUNT(expected); k++) {
    const berth_pattern_t *one = berth_pattern_of_phase(p, k, NULL);
    size_t n, whole;
    const berth_phase_t *phase = berth_pattern_phases(one, &n);
    assert_int_equal(n, 1);
    assert_int_equal(phase->id, expected[k].id);
    assert_string_equal(phase->name, expected[k].name);
    const berth_message_t *m = berth_pattern_messages(one, 0, &n);
    assert_int_equal(n, expected[k].messages);
    assert_ptr_equal(m, berth_pattern_messages(p, k, &whole)); /* no copy */
    const berth_coll_t *c = berth_pattern_colls(one, &n);
    assert_int_equal(n, expected[k].colls);
    for (size_t i = 0; i < n; i++) assert_int_equal(c[i].phase, expected[k].id);
    const berth_row_t *row = berth_pattern_rows(one, &n);
    assert_int_equal(n, expected[k].rows);
    for (size_t i = 0; i < n; i++)
      assert_true(row[i].phase == expected[k].id && row[i].src == (int)i);
    const berth_rma_t *r = berth_pattern_rmas(one, &n);
    assert_int_equal(n, expected[k].rmas);
    for (size_t i = 0; i < n; i++) assert_int_equal(r[i].phase, expected[k].id);
    berth_pattern_times(one, &n);
    assert_int_equal(n, 0); /* they are of the whole run */
    berth_pattern_packed(one, &n);
    assert_int_equal(n, 0);
    assert_int_equal(berth_pattern_ranks(one), 4);
    assert_string_equal(berth_pattern_rank(one, 0)->host, "h");
    berth_pattern_of_phase_free(one);
  }
  berth_pattern_of_phase_free(NULL);
  berth_pattern_free(p);
}

static void a_pattern_without_messages_has_a_phase(void **state)
{
  (void)state;
  berth_pattern_t *p = berth_pattern_new(2, NULL);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  const berth_pattern_t *one = berth_pattern_of_phase(p, 0, NULL);
  size_t n;
  assert_null(berth_pattern_messages(one, 0, &n));
  assert_int_equal(n, 0);
  berth_pattern_of_phase_free(one);
  berth_pattern_free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_phase_has_its_own_and_nothing_else),
      cmocka_unit_test(a_pattern_without_messages_has_a_phase),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
