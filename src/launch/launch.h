/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines that start MPI jobs: which launcher, which MPI, how many ranks, where the program
 * is. Also builds the same command line with more options or environment settings.
 *
 * A command may have wrappers in front (`env A=b timeout 60 mpirun -np 4 ./app`) and several
 * application contexts (`mpirun -np 1 ./a : -np 3 ./b`). Unknown options are refused: everything
 * behind one could be misread. */
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

/* The MPI library that a program needs. There is a tracer for each. */
typedef enum launch_mpi {
  LAUNCH_MPI_UNKNOWN,
  LAUNCH_MPI_OPENMPI,
  LAUNCH_MPI_MPICH,
  LAUNCH_N_MPIS
} launch_mpi_t;

/* "openmpi", "mpich" or "unknown", and back. launch_mpi_find returns false for other names. */
const char *launch_mpi_name(launch_mpi_t mpi);
bool launch_mpi_find(const char *name, launch_mpi_t *mpi);

/* One application context: argv[begin … program - 1] are its options, argv[program … end - 1]
 * are the program and its arguments. The launcher's name isn't part of the first context. */
typedef struct launch_context {
  size_t begin, program, end;
  int ranks;          /* -1: the command line doesn't say */
  const char *folder; /* the program's working folder, borrowed; NULL: unknown */
} launch_context_t;

typedef struct launch {
  launcher_kind_t kind;
  launch_mpi_t mpi; /* the launcher's MPI; unknown without a launcher and for srun */
  size_t argc;      /* the command as given; the caller owns it */
  const char *const *argv;
  size_t launcher;   /* index of the launcher's name, behind any wrappers; for LAUNCHER_NONE, of the
                        program */
  char *path;        /* the launcher's file with links followed; NULL for LAUNCHER_NONE */
  size_t n_contexts; /* at least 1 */
  launch_context_t *contexts;
  int ranks;             /* of all contexts; -1: the command line doesn't say */
  const char *placement; /* the first option, MCA parameter or OMPI_MCA_ variable that places or
                            binds ranks, borrowed; or NULL */
} launch_t;

/* Parses a command line and finds the launcher's file in PATH. argv[argc] isn't read. *out
 * borrows argv; free the rest with launch_clear. Returns BERTH_USAGE for a command that can't be
 * understood, BERTH_MISSING for a missing launcher. If the launcher's name doesn't tell its
 * kind, it is started once with --version. */
int launch_parse(size_t argc, const char *const *argv, launch_t *out, berth_error_t *err);
void launch_clear(launch_t *l);

/* Runs `LAUNCHER --version`: 4 and 1 for Open MPI 4.1.4. */
int launch_version(const launch_t *l, int *major, int *minor, berth_error_t *err);

/* An environment variable for the application's processes, not for the launcher. With `prepend`,
 * the value goes in front of an existing one, with a colon between: LD_PRELOAD needs that. */
typedef struct launch_setting {
  const char *name, *value;
  bool prepend;
} launch_setting_t;

/* Builds the command with options directly behind the launcher's name (which must exist) and
 * settings for every context. *argv is new and NULL-terminated; free it with launch_free_argv. */
int launch_build(const launch_t *l, size_t n_options, const char *const *options, size_t n_settings,
                 const launch_setting_t *settings, char ***argv, berth_error_t *err);
void launch_free_argv(char **argv);

/* The file that execvp would start for `name`; NULL if there is none. The caller frees it. */
char *launch_find_program(const char *name);

/* launch_program_word: index of a context's program, behind wrappers such as env.
 * launch_program_file: the program's file as the job will find it, with links followed; NULL if
 * there is none. A relative path begins at the context's folder. The caller frees it. */
size_t launch_program_word(const launch_t *l, const launch_context_t *c);
char *launch_program_file(const launch_t *l, const launch_context_t *c);

/* What a program is linked with, directly or through libraries, as the dynamic loader finds
 * them. `words` is a context's program; wrappers before it are skipped. Scripts and static
 * programs give no MPI. A missing program gives BERTH_MISSING. */
typedef struct launch_needs {
  launch_mpi_t mpi;
  bool dynamic;   /* false: not an ELF program that loads shared libraries */
  bool is_static; /* an ELF program that loads none */
} launch_needs_t;
int launch_program_needs(size_t n_words, const char *const *words, launch_needs_t *needs,
                         berth_error_t *err);

/* The index of the program that wrappers such as env, timeout and nice start. BERTH_USAGE if
 * there is none. */
int launch_skip_wrappers(size_t argc, const char *const *argv, size_t *program, berth_error_t *err);

#endif
