/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes machinefiles of Hydra, MPICH's launcher.
 * A line is "node0:2 binding=user:3,0": the next two ranks are on the host, on these CPUs by the
 * operating system's numbers. After the last line, Hydra begins again with the first. So one line
 * for each host is enough if ranks go round the hosts in the same way each time. Otherwise, each
 * run of ranks on a host is a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "mapping/mapping_hosts.h"
#include "mapping/mapping_internal.h"

/* Hydra 4.0.2 takes lines of 12,327 bytes, and misreads lines of 63,327. */
enum { LONGEST_LINE = 12000 };

static int host_of(const hosts_t *h, int rank) { return hosts_number(h->m, h->t, rank); }

/* The end of the run of ranks on one host that begins with `from`. */
static int end_of_run(const hosts_t *h, int from)
{
  int end = from + 1;
  while (end < h->m->ranks && host_of(h, end) == host_of(h, from)) end++;
  return end;
}

/* Sets *round to the number of ranks in one round over the hosts, if all rounds are equal; else to
 * the number of all ranks. *once: each host has one run in a round. */
static int find_round(const hosts_t *h, int *round, int *once, berth_error_t *err)
{
  int hosts = 0, ranks = h->m->ranks;
  bool *seen = calloc((size_t)berth_topo_n_hosts(h->t), sizeof *seen);
  if (!seen) return no_memory(err);
  for (*round = 0; *round < ranks && !seen[host_of(h, *round)]; hosts++) {
    seen[host_of(h, *round)] = true;
    *round = end_of_run(h, *round);
  }
  free(seen);
  *once = hosts == h->n;
  for (int r = *round; r < ranks && *once; r++) *once = host_of(h, r) == host_of(h, r % *round);
  if (!*once) *round = ranks;
  return BERTH_OK;
}

/* Prints a line for each run of the first `round` ranks, with the CPUs of its ranks in all
 * rounds. */
static int print_lines(const hosts_t *h, int round, char **text, berth_error_t *err)
{
  size_t n;
  FILE *f = open_memstream(text, &n);
  for (int r = 0, end; f && r < round; r = end) {
    const char *before = " binding=user:";
    end = end_of_run(h, r) < round ? end_of_run(h, r) : round;
    fprintf(f, "%s:%d", berth_topo_host(h->t, host_of(h, r))->name, end - r);
    for (int from = r; from < h->m->ranks; from += round)
      for (int k = from; k < from + end - r && k < h->m->ranks; k++, before = ",")
        fprintf(f, "%s%d", before, hosts_cpu(h->m, h->t, k));
    fputc('\n', f);
  }
  return text_end(f, text) ? BERTH_OK : no_memory(err);
}

static int check_lines(const char *text, berth_error_t *err)
{
  for (const char *s = text; *s; s = strchr(s, '\n') + 1)
    if (strcspn(s, "\n") >= LONGEST_LINE)
      return berth_fail(err, BERTH_BAD_INPUT,
                        "found a line of %zu bytes for host %.*s, expected less than %d: Hydra "
                        "misreads long ones",
                        strcspn(s, "\n"), (int)strcspn(s, ":"), s, LONGEST_LINE);
  return BERTH_OK;
}

int write_hydra(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                berth_error_t *err)
{
  hosts_t h;
  int round, once;
  char *text = NULL;
  out_file_t *out = NULL;
  int rc = hosts_init(&h, m, t, HOSTS_BY_RANK, err);
  if (!rc) rc = find_round(&h, &round, &once, err);
  if (!rc) rc = print_lines(&h, round, &text, err);
  if (!rc) rc = check_lines(text, err);
  if (!rc && !(out = out_open_raw(path, err))) rc = BERTH_MISSING;
  if (!rc) {
    out_text(out, text);
    rc = out_commit(out, err);
  }
  free(text);
  hosts_clear(&h);
  return rc;
}

char *hydra_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                    const char *pin, berth_error_t *err)
{
  (void)pin;
  hosts_t h;
  int round, once;
  char *line = NULL;
  int rc = hosts_init(&h, m, t, HOSTS_BY_RANK, err);
  if (!rc) rc = find_round(&h, &round, &once, err);
  if (!rc) {
    line = text_printf("mpiexec -f %s -n %d ./app%s", file, m->ranks,
                       once ? "" : "   # to MPICH each line is a node of its own");
    if (!line) no_memory(err);
  }
  hosts_clear(&h);
  return line;
}
