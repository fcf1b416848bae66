/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the page and the pictures.
 * The page is page.html, in which {{name}} stands for an embedded file or a generated part. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/embedded.h"
#include "base/no_memory.h"
#include "base/numeric.h"
#include "cost/cost_put.h"
#include "pattern/phase_find.h"
#include "report/report_internal.h"
#include "report/svg.h"
#include "topo/topo_levels.h"

/* --- generated parts --- */

static void put_title(const berth_report_t *r, out_file_t *out) { out_xml(out, r->options.title); }

static void put_whiskers(const berth_report_t *r, out_file_t *out)
{
  if (report_has_whiskers(r)) out_text(out, " Whiskers show the intervals of measured spreads.");
}

static void put_note(out_file_t *out, const char *text)
{
  out_text(out, "<li>");
  out_xml(out, text);
  out_text(out, "</li>\n");
}

/* What readers need to judge the numbers. */
static void put_notes(const berth_report_t *r, out_file_t *out)
{
  char text[320];
  const berth_uncertainty_t *u = r->uncertainty[r->options.model];
  char *cut = pattern_cut_text(r->pattern);
  if (cut) put_note(out, cut);
  free(cut);
  if (berth_topo_has_distances(r->topo))
    put_note(
        out,
        "The topology has distances instead of bandwidths. Costs have no unit and are no times.");
  if (topo_is_mixed(r->topo))
    put_note(out,
             "Some curves of the topology are measured, others are defaults. Which placement is "
             "cheaper is uncertain until the others are measured.");
  else if (topo_is_unmeasured(r->topo))
    put_note(
        out,
        "The topology has default curves, which nobody measured. Compare these costs with each "
        "other, not with a clock.");
  if (u && berth_uncertainty_unknown_numbers(u)) {
    snprintf(text, sizeof text,
             "%zu measured numbers have no spread. Costs that depend on them are ± unknown.",
             berth_uncertainty_unknown_numbers(u));
    put_note(out, text);
  }
  if (u && (berth_uncertainty_numbers(u) || berth_uncertainty_model_error(u) > 0)) {
    snprintf(
        text, sizeof text,
        "± covers the spread of %zu measured numbers and a model's error of %.2g%% (0%%: unknown "
        "for this machine).",
        berth_uncertainty_numbers(u), 100 * berth_uncertainty_model_error(u));
    put_note(out, text);
  }
  char *coverage = cost_coverage_text(r->pattern);
  if (coverage) *coverage = (char)toupper((unsigned char)*coverage);
  if (coverage) put_note(out, coverage);
  free(coverage);
  put_note(out,
           "The cost of a port is the time for all messages that cross it in one occurrence of a "
           "phase. The most expensive port is the bottleneck. berth help: man berth-report, "
           "docs/report.md.");
}

static void put_version(const berth_report_t *r, out_file_t *out)
{
  (void)r;
  out_text(out, BERTH_VERSION);
}

static const struct {
  const char *name;
  void (*put)(const berth_report_t *r, out_file_t *out);
  void (*chart)(const berth_report_t *r, out_file_t *out, bool alone);
} made[] = {{"title", put_title},
            {"whiskers", put_whiskers},
            {"notes", put_notes},
            {"version", put_version},
            {"cost", NULL, report_chart_cost},
            {"levels", NULL, report_chart_levels},
            {"sizes", NULL, report_chart_sizes}};

/* --- the page --- */

static int put_named(const berth_report_t *r, const char *name, size_t n, out_file_t *out,
                     berth_error_t *err)
{
  const embedded_t *part = embedded_find(report_parts, name, n);
  if (part) out_write(out, part->data, part->size);
  if (strncmp(name, "data", n) == 0 && n == 4) return report_put_data(r, out, err);
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    if (strlen(made[i].name) != n || strncmp(made[i].name, name, n) != 0) continue;
    if (made[i].put)
      made[i].put(r, out);
    else
      made[i].chart(r, out, false);
  }
  return BERTH_OK;
}

static int put_page(const berth_report_t *r, out_file_t *out, berth_error_t *err)
{
  const embedded_t *page = embedded_find(report_parts, "page.html", strlen("page.html"));
  const char *at = (const char *)page->data, *end = at + page->size;
  int rc = BERTH_OK;
  while (at < end && !rc) {
    const char *open = memmem(at, (size_t)(end - at), "{{", 2);
    const char *close = open ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;
    out_write(out, at, (size_t)((close ? open : end) - at));
    if (close) rc = put_named(r, open + 2, (size_t)(close - open - 2), out, err);
    at = close ? close + 2 : end;
  }
  return rc;
}

int berth_report_page(const berth_report_t *r, const char *path, berth_error_t *err)
{
  out_file_t *out = out_open(path, err);
  if (!out) return BERTH_MISSING;
  locale_t before = numeric_begin();
  int rc = put_page(r, out, err);
  numeric_end(before);
  if (!rc) return out_commit(out, err);
  out_abort(out);
  return rc;
}

/* --- pictures --- */

/* The placement of a picture; OF_RANKS: a matrix in the order of ranks. */
enum { OF_RANKS, OF_BEFORE, OF_AFTER };

static const struct {
  const char *name;
  void (*put)(const berth_report_t *r, out_file_t *out, bool alone);
  int (*put_of)(const berth_report_t *r, const rated_t *placement, out_file_t *out,
                berth_error_t *err);
  int of;
} pictures[BERTH_REPORT_PICTURES] = {{"cost.svg", report_chart_cost, NULL, 0},
                                     {"levels.svg", report_chart_levels, NULL, 0},
                                     {"sizes.svg", report_chart_sizes, NULL, 0},
                                     {"matrix-ranks.svg", NULL, report_chart_matrix, OF_RANKS},
                                     {"matrix-before.svg", NULL, report_chart_matrix, OF_BEFORE},
                                     {"matrix-after.svg", NULL, report_chart_matrix, OF_AFTER},
                                     {"tree-before.svg", NULL, report_chart_tree, OF_BEFORE},
                                     {"tree-after.svg", NULL, report_chart_tree, OF_AFTER}};

const char *berth_report_picture(size_t number)
{
  return number < BERTH_REPORT_PICTURES ? pictures[number].name : NULL;
}

static int put_picture(const berth_report_t *r, const char *folder, size_t i, berth_error_t *err)
{
  int rc = BERTH_OK;
  const rated_t *of[] = {NULL, &r->placement[r->options.before], &r->placement[r->options.after]};
  out_file_t *out = svg_file(folder, pictures[i].name, err);
  if (!out) return BERTH_MISSING;
  if (pictures[i].put)
    pictures[i].put(r, out, true);
  else
    rc = pictures[i].put_of(r, of[pictures[i].of], out, err);
  if (!rc) return out_commit(out, err);
  out_abort(out);
  return rc;
}

/* Makes a folder and those above it. */
static int make_folder(const char *folder, berth_error_t *err)
{
  int rc = BERTH_OK;
  char *path = strdup(folder);
  if (!path) return no_memory(err);
  for (char *s = strchr(path + (*path == '/'), '/'); s && !rc; s = strchr(s + 1, '/')) {
    *s = '\0';
    if (mkdir(path, 0777) && errno != EEXIST)
      rc = berth_fail(err, BERTH_MISSING, "%s: cannot make the folder: %s", path, strerror(errno));
    *s = '/';
  }
  if (!rc && mkdir(path, 0777) && errno != EEXIST)
    rc = berth_fail(err, BERTH_MISSING, "%s: cannot make the folder: %s", path, strerror(errno));
  free(path);
  return rc;
}

int berth_report_pictures(const berth_report_t *r, const char *folder, berth_error_t *err)
{
  int failed = make_folder(folder, err);
  if (failed) return failed;
  locale_t before = numeric_begin();
  int rc = BERTH_OK;
  for (size_t i = 0; i < BERTH_REPORT_PICTURES && !rc; i++) rc = put_picture(r, folder, i, err);
  numeric_end(before);
  return rc;
}
