/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables damaged at every place: they make a pattern, or are refused with one line; never a crash,
 * nor a read beyond their end. */
#include "spool/assemble/assembly.h"

#include "image.h"

#include "harness.h"

static image_t whole, other; /* what is damaged; another rank's, or nothing */

static void end_image(void)
{
  const spool_thread_t thread = {.mpi_ticks = 200, .last_tick = 5800};
  image_add(&whole, image_block(&whole, SPOOL_THREADS), &thread, sizeof thread);
}

static int make_image(void **state)
{
  (void)state;
  static const uint64_t offsets[] = {0x10, 0x20};
  image_begin(&whole, 1, 3);
  image_sites(&whole, "MPI_Isend", offsets, 2);
  image_comm(&whole, 1, 5, 1, 2, 1);
  spool_block_t *b = image_block(&whole, SPOOL_MESSAGES);
  image_message(&whole, b, 0, 1, 100, 10);
  image_message(&whole, b, 2, 2, 1 << 20, 3);
  const spool_message_t bin = {spool_key(2, 0, 0) | SPOOL_BIN, 4096, 3, 30};
  image_add(&whole, b, &bin, sizeof bin);
  b = image_block(&whole, SPOOL_COLLS);
  image_coll(&whole, b, 1, 8, 5, 0);
  image_coll(&whole, b, 0, 8, 5, 1);
  image_phase(&whole, 0, 1, SPOOL_ORDER_KEPT);
  image_phase(&whole, 2, 2, SPOOL_ORDER_KEPT);
  b = image_block(&whole, SPOOL_MESSAGES);
  image_message_in(&whole, b, 2, 0, 64, 4);
  image_message_in(&whole, b, 2, 2, 65, 4);
  image_phase(&whole, 3, 1, SPOOL_ORDER_KEPT)->pending = 4;
  b = image_block(&whole, SPOOL_STEPS);
  for (uint32_t i = 0; i < 4; i++) {
    const spool_step_t send = {.peer = i % 2 * 2, .phase = 2, .size = 64 + i % 2, .times = 1};
    image_add(&whole, b, &send, sizeof send);
  }
  static const spool_step_t steps[] = {
      {.phase = 3, .kind = SPOOL_STEP_RECEIVE, .peer = SPOOL_ANY_RANK, .times = 2},
      {.phase = 3, .kind = SPOOL_STEP_LOOP, .size = 5, .times = 7},
      {.phase = 3, .kind = SPOOL_STEP_SENT, .peer = 2, .times = 1},
      {.phase = 3, .kind = SPOOL_STEP_LOOP, .size = 2, .times = 9},
      {.phase = 3, .kind = SPOOL_STEP_MEET, .peer = 1, .times = 1},
      {.phase = 3, .kind = SPOOL_STEP_FROM_ROOT, .root = 2, .times = 1},
      {.phase = 3, .kind = SPOOL_STEP_TO_ROOT, .root = 1, .times = 3}};
  for (size_t i = 0; i < COUNT(steps); i++) image_add(&whole, b, &steps[i], sizeof *steps);
  image_windows(&whole);
  const spool_rma_t line = {.id = 1,
                            .window = 2,
                            .site = 1,
                            .phase = 2,
                            .epochs = 2,
                            .target = -1,
                            .sync = SPOOL_SYNC_FENCE};
  image_rma(&whole, line, 2, 8, 4);
  image_unmodelled(&whole, "File_write", 3);
  image_parameter(&whole, "OMPI_MCA_coll", "^sm", NULL);
  image_parameter(&whole, "OMPI_MCA_x", "/rules", "1 # one\n2\n");
  image_spent(&whole, "Waitall", (spool_spent_t){.ticks = 3, .comm = SPOOL_NO_COMM, .site = 1});
  image_spent(&whole, "Bcast", (spool_spent_t){.ticks = 2, .comm = 1});
  end_image();
  return 0;
}

static void put_runs(image_t *image, const spool_segments_t *runs, size_t n)
{
  spool_block_t *b = image_block(image, SPOOL_SEGMENTS);
  for (size_t i = 0; i < n; i++) image_add(image, b, &runs[i], sizeof *runs);
}

/* The same kinds of numbers in tables of automatic phases, which the above is without. */
static int make_automatic(void **state)
{
  (void)state;
  image_begin(&other, 2, 3);
  image_automatic(&other, SPOOL_AUTO_KEPT, 0);
  put_runs(&other, (spool_segments_t[]){{0, 1, 9}, {0, 2, 5}}, 2);
  static const spool_segments_t runs[] = {{0, 1, 3}, {0, 2, 1}, {4, 1, 9}, {0, 0, 1}};
  image_begin(&whole, 0, 3);
  image_phase(&whole, 0, 1, SPOOL_ORDER_NONE);
  image_automatic(&whole, SPOOL_AUTO_KEPT, 2);
  put_runs(&whole, runs, COUNT(runs));
  spool_block_t *b = image_block(&whole, SPOOL_CLASSES);
  for (uint32_t i = 0; i < 3; i++) {
    const spool_class_t class = {.number = i, .times = (uint64_t[]){1, 10, 4}[i], .sum = 5};
    image_add(&whole, b, &class, sizeof class);
  }
  b = image_block(&whole, SPOOL_MESSAGES);
  image_message(&whole, b, 1, 0, 100, 30);
  image_message(&whole, b, 2, 0, 200, 10);
  b = image_block(&whole, SPOOL_CLASS_MESSAGES);
  image_message_in(&whole, b, 1, 1, 100, 20);
  image_message_in(&whole, b, 2, 2, 200, 5);
  image_coll(&whole, image_block(&whole, SPOOL_COLLS), 0, 8, 14, 0);
  spool_coll_t call = {
      .phase = 1, .root = -1, .bytes = 8, .count = 10, .op = 3, .name = "Allreduce"};
  image_add(&whole, image_block(&whole, SPOOL_CLASS_COLLS), &call, sizeof call);
  call = (spool_coll_t){.root = -1, .count = 4, .given = 20, .id = 1, .flags = 7, .op = 4};
  strcpy(call.name, "Alltoallv");
  image_add(&whole, image_block(&whole, SPOOL_COLLS), &call, sizeof call);
  image_row(&whole, image_block(&whole, SPOOL_ROWS), 1, 0, 1, 20);
  call.phase = 2;
  image_add(&whole, image_block(&whole, SPOOL_CLASS_COLLS), &call, sizeof call);
  image_row(&whole, image_block(&whole, SPOOL_CLASS_ROWS), 1, 2, 1, 20);
  end_image();
  return 0;
}

/* Assembles a copy that ends where the image does, so that a sanitizer sees a read beyond it.
 * Returns whether it was taken. */
static int try(const void *bytes, size_t n, const char *what, size_t at)
{
  berth_error_t err = {0};
  unsigned char *copy = malloc(n ? n : 1);
  memcpy(copy, bytes, n);
  assembly_t *a = assembly_new(NULL);
  berth_pattern_t *p = NULL;
  int rc = assembly_add(a, "f", copy, n, &err);
  free(copy);
  if (!rc && other.size) rc = assembly_add(a, "g", other.bytes, other.size, &err);
  if (!rc) rc = assembly_finish(a, &p, NULL, &err);
  if (rc && ((rc != BERTH_BAD_INPUT && rc != BERTH_MISSING) || strlen(err.text) < 8 ||
             strchr(err.text, '\n')))
    fail_msg("%s at %zu: code %d, \"%s\"", what, at, rc, err.text);
  berth_pattern_free(p);
  assembly_free(a);
  return rc == BERTH_OK;
}

static void a_whole_image_is_taken(void **state)
{
  (void)state;
  assert_true(try(whole.bytes, whole.size, "nothing", 0));
}

/* A cut in a block is noticed; one between blocks leaves a smaller table. */
static void a_cut_never_crashes(void **state)
{
  (void)state;
  size_t taken = 0;
  for (size_t n = 0; n < whole.size; n++) taken += (size_t)try(whole.bytes, n, "cut", n);
  assert_true(taken > 0 && taken < whole.size - sizeof(spool_header_t));
}

static void a_changed_byte_never_crashes(void **state)
{
  (void)state;
  static const unsigned char put[] = {0, 1, 0x7f, 0x80, 0xff};
  size_t tables = sizeof(spool_header_t), n_taken = 0, n = 0;
  for (size_t i = 0; i < whole.size; i++) {
    if (i >= 512 && i < tables) i = tables; /* the command's text */
    unsigned char before = whole.bytes[i];
    for (int bit = 0; bit < 8; bit++, n++) {
      if (!all_rounds() && bit != (int)i % 8) continue;
      whole.bytes[i] = (unsigned char)(before ^ 1 << bit);
      n_taken += (size_t)try(whole.bytes, whole.size, "bit flip", i);
    }
    for (size_t k = 0; k < COUNT(put); k++, n++) {
      whole.bytes[i] = put[k];
      n_taken += (size_t)try(whole.bytes, whole.size, "new byte", i);
    }
    whole.bytes[i] = before;
  }
  assert_true(n_taken > 0 && n_taken < n);
}

/* Numbers that would overflow, or ask for much memory, in every word of the tables. */
static void huge_numbers_never_crash(void **state)
{
  (void)state;
  static const uint64_t put[] = {UINT64_MAX,        (uint64_t)1 << 63,
                                 (uint64_t)1 << 53, ((uint64_t)1 << 53) + 1,
                                 UINT32_MAX,        (uint64_t)1 << 32};
  for (size_t i = 0; i + 8 <= whole.size; i += 8) {
    uint64_t before;
    memcpy(&before, whole.bytes + i, 8);
    for (size_t k = 0; k < COUNT(put); k++) {
      memcpy(whole.bytes + i, &put[k], 8);
      try(whole.bytes, whole.size, "huge number", i);
    }
    memcpy(whole.bytes + i, &before, 8);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_whole_image_is_taken),
      cmocka_unit_test(a_cut_never_crashes),
      cmocka_unit_test(a_changed_byte_never_crashes),
      cmocka_unit_test(huge_numbers_never_crash),
  };
  int failed = cmocka_run_group_tests_name("of sends", tests, make_image, NULL);
  return failed + cmocka_run_group_tests_name("automatic phases", tests, make_automatic, NULL);
}
