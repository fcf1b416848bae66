/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/included.h"

#include <berth/collectives.h>
#include <berth/one_sided.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/options/defaults.h"
#include "cli/options/load.h"
#include "cli/options/machine_half.h"
#include "cli/print/progress.h"
#include "cost/coverage.h"
#include "one_sided/epoch_rules.h"
#include "pattern/phase_find.h"
#include "schedule/schedule_rules.h"

static bool is(const char *asked, const char *word) { return strcmp(asked, word) == 0; }

/* Says how many operations had too many messages. */
static void say_too_many(double n, const char *name, const char *rounds_of)
{
  char number[TEXT_NUMBER];
  if (n > 0)
    fprintf(stderr,
            "note: %s %s%s not included: estimates take at most %d messages for the rounds of all "
            "%s\n",
            text_count(n, number), name, n == 1 ? " is" : "s are", BERTH_MAX_ROUND_MESSAGES,
            rounds_of);
}

/* --- one-sided operations --- */

void included_one_sided_rules(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  size_t n, used = 0;
  char names[120] = "";
  const epoch_rules_t *const *all = epoch_rules_all(&n);
  for (size_t i = 0; i < n && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, ", %s", all[i]->name);
  if (!epoch_rules_find(arg) && !is(arg, "auto") && !is(arg, "none"))
    argp_error(state, "%s: found '%s', expected auto, none%s", o->name, arg, names);
  *(const char **)field = arg;
}

static bool has_one_sided(const berth_pattern_t *p)
{
  size_t n;
  berth_pattern_rmas(p, &n);
  return n > 0;
}

/* What "auto" stands for. */
static const char *one_sided_rules_of(const berth_pattern_t *p)
{
  int nearest;
  const char *mpi = berth_pattern_mpi(p), *rules = berth_one_sided_rules(mpi, &nearest);
  if (nearest && has_one_sided(p) && *mpi)
    fprintf(stderr,
            "note: berth has no rules of %.60s, so one-sided operations are estimated as %s does "
            "them\n",
            mpi, rules);
  else if (nearest && has_one_sided(p))
    fprintf(stderr,
            "note: the pattern names no MPI, so one-sided operations are estimated as %s does "
            "them\n",
            rules);
  return rules;
}

int included_one_sided(berth_pattern_t *p, const char *asked, berth_error_t *err)
{
  double too_many = 0;
  if (is(asked, "none")) return BERTH_OK;
  const char *rules = is(asked, "auto") ? one_sided_rules_of(p) : asked;
  if (!has_one_sided(p)) return berth_one_sided_include(p, rules, NULL, err);
  progress("working out messages of", "one-sided operations");
  int rc = berth_one_sided_include(p, rules, &too_many, err);
  progress(NULL, NULL);
  say_too_many(too_many, "one-sided operation", "epochs");
  return rc;
}

/* --- collective operations --- */

/* What "auto" stands for; NULL: berth knows no rules of that MPI, or nobody knows which MPI it
 * was. */
static const char *collectives_rules_of(const berth_pattern_t *p)
{
  int nearest = 0;
  const char *mpi = berth_pattern_mpi(p), *rules = berth_collectives_rules(mpi, &nearest);
  if (nearest)
    fprintf(stderr,
            "note: berth has no rules of %.60s, so those of %s choose the algorithms of "
            "collective operations\n",
            mpi, rules);
  return rules;
}

/* Says which parameters of the job estimates don't follow: the first, and how many more. */
static void say_unfollowed(const berth_pattern_t *p)
{
  size_t n, others = 0;
  const char *first = NULL;
  const berth_parameter_t *all = berth_pattern_parameters(p, &n);
  for (size_t i = 0; i < n; i++) {
    if (!all[i].unfollowed) continue;
    others += first != NULL;
    if (!first) first = all[i].name;
  }
  if (!first) return;
  fprintf(stderr, "note: estimates don't follow %.100s", first);
  if (others) fprintf(stderr, " and %zu other parameter%s", others, others == 1 ? "" : "s");
  fputs(", which the job had set: its MPI may take other algorithms\n", stderr);
}

/* Says how many calls were between the two groups of an intercommunicator. */
static void say_between_groups(const berth_pattern_t *p)
{
  size_t n;
  double calls = 0;
  char number[TEXT_NUMBER];
  const berth_coll_t *colls = berth_pattern_colls(p, &n);
  for (size_t i = 0; i < n; i++) {
    const berth_comm_t *comm = pattern_comm(p, colls[i].comm);
    if (comm && comm->border) calls += cost_operations_of_coll(p, &colls[i]).calls;
  }
  if (calls > 0)
    fprintf(
        stderr,
        "note: %s collective call%s between the groups of an intercommunicator %s not included\n",
        text_count(calls, number), calls == 1 ? "" : "s", calls == 1 ? "is" : "are");
}

static bool has_collectives(const berth_pattern_t *p)
{
  size_t n;
  berth_pattern_colls(p, &n);
  return n > 0;
}

/* Without --collectives, operations of an MPI that berth has no rules of stay out of estimates. */
static int have_no_rules(const char *mpi, bool asked, berth_error_t *err)
{
  if (asked)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "%s auto: found a pattern of %.60s, expected one of Open MPI or MPICH",
                      defaults_source("--collectives"), *mpi ? mpi : "an unknown MPI");
  if (*mpi)
    fprintf(stderr,
            "note: collective operations are not included, because berth has no rules of %.60s "
            "(--collectives openmpi-4.1 takes those of Open MPI)\n",
            mpi);
  return BERTH_OK;
}

/* Whether a placement may put several ranks on a host, each on a PU of its own. */
static bool hosts_may_be_shared(const berth_topo_t *t)
{
  for (int i = 1; i < berth_topo_n_pus(t); i++)
    if (berth_topo_pu(t, i)->host == berth_topo_pu(t, i - 1)->host) return true;
  return false;
}

static int include_collectives(berth_pattern_t *p, const berth_topo_t *t, const char *rules,
                               berth_error_t *err)
{
  double too_many = 0, half = 0;
  bool library = schedule_rules_is_library(rules);
  int rc = library ? machine_half(t, &half, err) : BERTH_OK;
  progress("working out messages of", "collective operations");
  if (!rc && (library || hosts_may_be_shared(t)))
    rc = berth_collectives_include_by_hosts(p, rules, half, &too_many, err);
  else if (!rc)
    rc = berth_collectives_include(p, rules, &too_many, err);
  progress(NULL, NULL);
  say_too_many(too_many, "collective call", "calls");
  return rc;
}

/* An error about a file with rules says what gave the file. A wrong one in the project file is a
 * wrong value there. */
static int name_source(const char *rules, berth_error_t *err)
{
  static const char option[] = "--collectives";
  bool is_about = text_starts(err->text, rules);
  load_name_option(err, defaults_source(option), rules);
  if (is_about && defaults_is_of_file(option)) err->code = BERTH_BAD_INPUT;
  return err->code;
}

int included_collectives(berth_pattern_t *p, const berth_topo_t *t, const char *asked,
                         berth_error_t *err)
{
  bool automatic = !asked || is(asked, "auto");
  if ((!automatic && is(asked, "none")) || (automatic && !has_collectives(p))) return BERTH_OK;
  const char *rules = automatic ? collectives_rules_of(p) : asked;
  if (!rules) return have_no_rules(berth_pattern_mpi(p), asked != NULL, err);
  int rc = include_collectives(p, t, rules, err);
  if (rc) rc = name_source(rules, err);
  if (!rc) say_between_groups(p);
  if (!rc) say_unfollowed(p);
  return rc;
}
