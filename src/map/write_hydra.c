/* SPDX-License-Identifier: BSD-3-Clause */
/* The machinefile of Hydra, MPICH's launcher: a line for each run of ranks on one host, with the
 * operating system's CPU of each, "node0:2 binding=user:3,0". A host may stand on several lines. */
#include <stdio.h>
#include <string.h>

#include "base/file_out.h"
#include "base/text.h"
#include "map/launcher.h"
#include "map/map_internal.h"

/* Hydra 4.0.2 takes lines of 12,327 bytes and misreads ones of 63,327. */
enum { LONGEST_LINE = 12000 };

/* The first rank behind the run that begins with `from`. */
static int end_of_run(const berth_mapping_t *m, const berth_topo_t *t, int from)
{
  int end = from + 1;
  while (end < m->ranks && launcher_host(m, t, end) == launcher_host(m, t, from)) end++;
  return end;
}

static int check_lines(const berth_mapping_t *m, const berth_topo_t *t, berth_error_t *err)
{
  int rc = launcher_check_names(m, t, err);
  for (int r = 0, end; r < m->ranks && !rc; r = end) {
    const char *name = berth_topo_host(t, launcher_host(m, t, r))->name;
    int bytes = snprintf(NULL, 0, "%s:%d binding=user:", name, m->ranks);
    end = end_of_run(m, t, r);
    for (int k = r; k < end; k++) bytes += snprintf(NULL, 0, "%d,", launcher_cpu(m, t, k));
    if (bytes > LONGEST_LINE)
      rc = berth_fail(err, BERTH_BAD_INPUT,
                      "found %d ranks in a row on host %s, whose line would have more than %d "
                      "bytes, expected at most that: Hydra misreads longer ones",
                      end - r, name, LONGEST_LINE);
  }
  return rc;
}

int write_hydra(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                berth_error_t *err)
{
  int rc = check_lines(m, t, err);
  if (rc) return rc;
  out_file_t *out = out_open(path, err);
  if (!out) return BERTH_MISSING;
  for (int r = 0; r < m->ranks;) {
    int end = end_of_run(m, t, r);
    out_printf(out, "%s:%d binding=user:%d", berth_topo_host(t, launcher_host(m, t, r))->name,
               end - r, launcher_cpu(m, t, r));
    while (++r < end) out_printf(out, ",%d", launcher_cpu(m, t, r));
    out_text(out, "\n");
  }
  return out_commit(out, err);
}

char *command_hydra(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                    berth_error_t *err)
{
  (void)t;
  char *line = text_printf("mpiexec -f %s -n %d ./app", file, m->ranks);
  if (!line) map_no_memory(err);
  return line;
}
