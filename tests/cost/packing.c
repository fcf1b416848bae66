/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing as a part of estimates: whose messages count, on which hosts, under which MPI. */
#include <berth/assess.h>
#include <berth/check.h>
#include <berth/packing.h>
#include <math.h>

#include "harness.h"
#include "topo/topo_internal.h"

/* Two hosts of two cores. On host a, packing takes 1 ns for each byte in blocks of 8, and MPI_Pack
 * half of that in exchanges; on host b twice as much and nothing else is known. */
#define TABLE(by, side, more, s)                                                                   \
  "{\"mpi\":\"M 1\",\"by\":\"" by "\",\"side\":\"" side "\"" more ",\"points\":[" s                \
  "],\"samples\":[1],\"spread\":[null]}"
#define CONTIGUOUS TABLE("contiguous", "both", "", "[1000,1000,1e-7]")
#define EXCHANGED  TABLE("contiguous", "both", ",\"exchange\":true", "[1000,1000,1e-7]")
#define HOST(name, type)                                                                           \
  "{\"type\":\"" type "\",\"host\":\"" name "\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,"    \
  "\"core\":1}]}"
#define EXCHANGE ",\"exchange\":true"
#define ON_A                                                                                       \
  "\"a\":{\"node\":{\"strided\":[" CONTIGUOUS "," EXCHANGED "," SENT "," RECEIVED "," SWAPPED      \
  "," PACKED "]}}"
#define ON_B     "\"b\":{\"node\":{\"strided\":[" CONTIGUOUS "," SLOW "]}}"
#define SENT     TABLE("type", "send", "", "[8,1000,1.1e-6]")
#define RECEIVED TABLE("type", "receive", "", "[8,1000,1.1e-6]")
#define SWAPPED  TABLE("type", "send", EXCHANGE, "[8,1000,1.1e-6]")
#define PACKED   TABLE("pack", "send", EXCHANGE, "[8,1000,6e-7]")
#define SLOW     TABLE("type", "send", "", "[8,1000,2.1e-6]")
static const char machine[] =
    "{\"format\":\"berth-topology\",\"version\":1,\"types\":{\"s\":{}," ON_A "," ON_B
    "},\"root\":{\"type\":\"s\",\"children\":[" HOST("h0", "a") "," HOST("h1", "b") "]}}";

static berth_topo_t *parsed(const char *text)
{
  berth_error_t err = {0};
  berth_topo_t *t = topo_parse(text, strlen(text), "machine", NULL, &err);
  if (!t) FAIL_ROW("machine", "%s", err.text);
  return t;
}

static berth_topo_t *topo(void) { return parsed(machine); }

typedef struct end {
  int rank, receives;
  uint64_t count;
} end_t;

/* Messages of 1,000 bytes in 125 blocks with gaps as large. Communicator 1 has two ranks. */
static berth_pattern_t *pattern_at(int called_at, const char *op, const char *mpi, int comm,
                                   const end_t *ends, size_t n)
{
  static const int two[] = {0, 1};
  berth_pattern_t *p = berth_pattern_new(4, NULL);
  const char *frame = "main a.c:1";
  const berth_site_t site = {1, op, 1, &frame};
  const berth_message_t m = {.src = 0, .dst = 1, .size = 1000, .count = 10, .bytes = 10000};
  const berth_coll_t calls = {
      .op = op, .site = called_at, .comm = comm, .root = -1, .bytes = 4000, .count = 10};
  assert_int_equal(berth_pattern_add_comm(p, &(berth_comm_t){1, 2, two, 0}, NULL), BERTH_OK);
  assert_int_equal(berth_pattern_set_origin(p, mpi, "", NULL), BERTH_OK);
  assert_int_equal(berth_pattern_add_site(p, &site, NULL), BERTH_OK);
  if (strcmp(op, "MPI_Send") == 0)
    assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  else
    assert_int_equal(berth_pattern_add_coll(p, &calls, NULL), BERTH_OK);
  for (size_t i = 0; i < n; i++) {
    const berth_packed_t x = {ends[i].rank, called_at, ends[i].receives, 1000,
                              125,          1992,      ends[i].count};
    assert_int_equal(berth_pattern_add_packed(p, &x, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

static berth_pattern_t *pattern_of(const char *op, const char *mpi, const end_t *ends, size_t n)
{
  return pattern_at(1, op, mpi, 0, ends, n);
}

static berth_pattern_t *pattern(const char *mpi, const end_t *ends, size_t n)
{
  return pattern_of("MPI_Send", mpi, ends, n);
}

static const int straight[] = {0, 1, 2, 3}, crossed[] = {2, 3, 0, 1};

static void the_rank_that_packs_longest_counts(void **state)
{
  static const struct {
    const char *what, *mpi;
    end_t ends[3];
    size_t n;
    const int *pus;
    double seconds, unknown;
    berth_model_t model;
  } cases[] = {
      {"nothing is packed", "M 1", {{0, 0, 0}}, 0, straight, 0, 0, BERTH_MODEL_PORT},
      {"one sender", "M 1", {{0, 0, 10}}, 1, straight, 1e-5, 0, BERTH_MODEL_PORT},
      {"under another version", "M 2", {{0, 0, 10}}, 1, straight, 1e-5, 0, BERTH_MODEL_FLOW},
      {"under another MPI", "N 1", {{0, 0, 10}}, 1, straight, 0, 10, BERTH_MODEL_PORT},
      {"both ends of a rank add up",
       "M 1",
       {{1, 0, 10}, {1, 1, 5}},
       2,
       straight,
       1.5e-5,
       0,
       BERTH_MODEL_BOUND},
      {"two ranks work side by side",
       "M 1",
       {{0, 0, 10}, {1, 1, 8}},
       2,
       straight,
       1e-5,
       0,
       BERTH_MODEL_PORT},
      {"the other host is slower", "M 1", {{0, 0, 10}}, 1, crossed, 2e-5, 0, BERTH_MODEL_PORT},
      {"nobody measured receives there", "M 1", {{0, 1, 10}}, 1, crossed, 0, 10, BERTH_MODEL_PORT},
      {"model sum has no times", "M 1", {{0, 0, 10}}, 1, straight, 0, 0, BERTH_MODEL_SUM},
  };
  (void)state;
  berth_topo_t *t = topo();
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_pattern_t *p = pattern(cases[i].mpi, cases[i].ends, cases[i].n);
    berth_packing_t *k = berth_packing_new(p, t, cases[i].model, NULL);
    double seconds = berth_packing_evaluate(k, cases[i].pus);
    double unknown = berth_packing_unknown(k, cases[i].pus);
    if (fabs(seconds - cases[i].seconds) > 1e-12 || unknown != cases[i].unknown)
      FAIL_ROW(cases[i].what, "found %g s and %g unknown messages, expected %g s and %g", seconds,
               unknown, cases[i].seconds, cases[i].unknown);
    berth_packing_free(k);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

/* Host a with links, by which 1,000 bytes take 300 ns, where the record has 100. */
static void links_of_the_same_mpi_say_what_a_contiguous_message_takes(void **state)
{
#define MEASURED(mpi) ",\"measured\":{\"date\":\"\",\"mpi\":\"" mpi "\",\"transport\":\"\"}"
  static const struct {
    const char *what, *measured, *cores, *op;
    double seconds, by_program_s;
  } cases[] = {
      {"the same MPI", MEASURED("M 1"), "1", "MPI_Send", 8e-6, 3e-6},
      {"another version", MEASURED("M 2"), "1", "MPI_Send", 1e-5, 5e-6},
      {"nobody says which", "", "1", "MPI_Send", 1e-5, 5e-6},
      {"a host of one core", MEASURED("M 1"), "0", "MPI_Send", 1e-5, 5e-6},
      {"blocks of a collective call", MEASURED("M 1"), "1", "MPI_Alltoall", 1e-5, 5e-6},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[4096];
    snprintf(
        text, sizeof text,
        "{\"format\":\"berth-topology\",\"version\":1,\"curves\":{\"c\":{\"source\":\"x\"%s,"
        "\"points\":[[1000,%.17g]]}},\"types\":{\"a\":{\"down\":{\"out\":\"c\",\"in\":\"c\"},%s},"
        "\"root\":{\"type\":\"a\",\"host\":\"h\",\"children\":[{\"pu\":0,\"core\":0},{\"pu\":1,"
        "\"core\":0},{\"pu\":2,\"core\":%s},{\"pu\":3,\"core\":%s}]}}",
        cases[i].measured, 1000 / 3e-7, ON_A + strlen("\"a\":{"), cases[i].cores, cases[i].cores);
    const end_t end = {0, 0, 10};
    berth_topo_t *t = parsed(text);
    berth_pattern_t *p = pattern_of(cases[i].op, "M 1", &end, 1);
    berth_packing_t *k = berth_packing_new(p, t, BERTH_MODEL_PORT, NULL);
    berth_packing_site_t *site = NULL;
    size_t n;
    assert_int_equal(berth_packing_sites(k, straight, &site, &n, NULL), BERTH_OK);
    double seconds = berth_packing_evaluate(k, straight);
    if (n != 1 || fabs(seconds - cases[i].seconds) > 1e-12 ||
        fabs(site[0].by_program_s - cases[i].by_program_s) > 1e-12)
      FAIL_ROW(cases[i].what, "found %g s and %g s, expected %g and %g", seconds,
               n ? site[0].by_program_s : 0, cases[i].seconds, cases[i].by_program_s);
    free(site);
    berth_packing_free(k);
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

static void estimates_include_it(void **state)
{
  (void)state;
  berth_topo_t *t = topo();
  const end_t end = {0, 0, 10};
  berth_pattern_t *with = pattern("M 1", &end, 1), *without = pattern("M 1", NULL, 0);
  berth_assess_options_t o = berth_assess_defaults();
  berth_estimate_t a[3], b[3];
  const int *const placements[] = {straight, crossed};
  o.reference = straight;
  assert_int_equal(berth_assess(with, t, &o, 2, placements, a, NULL), BERTH_OK);
  assert_int_equal(berth_assess(without, t, &o, 2, placements, b, NULL), BERTH_OK);
  for (int i = 0; i < 3; i++) {
    double packing = i == 1 ? 2e-5 : 1e-5;
    assert_true(fabs(a[i].packing_s - packing) < 1e-12 && b[i].packing_s == 0);
    assert_true(fabs(a[i].cost_s - b[i].cost_s - packing) < 1e-12);
    assert_true(a[i].interval.value == b[i].interval.value);
  }
  assert_true(a[1].gain < b[1].gain); /* it got slower by packing there */
  berth_pattern_free(with);
  berth_pattern_free(without);
  berth_topo_free(t);
}

static void sites_say_what_the_program_could_do(void **state)
{
  (void)state;
  berth_topo_t *t = topo();
  const end_t ends[] = {{0, 0, 10}, {1, 0, 30}, {1, 1, 4}};
  berth_pattern_t *p = pattern("M 1", ends, COUNT(ends));
  berth_packing_t *k = berth_packing_new(p, t, BERTH_MODEL_PORT, NULL);
  berth_packing_site_t *site;
  size_t n;
  assert_int_equal(berth_packing_sites(k, straight, &site, &n, NULL), BERTH_OK);
  assert_int_equal(n, 2);
  assert_true(site[0].site == 1 && !site[0].receives && site[0].messages == 40);
  assert_true(site[0].bytes == 40000 && site[0].pieces == 125);
  assert_true(fabs(site[0].seconds - 3e-5) < 1e-12 && fabs(site[0].by_program_s - 1.5e-5) < 1e-12);
  assert_int_equal(site[0].by, BERTH_PACKER_PACK);
  assert_true(site[1].receives && fabs(site[1].seconds - 4e-6) < 1e-12);
  assert_int_equal(site[1].by, BERTH_PACKER_TYPE);
  free(site);
  berth_packing_free(k);
  berth_pattern_free(p);
  berth_topo_free(t);
}

/* Ten calls of MPI_Alltoall: each rank gives and takes four blocks, which count as messages. */
static void blocks_of_collective_calls_count(void **state)
{
  static const struct {
    const char *what, *op;
    end_t ends[3];
    size_t n;
    double seconds;
  } cases[] = {
      {"given and taken", "MPI_Alltoall", {{0, 0, 40}, {0, 1, 40}}, 2, 8e-5},
      {"given by one, taken by all", "MPI_Bcast", {{0, 0, 10}, {1, 1, 10}}, 2, 1e-5},
      {"contiguous", "MPI_Alltoallw", {{0, 0, 0}}, 0, 0},
  };
  (void)state;
  berth_topo_t *t = topo();
  berth_assess_options_t o = berth_assess_defaults();
  const int *const placement = straight;
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_pattern_t *p = pattern_of(cases[i].op, "M 1", cases[i].ends, cases[i].n);
    berth_packing_t *k = berth_packing_new(p, t, BERTH_MODEL_PORT, NULL);
    berth_packing_site_t *site = NULL;
    berth_estimate_t e[2];
    size_t n;
    o.reference = straight;
    assert_int_equal(berth_assess(p, t, &o, 1, &placement, e, NULL), BERTH_OK);
    assert_int_equal(berth_packing_sites(k, straight, &site, &n, NULL), BERTH_OK);
    if (n != cases[i].n || fabs(e[0].packing_s - cases[i].seconds) > 1e-12)
      FAIL_ROW(cases[i].what, "found %zu sites and %g s, expected %zu and %g s", n, e[0].packing_s,
               cases[i].n, cases[i].seconds);
    if (n && !site[0].receives) assert_int_equal(site[0].by, BERTH_PACKER_PACK);
    free(site);
    berth_packing_free(k);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

/* Ten calls of four or of two ranks on a host where exchanges cost more than messages one way: 2.9
 * us more for a sent block, 4.9 us if both ends have blocks, beside 1 us one way. The own block of
 * an all-to-all is no exchange. */
static void ranks_of_an_all_to_all_pack_at_the_same_time(void **state)
{
#define BOTH_SWAPPED TABLE("type", "both", EXCHANGE, "[8,1000,5e-6]")
#define SENT_SWAPPED TABLE("type", "send", EXCHANGE, "[8,1000,3e-6]")
  static const char slow_exchanges[] =
      "{\"format\":\"berth-topology\",\"version\":1,\"types\":{\"a\":"
      "{\"node\":{\"strided\":[" CONTIGUOUS "," EXCHANGED "," SENT "," RECEIVED "," SENT_SWAPPED
      "," BOTH_SWAPPED "," PACKED
      "]}}},\"root\":{\"type\":\"a\",\"host\":\"h\",\"children\":[{\"pu\":0,\"core\":0},"
      "{\"pu\":1,\"core\":1},{\"pu\":2,\"core\":2},{\"pu\":3,\"core\":3}]}}";
  static const struct {
    const char *what, *op;
    int site, comm;
    end_t ends[3];
    size_t n;
    double seconds;
  } cases[] = {
      {"given", "MPI_Alltoall", 1, 0, {{0, 0, 40}}, 1, 40 * 2.9e-6 * 3 / 4},
      {"given and taken",
       "MPI_Alltoallv",
       1,
       0,
       {{0, 0, 40}, {0, 1, 40}},
       2,
       80 * 4.9e-6 / 2 * 3 / 4},
      {"taken: no such exchange was measured", "MPI_Alltoall", 1, 0, {{0, 1, 40}}, 1, 40e-6},
      {"of two ranks", "MPI_Alltoallw", 1, 1, {{0, 0, 20}}, 1, 20 * 2.9e-6 / 2},
      {"a call that doesn't block", "MPI_Ialltoallw", 1, 0, {{0, 0, 40}}, 1, 40 * 2.9e-6 * 3 / 4},
      {"a persistent one", "MPI_Alltoallv_init", 1, 0, {{0, 0, 40}}, 1, 40 * 2.9e-6 * 3 / 4},
      {"no exchange", "MPI_Bcast", 1, 0, {{0, 0, 10}}, 1, 10e-6},
      {"messages", "MPI_Send", 1, 0, {{0, 0, 10}}, 1, 10e-6},
      {"who knows where", "MPI_Alltoall", 0, 0, {{0, 0, 10}}, 1, 10e-6},
  };
  (void)state;
  berth_topo_t *t = parsed(slow_exchanges);
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_pattern_t *p =
        pattern_at(cases[i].site, cases[i].op, "M 1", cases[i].comm, cases[i].ends, cases[i].n);
    berth_packing_t *k = berth_packing_new(p, t, BERTH_MODEL_PORT, NULL);
    berth_packing_site_t *site = NULL;
    size_t n;
    double seconds = berth_packing_evaluate(k, straight);
    assert_int_equal(berth_packing_sites(k, straight, &site, &n, NULL), BERTH_OK);
    if (n != cases[i].n || fabs(seconds - cases[i].seconds) > 1e-12)
      FAIL_ROW(cases[i].what, "found %zu sites and %g s, expected %zu and %g s", n, seconds,
               cases[i].n, cases[i].seconds);
    /* MPI_Pack saves 2.4 us of an exchange, whatever else it has; more than all it can't save. */
    double saved = fmax(0, site[0].seconds - site[0].messages * 2.4e-6);
    if (!site[0].receives) assert_true(fabs(site[0].by_program_s - saved) < 1e-12);
    free(site);
    berth_packing_free(k);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

/* Blocks that are faster than a contiguous message of 1 us: 0.6 us less if they are sent, 0.3 us if
 * they are received. */
static void what_blocks_save_counts_at_one_end(void **state)
{
#define SLOW_WHOLE    TABLE("contiguous", "both", "", "[1000,1000,1e-6]")
#define FAST_SENT     TABLE("type", "send", "", "[8,1000,4e-7]")
#define FAST_RECEIVED TABLE("type", "receive", "", "[8,1000,7e-7]")
  static const char fast_blocks[] =
      "{\"format\":\"berth-topology\",\"version\":1,\"types\":{\"a\":"
      "{\"node\":{\"strided\":[" SLOW_WHOLE "," FAST_SENT "," FAST_RECEIVED
      "]}}},\"root\":{\"type\":\"a\",\"host\":\"h\",\"children\":[{\"pu\":0,\"core\":0},"
      "{\"pu\":1,\"core\":1},{\"pu\":2,\"core\":2},{\"pu\":3,\"core\":3}]}}";
  static const struct {
    const char *what;
    end_t ends[2];
    size_t n;
    double seconds;
  } cases[] = {{"sent", {{0, 0, 10}}, 1, -6e-6},
               {"received", {{0, 1, 10}}, 1, -3e-6},
               {"sent and received", {{0, 0, 10}, {0, 1, 10}}, 2, -6e-6},
               {"more received than sent", {{0, 0, 10}, {0, 1, 30}}, 2, -9e-6},
               {"by two ranks: the one that saves less", {{0, 0, 10}, {1, 1, 10}}, 2, -3e-6}};
  (void)state;
  berth_topo_t *t = parsed(fast_blocks);
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_pattern_t *p = pattern("M 1", cases[i].ends, cases[i].n);
    berth_packing_t *k = berth_packing_new(p, t, BERTH_MODEL_PORT, NULL);
    double seconds = berth_packing_evaluate(k, straight);
    if (fabs(seconds - cases[i].seconds) > 1e-12)
      FAIL_ROW(cases[i].what, "found %g s, expected %g s", seconds, cases[i].seconds);
    berth_packing_free(k);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

/* A change that makes packing more expensive, and nothing else. */
static void check_finds_more_packing(void **state)
{
  (void)state;
  berth_topo_t *t = topo();
  const end_t before = {0, 0, 10}, after = {0, 0, 20};
  berth_pattern_t *was = pattern("M 1", &before, 1), *now = pattern("M 1", &after, 1);
  berth_check_options_t o = berth_check_defaults();
  berth_check_t result;
  assert_int_equal(berth_check_make_baseline(was, t, BERTH_MODEL_PORT, straight, "x", NULL),
                   BERTH_OK);
  assert_int_equal(berth_check_run(now, t, was, &o, &result, NULL), BERTH_OK);
  assert_int_equal(result.verdict, BERTH_CHECKED_WORSE);
  assert_true(fabs(result.packing_s - 2e-5) < 1e-12 && fabs(result.was_packing_s - 1e-5) < 1e-12);
  assert_true(fabs(result.cost_s - result.was_cost_s - 1e-5) < 1e-12);
  berth_check_clear(&result);
  berth_pattern_free(was);
  berth_pattern_free(now);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rank_that_packs_longest_counts),
      cmocka_unit_test(links_of_the_same_mpi_say_what_a_contiguous_message_takes),
      cmocka_unit_test(estimates_include_it),
      cmocka_unit_test(sites_say_what_the_program_could_do),
      cmocka_unit_test(blocks_of_collective_calls_count),
      cmocka_unit_test(ranks_of_an_all_to_all_pack_at_the_same_time),
      cmocka_unit_test(what_blocks_save_counts_at_one_end),
      cmocka_unit_test(check_finds_more_packing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
