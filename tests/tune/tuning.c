/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of measurements: what is written is read, and what doesn't hold together gets a line. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "tune/tuning_internal.h"

#define HEAD       "{\"format\":\"berth-tuning\",\"version\":1,\"ranks\":4,\"cells\":["
#define CELL       "{\"operation\":\"bcast\",\"ranks\":2,\"hosts\":2,\"bytes\":8,"
#define END        "]}"
#define NONE       "\"choices\":[]}"
#define EPOCHS     "],\"one_sided\":{\"epochs\":[{\"ranks\":3,"
#define END_EPOCHS "}]}}"

static void what_is_written_is_read(void **state)
{
  (void)state;
  char path[] = "/tmp/berth-tuning-XXXXXX";
  int members[] = {3, 1};
  berth_tuned_choice_t choices[] = {{"ring", 4096, 2048, 0, 0.5, 0.75, 0.25},
                                    {"mpi", 0, 0, 3, -1, 1.5, -1}};
  berth_error_t err = {0};
  berth_tuned_cell_t cell = {.operation = "allreduce",
                             .ranks = 2,
                             .hosts = 1,
                             .bytes = 1 << 20,
                             .calls = 7,
                             .within_s = 0.25,
                             .members = members,
                             .settled = true,
                             .n_choices = 2,
                             .choice = choices};
  berth_tuned_epochs_t epochs[] = {{4, 2, 8, 125000, 8e-8, 8192, 0.5},
                                   {3, 3, 6, 2000, -1, 1024, 0}};
  const berth_tuning_t t = {.ranks = 4,
                            .mpi = "Open MPI 4.1.4",
                            .agents = true,
                            .half = 2048,
                            .bandwidth = 1e9,
                            .seconds = 1.25,
                            .n = 1,
                            .cell = &cell,
                            .message_s = 2e-6,
                            .n_epochs = 2,
                            .epochs = epochs};
  berth_tuning_t read;
  close(mkstemp(path));
  assert_int_equal(berth_tuning_save(&t, path, &err), BERTH_OK);
  if (berth_tuning_load(path, 4, &read, &err)) fail_msg("%s", err.text);
  unlink(path);
  assert_int_equal(read.ranks, 4);
  assert_string_equal(read.mpi, t.mpi);
  assert_true(read.agents);
  assert_true(read.half == t.half && read.bandwidth == t.bandwidth && read.seconds == t.seconds);
  assert_int_equal(read.n, 1);
  assert_string_equal(read.cell->operation, cell.operation);
  assert_int_equal(read.cell->bytes, cell.bytes);
  assert_int_equal(read.cell->calls, cell.calls);
  assert_true(read.cell->within_s == cell.within_s);
  assert_true(read.cell->settled);
  assert_memory_equal(read.cell->members, members, sizeof members);
  assert_int_equal(read.cell->n_choices, 2);
  for (int i = 0; i < 2; i++) {
    const berth_tuned_choice_t *found = &read.cell->choice[i], *written = &cell.choice[i];
    assert_string_equal(found->algorithm, written->algorithm);
    assert_true(found->segment == written->segment && found->overlap == written->overlap);
    assert_int_equal(found->degree, written->degree);
    assert_true(found->predicted_s == written->predicted_s);
    assert_true(found->measured_s == written->measured_s && found->error == written->error);
  }
  assert_true(read.message_s == t.message_s);
  assert_int_equal(read.n_epochs, 2);
  for (int i = 0; i < 2; i++) {
    const berth_tuned_epochs_t *found = &read.epochs[i], *written = &epochs[i];
    assert_true(found->ranks == written->ranks && found->hosts == written->hosts);
    assert_true(found->targets == written->targets && found->message == written->message);
    assert_true(found->bytes == written->bytes && found->early == written->early);
    assert_true(found->fill_s == written->fill_s);
  }
  berth_tuning_clear(&read);
  berth_tuning_clear(&read);
}

static void what_does_not_hold_together_gets_one_line(void **state)
{
  (void)state;
  static const struct {
    const char *text, *expected;
  } cases[] = {
      {"{}", "t: format: found nothing, expected \"berth-tuning\""},
      {HEAD "{}" END, "t: cells[0].operation: found nothing, expected a string"},
      {HEAD "{\"operation\":\"\",\"ranks\":2,\"bytes\":8," NONE END,
       "t: cells[0].operation: found \"\", expected a name of an operation or algorithm"},
      {HEAD "{\"operation\":\"bcast\",\"ranks\":5,\"bytes\":8," NONE END,
       "t: cells[0].ranks: found 5, expected a whole number from 1 to 4"},
      {HEAD "{\"operation\":\"bcast\",\"ranks\":2,\"hosts\":3,\"bytes\":8," NONE END,
       "t: cells[0].hosts: found 3, expected a whole number from 1 to 2"},
      {HEAD CELL "\"settled\":1," NONE END, "t: cells[0].settled: found 1, expected true or false"},
      {HEAD CELL "\"members\":[1]," NONE END, "t: cells[0].members: found 1 ranks, expected 2"},
      {HEAD CELL "\"members\":[1,4]," NONE END,
       "t: cells[0].members[1]: found 4, expected a whole number from 0 to 3"},
      {HEAD CELL "\"members\":[1,1]," NONE END, "t: cells[0].members[1]: found rank 1 again"},
      {HEAD CELL "\"choices\":[{\"algorithm\":\"ring\",\"segment_bytes\":-1}]}" END,
       "t: cells[0].choices[0].segment_bytes: found -1, expected a whole number from 0 to "
       "9007199254740992"},
      {HEAD CELL "\"choices\":[{\"algorithm\":\"ring\",\"measured_s\":-1}]}" END,
       "t: cells[0].choices[0].measured_s: found -1, expected a number of at least 0"},
      {HEAD "],\"one_sided\":{}}", "t: one_sided.epochs: found nothing, expected an array"},
      {HEAD EPOCHS "\"hosts\":1" END_EPOCHS,
       "t: one_sided.epochs[0].hosts: found 1, expected a whole number from 2 to 3"},
      {HEAD EPOCHS "\"hosts\":2,\"targets\":1,\"bytes\":9,\"message_bytes\":0" END_EPOCHS,
       "t: one_sided.epochs[0].message_bytes: found 0, expected a whole number from 1 to "
       "9007199254740992"},
      {HEAD EPOCHS
       "\"hosts\":2,\"targets\":1,\"bytes\":9,\"message_bytes\":8,\"early\":2" END_EPOCHS,
       "t: one_sided.epochs[0].early: found 2, expected a number from 0 to 1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    berth_tuning_t t;
    berth_error_t err = {0};
    int rc = tuning_parse(cases[i].text, strlen(cases[i].text), "t", 4, &t, &err);
    if (rc != BERTH_BAD_INPUT || strcmp(err.text, cases[i].expected) != 0)
      FAIL_ROW(cases[i].text, "found %d, %s\nexpected %s", rc, err.text, cases[i].expected);
    assert_null(t.cell);
  }
}

static void a_file_is_of_a_job(void **state)
{
  (void)state;
  berth_tuning_t t;
  berth_error_t err = {0};
  const char text[] = HEAD CELL NONE END;
  assert_int_equal(tuning_parse(text, strlen(text), "t", 5, &t, &err), BERTH_BAD_INPUT);
  assert_string_equal(err.text, "t: ranks: found 4, expected 5, the job's ranks");
  assert_int_equal(tuning_parse(text, strlen(text), "t", 0, &t, &err), BERTH_OK);
  berth_tuning_clear(&t);
  assert_int_equal(berth_tuning_load("/nowhere/t", 0, &t, &err), BERTH_MISSING);
}

static void sizes_have_digits(void **state)
{
  (void)state;
  static const struct {
    uint64_t bytes;
    int digits;
  } cases[] = {{0, 0}, {1, 1}, {7, 3}, {8, 4}, {15, 4}, {16, 5}, {UINT64_MAX, 64}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(berth_tuning_digits(cases[i].bytes), cases[i].digits);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(what_does_not_hold_together_gets_one_line),
      cmocka_unit_test(a_file_is_of_a_job),
      cmocka_unit_test(sizes_have_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
