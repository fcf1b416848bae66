/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the pictures, an SVG file each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/no_memory.h"
#include "base/numeric.h"
#include "report/report_internal.h"
#include "report/svg.h"

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
                                     {"tree-after.svg", NULL, report_chart_tree, OF_AFTER},
                                     {"node.svg", NULL, report_chart_node, OF_RANKS}};

const char *berth_report_picture(size_t number)
{
  return number < BERTH_REPORT_PICTURES ? pictures[number].name : NULL;
}

/* There is a picture of a node only if one was measured. */
static bool is_empty(const berth_report_t *r, size_t i)
{
  return pictures[i].put_of == report_chart_node && report_node_type(r) < 0;
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
  for (size_t i = 0; i < BERTH_REPORT_PICTURES && !rc; i++)
    if (!is_empty(r, i)) rc = put_picture(r, folder, i, err);
  numeric_end(before);
  return rc;
}
