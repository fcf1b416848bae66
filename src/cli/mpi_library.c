/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi_library.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"
#include "cli/options/defaults.h"

/* A file of an MPI's, from the program's folder: installed as bin/berth, built as src/cli/berth. */
static int find_file(launch_mpi_t mpi, const char *what, const char *name, char **path,
                     berth_error_t *err)
{
  static const char *const folders[] = {"../" BERTH_LIBDIR, "../../lib"};
  char *self = process_self(), *slash = self ? strrchr(self, '/') : NULL;
  *path = NULL;
  if (!slash) {
    free(self);
    return berth_fail(err, BERTH_MISSING, "/proc/self/exe: cannot be read");
  }
  *slash = '\0';
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char *place = text_printf("%s/%s/berth/%s/%s", self, folders[i], launch_mpi_name(mpi), name);
    *path = place ? realpath(place, NULL) : NULL;
    free(place);
    if (*path) break;
  }
  int rc =
      *path ? BERTH_OK
            : berth_fail(err, BERTH_MISSING, "%s: found no %s for %s, expected %s/berth/%s/%s",
                         self, what, launch_mpi_name(mpi), folders[0], launch_mpi_name(mpi), name);
  free(self);
  return rc;
}

void mpi_library_take(struct argp_state *state, const option_t *o, char *arg, void *field)
{
  if (!launch_mpi_find(arg, field))
    argp_error(state, "%s: found '%s', expected openmpi or mpich", o->name, arg);
}

void mpi_library_take_default(struct argp_state *state, launch_mpi_t *mpi)
{
  static const option_t option = {.name = "--mpi", .take = mpi_library_take};
  defaults_take(state, &option, mpi);
}

/* A library for LD_PRELOAD. */
static int find_preloaded(launch_mpi_t mpi, const char *what, const char *name, char **path,
                          berth_error_t *err)
{
  int rc = find_file(mpi, what, name, path, err);
  if (rc || !strpbrk(*path, " :")) return rc;
  rc = berth_fail(err, BERTH_MISSING,
                  "%s: LD_PRELOAD cannot hold a path with a space or colon; install berth below "
                  "one without",
                  *path);
  free(*path);
  *path = NULL;
  return rc;
}

int mpi_library_tracer(launch_mpi_t mpi, char **path, berth_error_t *err)
{
  return find_preloaded(mpi, "tracer", "libberth-trace.so", path, err);
}

int mpi_library_coll(launch_mpi_t mpi, char **path, berth_error_t *err)
{
  return find_preloaded(mpi, "collective library", "libberth-coll.so", path, err);
}

int mpi_library_rma(launch_mpi_t mpi, char **path, berth_error_t *err)
{
  return find_preloaded(mpi, "one-sided library", "libberth-rma.so", path, err);
}

int mpi_library_measure(launch_mpi_t mpi, char **path, berth_error_t *err)
{
  return find_file(mpi, "measuring program", "berth-measure", path, err);
}

int mpi_library_team(launch_mpi_t mpi, char **path, berth_error_t *err)
{
  return find_file(mpi, "library for jobs", "libberth-team.so", path, err);
}
