/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a pattern: what its ranks call, and what is worth measuring first. */
#include <berth/tuning.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

enum { RANKS = 8 };

/* A line for each cell: "bcast 8 of 1000 x 3", with the ranks that it is measured on. */
static void describe(const berth_tuning_t *t, char *out, size_t size)
{
  size_t used = 0;
  for (size_t i = 0; i < t->n; i++) {
    const berth_tuned_cell_t *c = &t->cell[i];
    used += (size_t)snprintf(out + used, size - used, "%s %d of %llu x %llu%s", c->operation,
                             c->ranks, (unsigned long long)c->bytes, (unsigned long long)c->calls,
                             c->members ? " on" : "");
    for (int k = 0; c->members && k < c->ranks; k++)
      used += (size_t)snprintf(out + used, size - used, " %d", c->members[k]);
    used += (size_t)snprintf(out + used, size - used, "\n");
    assert_int_equal(c->n_choices, 0);
    assert_int_equal(c->hosts, 0);
  }
}

static void calls_of_a_pattern_are_cells(void **state)
{
  (void)state;
  static const int pair[] = {5, 2}, alone[] = {3};
  static const struct {
    const char *name;
    berth_coll_t calls[3];
    const char *expected;
  } rows[] = {
      {"sizes with as many digits are one cell, measured at the one with most bytes",
       {{.op = "MPI_Bcast", .bytes = 1000, .count = 3, .root = 0},
        {.op = "MPI_Bcast", .bytes = 600, .count = 1, .root = 2},
        {.op = "MPI_Bcast", .bytes = 1024, .count = 1, .root = 0}},
       "bcast 8 of 1000 x 4\nbcast 8 of 1024 x 1\n"},
      {"what sends most comes first",
       {{.op = "MPI_Allreduce", .bytes = 8, .count = 1, .root = -1},
        {.op = "MPI_Barrier", .bytes = 0, .count = 50, .root = -1},
        {.op = "MPI_Reduce", .bytes = 1 << 20, .count = 1, .root = 0}},
       "reduce 8 of 1048576 x 1\nbarrier 8 of 0 x 50\nallreduce 8 of 8 x 1\n"},
      {"blocks of all ranks are divided, and both reduce-scatters are one",
       {{.op = "MPI_Alltoall", .bytes = 8 * 64, .count = 1, .root = -1},
        {.op = "MPI_Reduce_scatter", .bytes = 8 * 32, .count = 1, .root = -1},
        {.op = "MPI_Reduce_scatter_block", .bytes = 8 * 32, .count = 2, .root = -1}},
       "reduce_scatter 8 of 32 x 3\nalltoall 8 of 64 x 1\n"},
      {"communicators have their members",
       {{.comm = 1, .op = "MPI_Scan", .bytes = 16, .count = 2, .root = -1}},
       "scan 2 of 16 x 2 on 5 2\n"},
      {"not: one rank, calls that don't block, blocks that only some ranks know",
       {{.comm = 2, .op = "MPI_Bcast", .bytes = 16, .count = 2, .root = 0},
        {.op = "MPI_Ibcast", .bytes = 16, .count = 2, .root = 0},
        {.op = "MPI_Gatherv", .bytes = 16, .count = 2, .root = 0}},
       ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    berth_error_t err = {0};
    berth_tuning_t t;
    char found[512] = "";
    berth_pattern_t *p = berth_pattern_new(RANKS, &err);
    berth_pattern_add_comm(p, &(berth_comm_t){1, 2, pair}, NULL);
    berth_pattern_add_comm(p, &(berth_comm_t){2, 1, alone}, NULL);
    for (int k = 0; k < 3 && rows[i].calls[k].op; k++)
      assert_int_equal(berth_pattern_add_coll(p, &rows[i].calls[k], &err), BERTH_OK);
    if (berth_pattern_finish(p, &err) || berth_tuning_plan(p, &t, &err))
      FAIL_ROW(rows[i].name, "%s", err.text);
    describe(&t, found, sizeof found);
    if (strcmp(found, rows[i].expected) != 0)
      FAIL_ROW(rows[i].name, "found\n%sexpected\n%s", found, rows[i].expected);
    assert_int_equal(t.ranks, RANKS);
    berth_tuning_clear(&t);
    berth_pattern_free(p);
  }
}

/* Rows of a grid may be on one host, columns on many: of communicators of as many ranks some are
 * measured. */
static void many_communicators_are_some(void **state)
{
  (void)state;
  berth_tuning_t t;
  berth_error_t err = {0};
  berth_pattern_t *p = berth_pattern_new(2 * RANKS, &err);
  for (int i = 0; i < RANKS; i++) {
    const int ranks[] = {2 * i, 2 * i + 1};
    const berth_coll_t call = {
        .comm = 1 + i, .op = "MPI_Bcast", .bytes = 8, .count = (uint64_t)(10 + i), .root = 0};
    berth_pattern_add_comm(p, &(berth_comm_t){1 + i, 2, ranks}, NULL);
    berth_pattern_add_coll(p, &call, NULL);
  }
  assert_int_equal(berth_pattern_finish(p, &err), BERTH_OK);
  assert_int_equal(berth_tuning_plan(p, &t, &err), BERTH_OK);
  assert_int_equal(t.n, 4);
  assert_int_equal(t.cell[0].calls, 17); /* those that call most often */
  berth_tuning_clear(&t);
  berth_pattern_free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_of_a_pattern_are_cells),
      cmocka_unit_test(many_communicators_are_some),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
