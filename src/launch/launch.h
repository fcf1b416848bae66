/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines that start MPI jobs: which launcher, which MPI, how many ranks, where the program
 * stands; and the same command line with options or environment settings put in.
 *
 * A command may have wrappers in front (`env A=b timeout 60 mpirun -np 4 ./app`) and several
 * application contexts (`mpirun -np 1 ./a : -np 3 ./b`). An option that berth doesn't know is
 * refused rather than guessed at, since everything behind it could be misread. */
#ifndef BERTH_LAUNCH_LAUNCH_H
#define BERTH_LAUNCH_LAUNCH_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum launcher_kind {
  LAUNCHER_NONE,    /* the program is started directly: one rank, or a script */
  LAUNCHER_OPENMPI, /* mpirun, mpiexec, orterun, prterun of Open MPI */
  LAUNCHER_HYDRA,   /* mpiexec, mpirun, mpiexec.hydra of MPICH and its relatives */
  LAUNCHER_SLURM    /* srun */
} launcher_kind_t;

/* The MPI library that a program needs: a tracer exists for each. */
typedef enum launch_mpi {
  LAUNCH_MPI_UNKNOWN,
  LAUNCH_MPI_OPENMPI,
  LAUNCH_MPI_MPICH,
  LAUNCH_N_MPIS
} launch_mpi_t;

/* "openmpi", "mpich"; "unknown". And back: false when there is none of that name. */
const char *launch_mpi_name(launch_mpi_t mpi);
bool launch_mpi_find(const char *name, launch_mpi_t *mpi);

/* One application context: argv[begin … program - 1] are its options, argv[program … end - 1] the
 * program and its arguments. The launcher's name isn't part of the first context. */
typedef struct launch_context {
  size_t begin, program, end;
  int ranks;          /* -1 where the command line doesn't tell */
  const char *folder; /* that its program is started in, borrowed; NULL where it doesn't tell */
} launch_context_t;

typedef struct launch {
  launcher_kind_t kind;
  launch_mpi_t mpi; /* what the launcher tells: unknown for none and srun */
  size_t argc;      /* the command as it was given, borrowed from the caller */
  const char *const *argv;
  size_t launcher;   /* where the launcher's name stands, behind any wrappers; for LAUNCHER_NONE
                        where the program does */
  char *path;        /* the launcher's file with links followed, NULL for LAUNCHER_NONE */
  size_t n_contexts; /* at least 1 */
  launch_context_t *contexts;
  int ranks;             /* of all contexts, -1 where the command line doesn't tell */
  const char *placement; /* the first option, MCA parameter or OMPI_MCA_ variable that places or
                            binds ranks, borrowed; or NULL */
} launch_t;

/* Reads a command line (argv[argc] is not looked at) and finds the launcher's file in PATH. *out
 * borrows argv; free the rest with launch_clear. Fails with BERTH_USAGE for a command that cannot
 * be understood, BERTH_MISSING for a launcher that isn't there. A launcher whose name doesn't tell
 * its kind is started once with --version. */
int launch_parse(size_t argc, const char *const *argv, launch_t *out, berth_error_t *err);
void launch_clear(launch_t *l);

/* The launcher's version, by `LAUNCHER --version`: 4 and 1 for Open MPI 4.1.4. */
int launch_version(const launch_t *l, int *major, int *minor, berth_error_t *err);

/* An environment variable for the application's processes (not for the launcher). With `prepend`
 * it is put in front of the value that the command line or the environment gives it already, with
 * a colon between: what LD_PRELOAD needs. */
typedef struct launch_setting {
  const char *name, *value;
  bool prepend;
} launch_setting_t;

/* The command with options put right behind the launcher's name (they need a launcher) and with
 * settings for every context. *argv is new, NULL-terminated; free it with launch_free_argv. */
int launch_build(const launch_t *l, size_t n_options, const char *const *options, size_t n_settings,
                 const launch_setting_t *settings, char ***argv, berth_error_t *err);
void launch_free_argv(char **argv);

/* The file that execvp would start for `name`; NULL when there is none. The caller frees it. */
char *launch_find_program(const char *name);

/* The word with the program of a context, behind wrappers such as env; and the program's file as
 * the job will find it, with links followed, which the caller frees: a relative path begins at the
 * context's folder. NULL when there is none. */
size_t launch_program_word(const launch_t *l, const launch_context_t *c);
char *launch_program_file(const launch_t *l, const launch_context_t *c);

/* What a program is linked with, directly or through other libraries, as the dynamic loader finds
 * them. `words` is the program as a context has it: wrappers before it are stepped over. Scripts
 * and static programs give no MPI; a program that isn't there gives BERTH_MISSING. */
typedef struct launch_needs {
  launch_mpi_t mpi;
  bool dynamic;   /* false: not an ELF program that loads shared libraries */
  bool is_static; /* an ELF program that loads none */
} launch_needs_t;
int launch_program_needs(size_t n_words, const char *const *words, launch_needs_t *needs,
                         berth_error_t *err);

/* Steps over wrappers such as env, timeout, nice: the index of the program that they start. Fails
 * with BERTH_USAGE when there is none. */
int launch_skip_wrappers(size_t argc, const char *const *argv, size_t *program, berth_error_t *err);

#endif
