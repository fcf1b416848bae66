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

/* --- generated parts --- */

static void put_title(const berth_report_t *r, out_file_t *out) { out_xml(out, r->options.title); }

static void put_whiskers(const berth_report_t *r, out_file_t *out)
{
  if (report_has_whiskers(r)) out_text(out, " Whiskers show the intervals of measured spreads.");
}

static void put_note(void *to, const char *sentence)
{
  out_file_t *out = to;
  bool lower = islower((unsigned char)*sentence);
  out_text(out, "<li>");
  if (lower) out_printf(out, "%c", toupper((unsigned char)*sentence));
  out_xml(out, sentence + lower);
  out_text(out, "</li>\n");
}

/* What readers need to judge the numbers. */
static void put_notes(const berth_report_t *r, out_file_t *out)
{
  char *cut = pattern_cut_text(r->pattern);
  if (cut) put_note(out, cut);
  free(cut);
  if (cost_notes(r->topo, r->pattern, r->uncertainty[r->options.model], put_note, out, NULL))
    out_lose_memory(out);
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
