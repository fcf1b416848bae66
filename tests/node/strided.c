/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from tables of messages whose data lie in blocks. The tables here are made of a
 * formula, so values between their points are known. */
#include <berth/strided.h>
#include <math.h>
#include <stdbool.h>

#include "harness.h"

enum { MOST = 200 };

/* A contiguous message takes 0.1 ns for each byte one way, in an exchange 1 us more. */
static double contiguous(double bytes, int exchange)
{
  return (exchange ? 1e-6 : 0) + 1e-10 * bytes;
}

/* One way a message takes `ns` for each byte in blocks of 16 bytes with gaps of 8. Four times the
 * block halves that, four times the gap doubles it. */
static double one_way(double bytes, double block, double gap, double ns)
{
  return ns * 1e-9 * bytes * sqrt(16 / block) * sqrt(gap / 8);
}

/* In an exchange packing takes `ns` for each block. Below 0: the message takes half of the time. */
static double exchanged(double bytes, double block, double ns)
{
  return ns < 0 ? contiguous(bytes, 1) / 2 : contiguous(bytes, 1) + ns * 1e-9 * bytes / block;
}

static void add_table(berth_node_t *n, const char *mpi, berth_packer_t by, berth_side_t side,
                      int exchange, double gap, double ns)
{
  double block[MOST], bytes[MOST], seconds[MOST], spread[MOST];
  int samples[MOST];
  size_t k = 0;
  bool whole = by == BERTH_PACKER_NOBODY;
  for (double size = 1024; size <= 1 << 20; size *= 4)
    for (double b = whole ? size : 4; b <= (whole ? size : size / 2); b *= 2, k++) {
      block[k] = b;
      bytes[k] = size;
      seconds[k] = whole      ? contiguous(size, exchange)
                   : exchange ? exchanged(size, b, ns)
                              : one_way(size, b, gap, ns);
      spread[k] = 0.01;
      samples[k] = 3;
    }
  const berth_strided_t t = {mpi,   by,    side,    exchange, gap,    k,
                             block, bytes, seconds, spread,   samples};
  assert_int_equal(berth_node_add_strided(n, &t, NULL), BERTH_OK);
}

/* One way, derived datatypes take 1 ns a byte. In exchanges they take 4 ns a block, MPI_Pack 2. */
static berth_node_t *made(const char *mpi)
{
  berth_node_t *n = berth_node_new("", "", NULL);
  for (int exchange = 0; exchange < 2; exchange++)
    add_table(n, mpi, BERTH_PACKER_NOBODY, BERTH_SIDE_BOTH, exchange, 0, 0);
  for (berth_side_t side = 0; side < BERTH_SIDES; side++) {
    static const double gaps[] = {8, 4096, 512}; /* in any order */
    for (size_t g = 0; g < COUNT(gaps); g++)
      add_table(n, mpi, BERTH_PACKER_TYPE, side, 0, gaps[g], 1);
    add_table(n, mpi, BERTH_PACKER_TYPE, side, 1, 0, 4);
  }
  add_table(n, mpi, BERTH_PACKER_PACK, BERTH_SIDE_SEND, 1, 0, 2);
  return n;
}

static void values_between_points_are_on_lines_of_logarithms(void **state)
{
  static const struct {
    const char *what;
    double bytes, pieces, gap;
    double ns; /* of a byte, with packing */
  } cases[] = {
      {"a point of the table", 4096, 256, 8, 1},
      {"between two blocks", 4096, 4096 / 25.0, 8, 0.8},
      {"between two sizes", 8192, 512, 8, 1},
      {"between two gaps", 4096, 256, 32, 2},
      {"gaps of the second table", 4096, 256, 512, 8},
      {"between the second and the third", 4096, 256, 2048, 16},
      {"between all", 10000, 100, 72, 1.2},
      {"blocks smaller than any: a time for each block", 4096, 4096, 8, 7.7},
      {"blocks larger than any: as the largest", 4096, 4096 / 3000.0, 8, 0.08838835},
      {"messages smaller than any", 256, 16, 8, 1},
      {"messages larger than any", 1 << 24, 1 << 20, 8, 1},
      {"gaps smaller than any", 4096, 256, 2, 1},
      {"gaps larger than any", 4096, 256, 100000, 22.627417},
  };
  (void)state;
  berth_node_t *n = made("Open MPI 4.1.4");
  for (size_t i = 0; i < COUNT(cases); i++) {
    double bytes = cases[i].bytes, span = bytes + (cases[i].pieces - 1) * cases[i].gap;
    double is =
        berth_node_packing_s(n, "Open MPI 4.1.4", BERTH_SIDE_SEND, bytes, cases[i].pieces, span);
    double should = cases[i].ns * 1e-9 * bytes - contiguous(bytes, 0);
    if (fabs(is / should - 1) > 1e-6) FAIL_ROW(cases[i].what, "found %g, expected %g", is, should);
  }
  assert_true(berth_node_packing_s(n, "Open MPI 4.1.4", BERTH_SIDE_SEND, 4096, 1, 4096) == 0);
  berth_node_free(n);
}

/* Some MPIs send large contiguous messages more slowly than blocks. Smaller blocks than measured
 * cost what the increase between the two smallest ones says: 10 us for 1,024 blocks more. */
static void small_blocks_cost_more_where_contiguous_messages_are_slow(void **state)
{
  (void)state;
  berth_node_t *n = berth_node_new("", "", NULL);
  const double size[] = {65536, 65536}, whole_s[] = {90e-6}, spread[] = {0, 0};
  const double block[] = {32, 64}, seconds[] = {40e-6, 30e-6};
  const int samples[] = {3, 3};
  const berth_strided_t
      whole = {"M 1",  BERTH_PACKER_NOBODY, BERTH_SIDE_BOTH, 0, 0, 1, size, size, whole_s, spread,
               samples},
      typed = {"M 1", BERTH_PACKER_TYPE, BERTH_SIDE_SEND, 0,      4160, 2, block,
               size,  seconds,           spread,          samples};
  assert_int_equal(berth_node_add_strided(n, &whole, NULL), BERTH_OK);
  assert_int_equal(berth_node_add_strided(n, &typed, NULL), BERTH_OK);
  double is = berth_node_packing_s(n, "M 1", BERTH_SIDE_SEND, 65536, 8192, 65536 + 8191 * 4160.0);
  assert_true(fabs(is - (40e-6 + 6144 * 10e-6 / 1024 - 90e-6)) < 1e-12);
  berth_node_free(n);
}

/* In exchanges a block costs 4 ns. Wider gaps cost what they do one way: four times the gap, twice
 * the time. */
static void exchanges_add_the_gaps_of_one_way(void **state)
{
  static const struct {
    const char *what;
    double bytes, pieces, gap;
    double wider; /* than with gaps as large as blocks */
  } cases[] = {
      {"gaps as large as blocks", 4096, 256, 16, 1}, {"wider gaps", 4096, 256, 64, 2},
      {"narrower gaps", 16384, 128, 32, 0.5},        {"gaps wider than any", 4096, 256, 100000, 16},
      {"larger blocks", 16384, 128, 128, 1},
  };
  (void)state;
  berth_node_t *n = made("M 1");
  for (size_t i = 0; i < COUNT(cases); i++) {
    double bytes = cases[i].bytes, pieces = cases[i].pieces;
    for (berth_side_t side = 0; side < BERTH_SIDES; side++) {
      double is = berth_node_exchange_packing_s(n, "M 1", side, bytes, pieces,
                                                bytes + (pieces - 1) * cases[i].gap);
      double should = cases[i].wider * exchanged(bytes, bytes / pieces, 4) - contiguous(bytes, 1);
      if (fabs(is / should - 1) > 1e-6)
        FAIL_ROW(cases[i].what, "found %g, expected %g", is, should);
    }
  }
  assert_true(berth_node_exchange_packing_s(n, "M 1", BERTH_SIDE_BOTH, 4096, 1, 4096) == 0);
  assert_true(isnan(berth_node_exchange_packing_s(n, "M 2", BERTH_SIDE_SEND, 4096, 64, 8192)));
  berth_node_free(n);
}

static void a_table_without_a_gap_serves_all(void **state)
{
  (void)state;
  berth_node_t *n = berth_node_new("", "", NULL);
  add_table(n, "M 1", BERTH_PACKER_NOBODY, BERTH_SIDE_BOTH, 0, 0, 0);
  assert_true(isnan(berth_node_packing_s(n, "M 1", BERTH_SIDE_SEND, 4096, 4, 8192)));
  static const double block[] = {16}, bytes[] = {4096}, seconds[] = {5e-6}, spread[] = {0.1};
  static const int samples[] = {3};
  const berth_strided_t t = {"M 1", BERTH_PACKER_TYPE, BERTH_SIDE_SEND, 0,      0, 1, block,
                             bytes, seconds,           spread,          samples};
  assert_int_equal(berth_node_add_strided(n, &t, NULL), BERTH_OK);
  for (double gap = 4; gap < 1e6; gap *= 10) {
    double s = berth_node_packing_s(n, "M 1", BERTH_SIDE_SEND, 8192, 512, 8192 + 511 * gap);
    assert_true(fabs(s / (10e-6 - contiguous(8192, 0)) - 1) < 1e-6);
  }
  berth_node_free(n);
}

static void tables_are_of_one_mpi(void **state)
{
  static const struct {
    const char *mpi, *known;
  } cases[] = {{"Open MPI 4.1.4", "Open MPI 4.1.4"},
               {"Open MPI 4.1.6", "Open MPI 4.1.4"},
               {"Open MPI 5.0.1", "Open MPI 4.1.4"},
               {"MPICH 4.0.2", NULL},
               {"Open", NULL},
               {"", NULL}};
  (void)state;
  berth_node_t *n = made("Open MPI 4.1.4");
  for (size_t i = 0; i < COUNT(cases); i++) {
    const char *known = berth_node_strided_mpi(n, cases[i].mpi);
    if ((known == NULL) != (cases[i].known == NULL) ||
        (known && strcmp(known, cases[i].known) != 0))
      FAIL_ROW(cases[i].mpi, "found %s", known ? known : "none");
  }
  assert_true(isnan(berth_node_packing_s(n, "MPICH 4.0.2", BERTH_SIDE_SEND, 4096, 512, 8192)));
  berth_node_free(n);
}

static void the_program_may_pack_faster(void **state)
{
  berth_packer_t by;
  (void)state;
  berth_node_t *n = made("M 1");
  double now = one_way(4096, 8, 8, 1) - contiguous(4096, 0);
  double s = berth_node_packed_by_program_s(n, "M 1", BERTH_SIDE_SEND, 4096, 512, 8184, &by);
  assert_int_equal(by, BERTH_PACKER_PACK);
  assert_true(fabs(s / (now - 2e-9 * 512) - 1) < 1e-6);
  s = berth_node_packed_by_program_s(n, "M 1", BERTH_SIDE_RECEIVE, 4096, 512, 8184, &by);
  assert_int_equal(by, BERTH_PACKER_TYPE); /* nothing else was measured */
  assert_true(fabs(s / now - 1) < 1e-6);
  berth_node_free(n);
}

static void the_crossover_is_where_packing_by_the_program_stops_paying(void **state)
{
  (void)state;
  berth_node_t *n = made("M 1");
  assert_true(berth_node_crossover(n, "M 1", BERTH_SIDE_SEND, 4096) == 4); /* nothing to compare */
  add_table(n, "M 1", BERTH_PACKER_HAND, BERTH_SIDE_SEND, 1, 0, 2);
  /* 1.41 us and 4 or 2 ns a block: less than 3% apart from 64 blocks of 64 bytes on, whose times
   * are 1.666 us and 1.538; 128 bytes: 1.538 and 1.474; 256: 1.474 and 1.442 */
  assert_true(berth_node_crossover(n, "M 1", BERTH_SIDE_SEND, 4096) == 256);
  add_table(n, "M 1", BERTH_PACKER_MEMCPY, BERTH_SIDE_SEND, 1, 0, -1);
  assert_true(isinf(berth_node_crossover(n, "M 1", BERTH_SIDE_SEND, 1024)));
  assert_true(isnan(berth_node_crossover(n, "M 2", BERTH_SIDE_SEND, 4096)));
  berth_node_free(n);
}

static void copies_have_the_tables(void **state)
{
  (void)state;
  berth_node_t *n = made("M 1"), *copy = berth_node_copy(n, NULL);
  assert_int_equal(berth_node_n_strided(copy), berth_node_n_strided(n));
  add_table(copy, "M 1", BERTH_PACKER_PACK, BERTH_SIDE_SEND, 1, 0, 3); /* replaces one */
  assert_int_equal(berth_node_n_strided(copy), berth_node_n_strided(n));
  berth_node_free(copy);
  berth_node_free(n);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_between_points_are_on_lines_of_logarithms),
      cmocka_unit_test(small_blocks_cost_more_where_contiguous_messages_are_slow),
      cmocka_unit_test(exchanges_add_the_gaps_of_one_way),
      cmocka_unit_test(a_table_without_a_gap_serves_all),
      cmocka_unit_test(tables_are_of_one_mpi),
      cmocka_unit_test(the_program_may_pack_faster),
      cmocka_unit_test(the_crossover_is_where_packing_by_the_program_stops_paying),
      cmocka_unit_test(copies_have_the_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
