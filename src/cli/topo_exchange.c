/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth topo import` and `berth topo export`: topologies in the formats of other tools. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options/formats.h"
#include "cli/options/load.h"
#include "cli/options/option_names.h"
#include "cli/print/topo_view.h"

void topo_list_formats(FILE *to)
{
  size_t n;
  const berth_topo_format_t *all = berth_topo_formats(&n);
  fputs("Formats of import and export:\n", to);
  for (size_t i = 0; i < n; i++) options_list_entry(to, 10, all[i].name, all[i].help);
}

void topo_take_format(struct argp_state *state, const option_t *option, char *arg, void *field)
{
  size_t n;
  char names[200] = "";
  const berth_topo_format_t **format = field, *all = berth_topo_formats(&n);
  *format = berth_topo_format_find(arg);
  for (size_t i = 0; i < n; i++) formats_add_name(names, sizeof names, all[i].name);
  if (!*format) argp_error(state, "%s: found '%s', expected one of %s", option->name, arg, names);
}

int topo_import(const char *file, const char *output, const berth_topo_format_t *format,
                const char *name, berth_error_t *err)
{
  int rc = formats_check_target(output, 1, &file, err);
  if (rc) return rc;
  if (!format && load_refuse_hwloc(NULL, file, "another tool's description", err)) return err->code;
  berth_topo_t *t = berth_topo_import(file, format, name, err);
  rc = t ? berth_topo_save(t, output, err) : err->code;
  if (!rc) {
    fprintf(stderr, "berth topo: %s: ", output);
    topo_print_summary(stderr, t);
  }
  berth_topo_free(t);
  return rc;
}

int topo_export(const char *file, const char *output, const berth_topo_format_t *format,
                berth_error_t *err)
{
  int rc = formats_check_target(output, 1, &file, err);
  if (rc) return rc;
  berth_topo_t *t = load_topology(NULL, file, err);
  rc = t ? format->write(t, output, err) : err->code;
  if (t && rc == BERTH_BAD_INPUT) {
    berth_error_t why = *err;
    berth_fail(err, rc, "%s: %s", file, why.text);
  }
  berth_topo_free(t);
  return rc;
}
