/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls run beside each other: equal ones on communicators without a common rank, also if
 * these don't make the same number of calls. */
#include <berth/collectives.h>
#include <stdio.h>

#include "map/random_instance.h"

enum { MOST_COMMS = 200 };

/* An MPI_Bcast of 8 bytes on pairs of ranks: a call is a message from the first to the second one.
 */
typedef struct pairs {
  int n;
  uint64_t calls[MOST_COMMS];
} pairs_t;

static berth_pattern_t *pattern_of(const pairs_t *x)
{
  berth_error_t err = {0};
  double too_many;
  berth_pattern_t *p = berth_pattern_new(2 * x->n, NULL);
  for (int i = 0; i < x->n; i++) {
    const int ranks[] = {2 * i, 2 * i + 1};
    assert_int_equal(berth_pattern_add_comm(p, &(berth_comm_t){1 + i, 2, ranks}, NULL), BERTH_OK);
    const berth_coll_t coll = {
        .comm = 1 + i, .op = "MPI_Bcast", .bytes = 8, .count = x->calls[i], .root = 0};
    assert_int_equal(berth_pattern_add_coll(p, &coll, NULL), BERTH_OK);
  }
  if (berth_pattern_finish(p, &err)) fail_msg("%s", err.text);
  if (berth_collectives_include(p, "openmpi-4.1", &too_many, &err)) fail_msg("%s", err.text);
  assert_true(too_many == 0);
  return p;
}

/* How often messages occur, by the pair that sends them. Returns how often phases of calls occur.
 */
static uint64_t count(const berth_pattern_t *p, uint64_t *sent)
{
  size_t n, messages;
  uint64_t occur = 0;
  const berth_phase_t *phase = berth_pattern_phases(p, &n);
  for (size_t k = 0; k < n; k++) {
    const berth_message_t *m = berth_pattern_messages(p, k, &messages);
    occur += phase[k].collective ? phase[k].repeats : 0;
    for (size_t i = 0; i < messages; i++) sent[m[i].src / 2] += m[i].count * phase[k].repeats;
  }
  return occur;
}

/* Each call's phases say which calls they are more of: those of a group with all communicators. */
static void check_numbers(const char *name, const berth_pattern_t *p)
{
  size_t n, n_colls, messages;
  int number = 0;
  const berth_coll_t *coll = berth_pattern_colls(p, &n_colls);
  const berth_phase_t *phase = berth_pattern_phases(p, &n);
  for (size_t k = 0; k < n; k++) {
    if (!phase[k].collective) continue;
    berth_pattern_messages(p, k, &messages);
    if (!phase[k].more_of) number = phase[k].collective;
    if (phase[k].more_of && (phase[k].more_of != number || phase[k].collective == number))
      fail_msg("%s: phase %zu is number %d, more of %d", name, k, phase[k].collective,
               phase[k].more_of);
    if (!phase[k].more_of && messages != n_colls)
      fail_msg("%s: found %zu of %zu communicators beside each other", name, messages, n_colls);
  }
  for (size_t i = 0; i < n_colls; i++)
    if (coll[i].included != number)
      fail_msg("%s: operation %zu is of call %d, expected %d", name, i, coll[i].included, number);
}

static void check_pairs(const char *name, const pairs_t *x, uint64_t most, size_t most_phases)
{
  size_t n;
  uint64_t sent[MOST_COMMS] = {0};
  berth_pattern_t *p = pattern_of(x);
  uint64_t occur = count(p, sent);
  for (int i = 0; i < x->n; i++)
    if (sent[i] != x->calls[i])
      fail_msg("%s, communicator %d: %llu calls, expected %llu", name, 1 + i,
               (unsigned long long)sent[i], (unsigned long long)x->calls[i]);
  if (occur > most)
    fail_msg("%s: %llu calls after each other, expected at most %llu", name,
             (unsigned long long)occur, (unsigned long long)most);
  berth_pattern_phases(p, &n);
  if (n > most_phases) fail_msg("%s: %zu phases, expected at most %zu", name, n, most_phases);
  check_numbers(name, p);
  berth_pattern_free(p);
}

/* Up to nine different numbers of calls: as many calls after each other as one pair makes. */
static void few_numbers(void **state)
{
  (void)state;
  const struct {
    const char *name;
    pairs_t x;
    uint64_t after_each_other;
    size_t phases; /* with the program's own */
  } rows[] = {
      {"one", {1, {5}}, 5, 2},
      {"equal", {3, {5, 5, 5}}, 5, 2},
      {"two numbers", {3, {58, 56, 58}}, 58, 3},
      {"in any order", {4, {9, 1, 30, 9}}, 30, 4},
      {"nine numbers", {9, {5, 500, 3, 61, 16, 1000, 1, 7, 100}}, 1000, 10},
      {"some that were never called", {3, {0, 4, 0}}, 4, 3},
      {"very many", {2, {1ULL << 52, 1}}, 1ULL << 52, 3},
  };
  for (size_t i = 0; i < COUNT(rows); i++)
    check_pairs(rows[i].name, &rows[i].x, rows[i].after_each_other, rows[i].phases);
}

/* Many numbers: at most a sixth more calls after each other than one pair makes, and few phases. */
static void many_numbers(void **state)
{
  (void)state;
  static pairs_t x;
  for (uint64_t seed = 1; seed <= (uint64_t)rounds_of(200); seed++) {
    dice_t d = {seed};
    char name[64];
    uint64_t max = 0;
    int range = 1 << (1 + roll(&d, 20));
    x.n = 1 + roll(&d, MOST_COMMS);
    for (int i = 0; i < x.n; i++) {
      x.calls[i] = 1 + (uint64_t)roll(&d, range);
      if (x.calls[i] > max) max = x.calls[i];
    }
    snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
    check_pairs(name, &x, max + max / 6 + 8, 80);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(few_numbers), cmocka_unit_test(many_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
