/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases that repeat, and the order of sends, from tables made by hand. */
#include "spool/assemble/assemble_order.h"
#include "spool/assemble/assemble_phase.h"
#include "spool/assemble/assembly.h"

#include "assemble_images.h"
#include "image.h"

#include "harness.h"

enum { MOST_RANKS = 3 };

/* What ranks counted in phase 2, which they began so often, and what that makes. */
typedef struct repeats_case {
  const char *name;
  int ranks;
  uint64_t begun[MOST_RANKS];
  struct {
    uint64_t size, count;
  } sent[MOST_RANKS];
  uint64_t calls, repeats, count; /* collective calls; what is expected, and of rank 0's messages */
  const char *note;
} repeats_case_t;

#define UNEVEN "taken as one occurrence, because ranks or occurrences differ: "

static const repeats_case_t repeats_cases[] = {
    {"as often as begun", 2, {5, 5}, {{8, 10}, {9, 5}}, 0, 5, 2, ""},
    {"once", 2, {1, 1}, {{8, 10}, {9, 5}}, 0, 1, 10, ""},
    {"a rank that isn't in it", 3, {5, 5, 0}, {{8, 10}, {9, 5}}, 0, 5, 2, ""},
    {"a rank without messages", 3, {5, 5, 5}, {{8, 10}}, 0, 5, 2, ""},
    {"a rank that differs", 2, {5, 4}, {{8, 10}, {9, 4}}, 0, 1, 10, UNEVEN "phase 2"},
    {"messages that differ", 2, {5, 5}, {{8, 10}, {9, 4}}, 0, 1, 10, UNEVEN "phase 2"},
    {"a collective in each", 2, {5, 5}, {{8, 10}, {9, 5}}, 15, 5, 2, ""},
    {"a collective in some", 2, {5, 5}, {{8, 10}, {9, 5}}, 16, 1, 10, UNEVEN "phase 2"},
};

static const berth_phase_t *phase_of(const berth_pattern_t *p, int id, size_t *place)
{
  size_t n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n);
  for (size_t i = 0; i < n; i++) {
    *place = i;
    if (phases[i].id == id) return &phases[i];
  }
  return NULL;
}

static void a_phase_repeats_as_often_as_all_began_it(void **state)
{
  (void)state;
  static image_t image[MOST_RANKS];
  for (size_t i = 0; i < COUNT(repeats_cases); i++) {
    const repeats_case_t *c = &repeats_cases[i];
    for (int r = 0; r < c->ranks; r++) {
      image_begin(&image[r], (uint32_t)r, (uint32_t)c->ranks);
      image_phase(&image[r], 0, 1, SPOOL_ORDER_NONE);
      image_phase(&image[r], 2, c->begun[r], SPOOL_ORDER_NONE);
      spool_block_t *b = image_block(&image[r], SPOOL_MESSAGES);
      if (c->sent[r].count) image_message_in(&image[r], b, 2, 0, c->sent[r].size, c->sent[r].count);
      const spool_coll_t call = {.root = -1, .phase = 2, .count = c->calls, .name = "Barrier"};
      image_add(&image[r], image_block(&image[r], SPOOL_COLLS), &call, sizeof call);
    }
    assembly_stats_t stats;
    berth_pattern_t *p = assemble(image, c->ranks, &stats);
    size_t place = 0, n, n_phases, n_colls;
    const berth_phase_t *phase = phase_of(p, 2, &place);
    const berth_message_t *m = berth_pattern_messages(p, place, &n);
    const berth_coll_t *calls = berth_pattern_colls(p, &n_colls);
    berth_pattern_phases(p, &n_phases);
    if (!phase || strcmp(phase->name, "MPI_Pcontrol(2)") || phase->repeats != c->repeats ||
        m[0].count != c->count || m[0].bytes != c->count * c->sent[0].size || n_phases != 1 ||
        (c->calls && calls[0].count * phase->repeats != c->calls) ||
        strcmp(stats.phases_note, c->note))
      FAIL_ROW(c->name, "%llu times %llu messages, %zu phases, note \"%s\"",
               (unsigned long long)(phase ? phase->repeats : 0), (unsigned long long)m[0].count,
               n_phases, stats.phases_note);
    assert_int_equal(stats.total.messages, c->sent[0].count + c->sent[1].count);
    berth_pattern_free(p);
  }
}

static void phase_0_stands_where_there_is_no_other(void **state)
{
  (void)state;
  static image_t image;
  size_t n;
  for (int traffic = 0; traffic < 2; traffic++) {
    image_begin(&image, 0, 1);
    image_phase(&image, 0, 1, SPOOL_ORDER_NONE);
    image_phase(&image, 3, 7, SPOOL_ORDER_NONE);
    if (traffic) image_message(&image, image_block(&image, SPOOL_MESSAGES), 0, 0, 8, 2);
    berth_pattern_t *p = assemble(&image, 1, NULL);
    const berth_phase_t *phases = berth_pattern_phases(p, &n);
    assert_true(n == 1 && phases[0].id == 0 && phases[0].repeats == 1);
    assert_string_equal(phases[0].name, "all");
    berth_pattern_free(p);
  }
}

/* "all" is never a part: beside other phases phase 0 is the rest. */
static void phase_0_is_the_rest_beside_others(void **state)
{
  (void)state;
  static image_t image;
  size_t n;
  image_begin(&image, 0, 1);
  image_phase(&image, 0, 1, SPOOL_ORDER_NONE);
  image_phase(&image, 2, 1, SPOOL_ORDER_NONE);
  spool_block_t *b = image_block(&image, SPOOL_MESSAGES);
  image_message(&image, b, 0, 0, 8, 2);
  image_message_in(&image, b, 2, 0, 8, 2);
  berth_pattern_t *p = assemble(&image, 1, NULL);
  const berth_phase_t *phases = berth_pattern_phases(p, &n);
  assert_int_equal(n, 2);
  assert_string_equal(phases[0].name, "rest");
  assert_string_equal(phases[1].name, "MPI_Pcontrol(2)");
  berth_pattern_free(p);
}

/* Two occurrences, of which the second sends from another place: only as much of the sites stays as
 * they have in common. */
static void places_of_occurrences_come_together(void **state)
{
  (void)state;
  static image_t image;
  static const uint64_t offsets[] = {0x10, 0x20};
  size_t n, n_sites;
  image_begin(&image, 0, 1);
  image_sites(&image, "MPI_Send", offsets, 2);
  image_phase(&image, 2, 2, SPOOL_ORDER_NONE);
  spool_block_t *b = image_block(&image, SPOOL_MESSAGES);
  for (uint32_t site = 1; site <= 2; site++) {
    const spool_message_t apart = {spool_key(0, 2, site), 8, 1, 0};
    const spool_message_t whole = {spool_key(0, 2, site), 9, 4, 0};
    image_add(&image, b, &apart, sizeof apart);
    image_add(&image, b, &whole, sizeof whole);
  }
  berth_pattern_t *p = assemble(&image, 1, NULL);
  const berth_message_t *m = berth_pattern_messages(p, 0, &n);
  const berth_site_t *sites = berth_pattern_sites(p, &n_sites);
  assert_int_equal(n, 3);
  assert_int_equal(n_sites, 3);
  assert_true(m[0].size == 8 && m[0].count == 1 && m[1].count == 2 && m[2].count == 2);
  const berth_site_t *common = berth_pattern_site(p, m[0].site);
  assert_true(sites && common && common->n_frames == 0);
  assert_string_equal(common->op, "MPI_Send");
  assert_true(berth_pattern_site(p, m[1].site)->n_frames == 1);
  berth_pattern_free(p);
}

/* What rank 0 put down for phase 2, which it began twice, and what it counted in both: to rank 1,
 * so many of 8 and of 9 bytes. */
typedef struct order_case {
  const char *name;
  uint32_t state;
  const char *steps; /* "8 8 9!": sizes in order, ! where it blocks; -: one of phase 3 between; r:
                        a receive of rank 1, a: of any; s: sent; m: meets on communicator 1; f, t:
                        from and to rank 1; (3 … ): a loop; x: no step */
  uint64_t pending;
  uint64_t counts[2];
  const char *expected; /* "rounds: size*times …", "" for no order */
  const char *note;
} order_case_t;

#define LEFT_OUT "orders of sends left out, of 1 (one for each rank and phase): "
#define UNLIKE   LEFT_OUT "unlike the phase's messages: 1"

static const order_case_t order_cases[] = {
    {"as it was", SPOOL_ORDER_KEPT, "8 9! 9", 0, {2, 4}, "1: 8*1 9!*1 9*1", ""},
    {"nobody asked", SPOOL_ORDER_NONE, "", 0, {2, 4}, "", ""},
    {"no steps", SPOOL_ORDER_KEPT, "", 0, {0, 0}, "", ""},
    {"rounds", SPOOL_ORDER_KEPT, "8 9 8 9 8 9", 0, {6, 6}, "3: 8*1 9*1", ""},
    {"one in a row", SPOOL_ORDER_KEPT, "8 8 8", 0, {6, 0}, "3: 8*1", ""},
    {"rounds but for blocking", SPOOL_ORDER_KEPT, "8 9 8 9!", 0, {4, 4}, "1: 8*1 9*1 8*1 9!*1", ""},
    {"not whole rounds", SPOOL_ORDER_KEPT, "8 9 8", 0, {4, 2}, "1: 8*1 9*1 8*1", ""},
    {"others between", SPOOL_ORDER_KEPT, "8 - 9 - 8 - 9", 0, {4, 4}, "2: 8*1 9*1", ""},
    {"every kind",
     SPOOL_ORDER_KEPT,
     "8 r a s m f t",
     0,
     {2, 0},
     "1: 8*1 r1*1 r-1*1 s1*1 m1*1 f1/1*1 t1/1*1",
     ""},
    {"a loop is rounds", SPOOL_ORDER_KEPT, "(5 8 r )", 0, {10, 0}, "5: 8*1 r1*1", ""},
    {"a loop", SPOOL_ORDER_KEPT, "a (5 8 r ) 9", 0, {10, 2}, "1: r-1*1 (5 8*1 r1*1 ) 9*1", ""},
    {"pending", SPOOL_ORDER_KEPT, "(5 8 r )", 1, {12, 0}, "1: (5 8*1 r1*1 ) 8*1", ""},
    {"loops in loops",
     SPOOL_ORDER_KEPT,
     "(5 8 (3 9 r ) )",
     0,
     {10, 30},
     "5: 8*1 (3 9*1 r1*1 )",
     ""},
    {"pending in the first iteration",
     SPOOL_ORDER_KEPT,
     "(5 8 (3 9 r ) )",
     3,
     {12, 32},
     "1: (5 8*1 (3 9*1 r1*1 ) ) 8*1 9*1 r1*1",
     ""},
    {"pending in the third",
     SPOOL_ORDER_KEPT,
     "(5 8 (3 9 r ) )",
     6,
     {12, 36},
     "1: (5 8*1 (3 9*1 r1*1 ) ) 8*1 (2 9*1 r1*1 ) 9*1",
     ""},
    {"whole iterations pending", SPOOL_ORDER_KEPT, "(5 8 r )", 2, {12, 0}, "", UNLIKE},
    {"pending behind a step", SPOOL_ORDER_KEPT, "(5 8 r ) 9", 1, {10, 2}, "", UNLIKE},
    {"a loop that doesn't end", SPOOL_ORDER_KEPT, "8 (5", 0, {2, 0}, "", UNLIKE},
    {"a record that is no step", SPOOL_ORDER_KEPT, "8 x", 0, {2, 0}, "", UNLIKE},
    {"fewer in the other", SPOOL_ORDER_KEPT, "8 8 9", 0, {2, 2}, "", UNLIKE},
    {"too long", SPOOL_ORDER_LONG, "8 9", 0, {2, 2}, "", LEFT_OUT "too long: 1"},
    {"threads", SPOOL_ORDER_THREADS, "8 9", 0, {2, 2}, "", LEFT_OUT "of several threads: 1"},
    {"no room", SPOOL_ORDER_NO_ROOM, "8 9", 0, {2, 2}, "", LEFT_OUT "no room: 1"},
};

static spool_step_t step_of(const char *s)
{
  static const char kinds[] = {
      [SPOOL_STEP_SEND] = '8',      [SPOOL_STEP_SENT] = 's',    [SPOOL_STEP_RECEIVE] = 'r',
      [SPOOL_STEP_POSTED] = 'p',    [SPOOL_STEP_ARRIVED] = 'v', [SPOOL_STEP_MEET] = 'm',
      [SPOOL_STEP_FROM_ROOT] = 'f', [SPOOL_STEP_TO_ROOT] = 't', [SPOOL_STEP_LOOP] = '(',
      [SPOOL_STEP_KINDS] = 'x'};
  spool_step_t step = {.phase = *s == '-' ? 3 : 2, .peer = 1, .times = 1};
  for (uint16_t i = 0; i < COUNT(kinds); i++)
    if (kinds[i] == *s) step.kind = i;
  if (*s == 'a') step.kind = SPOOL_STEP_RECEIVE, step.peer = SPOOL_ANY_RANK;
  if (*s == 'f' || *s == 't') step.root = 1;
  if (*s == '(') step.peer = 0, step.times = (uint64_t)(s[1] - '0'), step.size = 1;
  if (*s == '8' || *s == '9')
    step.size = (uint64_t)(*s - '0'), step.mode = s[1] == '!' ? 1 : s[1] == '?' ? 2 : 0;
  return step;
}

static void put_steps(image_t *image, const char *steps)
{
  spool_block_t *b = image_block(image, SPOOL_STEPS);
  spool_step_t *loop[8], *first = (spool_step_t *)(b + 1);
  int depth = 0;
  for (const char *s = steps; *s; s++) {
    spool_step_t *here = first + b->used / sizeof *first;
    if (strchr(" !?", *s)) continue;
    if (*s == ')') {
      depth--;
      loop[depth]->size = (uint64_t)(here - loop[depth] - 1);
      continue;
    }
    const spool_step_t step = step_of(s);
    image_add(image, b, &step, sizeof step);
    if (*s == '(') loop[depth++] = here, s++;
  }
}

static size_t steps_text(const berth_step_t *s, size_t n, char *text, size_t size)
{
  static const char *const kinds[] = {"", "s", "r", "p", "v", "m", "f", "t"};
  static const char *const modes[] = {"", "!", "?"};
  size_t at = 0;
  for (size_t i = 0; i < n; i++) {
    if (s[i].kind == BERTH_STEP_LOOP) {
      at += (size_t)snprintf(text + at, size - at, " (%llu", (unsigned long long)s[i].times);
      at += steps_text(s + i + 1, s[i].steps, text + at, size - at);
      at += (size_t)snprintf(text + at, size - at, " )");
      i += s[i].steps;
      continue;
    }
    bool send = s[i].kind == BERTH_STEP_SEND;
    at += (size_t)snprintf(text + at, size - at, " %s%lld%s", kinds[s[i].kind],
                           send ? (long long)s[i].size : (long long)s[i].peer, modes[s[i].mode]);
    if (s[i].root) at += (size_t)snprintf(text + at, size - at, "/%d", s[i].root);
    at += (size_t)snprintf(text + at, size - at, "*%llu", (unsigned long long)s[i].times);
    if (send) assert_int_equal(s[i].peer, 1);
  }
  return at;
}

static void order_text(const berth_pattern_t *p, char *text, size_t size)
{
  size_t n;
  const berth_order_t *o = berth_pattern_orders(p, &n);
  *text = '\0';
  if (n == 0) return;
  assert_true(n == 1 && o->phase == 2 && o->src == 0);
  size_t at = (size_t)snprintf(text, size, "%llu:", (unsigned long long)o->rounds);
  steps_text(o->steps, o->n_steps, text + at, size - at);
}

static void orders_are_those_of_the_first_occurrence(void **state)
{
  (void)state;
  static image_t image;
  for (size_t i = 0; i < COUNT(order_cases); i++) {
    const order_case_t *c = &order_cases[i];
    image_begin(&image, 0, 2);
    image_comm(&image, 1, 5, 1, 0, 1);
    image_phase(&image, 2, 2, c->state)->pending = c->pending;
    const spool_coll_t call = {.comm = 1, .root = -1, .phase = 2, .count = 2, .name = "Barrier"};
    image_add(&image, image_block(&image, SPOOL_COLLS), &call, sizeof call);
    spool_block_t *b = image_block(&image, SPOOL_MESSAGES);
    for (uint64_t k = 0; k < 2; k++)
      if (c->counts[k]) image_message_in(&image, b, 2, 1, 8 + k, c->counts[k]);
    put_steps(&image, c->steps);
    char text[256];
    assembly_stats_t stats;
    berth_pattern_t *p = assemble(&image, 1, &stats);
    order_text(p, text, sizeof text);
    if (strcmp(text, c->expected) || strcmp(stats.orders_note, c->note))
      FAIL_ROW(c->name, "order \"%s\", note \"%s\"", text, stats.orders_note);
    berth_pattern_free(p);
  }
}

/* Records that no call can have made are left out, with the order that they are in. */
static void impossible_records_are_left_out(void **state)
{
  (void)state;
  static image_t image;
  const uint64_t huge = ((uint64_t)1 << 53) + 1;
  const spool_phase_t phases[] = {{.id = SPOOL_MAX_PHASES, .begun = 1},
                                  {.id = 2, .begun = huge},
                                  {.id = 2, .begun = 1, .order = SPOOL_ORDER_THREADS + 1}};
  const spool_step_t steps[] = {
      {.phase = SPOOL_MAX_PHASES, .times = 1},
      {.phase = 3, .peer = 4, .times = 1},
      {.phase = 3, .size = huge, .times = 1},
      {.phase = 3, .times = 0},
      {.phase = 3, .times = huge},
      {.phase = 3, .times = 1, .mode = SPOOL_SEND_MODES},
      {.phase = 3, .times = 1, .kind = SPOOL_STEP_KINDS},
      {.phase = 3, .times = 1, .kind = SPOOL_STEP_SENT, .peer = SPOOL_ANY_RANK},
      {.phase = 3, .times = 1, .kind = SPOOL_STEP_RECEIVE, .peer = 4},
      {.phase = 3, .times = 1, .kind = SPOOL_STEP_POSTED, .peer = 4},
      {.phase = 3, .times = 1, .kind = SPOOL_STEP_ARRIVED, .peer = 4},
      {.phase = 3, .times = 1, .kind = SPOOL_STEP_MEET, .peer = 1},
      {.phase = 3, .times = 1, .kind = SPOOL_STEP_TO_ROOT, .root = 4},
      {.phase = 3, .times = 1, .kind = SPOOL_STEP_LOOP, .size = 0},
      {.phase = 3, .times = 1, .kind = SPOOL_STEP_LOOP, .size = SPOOL_MAX_STEPS + 1}};
  image_begin(&image, 0, 4);
  image_phase(&image, 0, 1, SPOOL_ORDER_KEPT);
  image_phase(&image, 3, 1, SPOOL_ORDER_KEPT);
  spool_block_t *b = image_block(&image, SPOOL_PHASES);
  for (size_t i = 0; i < COUNT(phases); i++) image_add(&image, b, &phases[i], sizeof *phases);
  b = image_block(&image, SPOOL_STEPS);
  for (size_t i = 0; i < COUNT(steps); i++) image_add(&image, b, &steps[i], sizeof *steps);
  const spool_step_t good = {.peer = 3, .size = 8, .times = 5, .mode = 3};
  image_add(&image, b, &good, sizeof good);
  image_message(&image, image_block(&image, SPOOL_MESSAGES), 3, 0, 8, 5);
  assembly_stats_t stats;
  size_t n;
  berth_pattern_t *p = assemble(&image, 1, &stats);
  assert_int_equal(stats.total.impossible, COUNT(phases) + COUNT(steps));
  const berth_order_t *o = berth_pattern_orders(p, &n);
  assert_true(n == 1 && o->n_steps == 1 && o->steps[0].times == 5 && o->steps[0].mode == 3);
  berth_pattern_free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_phase_repeats_as_often_as_all_began_it),
      cmocka_unit_test(phase_0_stands_where_there_is_no_other),
      cmocka_unit_test(phase_0_is_the_rest_beside_others),
      cmocka_unit_test(places_of_occurrences_come_together),
      cmocka_unit_test(orders_are_those_of_the_first_occurrence),
      cmocka_unit_test(impossible_records_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
