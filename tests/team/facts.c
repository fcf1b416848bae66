/* SPDX-License-Identifier: BSD-3-Clause */
/* What members of a team tell each other, for all small numbers of members. */
#include "team/team_facts.h"

#include "members.h"

enum { KIND_SUM, KIND_SET };

static void combine(facts_t *into, const fact_t *a, const fact_t *b)
{
  uint32_t x, y;
  if (a->kind == KIND_SET) {
    facts_put(into, a->kind, a->key, a->key_bytes, NULL, 0);
    return;
  }
  memcpy(&x, a->value, sizeof x);
  memcpy(&y, b->value, sizeof y);
  x = x * 10 + y; /* depends on the order */
  facts_put(into, a->kind, a->key, a->key_bytes, &x, sizeof x);
}

/* What a member makes of it, as text. */
typedef struct outcome {
  bool everywhere;
  int fails; /* the member that does, and its higher neighbour; -1: nobody */
  int rc;
  char text[512], error[512];
} outcome_t;

static void write_text(const facts_t *f, char *text)
{
  fact_t fact;
  uint32_t value;
  for (size_t at = 0; facts_next(f, &at, &fact);) {
    text += sprintf(text, "%u:%.*s", fact.kind, (int)fact.key_bytes, (const char *)fact.key);
    if (fact.value_bytes)
      memcpy(&value, fact.value, sizeof value), text += sprintf(text, "=%u", value);
    *text++ = ' ';
  }
  *text = '\0';
}

/* Every member has its own number and that of the next as a set, and a sum with some others. */
static void run(member_t *m)
{
  outcome_t *o = m->context;
  int rank = m->team.rank, failing = o->fails >= 0 && (rank == o->fails || rank == o->fails + 1);
  facts_t f = {0};
  berth_error_t err = {0};
  char key[16];
  uint32_t one = 1;
  for (int i = 1; i >= 0; i--)
    facts_put(&f, KIND_SET, key, (size_t)sprintf(key, "%d", rank + i), NULL, 0);
  if (rank < 3) facts_put(&f, KIND_SUM, "few", 3, &one, sizeof one);
  int rc = failing ? berth_fail(&err, BERTH_BAD_INPUT, "member %d", rank) : BERTH_OK;
  o->rc = facts_agree(&f, &m->team, combine, o->everywhere, rc, &err);
  strcpy(o->error, err.text);
  write_text(&f, o->text);
  facts_clear(&f);
}

static int text_order(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void expect_text(char *text, int n)
{
  static char names[MOST_MEMBERS + 1][8];
  const char *sorted[MOST_MEMBERS + 1];
  text += sprintf(text, "0:few=%s ", n >= 3 ? "111" : n == 2 ? "11" : "1");
  for (int i = 0; i <= n; i++) sprintf(names[i], "%d", i), sorted[i] = names[i];
  qsort(sorted, (size_t)n + 1, sizeof *sorted, text_order);
  for (int i = 0; i <= n; i++) text += sprintf(text, "1:%s ", sorted[i]);
}

static void check_team(int n, bool everywhere, int fails)
{
  static outcome_t outcome[MOST_MEMBERS];
  void *contexts[MOST_MEMBERS];
  char expected[512] = "", error[512] = "", name[64];
  sprintf(name, "%d members, %s, %d fails", n, everywhere ? "all" : "first", fails);
  for (int i = 0; i < n; i++) {
    outcome[i] = (outcome_t){.everywhere = everywhere, .fails = fails};
    contexts[i] = &outcome[i];
  }
  run_team(n, run, contexts);
  if (fails < 0) expect_text(expected, n);
  if (fails >= 0) sprintf(error, "member %d", fails);
  for (int i = 0; i < n; i++) {
    const outcome_t *o = &outcome[i];
    const char *text = everywhere || i == 0 ? expected : "";
    if (o->rc != (fails < 0 ? BERTH_OK : BERTH_BAD_INPUT) || strcmp(o->text, text) != 0 ||
        (strcmp(o->error, error) != 0 && !(i == fails + 1 && fails >= 0)))
      FAIL_ROW(name, "member %d: %d '%s' '%s', expected '%s' '%s'", i, o->rc, o->text, o->error,
               text, error);
  }
}

static void members_agree(void **state)
{
  (void)state;
  for (int n = 1; n <= MOST_MEMBERS - 1; n++)
    for (int everywhere = 0; everywhere < 2; everywhere++) check_team(n, everywhere, -1);
}

static void all_get_the_lowest_failure(void **state)
{
  (void)state;
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 13};
  for (size_t i = 0; i < COUNT(sizes); i++)
    for (int fails = 0; fails < sizes[i]; fails++) check_team(sizes[i], true, fails);
}

/* A set that found no room fails for all. */
static void run_without_room(member_t *m)
{
  outcome_t *o = m->context;
  facts_t f = {.failed = m->team.rank == 2};
  berth_error_t err = {0};
  o->rc = facts_agree(&f, &m->team, combine, true, BERTH_OK, &err);
  strcpy(o->error, err.text);
  facts_clear(&f);
}

static void no_room_is_a_failure(void **state)
{
  (void)state;
  static outcome_t outcome[5];
  void *contexts[5];
  for (int i = 0; i < 5; i++) contexts[i] = &outcome[i];
  run_team(5, run_without_room, contexts);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(outcome[i].rc, BERTH_MISSING);
    assert_string_equal(outcome[i].error, "out of memory");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(members_agree),
                                     cmocka_unit_test(all_get_the_lowest_failure),
                                     cmocka_unit_test(no_room_is_a_failure)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
