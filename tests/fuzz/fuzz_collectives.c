/* SPDX-License-Identifier: BSD-3-Clause */
/* The readers of rules and of Open MPI's dynamic rules: any bytes load or fail with one line, and
 * what loaded rules choose serves the call. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "schedule/rules/rule.h"
#include "schedule/schedule_round.h"
#include "schedule/schedule_told.h"

static void check(int holds)
{
  if (!holds) abort();
}

/* Every message of a stage goes from one rank to another. */
static void check_messages(const schedule_stage_t *s)
{
  schedule_messages_t m = {0};
  int64_t rounds = s->algorithm->rounds(&s->call), alike;
  check(rounds >= 0);
  for (int64_t i = 0; i < rounds; i += alike) {
    alike = schedule_alike(s->algorithm, &s->call, i);
    check(alike >= 1 && alike <= rounds - i && schedule_round_messages(s, i, SIZE_MAX, &m));
    for (size_t k = 0; k < m.n; k++)
      check(m.message[k].src != m.message[k].dst && m.message[k].dst >= 0 &&
            m.message[k].dst < s->call.size && m.message[k].n >= 0);
  }
  free(m.message);
}

static void check_call(const schedule_rules_t *r, const schedule_request_t *q)
{
  schedule_stage_t stage[SCHEDULE_STAGES];
  int n = schedule_decide(r, q, stage);
  check(n >= -1 && n <= SCHEDULE_STAGES);
  for (int i = 0; i < n; i++) {
    check(schedule_serves(stage[i].algorithm, &stage[i].call));
    bool whole = stage[i].call.count == 1 && stage[i].element % q->element == 0; /* "one_element" */
    check(stage[i].element == 1 || stage[i].element == q->element || whole);
    check_messages(&stage[i]);
  }
}

static void check_rules(const schedule_rules_t *r)
{
  static const schedule_request_t calls[] = {
      {{.size = 1, .count = 3, .commutative = true}, 4, false},
      {{.size = 5, .count = 40, .root = 4, .commutative = true}, 8, true},
      {{.size = 8, .count = 0, .commutative = true}, 1, false},
      {{.size = 16, .count = 33, .root = 3}, 3, true}};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    for (int op = 0; op < SCHEDULE_OPS; op++) {
      schedule_request_t q = calls[i];
      q.call.op = (schedule_op_t)op;
      check_call(r, &q);
      if (schedule_block_kind(q.call.op) < SCHEDULE_RANK_BLOCKS) continue;
      static const int64_t counts[16 * 16] = {0, 3, 0, 1, 7};
      schedule_blocks_t *blocks = schedule_blocks_new(q.call.op, q.call.size, counts);
      q.call.blocks = blocks;
      check_call(r, &q);
      free(blocks);
    }
}

static void tell_rules(const uint8_t *data, size_t n)
{
  berth_error_t err = {0};
  schedule_rules_t *r;
  bool follows[2];
  char *text = calloc(n + 1, 1);
  if (!text) return;
  memcpy(text, data, n);
  const schedule_parameter_t told[] = {{"OMPI_MCA_coll_tuned_dynamic_rules_filename", "f", text},
                                       {"OMPI_MCA_coll_tuned_use_dynamic_rules", "1", NULL}};
  check(!schedule_rules_load("openmpi-4.1", &r, &err));
  check(!schedule_rules_tell(r, told, 2, follows, &err));
  check_rules(r);
  schedule_rules_free(r);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  berth_error_t err = {0};
  schedule_rules_t *r;
  if (rules_parse((const char *)data, n, "f", &r, &err))
    check(!r && err.code == BERTH_BAD_INPUT && *err.text && !strchr(err.text, '\n'));
  else
    check_rules(r);
  schedule_rules_free(r);
  tell_rules(data, n);
  return 0;
}
