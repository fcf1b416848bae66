/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a script that binds a rank to its CPU and then starts the program.
 * For launchers that start every rank on its host but can't bind it to its CPU. The script finds
 * its rank in the environment and the CPU in the table at its end. On a wrong host it fails. */
#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "mapping/mapping_hosts.h"
#include "mapping/mapping_internal.h"

/* SLURM_PROCID comes last: ranks of mpirun inside an allocation inherit another process's. */
static const char head[] =
    "#!/bin/sh\n"
    "# sh THIS_FILE PROGRAM [ARGUMENT]...: binds this rank to its CPU and becomes the program.\n"
    "# Line R of the table at the end, from 0, has rank R's host and CPU.\n"
    "ranks=%d\n"
    "rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-$SLURM_PROCID}}}\n"
    "case $rank in\n"
    "  '' | *[!0-9]*) echo \"$0: found no rank in the environment\" >&2; exit 2 ;;\n"
    "esac\n"
    "if [ \"$rank\" -ge \"$ranks\" ]; then\n"
    "  echo \"$0: found rank $rank, expected a job of $ranks ranks\" >&2\n"
    "  exit 2\n"
    "fi\n"
    "read -r host cpu << END\n"
    "$(sed \"1,/^: TABLE$/d\" \"$0\" | sed -n \"$((rank + 1))p\")\n"
    "END\n"
    "here=$(uname -n)\n"
    "case ${host%%%%.*} in\n"
    "  \"${here%%%%.*}\" | \"${SLURMD_NODENAME%%%%.*}\") ;;\n"
    "  *) echo \"$0: found rank $rank on $here, expected $host\" >&2; exit 2 ;;\n"
    "esac\n"
    "exec taskset -c \"$cpu\" \"$@\"\n: TABLE\n";

int write_pin(const berth_mapping_t *m, const berth_topo_t *t, const char *path, berth_error_t *err)
{
  int rc = hosts_check_names(m, t, err);
  if (rc) return rc;
  out_file_t *out = out_open_raw(path, err);
  if (!out) return BERTH_MISSING;
  out_printf(out, head, m->ranks);
  for (int r = 0; r < m->ranks; r++)
    out_printf(out, "%s %d\n", berth_topo_host(t, hosts_number(m, t, r))->name, hosts_cpu(m, t, r));
  return out_commit(out, err);
}

char *pin_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                  const char *pin, berth_error_t *err)
{
  (void)pin;
  (void)m;
  (void)t;
  char *line = text_printf("sh %s ./app   # in the place of ./app, behind any launcher", file);
  if (!line) no_memory(err);
  return line;
}
