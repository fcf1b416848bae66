/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/measuring_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/secret.h"
#include "cli/cli.h"
#include "cli/mpi_library.h"
#include "cli/print/progress.h"

int measuring_launch_mpi(const measuring_launch_t *l, launch_mpi_t *mpi, bool *assumed,
                         berth_error_t *err)
{
  static const char behind[] = "berth-measure";
  size_t n = option_count(l->command);
  const char **words = calloc(n + 1, sizeof *words);
  if (!words) return no_memory(err);
  memcpy(words, l->command, n * sizeof *words);
  words[n] = behind;
  launch_t launch;
  int rc = launch_parse(n + 1, words, &launch, err);
  if (!rc) {
    const launch_context_t *c = &launch.contexts[0];
    if (launch.kind != LAUNCHER_NONE && launch.argv[c->program] != behind)
      rc = berth_fail(err, BERTH_USAGE,
                      "found program '%s' behind the launcher, expected none: berth adds its own",
                      launch.argv[c->program]);
    *mpi = launch.mpi ? launch.mpi : l->mpi ? l->mpi : l->default_mpi;
    if (!rc && launch.mpi && l->mpi && launch.mpi != l->mpi)
      rc = berth_fail(err, BERTH_USAGE, "--mpi: found %s with a launcher of %s",
                      launch_mpi_name(l->mpi), launch_mpi_name(launch.mpi));
    launch_clear(&launch);
    *assumed = !rc && !*mpi;
    if (*assumed) *mpi = LAUNCH_MPI_OPENMPI;
  }
  free(words);
  return rc;
}

static void print_line(const char *line) { fprintf(stderr, "%s\n", line); }

int measuring_launch_start(const measuring_launch_t *l, job_t *job, bool *started,
                           berth_error_t *err)
{
  char secret[SECRET_LENGTH + 1];
  size_t n = option_count(l->command);
  *started = false;
  if (secret_make(secret, err)) return err->code;
  char **words = calloc(n + 3, sizeof *words), *path = NULL;
  if (!words) return no_memory(err);
  memcpy(words, l->command, n * sizeof *words);
  launch_mpi_t mpi;
  bool assumed = false;
  int rc = measuring_launch_mpi(l, &mpi, &assumed, err);
  if (!rc) rc = mpi_library_measure(mpi, &path, err);
  words[n] = path;
  words[n + 1] = secret;
  if (!rc) {
    progress("starting", words[0]);
    *started = true;
    rc = job_start(job, words, secret, print_line, err);
    if (!rc && assumed)
      fprintf(stderr,
              "%s: the launcher doesn't tell its MPI; assuming openmpi (--mpi changes that)\n",
              l->program);
  }
  free(words);
  free(path);
  return rc;
}
