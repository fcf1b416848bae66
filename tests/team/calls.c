/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of teams of every small size. */
#include "team/team.h"

#include "members.h"

typedef struct outcome {
  int failing; /* members from this one on fail; as many as there are members: none */
  uint64_t maximum[3];
  char told[MOST_MEMBERS][40];
  int rc;
  berth_error_t err;
} outcome_t;

static void run(member_t *m)
{
  outcome_t *o = m->context;
  berth_team_t *team = &m->team;
  o->maximum[0] = team_maximum(team, (uint64_t)team->rank + 7);
  o->maximum[1] = team_maximum(team, UINT64_MAX - (uint64_t)team->rank);
  o->maximum[2] = team_maximum(team, team->rank == team->size / 2);
  for (int from = 0; from < team->size; from++) {
    char *told = o->told[from];
    if (from == team->rank) sprintf(told, "from %d", from);
    team_broadcast(team, from, told, sizeof o->told[from]);
  }
  if (team->rank >= o->failing)
    o->rc = berth_fail(&o->err, BERTH_BAD_INPUT, "%d can't", team->rank);
  o->rc = berth_team_agree(team, o->rc, &o->err);
  if (o->rc) o->maximum[0] += berth_team_agree(team, BERTH_OK, NULL) != BERTH_MISSING; /* at once */
}

static void check(int n, int failing)
{
  static outcome_t outcome[MOST_MEMBERS];
  void *contexts[MOST_MEMBERS];
  char name[64], error[64] = "", told[40];
  memset(outcome, 0, sizeof outcome);
  sprintf(name, "%d members, failing from %d", n, failing);
  for (int i = 0; i < n; i++) outcome[i].failing = failing, contexts[i] = &outcome[i];
  run_team(n, run, contexts);
  if (failing < n && failing) sprintf(error, "process %d: %d can't", failing, failing);
  if (failing == 0) sprintf(error, "0 can't");
  for (int i = 0; i < n; i++) {
    const outcome_t *o = &outcome[i];
    if (o->maximum[0] != (uint64_t)n + 6 || o->maximum[1] != UINT64_MAX || o->maximum[2] != 1)
      FAIL_ROW(name, "member %d: maxima %lu %lu %lu", i, o->maximum[0], o->maximum[1],
               o->maximum[2]);
    if (o->rc != (failing < n ? BERTH_BAD_INPUT : BERTH_OK) || strcmp(o->err.text, error) != 0)
      FAIL_ROW(name, "member %d: %d '%s', expected '%s'", i, o->rc, o->err.text, error);
    for (int from = 0; from < n; from++) {
      sprintf(told, "from %d", from);
      if (strcmp(o->told[from], told) != 0) FAIL_ROW(name, "member %d: '%s'", i, o->told[from]);
    }
  }
}

static void all_members_get_the_same(void **state)
{
  (void)state;
  for (int n = 1; n < MOST_MEMBERS; n++) check(n, n);
}

static void the_first_failure_reaches_all(void **state)
{
  (void)state;
  for (int n = 1; n < 10; n++)
    for (int failing = 0; failing < n; failing++) check(n, failing);
}

int main(void)
{
  alarm(300); /* a member that waits for one that doesn't come waits for ever */
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_members_get_the_same),
                                     cmocka_unit_test(the_first_failure_reaches_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
