/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the page.
 * The page is page.html, in which {{name}} stands for an embedded file or a generated part. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/numeric.h"
#include "cost/cost_put.h"
#include "pattern/pattern_core_wait.h"
#include "pattern/phase_find.h"
#include "report/report_internal.h"

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

/* Frees the sentence; NULL: there is nothing to say. */
static void put_made_note(char *sentence, out_file_t *out)
{
  if (sentence) put_note(out, sentence);
  free(sentence);
}

/* What readers need to judge the numbers. */
static void put_notes(const berth_report_t *r, out_file_t *out)
{
  put_made_note(pattern_cut_text(r->pattern), out);
  put_made_note(pattern_core_wait_text(r->pattern), out);
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
