/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the command line of a launcher. */
#include "launch/launch.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/process.h"
#include "base/text.h"
#include "launch/launch_internal.h"

static const char *const mpi_names[LAUNCH_N_MPIS] = {"unknown", "openmpi", "mpich"};

const char *launch_mpi_name(launch_mpi_t mpi) { return mpi_names[mpi]; }

bool launch_mpi_find(const char *name, launch_mpi_t *mpi)
{
  for (int i = LAUNCH_MPI_UNKNOWN + 1; i < LAUNCH_N_MPIS; i++)
    if (strcmp(mpi_names[i], name) == 0) {
      *mpi = (launch_mpi_t)i;
      return true;
    }
  return false;
}

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Names under which launchers are called. berth asks only these for their version. */
static bool may_be_launcher(const char *word)
{
  static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun",
                                      "srun",   "oshrun",  "shmemrun"};
  const char *name = base_name(word);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return text_starts(name, "mpirun.") || text_starts(name, "mpiexec.") ||
         text_starts(name, "mpirun_") || text_starts(name, "mpiexec_");
}

static const struct {
  const char *name; /* of the file behind all links */
  launcher_kind_t kind;
} launcher_files[] = {
    {"orterun", LAUNCHER_OPENMPI},        {"prterun", LAUNCHER_OPENMPI},
    {"mpirun.openmpi", LAUNCHER_OPENMPI}, {"mpiexec.openmpi", LAUNCHER_OPENMPI},
    {"mpiexec.hydra", LAUNCHER_HYDRA},    {"mpirun.mpich", LAUNCHER_HYDRA},
    {"mpiexec.mpich", LAUNCHER_HYDRA},    {"srun", LAUNCHER_SLURM},
};

/* Finds the kind from the output of --version. */
static launcher_kind_t kind_by_version(char *path)
{
  char option[] = "--version", text[4096];
  char *argv[] = {path, option, NULL};
  if (!process_output(argv, text, sizeof text)) return LAUNCHER_NONE;
  if (strstr(text, "(Open MPI)") || strstr(text, "OpenRTE") || strstr(text, "PRRTE"))
    return LAUNCHER_OPENMPI;
  if (strstr(text, "HYDRA") || strstr(text, "Intel(R) MPI")) return LAUNCHER_HYDRA;
  return text_starts(text, "slurm ") ? LAUNCHER_SLURM : LAUNCHER_NONE;
}

static int find_launcher(launch_t *l, berth_error_t *err)
{
  const char *word = l->argv[l->launcher];
  if (!may_be_launcher(word)) return BERTH_OK;
  char *found = launch_find_program(word);
  if (!found)
    return berth_fail(err, BERTH_MISSING, "%s: found no such program, expected a launcher in PATH",
                      word);
  l->path = realpath(found, NULL);
  free(found);
  if (!l->path)
    return berth_fail(err, BERTH_MISSING, "%s: cannot resolve the path of this launcher", word);
  for (size_t i = 0; i < sizeof launcher_files / sizeof *launcher_files; i++)
    if (strcmp(base_name(l->path), launcher_files[i].name) == 0) l->kind = launcher_files[i].kind;
  if (l->kind == LAUNCHER_NONE) l->kind = kind_by_version(l->path);
  if (l->kind == LAUNCHER_NONE)
    return berth_fail(err, BERTH_USAGE,
                      "%s (%s): found an unknown launcher, expected --version to print "
                      "Open MPI, HYDRA or slurm",
                      word, l->path);
  l->mpi = l->kind == LAUNCHER_OPENMPI ? LAUNCH_MPI_OPENMPI
           : l->kind == LAUNCHER_HYDRA ? LAUNCH_MPI_MPICH
                                       : LAUNCH_MPI_UNKNOWN;
  return BERTH_OK;
}

bool launch_next_option(const launch_t *l, const launch_context_t *c, size_t *at, option_match_t *m)
{
  if (*at >= c->program || strcmp(l->argv[*at], "--") == 0) return false;
  if (option_match(l->kind, l->argc, l->argv, *at, m, NULL) != BERTH_OK) return false;
  *at += m->words;
  return true;
}

/* Open MPI's MCA parameters that place or bind ranks: --mca NAME VALUE, or OMPI_MCA_NAME. */
static bool mca_places(const char *name)
{
  static const char *const names[] = {"rmaps",
                                      "rmaps_base_mapping_policy",
                                      "rmaps_base_ranking_policy",
                                      "rmaps_base_pernode",
                                      "rmaps_base_n_pernode",
                                      "rmaps_base_n_persocket",
                                      "rmaps_base_pattern",
                                      "rmaps_base_bycore",
                                      "rmaps_base_bynode",
                                      "rmaps_base_byslot",
                                      "rmaps_base_cpus_per_proc",
                                      "rmaps_rank_file_path",
                                      "rmaps_rank_file_physical",
                                      "rmaps_ppr_n_pernode",
                                      "rmaps_ppr_n_persocket",
                                      "rmaps_ppr_pattern",
                                      "rmaps_dist_device",
                                      "hwloc_base_binding_policy",
                                      "hwloc_base_cpu_list",
                                      "hwloc_base_cpu_set",
                                      "hwloc_base_slot_list"};
  size_t n = strcspn(name, "=");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == n && strncmp(names[i], name, n) == 0) return true;
  return false;
}

/* The first such parameter in the environment, which owns it. */
static const char *placement_in_environment(void)
{
  static const char prefix[] = "OMPI_MCA_";
  for (char **e = environ; *e; e++)
    if (text_starts(*e, prefix) && mca_places(*e + sizeof prefix - 1)) return *e;
  return NULL;
}

static int use_option(launch_t *l, launch_context_t *c, size_t at, const option_match_t *m,
                      berth_error_t *err)
{
  uint64_t ranks;
  switch (m->option->use) {
  case USE_RANKS:
    if (!text_to_u64(m->value, 1, 1 << 24, &ranks))
      return berth_fail(err, BERTH_USAGE, "%s: found '%s', expected a number of ranks", l->argv[at],
                        m->value);
    c->ranks = (int)ranks;
    break;
  case USE_PLACEMENT:
    if (!l->placement) l->placement = l->argv[at];
    break;
  case USE_FOLDER:
    c->folder = m->value;
    break;
  case USE_MCA:
    if (!l->placement && mca_places(m->value)) l->placement = m->value;
    break;
  case USE_FILE:
    return berth_fail(err, BERTH_USAGE,
                      "found option '%s', expected the programs on the command "
                      "line (several separated by ':')",
                      l->argv[at]);
  default:
    break;
  }
  return BERTH_OK;
}

/* Reads the context that begins at c->begin. A ':' or the end of the command ends it. */
static int read_context(launch_t *l, launch_context_t *c, berth_error_t *err)
{
  size_t i = c->begin;
  while (i < l->argc && l->argv[i][0] == '-') {
    if (strcmp(l->argv[i], "--") == 0) {
      i++;
      break;
    }
    option_match_t m;
    int rc = option_match(l->kind, l->argc, l->argv, i, &m, err);
    if (!rc) rc = use_option(l, c, i, &m, err);
    if (rc) return rc;
    i += m.words;
  }
  c->program = c->end = i;
  while (c->end < l->argc && strcmp(l->argv[c->end], ":") != 0) c->end++;
  if (c->end == c->program)
    return berth_fail(err, BERTH_USAGE, "found no program for '%s' to start%s",
                      l->argv[l->launcher], c->begin > l->launcher + 1 ? " behind ':'" : "");
  return BERTH_OK;
}

static int read_contexts(launch_t *l, berth_error_t *err)
{
  size_t begin = l->launcher + 1, cap = 0;
  for (l->ranks = 0;; begin = l->contexts[l->n_contexts - 1].end + 1) {
    if (!ARRAY_GROW(&l->contexts, l->n_contexts, &cap)) return no_memory(err);
    launch_context_t *c = &l->contexts[l->n_contexts++];
    *c = (launch_context_t){.begin = begin, .ranks = -1};
    int rc = read_context(l, c, err);
    if (rc) return rc;
    l->ranks = l->ranks < 0 || c->ranks < 0 ? -1 : l->ranks + c->ranks;
    if (c->end == l->argc) return BERTH_OK;
  }
}

static int read_direct(launch_t *l, berth_error_t *err)
{
  l->contexts = malloc(sizeof *l->contexts);
  if (!l->contexts) return no_memory(err);
  l->contexts[l->n_contexts++] = (launch_context_t){l->launcher, l->launcher, l->argc, -1, NULL};
  l->ranks = -1;
  return BERTH_OK;
}

int launch_parse(size_t argc, const char *const *argv, launch_t *out, berth_error_t *err)
{
  *out = (launch_t){.argc = argc, .argv = argv};
  int rc = launch_skip_wrappers(argc, argv, &out->launcher, err);
  if (!rc) rc = find_launcher(out, err);
  if (!rc) rc = out->kind == LAUNCHER_NONE ? read_direct(out, err) : read_contexts(out, err);
  if (!rc && out->kind == LAUNCHER_OPENMPI && !out->placement)
    out->placement = placement_in_environment();
  if (rc) launch_clear(out);
  return rc;
}

void launch_clear(launch_t *l)
{
  if (!l) return;
  free(l->path);
  free(l->contexts);
  *l = (launch_t){0};
}

int launch_version(const launch_t *l, int *major, int *minor, berth_error_t *err)
{
  char option[] = "--version", text[4096];
  char *argv[] = {l->path, option, NULL};
  if (!l->path || !process_output(argv, text, sizeof text))
    return berth_fail(err, BERTH_MISSING, "%s: cannot run it with --version", l->argv[l->launcher]);
  for (const char *s = text; (s = strpbrk(s, "0123456789")); s += strspn(s, "0123456789"))
    if (sscanf(s, "%d.%d", major, minor) == 2) return BERTH_OK;
  return berth_fail(err, BERTH_MISSING, "%s: found no version number in the output of --version",
                    l->argv[l->launcher]);
}
