/* SPDX-License-Identifier: BSD-3-Clause */
/* What berth says of the calls of standard input, in the form in which make_calls.c writes what it
 * recorded: `print_calls RULES [PARAMETER=VALUE…] [HOSTS] < calls`. A call is "operation ranks
 * counts element root kind". PARAMETERs are what the MPI was told. HOSTS are those of the ranks,
 * with commas. RULES may be berth:HALF: what berth's library does on a network with that half
 * (src/schedule/two_levels/choose.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/in_file.h"
#include "schedule/schedule_round.h"
#include "schedule/schedule_told.h"

enum { MOST_COUNTS = 4096, MOST_LINE = 1 << 16 };

typedef struct call {
  char op[64], counts[MOST_LINE], kind[32];
  int ranks, root;
  int64_t element;
} call_t;

static void fail(const char *what)
{
  fprintf(stderr, "print_calls: %s\n", what);
  exit(1);
}

static int64_t *counts_of(const char *text)
{
  static int64_t counts[MOST_COUNTS];
  size_t n = 0;
  for (char *end; n < MOST_COUNTS; text = end + 1) {
    counts[n++] = strtoll(text, &end, 10);
    if (*end != ',') return counts;
  }
  fail("too many counts");
  return NULL;
}

static schedule_hosts_t *hosts; /* NULL: not given */

static void say_step(const schedule_pieces_t *p, int step)
{
  schedule_messages_t m = {0};
  int64_t rounds = schedule_step_rounds(p, step), times;
  for (int64_t i = 0; i < rounds; i += times) {
    times = schedule_step_alike(p, step, i);
    if (!schedule_step_messages(p, step, i, SCHEDULE_MOST_MESSAGES, &m)) fail("out of memory");
    for (int64_t t = 0; t < times; t++)
      for (size_t k = 0; k < m.n; k++) {
        const schedule_message_t *one = &m.message[k];
        printf(" %d>%d:%" PRId64, one->src, one->dst, one->n);
      }
  }
  free(m.message);
}

static void say(const schedule_rules_t *rules, const call_t *c)
{
  schedule_pieces_t pieces = {0};
  berth_error_t err = {0};
  schedule_request_t q = {.element = c->element,
                          .hosts = hosts,
                          .in_place = strstr(c->kind, "+in_place") != NULL,
                          .user_operation = !strstr(c->kind, "built_in")};
  q.call = (schedule_call_t){.size = c->ranks, .root = c->root};
  q.call.commutative = !strstr(c->kind, "in_order");
  if (!schedule_op_find_call(c->op, &q.call.op, &q.way)) fail("found an operation without rules");
  const int64_t *counts = counts_of(c->counts);
  schedule_blocks_t *blocks = NULL;
  if (schedule_block_kind(q.call.op) >= SCHEDULE_RANK_BLOCKS) {
    q.call.blocks = blocks = schedule_blocks_new(q.call.op, c->ranks, counts);
    if (!blocks) fail("out of memory");
  } else {
    q.call.count = counts[0];
  }
  if (hosts && hosts->size != c->ranks) fail("found hosts of other ranks");
  int rc = schedule_decide_by_hosts(rules, &q, &pieces, &err);
  printf("%s %d %s %" PRId64 " %d %s\t", c->op, c->ranks, c->counts, c->element, c->root, c->kind);
  if (rc) printf(strstr(err.text, "leaves to the MPI") ? "left to the MPI" : "no rule");
  for (size_t i = 0; i < pieces.n; i++) {
    const schedule_stage_t *s = &pieces.piece[i].stage;
    printf("%s%s:%s", i ? " " : "", schedule_op_name(s->call.op), s->algorithm->name);
  }
  putchar('\t');
  for (int i = 0; i < pieces.steps; i++) say_step(&pieces, i);
  putchar('\n');
  schedule_pieces_clear(&pieces);
  free(blocks);
}

static void read_hosts(const char *text)
{
  static int host[MOST_COUNTS];
  const int64_t *numbers = counts_of(text);
  int n = 1;
  for (; *text; text++) n += *text == ',';
  for (int i = 0; i < n; i++) host[i] = (int)numbers[i];
  if (!(hosts = schedule_hosts_new(n, host))) fail("out of memory");
}

/* Tells rules the parameters among words, and returns how many there are. */
static int tell(schedule_rules_t *rules, char **word, int n)
{
  enum { MOST = 64 };
  schedule_parameter_t parameter[MOST];
  bool follows[MOST];
  berth_error_t err = {0};
  int told = 0;
  for (char *end; told < n && told < MOST && (end = strchr(word[told], '=')); told++) {
    char *text = NULL;
    size_t bytes;
    *end = '\0';
    bool is_file = strstr(word[told], "filename") != NULL;
    if (is_file && in_read_all(end + 1, &text, &bytes, &err)) fail(err.text);
    parameter[told] = (schedule_parameter_t){word[told], end + 1, text};
  }
  if (schedule_rules_tell(rules, parameter, (size_t)told, follows, &err)) fail(err.text);
  for (int i = 0; i < told; i++) {
    free((void *)(uintptr_t)parameter[i].text);
    if (!follows[i]) fail("found a parameter that the rules don't follow");
  }
  return told;
}

int main(int argc, char **argv)
{
  static call_t c;
  schedule_rules_t *rules;
  berth_error_t err = {0};
  if (argc < 2) fail("expected the rules, and parameters or hosts or nothing");
  if (strncmp(argv[1], "berth:", 6) == 0
          ? schedule_rules_of_library(SCHEDULE_LIBRARY, strtod(argv[1] + 6, NULL), NULL, &rules,
                                      &err)
          : schedule_rules_load(argv[1], &rules, &err))
    fail(err.text);
  int told = tell(rules, argv + 2, argc - 2);
  if (argc > told + 2) read_hosts(argv[told + 2]);
  while (scanf("%63s %d %65535s %" SCNd64 " %d %31s", c.op, &c.ranks, c.counts, &c.element, &c.root,
               c.kind) == 6)
    say(rules, &c);
  schedule_rules_free(rules);
  free(hosts);
  return 0;
}
