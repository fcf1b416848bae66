/* SPDX-License-Identifier: BSD-3-Clause */
/* Building patterns: sorting, adding up, phases and times that are missing. */
#include <berth/pattern.h>

#include "pattern/pattern_time.h"

#include "harness.h"

static void messages_are_sorted_and_added_up(void **state)
{
  (void)state;
  berth_pattern_t *p = berth_pattern_new(3, NULL);
  static const berth_message_t in[] = {
      {0, 0, 2, 1, 8, 1, 8},  {0, 0, 0, 2, 16, 2, 32}, {0, 0, 0, 1, 8, 3, 24},
      {0, 0, 2, 1, 8, 4, 32}, {1, 0, 0, 1, 8, 5, 40},  {0, 7, 0, 1, 8, 1, 8},
      {0, 0, 1, 0, 8, 0, 0}, /* no messages: not kept */
  };
  for (size_t i = 0; i < COUNT(in); i++)
    assert_int_equal(berth_pattern_add_message(p, &in[i], NULL), BERTH_OK);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  size_t n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n);
  assert_int_equal(n, 2);
  assert_int_equal(phases[1].id, 1);
  assert_int_equal(phases[1].repeats, 1);
  const berth_message_t *m = berth_pattern_messages(p, 0, &n);
  assert_int_equal(n, 4);
  static const int order[][4] = {{0, 1, 0, 3}, {0, 1, 7, 1}, {0, 2, 0, 2}, {2, 1, 0, 5}};
  for (size_t i = 0; i < COUNT(order); i++) {
    assert_int_equal(m[i].src, order[i][0]);
    assert_int_equal(m[i].dst, order[i][1]);
    assert_int_equal(m[i].site, order[i][2]);
    assert_int_equal(m[i].count, order[i][3]);
  }
  berth_pattern_free(p);
}

static void sums_beyond_the_format_are_refused(void **state)
{
  (void)state;
  berth_error_t err = {0};
  berth_pattern_t *p = berth_pattern_new(2, NULL);
  berth_message_t m = {0, 0, 0, 1, 0, (uint64_t)1 << 53, 0};
  assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_finish(p, &err), BERTH_BAD_INPUT);
  berth_pattern_free(p);
}

/* The share of time in MPI is known only when every rank's times are. */
static void shares_of_the_run_need_all_ranks(void **state)
{
  static const struct {
    const char *name;
    berth_rank_info_t info[2];
    double in_mpi, waited;
  } cases[] = {{"one rank", {{"n", 0, 10, 4, 0, 1}}, -1, -1},
               {"both", {{"n", 0, 10, 4, 0, 1}, {"n", 0, 10, 2, 0, 4}}, 0.3, 0.25},
               {"none waited", {{"n", 0, 10, 4}, {"n", 0, 10, 2}}, 0.3, 0},
               {"one may have", {{"n", 0, 10, 4, 0, 1}, {"n", 0, 10, 2, 0, -1}}, 0.3, -1},
               {"one has no times", {{"n", 0, 10, 4}, {"n", 0, -1, -1, 0, -1}}, -1, -1}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_pattern_t *p = berth_pattern_new(2, NULL);
    for (int r = 0; r < 2 && cases[i].info[r].host; r++)
      assert_int_equal(berth_pattern_set_rank(p, r, &cases[i].info[r], NULL), BERTH_OK);
    double in_mpi = berth_pattern_mpi_share(p), waited = berth_pattern_core_wait_share(p);
    if (in_mpi != cases[i].in_mpi || waited != cases[i].waited)
      FAIL_ROW(cases[i].name, "found %g and %g", in_mpi, waited);
    berth_pattern_free(p);
  }
}

static void an_empty_pattern_has_one_phase(void **state)
{
  (void)state;
  berth_pattern_t *p = berth_pattern_new(1, NULL);
  size_t n;
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_phases(p, &n)[0].repeats, 1);
  assert_int_equal(n, 1);
  assert_null(berth_pattern_messages(p, 0, &n));
  assert_int_equal(n, 0);
  berth_pattern_free(p);
}

/* Orders come sorted; the rounds multiply; a sender to itself counts like any other. */
static void orders_hold_the_messages(void **state)
{
  (void)state;
  static const berth_message_t in[] = {
      {1, 0, 0, 1, 8, 6, 48}, {1, 0, 0, 0, 8, 3, 24}, {0, 0, 2, 1, 8, 1, 8}};
  static const berth_step_t first[] = {{1, 1, 8, 2}, {0, 0, 8, 1}}, second[] = {{1, 0, 8, 1}};
  static const berth_order_t orders[] = {{1, 0, 3, 2, first}, {0, 2, 1, 1, second}};
  berth_pattern_t *p = berth_pattern_new(3, NULL);
  size_t n;
  for (size_t i = 0; i < COUNT(orders); i++)
    assert_int_equal(berth_pattern_add_order(p, &orders[i], NULL), BERTH_OK);
  for (size_t i = 0; i < COUNT(in); i++)
    assert_int_equal(berth_pattern_add_message(p, &in[i], NULL), BERTH_OK);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  const berth_order_t *o = berth_pattern_orders(p, &n);
  assert_int_equal(n, 2);
  assert_int_equal(o[0].phase, 0);
  assert_int_equal(o[1].rounds, 3);
  assert_int_equal(o[1].steps[0].times, 2);
  assert_true(o[1].steps[0].mode == BERTH_SEND_BLOCKS);
  const berth_pattern_t *one = berth_pattern_of_phase(p, 1, NULL);
  o = berth_pattern_orders(one, &n);
  assert_int_equal(n, 1);
  assert_int_equal(o->src, 0);
  berth_pattern_of_phase_free(one);
  berth_pattern_free(p);
}

static void wrong_orders_are_dropped_on_request(void **state)
{
  (void)state;
  static const berth_step_t sends[] = {{1, 1, 8, 3}};
  static const berth_order_t orders[] = {{0, 0, 1, 1, sends}, {0, 1, 1, 1, sends}};
  berth_pattern_t *p = berth_pattern_new(2, NULL);
  assert_int_equal(berth_pattern_add_message(p, &(berth_message_t){0, 0, 0, 1, 8, 3, 24}, NULL), 0);
  assert_int_equal(berth_pattern_add_message(p, &(berth_message_t){0, 0, 1, 1, 8, 4, 32}, NULL), 0);
  for (size_t i = 0; i < COUNT(orders); i++)
    assert_int_equal(berth_pattern_add_order(p, &orders[i], NULL), BERTH_OK);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_BAD_INPUT);
  berth_pattern_drop_orders(p);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  size_t n;
  const berth_order_t *o = berth_pattern_orders(p, &n);
  assert_true(n == 1 && o->src == 0);
  berth_pattern_free(p);
}

static void times_are_sorted_and_checked(void **state)
{
  (void)state;
  static const berth_time_t in[] = {{3, -1, "MPI_Wait", 0.3, 0.1 * (1 - 1e-7), 2}, /* rounded */
                                    {0, 1, "MPI_Bcast", 2, 1, 0},
                                    {0, -1, "MPI_Wait", 0.3 * (1 - 1e-7), 0.1, 1},
                                    {0, 0, "MPI_Bcast", 0, 0, 0},
                                    {0, -1, "MPI_Bcast", 2, 1, 0}};
  static const int order[] = {4, 3, 1, 2, 0};
  static const berth_time_t bad[] = {{0, -1, "x", 3.1, 1, 0},       {0, -1, "x", 1, 1.1, 0},
                                     {0, -1, "x", -1, -1, 0},       {0, -1, "x", 0.0 / 0.0, 1, 0},
                                     {0, -1, "x", 1.0 / 0.0, 1, 0}, {0, -1, "x", 1, 1, 3},
                                     {0, -1, "x", 1, 1, -1},        {-1, -1, "x", 1, 1, 0},
                                     {0, -2, "x", 1, 1, 0},         {0, -1, "x", 0.1, 0, 0}};
  berth_pattern_t *p = berth_pattern_new(3, NULL);
  for (size_t i = 0; i < COUNT(in); i++)
    assert_int_equal(berth_pattern_add_time(p, &in[i], NULL), BERTH_OK);
  for (size_t i = 0; i < COUNT(bad); i++) {
    berth_error_t err = {0};
    if (berth_pattern_add_time(p, &bad[i], &err) != BERTH_BAD_INPUT || !*err.text)
      fail_msg("time %zu was taken", i);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  size_t n;
  const berth_time_t *t = berth_pattern_times(p, &n);
  assert_int_equal(n, COUNT(in));
  for (size_t i = 0; i < n; i++) {
    const berth_time_t *expected = &in[order[i]];
    assert_string_equal(t[i].op, expected->op);
    assert_true(t[i].site == expected->site && t[i].comm == expected->comm);
    assert_true(t[i].total_s == expected->total_s && t[i].max_s == expected->max_s);
    assert_int_equal(t[i].max_rank, expected->max_rank);
  }
  berth_pattern_free(p);
}

/* Times that don't belong together. */
static void parts_of_times_are_checked(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    berth_time_t first, second, third;
  } cases[] = {
      {"found the times of A a second time", {0, -1, "A", 2, 1, 0}, {0, -1, "A", 0, 0, 0}, {0}},
      {"found the times of A at site 4 on communicator 0 a second time",
       {4, 0, "A", 1, 1, 0},
       {4, 0, "A", 1, 1, 0},
       {0, -1, "A", 2, 2, 0}},
      {"found times of A without one that has neither site nor communicator",
       {1, -1, "A", 2, 1, 0},
       {0, -1, "B", 2, 1, 0},
       {2, -1, "A", 2, 1, 0}},
      {"found times of A without one that has neither site nor communicator",
       {0, 0, "A", 2, 1, 0},
       {0, -1, "B", 2, 1, 0},
       {0}},
      {"total_s: found 2.5 at the call sites and communicators of A, expected at most the "
       "function's, 2",
       {0, -1, "A", 2, 1, 0},
       {1, -1, "A", 1, 1, 0},
       {0, 1, "A", 1.5, 1, 0}},
      {"max_s: found 1.5 at the call sites and communicators of A, expected at most the "
       "function's, 1",
       {0, -1, "A", 2, 1, 0},
       {1, -1, "A", 1.5, 1.5, 0},
       {0}}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    berth_pattern_t *p = berth_pattern_new(3, NULL);
    assert_int_equal(berth_pattern_add_time(p, &cases[i].first, NULL), BERTH_OK);
    assert_int_equal(berth_pattern_add_time(p, &cases[i].second, NULL), BERTH_OK);
    if (cases[i].third.op)
      assert_int_equal(berth_pattern_add_time(p, &cases[i].third, NULL), BERTH_OK);
    assert_int_equal(berth_pattern_finish(p, &err), BERTH_BAD_INPUT);
    assert_string_equal(err.text, cases[i].text);
    berth_pattern_free(p);
  }
}

static void layouts_are_sorted_and_added_up(void **state)
{
  (void)state;
  static const berth_packed_t in[] = {
      {1, 0, 0, 8, 2, 12, 1}, {0, 2, 1, 8, 2, 12, 2}, {0, 2, 0, 16, 2, 24, 3},
      {0, 2, 0, 8, 2, 24, 4}, {0, 2, 1, 8, 2, 12, 5}, {0, 0, 1, 8, 8, 9, 6},
      {0, 2, 0, 8, 3, 12, 7}, {1, 1, 1, 8, 2, 12, 0}, /* no messages: not kept */
  };
  static const berth_packed_t out[] = {
      {0, 0, 1, 8, 8, 9, 6},   {0, 2, 0, 8, 2, 24, 4}, {0, 2, 0, 8, 3, 12, 7},
      {0, 2, 0, 16, 2, 24, 3}, {0, 2, 1, 8, 2, 12, 7}, {1, 0, 0, 8, 2, 12, 1},
  };
  static const uint64_t much = ((uint64_t)1 << 53) + 1;
  const berth_packed_t bad[] = {
      {2, 0, 0, 8, 2, 12, 1},    {-1, 0, 0, 8, 2, 12, 1},  {0, -1, 0, 8, 2, 12, 1},
      {0, 0, 2, 8, 2, 12, 1},    {0, 0, 0, 8, 1, 12, 1},   {0, 0, 0, 8, 2, 7, 1},
      {0, 0, 0, much, 2, 12, 1}, {0, 0, 0, 8, much, 8, 1}, {0, 0, 0, 8, 2, much, 1},
      {0, 0, 0, 0, 2, 12, much}, {1, 0, 1, 8, 2, 12, much}};
  berth_pattern_t *p = berth_pattern_new(2, NULL);
  for (size_t i = 0; i < COUNT(in); i++)
    assert_int_equal(berth_pattern_add_packed(p, &in[i], NULL), BERTH_OK);
  for (size_t i = 0; i < COUNT(bad); i++) {
    berth_error_t err = {0};
    if (berth_pattern_add_packed(p, &bad[i], &err) != BERTH_BAD_INPUT || !*err.text)
      fail_msg("layout %zu was taken", i);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  size_t n;
  const berth_packed_t *x = berth_pattern_packed(p, &n);
  assert_int_equal(n, COUNT(out));
  for (size_t i = 0; i < n; i++) {
    assert_true(x[i].rank == out[i].rank && x[i].site == out[i].site);
    assert_true(x[i].receives == out[i].receives && x[i].size == out[i].size);
    assert_true(x[i].pieces == out[i].pieces && x[i].span == out[i].span);
    assert_int_equal(x[i].count, out[i].count);
  }
  berth_pattern_free(p);
}

/* Call sites of messages, their layouts, collective and one-sided operations aren't times alone. */
static void sites_of_times_alone_are_known(void **state)
{
  (void)state;
  static const bool alone[] = {false, false, false, false, false, true, false};
  static const berth_share_t share = {1, 2};
  static const berth_message_t put = {.dst = 1, .size = 1, .count = 1, .bytes = 1};
  berth_pattern_t *p = berth_pattern_new(2, NULL);
  for (int id = 1; id <= (int)COUNT(alone); id++) {
    assert_int_equal(berth_pattern_add_site(p, &(berth_site_t){.id = id, .op = "x"}, NULL), 0);
    if (id != 5)
      assert_int_equal(
          berth_pattern_add_time(p, &(berth_time_t){.site = id, .comm = -1, .op = "x"}, NULL), 0);
  }
  assert_int_equal(berth_pattern_add_message(p, &(berth_message_t){0, 1, 0, 1, 1, 1, 1}, NULL), 0);
  assert_int_equal(
      berth_pattern_add_coll(p, &(berth_coll_t){.site = 2, .op = "x", .root = -1}, NULL), 0);
  assert_int_equal(berth_pattern_add_row(p, &(berth_row_t){0, 3, 0, 0, "x", 1, &share}, NULL), 0);
  assert_int_equal(berth_pattern_add_rma(p, &(berth_rma_t){0, 4, 0, 0, "", "x", 1, 1, &put}, NULL),
                   0);
  assert_int_equal(berth_pattern_add_packed(p, &(berth_packed_t){0, 7, 1, 8, 2, 9, 1}, NULL), 0);
  assert_int_equal(berth_pattern_add_time(p, &(berth_time_t){.comm = -1, .op = "x"}, NULL), 0);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  bool *found = pattern_time_only_sites(p, NULL);
  assert_non_null(found);
  for (size_t i = 0; i < COUNT(alone); i++)
    if (found[i] != alone[i]) fail_msg("site %zu: found %d", i + 1, found[i]);
  free(found);
  size_t n;
  berth_pattern_drop_run(p);
  berth_pattern_sites(p, &n);
  assert_int_equal(n, COUNT(alone) - 1);
  assert_null(berth_pattern_site(p, 6));
  berth_pattern_times(p, &n);
  assert_int_equal(n, 0);
  berth_pattern_free(p);
}

static void wrong_orders_are_refused(void **state)
{
  (void)state;
  static const berth_step_t far[] = {{3, 0, 8, 1}}, odd[] = {{1, 7, 8, 1}}, none[] = {{1, 0, 8, 0}},
                            fine[] = {{1, 0, 8, 1}};
  static const berth_order_t orders[] = {
      {0, 0, 1, 1, far},   {0, 0, 1, 1, odd},   {0, 0, 1, 1, none}, {0, 3, 1, 1, fine},
      {0, -1, 1, 1, fine}, {-1, 0, 1, 1, fine}, {0, 0, 0, 1, fine}};
  berth_pattern_t *p = berth_pattern_new(3, NULL);
  for (size_t i = 0; i < COUNT(orders); i++) {
    berth_error_t err = {0};
    if (berth_pattern_add_order(p, &orders[i], &err) != BERTH_BAD_INPUT || !*err.text)
      fail_msg("order %zu was taken", i);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  static const berth_order_t silent = {0, 0, 1, 1, fine};
  assert_int_equal(berth_pattern_add_order(p, &silent, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_BAD_INPUT);
  berth_pattern_free(p);
}

/* What the reader refuses of a file the builder refuses of a program. */
static void what_the_format_cannot_hold_is_refused(void **state)
{
  (void)state;
  static const char *const bad[] = {"a\nb", "\033[31m", "a\x7f", "\xff", "\xc3(", NULL};
  static const char *const any[] = {"\xff", "cut\xc3", NULL};
  static const int pus[2];
  berth_pattern_t *p = berth_pattern_new(2, NULL);
#define REFUSED(what, ...)                                                                         \
  do {                                                                                             \
    berth_error_t err = {0};                                                                       \
    if (__VA_ARGS__ != BERTH_BAD_INPUT || strncmp(err.text, "found ", 6) != 0)                     \
      fail_msg("%s %zu: found \"%s\"", what, i, err.text);                                         \
  } while (0)
  for (size_t i = 0; i < COUNT(bad); i++) {
    const char *s = bad[i];
    REFUSED("phase", berth_pattern_add_phase(p, &(berth_phase_t){0, s, 1}, &err));
    REFUSED("op", berth_pattern_add_site(p, &(berth_site_t){1, s, 0, NULL}, &err));
    REFUSED("host", berth_pattern_set_rank(p, 0, &(berth_rank_info_t){s, -1, -1, -1}, &err));
    REFUSED("coll", berth_pattern_add_coll(p, &(berth_coll_t){.op = s, .root = -1}, &err));
    REFUSED("row", berth_pattern_add_row(p, &(berth_row_t){.op = s}, &err));
    REFUSED("rma", berth_pattern_add_rma(p, &(berth_rma_t){.op = s, .sync = ""}, &err));
    REFUSED("sync", berth_pattern_add_rma(p, &(berth_rma_t){.op = "", .sync = s}, &err));
    REFUSED("calls", berth_pattern_add_unmodelled(p, &(berth_unmodelled_t){s, 1}, &err));
    REFUSED("parameter",
            berth_pattern_add_parameter(p, &(berth_parameter_t){.name = s, .value = ""}, &err));
    REFUSED("time", berth_pattern_add_time(p, &(berth_time_t){.op = s}, &err));
    REFUSED("mpi", berth_pattern_set_origin(p, s, "", &err));
    REFUSED("created", berth_pattern_set_origin(p, "", s, &err));
    const char *const texts[4][4] = {
        {s, "", "", ""}, {"", s, "", ""}, {"", "", s, ""}, {"", "", "", s}};
    for (size_t k = 0; k < 4; k++) {
      berth_baseline_t b = {texts[k][0], texts[k][1], texts[k][2], 0, 0, 0, NULL, texts[k][3], pus};
      REFUSED("baseline", berth_pattern_set_baseline(p, &b, &err));
    }
  }
  for (size_t i = 0; i < COUNT(any); i++) { /* these may have control characters */
    REFUSED("command", berth_pattern_set_command(p, 1, &any[i], &err));
    REFUSED("frame", berth_pattern_add_site(p, &(berth_site_t){1, "", 1, &any[i]}, &err));
  }
#undef REFUSED
  const uint64_t much = ((uint64_t)1 << 53) + 1;
  assert_int_equal(berth_pattern_add_phase(p, &(berth_phase_t){0, "", much}, NULL), 3);
  assert_int_equal(
      berth_pattern_add_coll(p, &(berth_coll_t){.op = "", .count = much, .root = -1}, NULL), 3);
  assert_int_equal(
      berth_pattern_add_coll(p, &(berth_coll_t){.op = "", .bytes = much, .root = -1}, NULL), 3);
  assert_int_equal(
      berth_pattern_add_rma(p, &(berth_rma_t){.op = "", .sync = "", .epochs = much}, NULL), 3);
  assert_int_equal(berth_pattern_add_rma(p, &(berth_rma_t){.op = "", .sync = "", .win = -1}, NULL),
                   3);
  assert_int_equal(berth_pattern_add_comm(p, &(berth_comm_t){0, 2, pus}, NULL), 3);
  static const double times[][4] = {{1.0 / 0.0, 1},       {1, 0.0 / 0.0},  {-2, -2},
                                    {1, 1, -1},           {1, 1, 0, -2},   {1, 1, 0, 1.5},
                                    {1, 1, 0, 0.0 / 0.0}, {-1, -1, 0, 0.5}};
  for (size_t i = 0; i < COUNT(times); i++)
    assert_int_equal(berth_pattern_set_rank(p, 0,
                                            &(berth_rank_info_t){"", -1, times[i][0], times[i][1],
                                                                 times[i][2], times[i][3]},
                                            NULL),
                     3);
  assert_int_equal(berth_pattern_set_rank(p, 0, &(berth_rank_info_t){"", -2, -1, -1, 0}, NULL), 3);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  berth_pattern_free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_are_sorted_and_added_up),
      cmocka_unit_test(sums_beyond_the_format_are_refused),
      cmocka_unit_test(shares_of_the_run_need_all_ranks),
      cmocka_unit_test(an_empty_pattern_has_one_phase),
      cmocka_unit_test(orders_hold_the_messages),
      cmocka_unit_test(wrong_orders_are_dropped_on_request),
      cmocka_unit_test(times_are_sorted_and_checked),
      cmocka_unit_test(parts_of_times_are_checked),
      cmocka_unit_test(sites_of_times_alone_are_known),
      cmocka_unit_test(layouts_are_sorted_and_added_up),
      cmocka_unit_test(wrong_orders_are_refused),
      cmocka_unit_test(what_the_format_cannot_hold_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
