/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth schedule`: the messages of a collective operation. */
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/memory_option.h"
#include "schedule/schedule_round.h"

typedef struct options {
  const char *op, *rules, *algorithm, *counts, *hosts;
  int ranks, root, element, degree;
  uint64_t bytes, segment, half;
  bool in_order, user_operation, in_place, cyclic, json;
} options_t;

#define MOST_BYTES (UINT64_C(1) << 53)

static const option_t own[] = {
    OPTION("", option_word, options_t, op),
    OPTION_IN("--ranks", option_number, options_t, ranks, 1, 16777216),
    OPTION_IN("--bytes", option_size, options_t, bytes, 0, MOST_BYTES),
    OPTION("--counts", option_text, options_t, counts),
    OPTION_IN("--element", option_number, options_t, element, 1, 1 << 20),
    OPTION("--hosts", option_text, options_t, hosts),
    OPTION("--cyclic", option_flag, options_t, cyclic),
    OPTION_IN("--root", option_number, options_t, root, 0, 16777215),
    OPTION("--in-order", option_flag, options_t, in_order),
    OPTION("--user-operation", option_flag, options_t, user_operation),
    OPTION("--in-place", option_flag, options_t, in_place),
    OPTION("--collectives", option_text, options_t, rules),
    OPTION_IN("--half", option_size, options_t, half, 1, UINT64_C(1) << 40),
    OPTION("--algorithm", option_text, options_t, algorithm),
    OPTION_IN("--degree", option_number, options_t, degree, 1, 1 << 20),
    OPTION_IN("--segment", option_size, options_t, segment, 1, MOST_BYTES),
    OPTION("--json", option_flag, options_t, json),
    {0}};

static void check_options(struct argp_state *state, void *all)
{
  options_t *o = all;
  if (o->ranks > 0 && !o->op) argp_error(state, "expected an operation");
  if (o->ranks > 0 && o->root >= o->ranks)
    argp_error(state, "--root: found %d, expected a rank from 0 to %d", o->root, o->ranks - 1);
  if (o->bytes % (uint64_t)o->element)
    argp_error(state, "--bytes: found %llu, expected a multiple of the %d of an element",
               (unsigned long long)o->bytes, o->element);
  if (o->segment % (uint64_t)o->element)
    argp_error(state, "--segment: found %llu, expected a multiple of the %d of an element",
               (unsigned long long)o->segment, o->element);
  if (o->ranks > 0 && o->bytes > MOST_BYTES / (uint64_t)o->ranks)
    argp_error(state, "--bytes: found %llu, expected at most 2^53 for all %d ranks together",
               (unsigned long long)o->bytes, o->ranks);
  if (o->counts && o->bytes > 0) argp_error(state, "expected --bytes or --counts, found both");
  if (o->hosts && o->algorithm) argp_error(state, "expected --hosts or --algorithm, found both");
  if (o->hosts && o->ranks == 0) argp_error(state, "expected --ranks beside --hosts");
  if (o->cyclic && !o->hosts) argp_error(state, "expected --hosts beside --cyclic");
  if (o->half && (o->algorithm || (strcmp(o->rules, SCHEDULE_LIBRARY) != 0 &&
                                   strcmp(o->rules, SCHEDULE_AGENTS) != 0)))
    argp_error(state, "expected --collectives %s or %s beside --half", SCHEDULE_LIBRARY,
               SCHEDULE_AGENTS);
  if (!o->algorithm && (o->degree || o->segment))
    argp_error(state, "expected --algorithm beside --degree or --segment");
}

static const option_table_t table = {own, check_options};
static const option_part_t parts[] = {{&table, 0}, {&memory_option, 0}, {0}};

/* --- blocks of different sizes --- */

/* A list of numbers with commas, from `min` each, and what all may be together. */
typedef struct number_list {
  const char *option, *text, *expected; /* expected: for errors */
  uint64_t min, max_total;
} number_list_t;

/* Takes the number that begins at *text, and moves it to its end; false: there is none, or it and
 * those before it aren't what they may be. */
static bool take_number(const number_list_t *l, const char **text, uint64_t *total, int64_t *number)
{
  char *end;
  if (**text < '0' || **text > '9') return false;
  unsigned long long n = strtoull(*text, &end, 10);
  if (n < l->min || n > l->max_total - *total || (*end && *end != ',')) return false;
  *text = end;
  *total += n;
  *number = (int64_t)n;
  return true;
}

/* Reads the numbers of a list, at most n. *found: how many there are, n + 1: more. */
static int read_numbers(const number_list_t *l, int64_t *numbers, size_t n, size_t *found,
                        uint64_t *total, berth_error_t *err)
{
  const char *text = l->text;
  *total = 0;
  for (*found = 0; *found < n; text++) {
    if (!take_number(l, &text, total, &numbers[*found]))
      return berth_fail(err, BERTH_USAGE, "%s: found '%.*s' as number %zu, expected %s", l->option,
                        (int)strcspn(text, ","), text, *found + 1, l->expected);
    ++*found;
    if (!*text) return BERTH_OK;
  }
  ++*found;
  return BERTH_OK;
}

static int read_counts(const options_t *o, int64_t *counts, size_t n, berth_error_t *err)
{
  size_t found;
  uint64_t total;
  const number_list_t list = {"--counts", o->counts,
                              "whole numbers with commas, at most 2^53 bytes together", 0,
                              MOST_BYTES / (uint64_t)o->element};
  int rc = read_numbers(&list, counts, n, &found, &total, err);
  if (rc || found == n) return rc;
  return berth_fail(err, BERTH_USAGE, "--counts: found %s numbers, expected %zu for %d ranks",
                    found > n ? "more" : "fewer", n, o->ranks);
}

/* The blocks of --counts; the caller frees them. */
static int take_counts(const options_t *o, schedule_op_t op, schedule_blocks_t **out,
                       berth_error_t *err)
{
  schedule_block_kind_t kind = schedule_block_kind(op);
  size_t size = (size_t)o->ranks, n = kind == SCHEDULE_PAIR_BLOCKS ? size * size : size;
  if (kind < SCHEDULE_RANK_BLOCKS)
    return berth_fail(err, BERTH_USAGE,
                      "--counts: found it for %s, expected an operation such as allgatherv", o->op);
  if (n > strlen(o->counts))
    return berth_fail(err, BERTH_USAGE, "--counts: found fewer numbers, expected %zu for %d ranks",
                      n, o->ranks);
  int64_t *counts = malloc(n * sizeof *counts);
  if (!counts) return no_memory(err);
  int rc = read_counts(o, counts, n, err);
  *out = rc ? NULL : schedule_blocks_new(op, o->ranks, counts);
  if (!rc && !*out) rc = no_memory(err);
  free(counts);
  return rc;
}

/* --- hosts --- */

/* Gives ranks their hosts: the ranks of a host one after the other, or one of each host in turns.
 */
static void deal_hosts(const options_t *o, int64_t *left, size_t n, int *host)
{
  size_t h = 0;
  for (int r = 0; r < o->ranks; r++) {
    while (left[h] == 0) h = (h + 1) % n;
    host[r] = (int)h;
    left[h]--;
    if (o->cyclic) h = (h + 1) % n;
  }
}

/* The hosts of --hosts; the caller frees them. */
static int take_hosts(const options_t *o, schedule_hosts_t **out, berth_error_t *err)
{
  size_t ranks = (size_t)o->ranks, found;
  uint64_t total;
  char expected[80];
  snprintf(expected, sizeof expected, "ranks of hosts with commas, at least 1 each, %d together",
           o->ranks);
  const number_list_t list = {"--hosts", o->hosts, expected, 1, (uint64_t)o->ranks};
  int64_t *left = malloc(ranks * sizeof *left);
  int *host = malloc(ranks * sizeof *host);
  int rc = left && host ? read_numbers(&list, left, ranks, &found, &total, err) : no_memory(err);
  if (!rc && total != (uint64_t)o->ranks)
    rc = berth_fail(err, BERTH_USAGE, "--hosts: found hosts of %llu ranks, expected all %d ranks",
                    (unsigned long long)total, o->ranks);
  if (!rc) {
    deal_hosts(o, left, found, host);
    if (!(*out = schedule_hosts_new(o->ranks, host))) rc = no_memory(err);
  }
  free(left);
  free(host);
  return rc;
}

/* --- what is asked for --- */

typedef struct plan {
  schedule_blocks_t *blocks; /* of --counts, or NULL */
  schedule_hosts_t *hosts;   /* of --hosts, or NULL */
  const char *rules;         /* NULL: the algorithm was given */
  schedule_pieces_t pieces;
} plan_t;

static int find_op(const options_t *o, schedule_op_t *op, schedule_way_t *way, berth_error_t *err)
{
  char names[256] = "";
  if (schedule_op_find_call(o->op, op, way)) return BERTH_OK;
  for (size_t i = 0, used = 0; i < SCHEDULE_OPS; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", text_or(i, SCHEDULE_OPS),
                             schedule_op_name((schedule_op_t)i));
  return berth_fail(err, BERTH_USAGE, "found the operation '%s', expected %s", o->op, names);
}

static int take_algorithm(const options_t *o, const schedule_call_t *call, plan_t *out,
                          berth_error_t *err)
{
  const schedule_algorithm_t *found = schedule_find(call->op, o->algorithm);
  if (!found)
    return berth_fail(
        err, BERTH_USAGE,
        "--algorithm: found '%s', expected one of `berth schedule %s` without --ranks",
        o->algorithm, o->op);
  const schedule_stage_t stage = {found, *call, o->element};
  if (!schedule_pieces_add(&out->pieces, &stage)) return no_memory(err);
  if (found->needs & SCHEDULE_DEGREE && o->degree == 0)
    return berth_fail(err, BERTH_USAGE, "expected --degree for %s", o->algorithm);
  if (schedule_serves(found, call)) return BERTH_OK;
  return berth_fail(err, BERTH_USAGE,
                    "found a call that %s doesn't serve: `berth schedule %s` lists what it needs",
                    o->algorithm, o->op);
}

static int load_rules(const options_t *o, schedule_rules_t **out, berth_error_t *err)
{
  return o->half ? schedule_rules_of_library(o->rules, (double)o->half, NULL, out, err)
                 : schedule_rules_load(o->rules, out, err);
}

static int take_rules(const options_t *o, const schedule_call_t *call, schedule_way_t way,
                      schedule_rules_t *rules, plan_t *out, berth_error_t *err)
{
  const schedule_request_t q = {.call = *call,
                                .element = o->element,
                                .in_place = o->in_place,
                                .user_operation = o->user_operation || o->in_order,
                                .way = way,
                                .hosts = out->hosts};
  out->rules = schedule_rules_name(rules);
  return schedule_decide_by_hosts(rules, &q, &out->pieces, err);
}

/* --- texts --- */

static const struct {
  unsigned need;
  const char *text;
} needs[] = {{SCHEDULE_COMMUTATIVE, "a commutative operation"},
             {SCHEDULE_POWER_OF_TWO, "a power of two of ranks"},
             {SCHEDULE_EVEN, "an even number of ranks"},
             {SCHEDULE_TWO_RANKS, "2 ranks"},
             {SCHEDULE_ELEMENT_A_RANK, "an element for each rank"},
             {SCHEDULE_ELEMENT_A_PART, "an element for each of the largest power of two of ranks"},
             {SCHEDULE_TWO_ELEMENTS, "2 elements and segments of at most half a block"},
             {SCHEDULE_LIKE_BLOCKS, "blocks of one size"},
             {SCHEDULE_FULL_BLOCKS, "no empty block"},
             {SCHEDULE_DEGREE, "--degree"},
             {SCHEDULE_RADIX, "at least 2 of it"}};
enum { N_NEEDS = sizeof needs / sizeof *needs };

/* Those of an operation; SCHEDULE_OPS: of all. */
static void list_algorithms(schedule_op_t of)
{
  size_t n;
  const unsigned not_needed = SCHEDULE_SEGMENTS | SCHEDULE_REDUNDANT | SCHEDULE_SKIPS_EMPTY |
                              SCHEDULE_EACH_PAIR | SCHEDULE_ALTERNATES | SCHEDULE_UNWRITTEN;
  const schedule_algorithm_t *list = schedule_algorithms(&n);
  for (size_t i = 0; i < n; i++) {
    const char *op = schedule_op_name(list[i].op), *before = "needs ";
    if (of != SCHEDULE_OPS && list[i].op != of) continue;
    printf("%-20s  %-*s", op, list[i].needs & ~not_needed ? 24 : 0, list[i].name);
    if (list[i].needs & ~not_needed && strlen(list[i].name) >= 24) before = "  needs ";
    for (size_t k = 0; k < N_NEEDS; k++) {
      if (!(list[i].needs & needs[k].need)) continue;
      printf("%s%s", before, needs[k].text);
      before = ", ";
    }
    puts("");
  }
}

/* The pieces of a step that run among the same kind of groups. */
typedef struct step {
  schedule_pieces_t pieces; /* these alone; borrowed */
  int number;
  bool beside; /* the one before, in the same step */
} step_t;

/* Goes on to the next one, from none first; false: there is none. */
static bool next_step(const schedule_pieces_t *all, step_t *s)
{
  size_t first = s->pieces.piece ? (size_t)(s->pieces.piece - all->piece) + s->pieces.n : 0;
  if (first == all->n) return false;
  const schedule_piece_t *piece = all->piece + first;
  s->beside = s->pieces.n > 0 && piece->step == s->number;
  s->number = piece->step;
  s->pieces = (schedule_pieces_t){.piece = all->piece + first, .steps = all->steps};
  while (first + s->pieces.n < all->n && piece[s->pieces.n].step == s->number &&
         piece[s->pieces.n].among == piece->among)
    s->pieces.n++;
  return true;
}

/* Its groups: several pieces may have the same one. */
static size_t groups_of(const step_t *s)
{
  size_t groups = 0;
  for (size_t i = 0; i < s->pieces.n; i++)
    groups += i == 0 || s->pieces.piece[i].rank != s->pieces.piece[i - 1].rank;
  return groups;
}

typedef const char *name_of_t(const schedule_algorithm_t *a);

static const char *operation_name(const schedule_algorithm_t *a) { return schedule_op_name(a->op); }
static const char *algorithm_name(const schedule_algorithm_t *a) { return a->name; }

/* The operations or algorithms of a step, each once: groups of several sizes may have several. */
static void list_names(const step_t *s, name_of_t *name_of, char *out, size_t size)
{
  const schedule_piece_t *piece = s->pieces.piece;
  size_t used = 0;
  *out = '\0';
  for (size_t i = 0; i < s->pieces.n; i++) {
    const char *name = name_of(piece[i].stage.algorithm);
    size_t k = 0;
    while (strcmp(name_of(piece[k].stage.algorithm), name) != 0) k++;
    if (k == i && used < size)
      used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", name);
  }
}

/* Gets a round with messages, and how many rounds are like it. */
typedef void visit_t(void *to, int64_t round, int64_t times, const schedule_messages_t *m);

static int visit_rounds(const step_t *s, visit_t *visit, void *to, berth_error_t *err)
{
  schedule_messages_t m = {0};
  int rc = BERTH_OK;
  int64_t rounds = schedule_step_rounds(&s->pieces, s->number), times;
  for (int64_t i = 0; i < rounds && !rc; i += times) {
    times = schedule_step_alike(&s->pieces, s->number, i);
    if (!schedule_step_messages(&s->pieces, s->number, i, SCHEDULE_MOST_MESSAGES, &m))
      rc = no_memory(err);
    if (!rc && m.n > SCHEDULE_MOST_MESSAGES)
      rc = berth_fail(err, BERTH_MISSING,
                      "round %lld: found more than %d messages, expected at most as many",
                      (long long)i + 1, SCHEDULE_MOST_MESSAGES);
    if (!rc && m.n > 0) visit(to, i, times, &m);
  }
  free(m.message);
  return rc;
}

static void print_round(void *to, int64_t round, int64_t times, const schedule_messages_t *m)
{
  char rounds[48], bytes[TEXT_NUMBER], largest[TEXT_NUMBER];
  double sum = 0, most = 0;
  for (size_t i = 0; i < m->n; i++) {
    double n = (double)m->message[i].n;
    sum += n;
    if (n > most) most = n;
  }
  snprintf(rounds, sizeof rounds, times > 1 ? "%lld-%lld" : "%lld", (long long)round + 1,
           (long long)(round + times));
  fprintf(to, "  %-12s  %10zu  %12s  %12s\n", rounds, m->n, text_bytes(sum, bytes),
          text_bytes(most, largest));
}

/* "bcast: binomial, among leaders" */
static void print_step(const step_t *s)
{
  char operations[256], names[256];
  const schedule_piece_t *piece = s->pieces.piece;
  size_t groups = groups_of(s);
  list_names(s, operation_name, operations, sizeof operations);
  list_names(s, algorithm_name, names, sizeof names);
  printf("%s%s: %s", s->beside ? "at the same time, " : "", operations, names);
  if (piece->among != SCHEDULE_ALL_RANKS)
    printf(", among %s (%zu group%s)", schedule_among_name(piece->among), groups,
           text_plural((double)groups));
  printf("\n  %-12s  %10s  %12s  %12s\n", "round", "messages", "bytes", "largest");
}

static int print_text(const options_t *o, const plan_t *plan, berth_error_t *err)
{
  char bytes[TEXT_NUMBER];
  double size = plan->blocks ? (double)plan->blocks->total * o->element : (double)o->bytes;
  printf("%s of %s%s on %d rank%s", o->op, text_bytes(size, bytes),
         plan->blocks ? " in all blocks" : "", o->ranks, text_plural(o->ranks));
  if (plan->hosts) printf(" of %d host%s", plan->hosts->n, text_plural(plan->hosts->n));
  if (plan->rules) printf(", as %s does it", plan->rules);
  printf(plan->pieces.n == 0 ? ": no messages\n" : "\n");
  int rc = BERTH_OK;
  for (step_t s = {0}; !rc && next_step(&plan->pieces, &s);) {
    print_step(&s);
    rc = visit_rounds(&s, print_round, stdout, err);
  }
  return rc;
}

static void put_round(void *to, int64_t round, int64_t times, const schedule_messages_t *m)
{
  (void)round;
  json_out_t *j = to;
  json_open(j, NULL, '{', JSON_LINES);
  json_put_u64(j, "times", (uint64_t)times);
  json_open(j, "messages", '[', JSON_COMPACT);
  for (size_t i = 0; i < m->n; i++) {
    json_open(j, NULL, '[', JSON_COMPACT);
    json_put_u64(j, NULL, (uint64_t)m->message[i].src);
    json_put_u64(j, NULL, (uint64_t)m->message[i].dst);
    json_put_u64(j, NULL, (uint64_t)m->message[i].n);
    json_close(j);
  }
  json_close(j);
  json_close(j);
}

static int put_step(json_out_t *j, const step_t *s, berth_error_t *err)
{
  char operations[256], names[256];
  const schedule_piece_t *piece = s->pieces.piece;
  list_names(s, operation_name, operations, sizeof operations);
  list_names(s, algorithm_name, names, sizeof names);
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "operation", operations);
  json_put_string(j, "algorithm", names);
  if (piece->among != SCHEDULE_ALL_RANKS) {
    json_put_string(j, "among", schedule_among_name(piece->among));
    json_put_u64(j, "groups", groups_of(s));
  }
  if (s->beside) json_put_bool(j, "at_the_same_time", true);
  json_open(j, "rounds", '[', JSON_LINES);
  int rc = visit_rounds(s, put_round, j, err);
  json_close(j);
  json_close(j);
  return rc;
}

static int print_json(const options_t *o, const plan_t *plan, berth_error_t *err)
{
  json_out_t j;
  int rc = json_begin(&j, "-", "berth-schedule", err);
  if (rc) return rc;
  json_put_string(&j, "operation", o->op);
  json_put_u64(&j, "ranks", (uint64_t)o->ranks);
  if (plan->hosts) json_put_u64(&j, "hosts", (uint64_t)plan->hosts->n);
  if (plan->blocks)
    json_put_u64(&j, "all_bytes", (uint64_t)plan->blocks->total * (uint64_t)o->element);
  else
    json_put_u64(&j, "bytes", o->bytes);
  if (plan->rules) json_put_string(&j, "collectives", plan->rules);
  json_open(&j, "stages", '[', JSON_LINES);
  for (step_t s = {0}; !rc && next_step(&plan->pieces, &s);) rc = put_step(&j, &s, err);
  json_close(&j);
  json_close(&j);
  if (!rc) return out_commit(j.out, err);
  out_abort(j.out);
  return rc;
}

static int show_list(const options_t *o, berth_error_t *err)
{
  schedule_way_t way;
  schedule_op_t op = SCHEDULE_OPS;
  int rc = o->op ? find_op(o, &op, &way, err) : BERTH_OK;
  if (!rc) list_algorithms(op);
  return rc;
}

static int show(const options_t *o, berth_error_t *err)
{
  plan_t plan = {0};
  schedule_way_t way;
  schedule_rules_t *rules = NULL;
  schedule_call_t call = {.size = o->ranks,
                          .root = o->root,
                          .count = (int64_t)o->bytes / o->element,
                          .segment = (int64_t)o->segment / o->element,
                          .degree = o->degree,
                          .commutative = !o->in_order};
  int rc = find_op(o, &call.op, &way, err);
  if (!rc && o->counts) rc = take_counts(o, call.op, &plan.blocks, err);
  call.blocks = plan.blocks;
  if (!rc && o->hosts) rc = take_hosts(o, &plan.hosts, err);
  if (!rc && o->algorithm) rc = take_algorithm(o, &call, &plan, err);
  if (!rc && !o->algorithm) rc = load_rules(o, &rules, err);
  if (rules) rc = take_rules(o, &call, way, rules, &plan, err);
  if (!rc) rc = o->json ? print_json(o, &plan, err) : print_text(o, &plan, err);
  schedule_rules_free(rules);
  schedule_pieces_clear(&plan.pieces);
  free(plan.hosts);
  free(plan.blocks);
  return rc;
}

static int run_schedule(int argc, char **argv)
{
  options_t o = {.rules = "openmpi-4.1", .element = 1};
  berth_error_t err = {0};
  int wrong = option_parse(&cmd_schedule, argc, argv, &o);
  if (wrong) return wrong;
  int rc = o.ranks > 0 ? show(&o, &err) : show_list(&o, &err);
  return rc ? cli_report(argv[0], &err) : BERTH_OK;
}

const cli_command_t cmd_schedule = {.name = "schedule", .run = run_schedule, .parts = parts};
