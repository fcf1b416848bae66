/* SPDX-License-Identifier: BSD-3-Clause */
/* JUnit XML and GitHub's workflow commands. What a system shows of them decides what is where:
 * GitLab shows the text of a failure and not its message, takes what was skipped for passed, and of
 * two cases of one name the first; so no verdict is an error, and phases have their numbers in
 * their names. */
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/print/check_place.h"
#include "cli/print/check_view.h"

/* What a function prints, as text that the caller frees; NULL when memory is out. */
typedef void print_t(FILE *to, const check_view_t *v, const void *item);

static char *text_of(print_t *print, const check_view_t *v, const void *item)
{
  char *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  if (f) print(f, v, item);
  return cli_checked(text_end(f, &text));
}

static void headline(FILE *to, const check_view_t *v, const void *item)
{
  (void)item;
  check_print_headline(to, v);
}

/* The verdict, with the first culprit where it is worse. */
static void message_of_all(FILE *to, const check_view_t *v, const void *item)
{
  headline(to, v, item);
  if (v->result.verdict != BERTH_CHECKED_WORSE) return;
  fputs(": ", to);
  check_print_first(to, v, &v->result.phases[0]);
}

static void text_of_all(FILE *to, const check_view_t *v, const void *item)
{
  headline(to, v, item);
  fputc('\n', to);
  check_print_culprits(to, v);
  check_print_notes(to, v);
}

static void notes(FILE *to, const check_view_t *v, const void *item)
{
  (void)item;
  check_print_notes(to, v);
}

/* Of what came to no result, `item` is the reason. */
static void failure(FILE *to, const check_view_t *v, const void *item)
{
  (void)v;
  fputs(item, to);
}

static void name_of_phase(FILE *to, const check_view_t *v, const void *phase)
{
  (void)v;
  check_print_phase_name(to, phase);
}

static void message_of_phase(FILE *to, const check_view_t *v, const void *phase)
{
  check_print_first(to, v, phase);
}

static void text_of_phase(FILE *to, const check_view_t *v, const void *phase)
{
  check_print_phase(to, v, phase);
}

static void name_of_budget(FILE *to, const check_view_t *v, const void *item)
{
  const berth_check_budget_t *b = item;
  (void)v;
  fprintf(to, "budget %s", b->budget->text);
}

static void message_of_budget(FILE *to, const check_view_t *v, const void *budget)
{
  check_print_budget(to, v, budget);
}

static void text_of_budget(FILE *to, const check_view_t *v, const void *budget)
{
  check_print_budget(to, v, budget);
  fputc('\n', to);
  check_print_contributors(to, v, budget);
}

/* --- JUnit --- */

typedef enum outcome { PASSED, FAILED, UNKNOWN, WITHOUT_RESULT } outcome_t;

/* One case; `item` is what the functions print. */
typedef struct test_case {
  outcome_t outcome;
  print_t *name, *message, *text; /* name NULL: the total */
  const void *item;
} test_case_t;

static bool put_printed(out_file_t *out, const check_view_t *v, const test_case_t *c,
                        print_t *print)
{
  char *text = text_of(print, v, c->item);
  if (!text) return false;
  out_xml(out, text);
  free(text);
  return true;
}

static bool put_case(out_file_t *out, const check_view_t *v, const test_case_t *c)
{
  static const char *const types[] = {"", "worse", "no verdict", "no result"};
  const char *element = c->outcome == FAILED ? "failure" : "error";
  bool enough = true;
  out_text(out, "  <testcase classname=\"berth check\" name=\"");
  if (c->name)
    enough = put_printed(out, v, c, c->name);
  else
    out_text(out, "total cost");
  if (c->outcome == PASSED) {
    out_text(out, "\"/>\n");
    return enough;
  }
  out_printf(out, "\">\n   <%s type=\"%s\" message=\"", element, types[c->outcome]);
  enough = enough && put_printed(out, v, c, c->message);
  out_text(out, "\">");
  enough = enough && put_printed(out, v, c, c->text);
  out_printf(out, "</%s>\n  </testcase>\n", element);
  return enough;
}

/* The total, where there is a baseline or nothing could be judged; each phase that was compared,
 * which fails where it is held against the tolerance by itself; each budget. */
static size_t list_cases(const check_view_t *v, test_case_t *list)
{
  const berth_check_t *r = &v->result;
  bool each = r->verdict == BERTH_CHECKED_WORSE && v->options->each_phase;
  size_t n = 0;
  if (r->verdict != BERTH_CHECKED_NOTHING)
    list[n++] = (test_case_t){r->verdict == BERTH_CHECKED_UNKNOWN ? UNKNOWN
                              : r->total_worse                    ? FAILED
                                                                  : PASSED,
                              NULL, message_of_all, text_of_all, NULL};
  for (size_t k = 0; k < r->n_phases && r->verdict != BERTH_CHECKED_UNKNOWN; k++)
    if (r->phases[k].id >= 0)
      list[n++] = (test_case_t){each && r->phases[k].worse ? FAILED : PASSED, name_of_phase,
                                message_of_phase, text_of_phase, &r->phases[k]};
  for (size_t i = 0; i < r->n_budgets; i++)
    list[n++] = (test_case_t){!r->budgets[i].known   ? UNKNOWN
                              : r->budgets[i].broken ? FAILED
                                                     : PASSED,
                              name_of_budget, message_of_budget, text_of_budget, &r->budgets[i]};
  return n;
}

static bool put_suites(out_file_t *out, const check_view_t *v, const test_case_t *list, size_t n)
{
  size_t failed = 0, unknown = 0;
  bool enough = true;
  for (size_t i = 0; i < n; i++) {
    failed += list[i].outcome == FAILED;
    unknown += list[i].outcome > FAILED;
  }
  out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  out_printf(out, "<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", n, failed,
             unknown);
  out_printf(out,
             " <testsuite name=\"berth check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
             "skipped=\"0\">\n",
             n, failed, unknown);
  for (size_t i = 0; i < n && enough; i++) enough = put_case(out, v, &list[i]);
  if (v && v->result.n_unpriced) {
    const test_case_t all = {0};
    out_text(out, "  <system-out>");
    enough = enough && put_printed(out, v, &all, notes);
    out_text(out, "</system-out>\n");
  }
  out_text(out, " </testsuite>\n</testsuites>\n");
  return enough;
}

static int write_suites(const check_view_t *v, const test_case_t *list, size_t n, const char *path,
                        berth_error_t *err)
{
  out_file_t *out = out_open(path, err);
  if (!out) return BERTH_MISSING;
  if (put_suites(out, v, list, n)) return out_commit(out, err);
  out_abort(out);
  return no_memory(err);
}

int check_junit(const check_view_t *v, const char *path, berth_error_t *err)
{
  test_case_t *list = calloc(v->result.n_phases + v->result.n_budgets + 1, sizeof *list);
  if (!list) return no_memory(err);
  int rc = write_suites(v, list, list_cases(v, list), path, err);
  free(list);
  return rc;
}

int check_junit_failure(const char *text, const char *path, berth_error_t *err)
{
  const test_case_t total = {WITHOUT_RESULT, NULL, failure, failure, text};
  return write_suites(NULL, &total, 1, path, err);
}

/* --- GitHub --- */

/* Escapes as GitHub's own toolkit does: data, and besides what ends a property. What no terminal
 * shows becomes '?'. */
static void put_escaped(FILE *to, const char *s, bool property)
{
  for (size_t n; *s; s += n ? n : 1) {
    n = text_shown_length(s, strnlen(s, 4));
    if (*s == '%' || *s == '\n' || *s == '\r' || (property && (*s == ':' || *s == ',')))
      fprintf(to, "%%%02X", (unsigned char)*s);
    else
      fwrite(n ? s : "?", 1, n ? n : 1, to);
  }
}

/* The place of the innermost frame that is in the repository, as properties of an annotation. */
static void put_place(FILE *to, const berth_site_t *site)
{
  int line;
  char *path = NULL;
  for (size_t i = 0; site && i < site->n_frames && !path; i++)
    path = check_place_of(site->frames[i], &line);
  if (!path) return;
  fputs("file=", to);
  put_escaped(to, path, true);
  fprintf(to, ",line=%d,", line);
  free(path);
}

static void annotate(FILE *to, const check_view_t *v, const char *level, const berth_site_t *site,
                     print_t *title, print_t *text, const void *item)
{
  char *of_title = title ? text_of(title, v, item) : NULL, *of_text = text_of(text, v, item);
  size_t n = of_text ? strlen(of_text) : 0;
  if (n && of_text[n - 1] == '\n') of_text[n - 1] = '\0';
  fprintf(to, "::%s ", level);
  put_place(to, site);
  fputs("title=", to);
  put_escaped(to, "berth check: ", true);
  put_escaped(to, of_title ? of_title : "no result", true);
  fputs("::", to);
  put_escaped(to, of_text ? of_text : "", false);
  fputc('\n', to);
  free(of_title);
  free(of_text);
}

/* The first call site that is named, NULL where none is. */
static const berth_site_t *first_of_pairs(const berth_check_pair_t *pairs, size_t n)
{
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < pairs[i].n_listed; k++)
      if (pairs[i].sites[k].site) return pairs[i].sites[k].site;
  return NULL;
}

static const berth_site_t *first_site(const berth_check_phase_t *phases, size_t n)
{
  const berth_site_t *found = NULL;
  for (size_t k = 0; k < n && !found; k++) {
    found = first_of_pairs(phases[k].port.pairs, phases[k].port.n_listed);
    if (!found) found = phases[k].site;
  }
  return found;
}

static void title_of_all(FILE *to, const check_view_t *v, const void *item)
{
  (void)item;
  fputs(berth_checked_name(v->result.verdict), to);
}

static void title_of_notes(FILE *to, const check_view_t *v, const void *item)
{
  (void)v;
  (void)item;
  fputs("not estimated", to);
}

/* Whether there is something to say of operations without a price: others than in the baseline,
 * which come first, or no baseline. */
static bool has_news(const berth_check_t *r)
{
  const berth_check_unpriced_t *u = r->unpriced;
  return r->n_unpriced &&
         (r->n_phases == 0 || u->calls != u->was_calls || u->bytes != u->was_bytes);
}

void check_github(FILE *to, const check_view_t *v)
{
  const berth_check_t *r = &v->result;
  const char *level = r->verdict == BERTH_CHECKED_WORSE     ? "error"
                      : r->verdict == BERTH_CHECKED_UNKNOWN ? "warning"
                      : r->verdict == BERTH_CHECKED_CHEAPER ? "notice"
                                                            : NULL;
  const berth_site_t *site = first_site(r->phases, r->n_phases);
  if (level)
    annotate(to, v, level, site, title_of_all, text_of_all, NULL);
  else if (has_news(r))
    annotate(to, v, "notice", NULL, title_of_notes, notes, NULL);
  for (size_t i = 0; i < r->n_budgets; i++) {
    const berth_check_budget_t *b = &r->budgets[i];
    if (b->known && !b->broken) continue;
    site = b->n_phases ? first_site(b->phases, b->n_phases) : first_of_pairs(b->pairs, b->n_listed);
    annotate(to, v, b->known ? "error" : "warning", site, name_of_budget, text_of_budget, b);
  }
}

void check_github_failure(FILE *to, const char *text)
{
  annotate(to, NULL, "error", NULL, NULL, failure, text);
}
