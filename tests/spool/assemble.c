/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/assemble/assemble_unmodelled.h"
#include "spool/assemble/assembly.h"

#include <math.h>

#include "image.h"
#include "together.h"

#include "harness.h"

static image_t image[4]; /* of up to four ranks */

static berth_pattern_t *assemble(int n, const int *order, assembly_stats_t *stats)
{
  berth_error_t err = {0};
  assembly_stats_t own;
  const image_t *images[4];
  assembly_t *a = assembly_new(&err);
  for (int i = 0; i < n; i++) {
    image_t *from = &image[order ? order[i] : i];
    images[i] = from;
    if (assembly_add(a, "image", from->bytes, from->size, &err)) fail_msg("%s", err.text);
  }
  berth_pattern_t *p = NULL;
  if (assembly_finish(a, &p, stats ? stats : &own, &err)) fail_msg("%s", err.text);
  check_together(images, (size_t)n, p, stats ? stats : &own);
  assembly_free(a);
  return p;
}

static void check_message(const berth_message_t *m, int dst, int site, uint64_t size,
                          uint64_t count, uint64_t bytes)
{
  if (m->dst != dst || m->site != site || m->size != size || m->count != count || m->bytes != bytes)
    fail_msg("to %d, site %d: %llu x %llu, %llu bytes; expected to %d, site %d: %llu x %llu, %llu",
             m->dst, m->site, (unsigned long long)m->count, (unsigned long long)m->size,
             (unsigned long long)m->bytes, dst, site, (unsigned long long)count,
             (unsigned long long)size, (unsigned long long)bytes);
}

static void the_header_is_taken_over(void **state)
{
  (void)state;
  image_begin(&image[0], 0, 2);
  image_begin(&image[1], 1, 2);
  strcpy(image_header(&image[1])->host, "node1");
  image_header(&image[1])->pu = 3;
  image_header(&image[1])->end_tick = 0; /* it crashed */
  image_header(&image[1])->state = SPOOL_ABORTED;
  const spool_thread_t threads[] = {
      {.mpi_ticks = 200, .last_tick = 5800, .unsure_ticks = 350, .core_wait_ns = 2},
      {.mpi_ticks = 300, .last_tick = 6000, .unsure_ticks = 50, .core_wait_ns = 250000000}};
  spool_block_t *b = image_block(&image[1], SPOOL_THREADS);
  for (size_t i = 0; i < COUNT(threads); i++) image_add(&image[1], b, &threads[i], sizeof *threads);
  assembly_stats_t stats;
  berth_pattern_t *p = assemble(2, NULL, &stats);
  size_t n;
  const char *const *command = berth_pattern_command(p, &n);
  assert_int_equal(n, 2);
  assert_string_equal(command[1], "-x");
  assert_string_equal(berth_pattern_mpi(p), "Test MPI 1.0");
  assert_string_equal(berth_pattern_created(p), "1970-01-02T00:00:00Z");
  const berth_rank_info_t *zero = berth_pattern_rank(p, 0), *one = berth_pattern_rank(p, 1);
  assert_true(zero->wall_s == 2.5 && zero->mpi_s == 0 && zero->pu == -1);
  assert_true(one->wall_s == 1.0 && one->mpi_s == 0.3 && one->pu == 3);
  assert_true(zero->unsure_s == 0 && one->unsure_s > 0.2499 && one->unsure_s < 0.2501);
  assert_true(zero->core_wait_s == -1 && one->core_wait_s == 0.25);
  assert_string_equal(one->host, "node1");
  assert_true(stats.ranks == 2 && stats.total.found == 2 && stats.total.finished == 1 &&
              stats.total.aborted == 1);
  berth_pattern_free(p);
}

/* Two threads of a run from tick 5,000 to 7,500, a thousand a second. Of both, at most 1.5 s are in
 * MPI, and 0.5 may be. */
static void waits_for_cores(void **state)
{
  static const struct {
    const char *name;
    uint64_t mpi_ticks[2], ns[2];
    spool_state_t state;
    uint64_t last_tick;
    double wait_s;
  } cases[] = {
      {"none", {1500, 0}, {0, 0}, SPOOL_FINISHED, 7000, 0},
      {"of the one longest in MPI", {1, 1500}, {500000000, 250000000}, SPOOL_FINISHED, 7000, 0.25},
      {"some of it may be in MPI", {1500, 0}, {600000000, 0}, SPOOL_FINISHED, 7000, 0.6},
      {"at most what isn't in MPI", {1500, 0}, {1100000000, 0}, SPOOL_FINISHED, 7000, 1},
      {"the system doesn't tell", {1500, 0}, {SPOOL_UNKNOWN_WAIT, 9}, SPOOL_FINISHED, 7000, -1},
      {"it runs, and made a call just now", {1500, 0}, {250000000, 0}, SPOOL_RUNNING, 7490, 0.25},
      {"it runs, and made no call lately", {1500, 0}, {250000000, 0}, SPOOL_RUNNING, 7000, -1}};
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    image_begin(&image[0], 0, 1);
    image_header(&image[0])->state = cases[i].state;
    spool_block_t *b = image_block(&image[0], SPOOL_THREADS);
    for (size_t k = 0; k < 2; k++) {
      const spool_thread_t t = {.id = k + 1,
                                .mpi_ticks = cases[i].mpi_ticks[k],
                                .unsure_ticks = cases[i].mpi_ticks[k] == 1500 ? 500 : 0,
                                .last_tick = cases[i].last_tick,
                                .core_wait_ns = cases[i].ns[k]};
      image_add(&image[0], b, &t, sizeof t);
    }
    berth_pattern_t *p = assemble(1, NULL, NULL);
    double found = berth_pattern_rank(p, 0)->core_wait_s;
    if (found != cases[i].wait_s) FAIL_ROW(cases[i].name, "found %g", found);
    berth_pattern_free(p);
  }
}

static void times_may_be_left_out(void **state)
{
  (void)state;
  image_begin(&image[0], 0, 1);
  image_header(&image[0])->no_times = 1;
  berth_pattern_t *p = assemble(1, NULL, NULL);
  assert_string_equal(berth_pattern_created(p), "");
  const berth_rank_info_t *rank = berth_pattern_rank(p, 0);
  assert_true(rank->wall_s == -1 && rank->mpi_s == -1 && rank->core_wait_s == -1);
  assert_string_equal(rank->host, "node0");
  berth_pattern_free(p);
}

static void threads_are_added_up(void **state)
{
  (void)state;
  image_begin(&image[0], 1, 4);
  for (int thread = 0; thread < 3; thread++) {
    spool_block_t *b = image_block(&image[0], SPOOL_MESSAGES);
    image_message(&image[0], b, 2, 0, 100, 10 + (uint64_t)thread);
    image_message(&image[0], b, 3, 0, 7, 0); /* taken back */
    image_message(&image[0], b, 0, 0, 200 + (uint64_t)thread, 1);
  }
  assembly_stats_t stats;
  berth_pattern_t *p = assemble(1, NULL, &stats);
  size_t n;
  const berth_message_t *m = berth_pattern_messages(p, 0, &n);
  assert_int_equal(n, 4);
  for (int i = 0; i < 3; i++) check_message(&m[i], 0, 0, 200 + (uint64_t)i, 1, 200 + (uint64_t)i);
  check_message(&m[3], 2, 0, 100, 33, 3300);
  assert_int_equal(stats.total.messages, 36);
  assert_int_equal(stats.total.found, 1);
  berth_pattern_free(p);
}

/* n sizes from `first` on, one message each, `per_thread` of them in each thread's block. */
static void many_sizes(image_t *to, uint64_t first, int n, int per_thread)
{
  spool_block_t *b = NULL;
  for (int i = 0; i < n; i++) {
    if (i % per_thread == 0) b = image_block(to, SPOOL_MESSAGES);
    image_message(to, b, 0, 0, first + (uint64_t)i, 1);
  }
}

static void sizes_are_exact_up_to_a_number(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int n, per_thread;
    size_t entries;
  } cases[] = {
      {"as many as are kept", SPOOL_EXACT_SIZES, 1000, SPOOL_EXACT_SIZES},
      {"one more: sizes 1024 to 1152 in bins of 32", SPOOL_EXACT_SIZES + 1, 1000, 5},
      {"one more over three threads", SPOOL_EXACT_SIZES + 1, 50, 5},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    image_begin(&image[0], 0, 1);
    many_sizes(&image[0], 1024, cases[i].n, cases[i].per_thread);
    berth_pattern_t *p = assemble(1, NULL, NULL);
    size_t n;
    uint64_t count = 0, bytes = 0, wanted = 0;
    const berth_message_t *m = berth_pattern_messages(p, 0, &n);
    for (size_t k = 0; k < n; k++) count += m[k].count, bytes += m[k].bytes;
    for (int k = 0; k < cases[i].n; k++) wanted += 1024 + (uint64_t)k;
    if (n != cases[i].entries || count != (uint64_t)cases[i].n || bytes != wanted)
      FAIL_ROW(cases[i].name, "%zu entries, %llu messages, %llu bytes", n,
               (unsigned long long)count, (unsigned long long)bytes);
    berth_pattern_free(p);
  }
}

/* A thread with bins of its own, another with sizes of the same bins. */
static void bins_and_sizes_come_together(void **state)
{
  (void)state;
  image_begin(&image[0], 0, 1);
  spool_block_t *b = image_block(&image[0], SPOOL_MESSAGES);
  const spool_message_t bin = {spool_key(0, 0, 0) | SPOOL_BIN, 4096, 3, 30};
  image_add(&image[0], b, &bin, sizeof bin);
  image_message(&image[0], b, 0, 0, 4100, 1);
  image_message(&image[0], b, 0, 0, 63, 2);
  berth_pattern_t *p = assemble(1, NULL, NULL);
  size_t n;
  const berth_message_t *m = berth_pattern_messages(p, 0, &n);
  assert_int_equal(n, 2);
  check_message(&m[0], 0, 0, 63, 2, 126);
  check_message(&m[1], 0, 0, 4105, 4, 3 * 4096 + 30 + 4100); /* 16418 / 4, rounded */
  berth_pattern_free(p);
}

/* What found no room is one line for each destination, and changes no other; two threads have it.
 */
static void what_found_no_room_stands_alone(void **state)
{
  (void)state;
  image_begin(&image[0], 0, 2);
  image_message(&image[0], image_block(&image[0], SPOOL_MESSAGES), 1, 0, 1001, 5);
  const spool_message_t rest[] = {{spool_key(1, 0, 0) | SPOOL_BIN, 0, 3, 5000},
                                  {spool_key(0, 0, 0) | SPOOL_BIN, 0, 2, 9},
                                  {spool_key(1, 0, 0) | SPOOL_BIN, 0, 1, 1004}};
  for (size_t i = 0; i < COUNT(rest); i++)
    image_add(&image[0], image_block(&image[0], SPOOL_REST), &rest[i], sizeof *rest);
  assembly_stats_t stats;
  berth_pattern_t *p = assemble(1, NULL, &stats);
  size_t n;
  const berth_message_t *m = berth_pattern_messages(p, 0, &n);
  assert_int_equal(n, 3);
  check_message(&m[0], 0, 0, 5, 2, 9);
  check_message(&m[1], 1, 0, 1001, 5, 5005);
  check_message(&m[2], 1, 0, 1501, 4, 6004);
  assert_true(stats.total.coarse == 6 && stats.total.coarse_bytes == 6013 &&
              stats.total.messages == 11);
  berth_pattern_free(p);
}

static void bins_are_narrow(void **state)
{
  (void)state;
  for (uint64_t size = 0; size < 1 << 20; size++) {
    uint64_t bin = spool_bin(size);
    if (bin > size || (size - bin) * 32 > size || spool_bin(bin) != bin ||
        (size && spool_bin(size - 1) > bin))
      fail_msg("size %llu: bin %llu", (unsigned long long)size, (unsigned long long)bin);
  }
  assert_true(spool_bin(UINT64_MAX) <= UINT64_MAX);
}

/* Ranks meet the same sites in different orders. */
static void sites_are_numbered_by_their_contents(void **state)
{
  (void)state;
  static const uint64_t offsets[2][3] = {{0x30, 0x10, 0x20}, {0x20, 0x40, 0x10}};
  for (uint32_t r = 0; r < 2; r++) {
    image_begin(&image[r], r, 2);
    image_sites(&image[r], "MPI_Send", offsets[r], 3);
    spool_block_t *b = image_block(&image[r], SPOOL_MESSAGES);
    for (uint32_t s = 1; s <= 3; s++)
      if (offsets[r][s - 1] != 0x40) image_message(&image[r], b, 1 - r, s, offsets[r][s - 1], 1);
  }
  for (int turn = 0; turn < 2; turn++) {
    const int order[] = {turn, 1 - turn};
    berth_pattern_t *p = assemble(2, order, NULL);
    size_t n;
    const berth_site_t *sites = berth_pattern_sites(p, &n);
    assert_int_equal(n, 3); /* 0x40 was never used */
    for (size_t i = 0; i < n; i++) {
      char text[64];
      snprintf(text, sizeof text, "/x/app+0x%zx (abcd)", 16 * (i + 1));
      assert_string_equal(sites[i].frames[0], text);
      assert_string_equal(sites[i].op, "MPI_Send");
    }
    const berth_message_t *m = berth_pattern_messages(p, 0, &n);
    assert_int_equal(n, 5);
    for (size_t i = 0; i < n; i++) assert_int_equal(m[i].size, 16 * (uint64_t)m[i].site);
    berth_pattern_free(p);
  }
}

static void collectives_of_all_ranks_are_one(void **state)
{
  (void)state;
  for (uint32_t r = 0; r < 4; r++) {
    image_begin(&image[r], r, 4);
    image_comm(&image[r], 1, r % 2 ? 111 : 222, r % 2, r % 2 + 2, r != 3); /* 1 3, 0 2 */
    spool_block_t *b = image_block(&image[r], SPOOL_COLLS);
    image_coll(&image[r], b, 0, 8, 50, 0);
    image_coll(&image[r], b, 1, 16, r == 2 ? 9 : 10, 0); /* rank 2 was cut off */
    image_coll(&image[r], b, 0, r + 1, 5, 1);
  }
  assembly_stats_t stats;
  berth_pattern_t *p = assemble(4, NULL, &stats);
  size_t n;
  const berth_comm_t *comms = berth_pattern_comms(p, &n);
  assert_int_equal(n, 2);
  assert_true(comms[0].ranks[0] == 0 && comms[0].ranks[1] == 2 && comms[1].ranks[0] == 1);
  const berth_coll_t *c = berth_pattern_colls(p, &n);
  assert_int_equal(n, 4);
  uint64_t counts[2][2] = {{0}};
  for (size_t i = 0; i < n; i++) {
    if (strcmp(c[i].op, "MPI_Allgatherv") == 0) assert_true(c[i].bytes == 3 && c[i].count == 5);
    if (c[i].comm == 0 && c[i].bytes == 8) counts[0][0] = c[i].count;
    if (c[i].comm) counts[1][c[i].comm - 1] = c[i].count;
  }
  assert_true(counts[0][0] == 50 && counts[1][0] == 10 && counts[1][1] == 10);
  assert_int_equal(stats.total.unknown_calls, 0);
  berth_pattern_free(p);
}

static void a_communicator_that_nobody_lists_is_counted(void **state)
{
  (void)state;
  image_begin(&image[0], 1, 2);
  image_comm(&image[0], 1, 5, 1, 0, 0);
  image_coll(&image[0], image_block(&image[0], SPOOL_COLLS), 1, 8, 12, 0);
  assembly_stats_t stats;
  berth_pattern_t *p = assemble(1, NULL, &stats);
  assert_true(stats.total.unknown_calls == 12 && stats.total.calls == 0);
  berth_pattern_free(p);
}

/* Lines of locks, one for each target, are one in the trace; windows are numbered by their
 * members; of a phase there is one occurrence. */
static void one_sided_operations(void **state)
{
  (void)state;
  for (uint32_t r = 0; r < 2; r++) {
    image_begin(&image[r], r, 2);
    image_comm(&image[r], 1, 9, 1, 0, 1);
    image_windows(&image[r]);
    image_phase(&image[r], 2, 3, SPOOL_ORDER_NONE);
  }
  const spool_rma_t lines[] = {
      {.id = 1, .window = 2, .epochs = 2, .target = 0, .sync = SPOOL_SYNC_LOCK},
      {.id = 2, .window = 2, .epochs = 3, .target = 1, .sync = SPOOL_SYNC_LOCK},
      {.id = 3, .window = 1, .phase = 2, .epochs = 6, .target = -1, .sync = SPOOL_SYNC_FENCE},
      {.id = 4, .window = 1, .epochs = 1, .target = -1, .sync = SPOOL_SYNC_PSCW}};
  image_rma(&image[1], lines[0], 0, 8, 4);
  image_rma(&image[1], lines[1], 1, 8, 5);
  image_rma(&image[1], lines[2], 0, 16, 12);
  image_rma(&image[1], lines[3], 0, 16, 0); /* taken back */
  image_unmodelled(&image[0], "File_write", 3);
  image_unmodelled(&image[1], "File_read", 1);
  image_unmodelled(&image[1], "File_write", 4);
  assembly_stats_t stats;
  size_t n;
  berth_pattern_t *p = assemble(2, NULL, &stats);
  const berth_rma_t *rmas = berth_pattern_rmas(p, &n);
  assert_int_equal(n, 2);
  assert_true(rmas[0].win == 1 && rmas[0].epochs == 5 && rmas[0].n_msgs == 2 && rmas[0].src == 1);
  assert_string_equal(rmas[0].sync, "lock");
  assert_true(rmas[0].msgs[0].dst == 0 && rmas[0].msgs[0].count == 4);
  assert_true(rmas[0].msgs[1].dst == 1 && rmas[0].msgs[1].count == 5);
  assert_true(rmas[1].win == 0 && rmas[1].phase == 2 && rmas[1].epochs == 2);
  assert_true(rmas[1].msgs[0].count == 4 && rmas[1].msgs[0].bytes == 64);
  const berth_unmodelled_t *calls = berth_pattern_unmodelled(p, &n);
  assert_int_equal(n, 2);
  assert_string_equal(calls[0].op, "MPI_File_read");
  assert_true(calls[0].calls == 1 && calls[1].calls == 7);
  assert_string_equal(stats.unmodelled_note, "counted by name only, calls of all ranks: "
                                             "MPI_File_read: 1, MPI_File_write: 7");
  berth_pattern_free(p);
}

/* Parameters come sorted, the first of each name; what isn't text becomes '?'. */
static void parameters_are_kept(void **state)
{
  (void)state;
  image_begin(&image[0], 0, 2);
  image_begin(&image[1], 1, 2);
  image_parameter(&image[0], "OMPI_MCA_coll_b", "1\n\x01", "8\t6\r\n\xff\n");
  image_parameter(&image[0], "OMPI_MCA_coll_a", "", NULL);
  image_parameter(&image[0], "OMPI_MCA_coll_a", "2", "");
  size_t n;
  assembly_stats_t stats;
  berth_pattern_t *p = assemble(2, NULL, &stats);
  const berth_parameter_t *all = berth_pattern_parameters(p, &n);
  assert_int_equal(n, 2);
  assert_string_equal(all[0].name, "OMPI_MCA_coll_a");
  assert_string_equal(all[0].value, "");
  assert_null(all[0].text);
  assert_string_equal(all[1].value, "1??");
  assert_string_equal(all[1].text, "8 6 \n?\n");
  berth_pattern_free(p);
}

/* Grids of all ranks, each once; others can only be damage. */
static void grids_are_kept(void **state)
{
  (void)state;
  const spool_grid_t grids[] = {{2, 2, {1, 2}}, {1, 0, {2}}, {2, 2, {1, 2}},      {1, 0, {3}},
                                {0, 0, {2}},    {9, 0, {2}}, {1, 0, {UINT32_MAX}}};
  image_begin(&image[0], 0, 2);
  image_begin(&image[1], 1, 2);
  image_add(&image[0], image_block(&image[0], SPOOL_GRIDS), grids, sizeof grids);
  size_t n;
  assembly_stats_t stats;
  berth_pattern_t *p = assemble(2, NULL, &stats);
  const berth_grid_t *all = berth_pattern_grids(p, &n);
  assert_int_equal(n, 2);
  assert_true(all[0].n_dims == 2 && all[0].dims[0] == 1 && all[0].dims[1] == 2);
  assert_true(!all[0].periodic[0] && all[0].periodic[1]);
  assert_true(all[1].n_dims == 1 && all[1].dims[0] == 2 && !all[1].periodic[0]);
  berth_pattern_free(p);
}

/* Times of equal calls add up over ranks; of a rank's threads, that with the most time in MPI
 * counts. Calls on a communicator that nobody lists are in the function's time alone. */
static void times_are_merged(void **state)
{
  (void)state;
  static const struct {
    int rank;
    const char *name;
    spool_spent_t spent;
  } given[] = {{0, "Waitall", {100, 1, SPOOL_NO_COMM, 1}},
               {1, "Waitall", {300, 2, SPOOL_NO_COMM, 2}}, /* site 1 of rank 0 */
               {1, "Waitall", {900, 1, SPOOL_NO_COMM, 2}}, /* a thread with less in all */
               {1, "Waitall", {7, 2, SPOOL_NO_COMM, 0}},
               {0, "Bcast", {50, 1, 0, 0}},
               {1, "Bcast", {50, 2, 0, 0}},
               {0, "Bcast", {20, 1, 1, 0}},
               {1, "Bcast", {0, 2, 1, 0}},
               {1, "Barrier", {40, 2, 2, 0}}, /* nobody lists its ranks */
               {1, "Barrier", {2, 2, 0, 0}}};
  static const struct {
    const char *op;
    int comm, site;
    double total_s, max_s;
    int max_rank;
  } expected[] = {{"MPI_Barrier", -1, 0, 0.042, 0.042, 1}, {"MPI_Barrier", 0, 0, 0.002, 0.002, 1},
                  {"MPI_Bcast", -1, 0, 0.12, 0.07, 0},     {"MPI_Bcast", 0, 0, 0.1, 0.05, 0},
                  {"MPI_Bcast", 1, 0, 0.02, 0.02, 0},      {"MPI_Waitall", -1, 0, 0.407, 0.307, 1},
                  {"MPI_Waitall", -1, 1, 0.4, 0.3, 1}};
  const spool_thread_t threads[] = {{.mpi_ticks = 900, .id = 1}, {.mpi_ticks = 950, .id = 2}};
  for (int no_times = 0; no_times < 2; no_times++) {
    for (uint32_t r = 0; r < 2; r++) {
      image_begin(&image[r], r, 2);
      image_header(&image[r])->no_times = (uint64_t)no_times;
      image_sites(&image[r], "MPI_Waitall", r ? (uint64_t[]){0x20, 0x10} : (uint64_t[]){0x10, 0x30},
                  2);
      image_comm(&image[r], 1, 5, 0, 1, true);
      image_comm(&image[r], 2, 6, 0, 1, false);
      spool_block_t *b = image_block(&image[r], SPOOL_THREADS);
      image_add(&image[r], b, &threads[r], sizeof *threads);
      image_add(&image[r], b, &threads[!r], r ? sizeof *threads : 0);
    }
    for (size_t i = 0; i < COUNT(given); i++)
      image_spent(&image[given[i].rank], given[i].name, given[i].spent);
    berth_pattern_t *p = assemble(2, NULL, NULL);
    size_t n, n_sites;
    const berth_time_t *t = berth_pattern_times(p, &n);
    berth_pattern_sites(p, &n_sites);
    assert_int_equal(n, no_times ? 0 : COUNT(expected));
    assert_int_equal(n_sites, no_times ? 0 : 1);
    for (size_t i = 0; i < n; i++) {
      assert_string_equal(t[i].op, expected[i].op);
      if (t[i].comm != expected[i].comm || t[i].site != expected[i].site ||
          t[i].max_rank != expected[i].max_rank ||
          fabs(t[i].total_s - expected[i].total_s) > 1e-9 ||
          fabs(t[i].max_s - expected[i].max_s) > 1e-9)
        fail_msg("%zu: comm %d, site %d, %g s, at most %g s, rank %d", i, t[i].comm, t[i].site,
                 t[i].total_s, t[i].max_s, t[i].max_rank);
    }
    berth_pattern_free(p);
  }
}

/* Records of different moments, and calls that weren't timed, may say more than the rank's time. */
static void times_are_at_most_those_in_mpi(void **state)
{
  (void)state;
  size_t n;
  const spool_thread_t thread = {.mpi_ticks = 900, .id = 1};
  image_begin(&image[0], 0, 1);
  image_add(&image[0], image_block(&image[0], SPOOL_THREADS), &thread, sizeof thread);
  image_spent(&image[0], "Waitall",
              (spool_spent_t){.ticks = 600, .thread = 1, .comm = SPOOL_NO_COMM});
  image_spent(&image[0], "Bcast", (spool_spent_t){.ticks = 400, .thread = 1});
  image_spent(&image[0], "Bcast",
              (spool_spent_t){.ticks = 200, .thread = 1, .comm = SPOOL_NO_COMM});
  berth_pattern_t *p = assemble(1, NULL, NULL);
  const berth_time_t *t = berth_pattern_times(p, &n);
  assert_int_equal(n, 3);
  assert_true(fabs(t[0].total_s - 0.45) < 1e-9 && fabs(t[1].total_s - 0.3) < 1e-9);
  assert_true(fabs(t[2].total_s - 0.45) < 1e-9 && t[2].max_s == t[2].total_s);
  berth_pattern_free(p);
}

/* What a wrong call left that ended its job; the rank's other records are good. */
static void impossible_records_are_left_out(void **state)
{
  (void)state;
  const struct {
    const char *name;
    spool_coll_t coll;
    spool_message_t message;
  } cases[] = {
      {"root outside of the job", {.root = 99, .count = 1}, {0}},
      {"root outside of its communicator", {.comm = 1, .root = 2, .count = 1}, {0}},
      {"root before the first rank", {.root = -2, .count = 1}, {0}},
      {"communicator", {.comm = 2, .root = -1, .count = 1}, {0}},
      {"site of a call", {.site = 7, .root = -1, .count = 1}, {0}},
      {"bytes of a call", {.bytes = UINT64_MAX, .root = -1, .count = 1}, {0}},
      {"destination", {0}, {spool_key(4, 0, 0), 8, 1, 0}},
      {"site of a message", {0}, {spool_key(1, 0, 7), 8, 1, 0}},
      {"size", {0}, {spool_key(1, 0, 0), UINT64_MAX, 1, 0}},
      {"bytes in all", {0}, {spool_key(1, 0, 0), (uint64_t)1 << 50, 16, 0}},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    image_begin(&image[0], 0, 4);
    image_comm(&image[0], 1, 111, 0, 2, 1);
    spool_block_t *b = image_block(&image[0], SPOOL_COLLS);
    image_add(&image[0], b, &cases[i].coll, sizeof cases[i].coll);
    image_coll(&image[0], b, 1, 8, 5, 0);
    b = image_block(&image[0], SPOOL_MESSAGES);
    image_add(&image[0], b, &cases[i].message, sizeof cases[i].message);
    image_message(&image[0], b, 1, 0, 8, 3);
    assembly_stats_t stats;
    berth_pattern_free(assemble(1, NULL, &stats));
    if (stats.total.impossible != 1 || stats.total.calls != 5 || stats.total.messages != 3)
      FAIL_ROW(cases[i].name, "%llu impossible, %llu calls, %llu messages",
               (unsigned long long)stats.total.impossible, (unsigned long long)stats.total.calls,
               (unsigned long long)stats.total.messages);
  }
}

static void what_was_missed_is_summed(void **state)
{
  (void)state;
  for (uint32_t r = 0; r < 2; r++) {
    image_begin(&image[r], r, 2);
    image_header(&image[r])->missed = (spool_missed_t){
        1 + r, 10 + r, 100 + r, 1000 + r, 7 + r, 50 + r, 60 + r, 70 + r, 80 + r, 0, 90 + r};
  }
  assembly_stats_t stats;
  berth_pattern_free(assemble(2, NULL, &stats));
  assert_true(stats.total.missed.outside == 3 && stats.total.missed.lost == 21 &&
              stats.total.missed.lost_bytes == 201 && stats.total.missed.lost_calls == 2001 &&
              stats.total.missed.outside_calls == 15 && stats.total.missed.spawned == 101 &&
              stats.total.missed.stopped == 121 && stats.total.missed.stopped_calls == 141 &&
              stats.total.missed.threads == 161 && stats.total.missed.lost_layouts == 181);
}

static void wrong_images_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    size_t offset;
    uint32_t value;
    const char *text;
  } cases[] = {
      {"magic", 0, 1, "found no table of berth's tracer"},
      {"version", offsetof(spool_header_t, version), SPOOL_VERSION + 1, "version: found "},
      {"byte order", offsetof(spool_header_t, byte_order), 0x04030201, "another byte order"},
      {"job", offsetof(spool_header_t, job), 5, "found job 0000000000000005 of 2 ranks"},
      {"ranks", offsetof(spool_header_t, ranks), 0, "ranks: found 0"},
      {"too many", offsetof(spool_header_t, ranks), 1 << 25, "ranks: found 33554432"},
      {"rank", offsetof(spool_header_t, rank), 2, "rank: found 2, expected less than ranks"},
      {"twice", offsetof(spool_header_t, rank), 0, "found rank 0 a second time"},
      {"state", offsetof(spool_header_t, state), 3, "state: found 3"},
      {"command", offsetof(spool_header_t, command_bytes), 5000, "bytes of the command"},
      {"open end", offsetof(spool_header_t, command_bytes), 2, "the command doesn't end"},
  };
  image_begin(&image[0], 0, 2);
  assembly_t *a = assembly_new(NULL);
  assert_int_equal(assembly_add(a, "zero", image[0].bytes, image[0].size, NULL), BERTH_OK);
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    image_begin(&image[1], 1, 2);
    memcpy(image[1].bytes + cases[i].offset, &cases[i].value, sizeof cases[i].value);
    int rc = assembly_add(a, "one", image[1].bytes, image[1].size, &err);
    if (rc != BERTH_BAD_INPUT || !strstr(err.text, cases[i].text) || strncmp(err.text, "one: ", 5))
      FAIL_ROW(cases[i].name, "code %d, %s", rc, err.text);
  }
  assembly_free(a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_header_is_taken_over),
      cmocka_unit_test(waits_for_cores),
      cmocka_unit_test(times_may_be_left_out),
      cmocka_unit_test(threads_are_added_up),
      cmocka_unit_test(sizes_are_exact_up_to_a_number),
      cmocka_unit_test(bins_and_sizes_come_together),
      cmocka_unit_test(what_found_no_room_stands_alone),
      cmocka_unit_test(bins_are_narrow),
      cmocka_unit_test(sites_are_numbered_by_their_contents),
      cmocka_unit_test(collectives_of_all_ranks_are_one),
      cmocka_unit_test(a_communicator_that_nobody_lists_is_counted),
      cmocka_unit_test(one_sided_operations),
      cmocka_unit_test(parameters_are_kept),
      cmocka_unit_test(grids_are_kept),
      cmocka_unit_test(times_are_merged),
      cmocka_unit_test(times_are_at_most_those_in_mpi),
      cmocka_unit_test(impossible_records_are_left_out),
      cmocka_unit_test(what_was_missed_is_summed),
      cmocka_unit_test(wrong_images_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
