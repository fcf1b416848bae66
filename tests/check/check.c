/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's side of `berth check`: budgets, phases, verdicts, and failures of its callers. Two
 * hosts of two PUs on links of 100 B/s: what leaves a host costs a hundredth of its bytes. */
#include <berth/check.h>
#include <math.h>

#include "check/check_internal.h"
#include "harness.h"

static const int in_order[] = {0, 1, 2, 3};

static berth_topo_t *machine(double link_capacity)
{
  berth_topo_t *t = berth_topo_new("pair", NULL);
  berth_port_dir_t none = {-1, 0}, link = {-1, link_capacity}, bus = {-1, 1e6};
  berth_type_t host = {"host", {link, link}, {bus, bus}, 0}, top = {"top", {none}, {none}, 0};
  top.up.out = top.up.in = top.down.out = top.down.in = none;
  int h = berth_topo_add_type(t, &host, NULL), s = berth_topo_add_type(t, &top, NULL);
  int root = berth_topo_add_switch(t, -1, s, "spine", NULL, NULL);
  static const char *const names[] = {"a", "b"};
  for (int i = 0; i < 2; i++) {
    int e = berth_topo_add_switch(t, root, h, names[i], names[i], NULL);
    berth_topo_add_pu(t, e, 0, 0, NULL);
    berth_topo_add_pu(t, e, 1, 1, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

typedef struct phase_send {
  int phase, src, dst, site;
  int size, count;
} phase_send_t;

typedef struct input {
  berth_phase_t phases[4];
  phase_send_t sends[6];
} input_t;

static berth_pattern_t *pattern(const input_t *in)
{
  static const char *const frames[] = {"f x.c:1"};
  static const berth_site_t sites[] = {{1, "MPI_Send", 1, frames}, {2, "MPI_Isend", 0, NULL}};
  berth_pattern_t *p = berth_pattern_new(4, NULL);
  for (size_t i = 0; i < COUNT(sites); i++) berth_pattern_add_site(p, &sites[i], NULL);
  for (size_t i = 0; i < COUNT(in->phases) && in->phases[i].name; i++)
    assert_int_equal(berth_pattern_add_phase(p, &in->phases[i], NULL), BERTH_OK);
  for (size_t i = 0; i < COUNT(in->sends); i++) {
    const phase_send_t *s = &in->sends[i];
    berth_message_t m = {s->phase,
                         s->site,
                         s->src,
                         s->dst,
                         (uint64_t)s->size,
                         (uint64_t)s->count,
                         (uint64_t)s->size * (uint64_t)s->count};
    assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

static berth_pattern_t *baseline(const input_t *in, const berth_topo_t *t, berth_model_t model)
{
  berth_pattern_t *p = pattern(in);
  assert_int_equal(berth_check_make_baseline(p, t, model, in_order, "linear", NULL), BERTH_OK);
  return p;
}

/* --- budgets --- */

static const struct {
  const char *text;
  int kind; /* -1: refused */
  const char *name;
  double limit;
} budgets[] = {
    {"cost=2.5s", BERTH_BUDGET_COST, "", 2.5},
    {"cost=0s", BERTH_BUDGET_COST, "", 0},
    {"cost=1e3ms", BERTH_BUDGET_COST, "", 1},
    {"cost=.5s", BERTH_BUDGET_COST, "", 0.5},
    {"bytes:0x=08B", BERTH_BUDGET_BYTES, "0x", 8},
    {"phase:solve=300ms", BERTH_BUDGET_PHASE, "solve", 0.3},
    {"phase:a=b:c=7us", BERTH_BUDGET_PHASE, "a=b:c", 7e-6},
    {"phase:0=9ns", BERTH_BUDGET_PHASE, "0", 9e-9},
    {"bytes:spine=10GiB", BERTH_BUDGET_BYTES, "spine", 10737418240.0},
    {"bytes:x y=1.5KiB", BERTH_BUDGET_BYTES, "x y", 1536},
    {"bytes:b=7B", BERTH_BUDGET_BYTES, "b", 7},
    {"", -1, NULL, 0},
    {"cost", -1, NULL, 0},
    {"cost=", -1, NULL, 0},
    {"cost=1", -1, NULL, 0},
    {"cost=s", -1, NULL, 0},
    {"cost=1 s", -1, NULL, 0},
    {"cost=1m", -1, NULL, 0},
    {"cost=-1s", -1, NULL, 0},
    {"cost=+1s", -1, NULL, 0},
    {"cost= 5s", -1, NULL, 0},
    {"cost=\t5s", -1, NULL, 0},
    {"cost=0x10s", -1, NULL, 0},
    {"bytes:x=0X1B", -1, NULL, 0},
    {"cost=.", -1, NULL, 0},
    {"cost=nans", -1, NULL, 0},
    {"cost=infs", -1, NULL, 0},
    {"cost=1e99s", -1, NULL, 0},
    {"cost=1KiB", -1, NULL, 0},
    {"costs=1s", -1, NULL, 0},
    {"phase=1s", -1, NULL, 0},
    {"phase:=1s", -1, NULL, 0},
    {"bytes:x=1s", -1, NULL, 0},
    {"bytes:x=1kB", -1, NULL, 0},
    {"Bytes:x=1B", -1, NULL, 0},
};

static void budgets_are_read(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(budgets); i++) {
    berth_budget_t b;
    berth_error_t err = {0};
    int rc = berth_budget_parse(budgets[i].text, &b, &err);
    if (rc != (budgets[i].kind < 0 ? BERTH_USAGE : BERTH_OK) || (rc && !*err.text))
      FAIL_ROW(budgets[i].text, "found code %d, '%s'", rc, err.text);
    if (rc) continue;
    if ((int)b.kind != budgets[i].kind || b.length != strlen(budgets[i].name) ||
        strncmp(b.name, budgets[i].name, b.length) != 0 ||
        fabs(b.limit - budgets[i].limit) > 1e-12 * budgets[i].limit)
      FAIL_ROW(budgets[i].text, "found kind %d, name '%.*s', limit %g", b.kind, (int)b.length,
               b.name, b.limit);
  }
}

/* --- verdicts --- */

/* costs 20 s and a bit */
#define BASE                                                                                       \
  {                                                                                                \
    {{0, "init", 1}, {1, "solve", 10}},                                                            \
    {                                                                                              \
      {0, 0, 1, 1, 10, 1}, {1, 0, 2, 1, 100, 1}, {1, 1, 3, 2, 50, 2}, { 1, 3, 3, 2, 9, 9 }         \
    }                                                                                              \
  }
static const input_t base = BASE;

static const struct {
  const char *name;
  input_t now;
  double tolerance;
  int each_phase;
  berth_checked_t verdict;
  const char *grew; /* the phase that grew most */
  int id, was_id;
  int src, dst; /* of the first pair, -1 for none */
} verdicts[] = {
    {"the same", BASE, 0, 1, BERTH_CHECKED_WITHIN, "init", 0, 0, -1, -1},
    {"10% more",
     {{{0, "init", 1}, {1, "solve", 10}},
      {{0, 0, 1, 1, 10, 1}, {1, 0, 2, 1, 120, 1}, {1, 1, 3, 2, 50, 2}}},
     0.05,
     0,
     BERTH_CHECKED_WORSE,
     "solve",
     1,
     1,
     0,
     2},
    {"10% more, tolerated",
     {{{0, "init", 1}, {1, "solve", 10}},
      {{0, 0, 1, 1, 10, 1}, {1, 0, 2, 1, 120, 1}, {1, 1, 3, 2, 50, 2}}},
     0.11,
     0,
     BERTH_CHECKED_WITHIN,
     "solve",
     1,
     1,
     -1,
     -1},
    {"10% less",
     {{{0, "init", 1}, {1, "solve", 9}},
      {{0, 0, 1, 1, 10, 1}, {1, 0, 2, 1, 100, 1}, {1, 1, 3, 2, 50, 2}}},
     0.05,
     1,
     BERTH_CHECKED_CHEAPER,
     "init",
     0,
     0,
     -1,
     -1},
    {"one phase alone",
     {{{0, "init", 1}, {1, "solve", 10}},
      {{0, 0, 1, 1, 20, 1}, {1, 0, 2, 1, 100, 1}, {1, 1, 3, 2, 50, 2}}},
     0.05,
     1,
     BERTH_CHECKED_WORSE,
     "init",
     0,
     0,
     0,
     1},
    {"numbers of phases shifted by a new one",
     {{{0, "setup", 1}, {1, "init", 1}, {2, "solve", 10}},
      {{0, 2, 0, 1, 500, 1}, {1, 0, 1, 1, 10, 1}, {2, 0, 2, 1, 100, 1}, {2, 1, 3, 2, 50, 2}}},
     0.05,
     0,
     BERTH_CHECKED_WORSE,
     "setup",
     0,
     -1,
     2,
     0},
    {"names that occur twice go by numbers",
     {{{0, "init", 1}, {1, "solve", 10}, {5, "solve", 1}},
      {{0, 0, 1, 1, 10, 1}, {1, 0, 2, 1, 100, 1}, {1, 1, 3, 2, 50, 2}, {5, 1, 2, 1, 200, 1}}},
     0.05,
     0,
     BERTH_CHECKED_WORSE,
     "solve",
     5,
     -1,
     1,
     2},
    {"a phase that has lost its name",
     {{{0, "init", 1}, {1, "", 11}},
      {{0, 0, 1, 1, 10, 1}, {1, 0, 2, 1, 100, 1}, {1, 1, 3, 2, 50, 2}}},
     0.05,
     0,
     BERTH_CHECKED_WORSE,
     "solve",
     1,
     1,
     -1,
     -1},
    {"another phase with that number",
     {{{0, "init", 1}, {1, "output", 10}}, {{0, 0, 1, 1, 10, 1}, {1, 0, 3, 1, 300, 1}}},
     0.05,
     0,
     BERTH_CHECKED_WORSE,
     "output",
     1,
     -1,
     0,
     3},
    {"nothing is sent",
     {{{0, "init", 1}}, {{0, 0, 0, 1, 10, 1}}},
     0.05,
     0,
     BERTH_CHECKED_UNKNOWN,
     "init",
     0,
     0,
     -1,
     -1},
    {"nothing occurs",
     {{{0, "init", 0}}, {{0, 0, 1, 1, 10, 1}}},
     0.05,
     0,
     BERTH_CHECKED_UNKNOWN,
     "init",
     0,
     0,
     -1,
     -1},
};

static void verdicts_and_culprits(void **state)
{
  (void)state;
  berth_topo_t *t = machine(100);
  berth_pattern_t *was = baseline(&base, t, BERTH_MODEL_PORT);
  for (size_t i = 0; i < COUNT(verdicts); i++) {
    berth_pattern_t *p = pattern(&verdicts[i].now);
    berth_check_options_t o = berth_check_defaults();
    o.tolerance = verdicts[i].tolerance;
    o.each_phase = verdicts[i].each_phase;
    berth_check_t c;
    assert_int_equal(berth_check_run(p, t, was, &o, &c, NULL), BERTH_OK);
    const berth_check_phase_t *first = c.phases;
    if (c.verdict != verdicts[i].verdict || strcmp(first->name, verdicts[i].grew) != 0 ||
        first->id != verdicts[i].id || first->was_id != verdicts[i].was_id)
      FAIL_ROW(verdicts[i].name, "found %s, phase %d (was %d) \"%s\"",
               berth_checked_name(c.verdict), first->id, first->was_id, first->name);
    const berth_check_pair_t *pair = first->port.n_listed ? first->port.pairs : NULL;
    if ((pair ? pair->src : -1) != verdicts[i].src || (pair ? pair->dst : -1) != verdicts[i].dst)
      FAIL_ROW(verdicts[i].name, "found %zu pairs, the first %d -> %d", first->port.n_pairs,
               pair ? pair->src : -1, pair ? pair->dst : -1);
    int code = c.verdict == BERTH_CHECKED_WORSE     ? BERTH_CHECK_FAILED
               : c.verdict == BERTH_CHECKED_UNKNOWN ? BERTH_NO_VERDICT
                                                    : BERTH_OK;
    assert_int_equal(berth_check_code(&c), code);
    assert_int_equal(*c.reason != '\0', code == BERTH_NO_VERDICT);
    berth_check_clear(&c);
    berth_pattern_free(p);
  }
  berth_pattern_free(was);
  berth_topo_free(t);
}

static const struct {
  const char *a, *b;
  bool same;
} places[] = {
    {"", "", true},
    {"halo.c:120", "halo.c:120", true},
    {"exchange halo.c:120", "exchange halo.c:7", true},
    {"exchange halo.c:120", "exchange halo.f:120", false},
    {"exchange halo.c:120", "pack halo.c:120", false},
    {"halo.c:", "halo.c:9", true},
    {"halo.c:12 x", "halo.c:9 x", true},
    {"halo.c:12 x", "halo.c:12 y", false},
    {"halo2.c:12", "halo3.c:12", false},
    {"app+0x1f40", "app+0x20", true},
    {"app+0x1f40", "bpp+0x1f40", false},
    {"0x1f40", "0x20", false},
    {"halo", "halo.c", false},
};

static void places_whose_lines_moved(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(places); i++)
    if (check_same_place(places[i].a, places[i].b) != places[i].same ||
        check_same_place(places[i].b, places[i].a) != places[i].same)
      FAIL_ROW(places[i].a, "and '%s', expected %d", places[i].b, places[i].same);
}

/* All models notice what costs more, and say where. */
static void every_model(void **state)
{
  (void)state;
  berth_topo_t *t = machine(100);
  input_t more = base;
  more.sends[2].count = 3; /* 1 -> 3: 150 B instead of 100 */
  for (int m = 0; m < BERTH_N_MODELS; m++) {
    berth_pattern_t *was = baseline(&base, t, (berth_model_t)m), *p = pattern(&more);
    berth_check_options_t o = berth_check_defaults();
    berth_check_t c;
    o.model = (berth_model_t)m;
    assert_int_equal(berth_check_run(p, t, was, &o, &c, NULL), BERTH_OK);
    assert_int_equal(c.verdict, BERTH_CHECKED_WORSE);
    const berth_check_port_t *port = &c.phases->port;
    assert_int_equal(port->n_pairs, 1);
    assert_int_equal(port->pairs->src, 1);
    assert_true(port->pairs->bytes == 150 && port->pairs->was_bytes == 100);
    assert_int_equal(port->pairs->n_sites, 1);
    assert_string_equal(port->pairs->sites->site->op, "MPI_Isend");
    assert_true(port->pairs->sites->messages == 3 && port->pairs->sites->was_messages == 2);
    assert_true(port->cost_s > port->was_cost_s);
    berth_check_clear(&c);
    berth_pattern_free(was);
    berth_pattern_free(p);
  }
  berth_topo_free(t);
}

/* --- budgets of a pattern --- */

static const struct {
  const char *text;
  double value;
  int broken; /* -1: refused */
  size_t listed;
} holds[] = {
    /* 2 s in each of ten occurrences of solve; init takes 10 us on the bus */
    {"cost=20.1s", 20.00001, 0, 0},  {"cost=19s", 20.00001, 1, 2},
    {"phase:init=11us", 1e-5, 0, 0}, {"phase:1=1s", 20, 1, 1},
    {"phase:solve=1s", 20, 1, 1},    {"phase:2=1s", 0, -1, 0},
    {"phase:sol=1s", 0, -1, 0},      {"bytes:spine=2000B", 2000, 0, 0},
    {"bytes:top=1999B", 2000, 1, 2}, {"bytes:host=1B", 2010, 1, 3}, /* a message counts once */
    {"bytes:b=1KiB", 2000, 1, 2},    {"bytes:c=1B", 0, -1, 0},
};

static void budgets_hold_or_break(void **state)
{
  (void)state;
  berth_topo_t *t = machine(100);
  berth_pattern_t *p = pattern(&base);
  for (size_t i = 0; i < COUNT(holds); i++) {
    berth_budget_t b;
    berth_error_t err = {0};
    berth_check_options_t o = berth_check_defaults();
    berth_check_t c;
    assert_int_equal(berth_budget_parse(holds[i].text, &b, NULL), BERTH_OK);
    o.pu_of_rank = in_order;
    o.n_budgets = 1;
    o.budgets = &b;
    int rc = berth_check_run(p, t, NULL, &o, &c, &err);
    if (rc != (holds[i].broken < 0 ? BERTH_BAD_INPUT : BERTH_OK))
      FAIL_ROW(holds[i].text, "found code %d, '%s'", rc, err.text);
    char refused[60];
    snprintf(refused, sizeof refused, "`budgets` %s: found ", holds[i].text);
    if (rc && strncmp(err.text, refused, strlen(refused)) != 0)
      FAIL_ROW(holds[i].text, "found '%s', expected '%s'", err.text, refused);
    if (rc) continue;
    if (c.budgets->broken != holds[i].broken || fabs(c.budgets->value - holds[i].value) > 1e-9)
      FAIL_ROW(holds[i].text, "found %.17g, broken %d", c.budgets->value, c.budgets->broken);
    if (c.budgets->n_phases + c.budgets->n_listed != holds[i].listed)
      FAIL_ROW(holds[i].text, "found %zu phases and %zu pairs", c.budgets->n_phases,
               c.budgets->n_listed);
    assert_int_equal(c.verdict, BERTH_CHECKED_NOTHING);
    assert_int_equal(berth_check_code(&c), holds[i].broken ? BERTH_CHECK_FAILED : BERTH_OK);
    berth_check_clear(&c);
  }
  berth_pattern_free(p);
  berth_topo_free(t);
}

/* --- what doesn't belong together --- */

/* Says the field's function, since the library has no options (tests/cli/fields.sh: the program's).
 */
static void expect_reason(const berth_check_t *c, const char *reason)
{
  size_t n = strlen(c->reason), end = strlen(reason);
  assert_int_equal(c->verdict, BERTH_CHECKED_UNKNOWN);
  assert_string_equal(n > end ? c->reason + n - end : c->reason, reason);
}

static void without_a_verdict(void **state)
{
  (void)state;
  berth_topo_t *t = machine(100), *other = machine(101);
  berth_pattern_t *was = baseline(&base, t, BERTH_MODEL_PORT), *p = pattern(&base);
  berth_check_options_t o = berth_check_defaults();
  berth_budget_t b;
  berth_check_t c;
  assert_int_equal(berth_budget_parse("cost=1s", &b, NULL), BERTH_OK);
  o.n_budgets = 1;
  o.budgets = &b;
  /* the baseline's placement is another machine's: nothing is priced */
  assert_int_equal(berth_check_run(p, other, was, &o, &c, NULL), BERTH_OK);
  expect_reason(&c, "\"pair\"; if the machine has changed, `berth_check_make_baseline` makes a new "
                    "baseline");
  assert_false(c.priced);
  assert_int_equal(c.n_budgets, 1);
  assert_false(c.budgets->known || c.budgets->broken);
  assert_int_equal(berth_check_code(&c), BERTH_NO_VERDICT);
  berth_check_clear(&c);
  /* with one of its own budgets are looked at */
  o.pu_of_rank = in_order;
  assert_int_equal(berth_check_run(p, other, was, &o, &c, NULL), BERTH_OK);
  assert_int_equal(c.verdict, BERTH_CHECKED_UNKNOWN);
  assert_true(c.priced && c.budgets->broken);
  assert_int_equal(berth_check_code(&c), BERTH_CHECK_FAILED);
  berth_check_clear(&c);
  o.n_budgets = 0;
  o.model = BERTH_MODEL_SUM;
  assert_int_equal(berth_check_run(p, t, was, &o, &c, NULL), BERTH_OK);
  expect_reason(&c, "found model sum, expected the baseline's, port; `berth_check_make_baseline` "
                    "makes a new baseline");
  berth_check_clear(&c);
  /* a pattern that is no baseline */
  berth_error_t err = {0};
  assert_int_equal(berth_check_run(p, t, p, &o, &c, &err), BERTH_BAD_INPUT);
  assert_string_equal(err.text, "baseline: found a pattern that is no baseline, expected one that "
                                "`berth_check_make_baseline` wrote");
  berth_pattern_free(was);
  berth_pattern_free(p);
  berth_topo_free(t);
  berth_topo_free(other);
}

/* Placements that the topology can't have, in all that takes one. */
static void wrong_places(void **state)
{
  (void)state;
  static const struct {
    int pus[4];
    const char *error;
  } rows[] = {
      {{0, 1, 2, 4}, "found rank 3 on PU 4, expected 0 to 3, those of the topology"},
      {{99999999, 1, 2, 3}, "found rank 0 on PU 99999999, expected 0 to 3, those of the topology"},
      {{0, -1, 2, 3}, "found rank 1 on PU -1, expected 0 to 3, those of the topology"},
  };
  berth_topo_t *t = machine(100);
  berth_pattern_t *p = pattern(&base);
  for (size_t i = 0; i < COUNT(rows); i++) {
    berth_check_options_t o = berth_check_defaults();
    berth_check_t c;
    berth_error_t err = {0}, other = {0};
    o.pu_of_rank = rows[i].pus;
    assert_int_equal(berth_check_run(p, t, NULL, &o, &c, &err), BERTH_BAD_INPUT);
    assert_string_equal(err.text, rows[i].error);
    assert_null(c.phases);
    int rc = berth_check_make_baseline(p, t, o.model, rows[i].pus, "", &other);
    assert_int_equal(rc, BERTH_BAD_INPUT);
    assert_string_equal(other.text, rows[i].error);
    assert_null(berth_pattern_baseline(p)); /* it is as it was */
    /* codes are the same for those who don't want the text */
    assert_int_equal(berth_check_run(p, t, NULL, &o, &c, NULL), BERTH_BAD_INPUT);
    rc = berth_check_make_baseline(p, t, o.model, rows[i].pus, "", NULL);
    assert_int_equal(rc, BERTH_BAD_INPUT);
  }
  berth_pattern_free(p);
  berth_topo_free(t);
}

static void ranks_that_moved(void **state)
{
  (void)state;
  static const int apart[] = {0, 2, 1, 3}; /* 0 -> 1 leaves its host, 0 -> 2 stays in it */
  berth_topo_t *t = machine(100);
  berth_pattern_t *was = baseline(&base, t, BERTH_MODEL_PORT), *p = pattern(&base);
  berth_check_options_t o = berth_check_defaults();
  berth_check_t c;
  o.pu_of_rank = apart;
  o.each_phase = 1;
  assert_int_equal(berth_check_run(p, t, was, &o, &c, NULL), BERTH_OK);
  assert_int_equal(c.verdict, BERTH_CHECKED_WORSE); /* init, 0.1 s instead of nearly nothing */
  assert_false(c.total_worse);
  assert_int_equal(c.moved, 2);
  assert_true(c.was_cost_moved_s == c.cost_s); /* it is the placement alone */
  assert_string_equal(c.phases->name, "init");
  assert_int_equal(c.phases->port.pairs->n_listed, 1); /* from where it sends what it always sent */
  berth_check_clear(&c);
  berth_pattern_free(was);
  berth_pattern_free(p);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(budgets_are_read),         cmocka_unit_test(verdicts_and_culprits),
      cmocka_unit_test(places_whose_lines_moved), cmocka_unit_test(every_model),
      cmocka_unit_test(budgets_hold_or_break),    cmocka_unit_test(without_a_verdict),
      cmocka_unit_test(ranks_that_moved),         cmocka_unit_test(wrong_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
