/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from tables of messages whose data lie in blocks. The tables here are made of a
 * formula, so values between their points are known. */
#include <berth/strided.h>
#include <math.h>
#include <stdbool.h>

#include "harness.h"

enum { MOST = 200 };

/* A contiguous message takes 1 us and 0.1 ns for each byte. */
static double contiguous(double bytes) { return 1e-6 + 1e-10 * bytes; }

/* Packing takes so many ns for each block. Below 0: the message takes half of the time. */
static double packed(double bytes, double block, double ns_of_block)
{
  if (ns_of_block < 0) return contiguous(bytes) / 2;
  return contiguous(bytes) + ns_of_block * 1e-9 * bytes / block;
}

static void add_table(berth_node_t *n, const char *mpi, berth_packer_t by, berth_side_t side,
                      int exchange, double gap, double ns_of_block)
{
  double block[MOST], bytes[MOST], seconds[MOST], spread[MOST];
  int samples[MOST];
  size_t k = 0;
  bool whole = by == BERTH_PACKER_NOBODY;
  for (double size = 1024; size <= 1 << 20; size *= 4)
    for (double b = whole ? size : gap == 8 ? 16 : 4; b <= (whole ? size : size / 2); b *= 2, k++) {
      block[k] = b;
      bytes[k] = size;
      seconds[k] = whole ? contiguous(size) : packed(size, b, ns_of_block);
      spread[k] = 0.01;
      samples[k] = 3;
    }
  const berth_strided_t t = {mpi,   by,    side,    exchange, gap,    k,
                             block, bytes, seconds, spread,   samples};
  assert_int_equal(berth_node_add_strided(n, &t, NULL), BERTH_OK);
}

/* Derived datatypes take 4 ns a block, 16 ns with gaps of 512 bytes or more, 2 ns with gaps of 8
 * bytes between blocks of at least 16. In exchanges they take 4 ns, MPI_Pack 2, memcpy 1 ns a block
 * but 1 us a message more. */
static berth_node_t *made(const char *mpi)
{
  berth_node_t *n = berth_node_new("", "", NULL);
  for (int exchange = 0; exchange < 2; exchange++)
    add_table(n, mpi, BERTH_PACKER_NOBODY, BERTH_SIDE_BOTH, exchange, 0, 0);
  for (berth_side_t side = 0; side < BERTH_SIDES; side++) {
    add_table(n, mpi, BERTH_PACKER_TYPE, side, 0, 0, 4);
    add_table(n, mpi, BERTH_PACKER_TYPE, side, 0, 512, 16);
    add_table(n, mpi, BERTH_PACKER_TYPE, side, 0, 8, 2);
    add_table(n, mpi, BERTH_PACKER_TYPE, side, 1, 0, 4);
  }
  add_table(n, mpi, BERTH_PACKER_PACK, BERTH_SIDE_SEND, 1, 0, 2);
  return n;
}

static void between_points_costs_are_those_of_blocks(void **state)
{
  static const struct {
    const char *what;
    double bytes, pieces, gap, ns_of_block;
  } cases[] = {
      {"a point of the table", 4096, 512, 8, 4},
      {"between two blocks", 4096, 4096 / 12.0, 12, 4},
      {"between two sizes", 8192, 1024, 8, 4},
      {"between both", 10000, 500, 20, 4},
      {"blocks smaller than any", 4096, 2048, 2, 4},
      {"messages smaller than any", 256, 32, 8, 4},
      {"messages larger than any", 1 << 24, 1 << 20, 16, 4},
      {"gaps of the second table", 4096, 512, 512, 16},
      {"larger gaps than any", 4096, 512, 100000, 16},
      {"gaps between the tables: between 8 and 512, a third of the logarithms", 4096, 512, 32,
       4 * 1.587401},
      {"blocks larger than the gaps of a table", 65536, 64, 2048, 4},
      {"gaps of the tight table", 65536, 64, 8, 2},
      {"smaller ones", 65536, 64, 4, 2},
      {"between the tight table and gaps as large as blocks", 65536, 64, 90.50967, 2.828427},
  };
  (void)state;
  berth_node_t *n = made("Open MPI 4.1.4");
  for (size_t i = 0; i < COUNT(cases); i++) {
    double span = cases[i].bytes + (cases[i].pieces - 1) * cases[i].gap;
    double is = berth_node_packing_s(n, "Open MPI 4.1.4", BERTH_SIDE_SEND, cases[i].bytes,
                                     cases[i].pieces, span);
    double should = cases[i].ns_of_block * 1e-9 * cases[i].pieces;
    if (fabs(is / should - 1) > 1e-6) FAIL_ROW(cases[i].what, "found %g, expected %g", is, should);
  }
  berth_node_free(n);
}

static void large_blocks_approach_contiguous_messages(void **state)
{
  (void)state;
  berth_node_t *n = made("M 1");
  double half = berth_node_packing_s(n, "M 1", BERTH_SIDE_SEND, 4096, 2, 8192);
  double more = berth_node_packing_s(n, "M 1", BERTH_SIDE_SEND, 4096, 4 / 3.0, 8192);
  assert_true(fabs(half / 8e-9 - 1) < 1e-6);
  assert_true(more > 0 && more < half);
  assert_true(berth_node_packing_s(n, "M 1", BERTH_SIDE_SEND, 4096, 1, 4096) == 0);
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
  double s = berth_node_packed_by_program_s(n, "M 1", BERTH_SIDE_SEND, 4096, 512, 8184, &by);
  assert_int_equal(by, BERTH_PACKER_PACK);
  assert_true(fabs(s / (2e-9 * 512) - 1) < 1e-6);
  s = berth_node_packed_by_program_s(n, "M 1", BERTH_SIDE_RECEIVE, 4096, 512, 8184, &by);
  assert_int_equal(by, BERTH_PACKER_TYPE); /* nothing else was measured */
  assert_true(fabs(s / (4e-9 * 512) - 1) < 1e-6);
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
  assert_true(isnan(berth_node_crossover(n, "M 1", BERTH_SIDE_SEND, 4097)));
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
      cmocka_unit_test(between_points_costs_are_those_of_blocks),
      cmocka_unit_test(large_blocks_approach_contiguous_messages),
      cmocka_unit_test(tables_are_of_one_mpi),
      cmocka_unit_test(the_program_may_pack_faster),
      cmocka_unit_test(the_crossover_is_where_packing_by_the_program_stops_paying),
      cmocka_unit_test(copies_have_the_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
