/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the formats of topologies, and finds a file's format. */
#include <string.h>

#include "base/budget.h"
#include "exchange/exchange_internal.h"

static const berth_topo_format_t formats[] = {
    {"levels",
     "hierarchy and distances from the innermost outwards: 8:8:8/1:10:100 in place of a file's "
     "name, or two words in a file",
     NULL, levels_read, levels_write},
    {"tleaf", "Scotch's and TopoMatch's tleaf: height, then arity and cost from the root down",
     tleaf_recognises, tleaf_read, tleaf_write},
    {"simgrid", "a SimGrid platform (XML) that is a tree", simgrid_recognises, simgrid_read,
     simgrid_write},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

const berth_topo_format_t *berth_topo_formats(size_t *n)
{
  *n = N_FORMATS;
  return formats;
}

const berth_topo_format_t *berth_topo_format_find(const char *name)
{
  for (size_t i = 0; i < N_FORMATS; i++)
    if (strcmp(formats[i].name, name) == 0) return &formats[i];
  return NULL;
}

static const berth_topo_format_t *format_of(const char *path, berth_error_t *err)
{
  char text[4096];
  size_t n = 0;
  if (exchange_start(path, text, sizeof text, &n, err)) return NULL;
  for (size_t i = 0; i < N_FORMATS; i++)
    if (formats[i].recognises && formats[i].recognises(text, n)) return &formats[i];
  exchange_refuse(path, text, n, err);
  return NULL;
}

berth_topo_t *berth_topo_import(const char *path, const berth_topo_format_t *format,
                                const char *name, berth_error_t *err)
{
  berth_error_t own;
  if (!err) err = &own;
  budget_t budget;
  const char *slash = strrchr(path, '/');
  bool is_text =
      levels_is_text(path) && (format ? format->read == levels_read : strchr(path, ':') != NULL);
  if (!format) format = is_text ? berth_topo_format_find("levels") : format_of(path, err);
  if (!format) return NULL;
  budget_begin(&budget);
  berth_topo_t *t = format->read(path, name ? name : slash && !is_text ? slash + 1 : path, err);
  budget_end(&budget, path, t ? BERTH_OK : BERTH_BAD_INPUT, err);
  return t;
}
