/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/search_team.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/mpi_library.h"
#include "team/mpi/team_mpi.h"

/* What launchers tell each process of a job, the most telling first: Open MPI's mpirun, Hydra and
 * Slurm's PMI-2, Slurm's PMIx. */
typedef struct sign {
  const char *variable, *size; /* of its rank, and of how many there are */
  launch_mpi_t mpi;
} sign_t;

static const sign_t signs[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", LAUNCH_MPI_OPENMPI},
    {"PMI_RANK", "PMI_SIZE", LAUNCH_MPI_MPICH},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", LAUNCH_MPI_OPENMPI},
};

static struct {
  berth_team_t team;
  team_mpi_leave_t *leave; /* NULL for one process without MPI */
  int done;
  int out, err; /* of a process that is hushed */
} own = {.team = {.size = 1}, .out = -1, .err = -1};

/* Runs as the process ends. One that ends too early, as after wrong usage, tells those who would
 * wait for it. */
static void leave(void)
{
  berth_error_t err = {0};
  fflush(NULL);
  if (!own.done) {
    berth_fail(&err, BERTH_USAGE, "ended before the others");
    berth_team_agree(&own.team, BERTH_USAGE, &err);
  }
  own.leave();
}

/* Loads an MPI's library. Its parts look for its symbols among everybody's. */
static int load(launch_mpi_t mpi, team_mpi_join_t **join, berth_error_t *err)
{
  char *path;
  int rc = mpi_library_team(mpi, &path, err);
  if (rc) return rc;
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library) {
    *join = (team_mpi_join_t *)dlsym(library, TEAM_MPI_JOIN);
    own.leave = (team_mpi_leave_t *)dlsym(library, TEAM_MPI_LEAVE);
  }
  if (!library || !*join || !own.leave) rc = berth_fail(err, BERTH_MISSING, "%s", dlerror());
  free(path);
  return rc;
}

/* With another launcher's MPI each process would be a job of its own. */
static int check_size(const sign_t *sign, berth_error_t *err)
{
  const char *said = getenv(sign->size);
  uint64_t size;
  if (!said || !text_to_u64(said, 1, INT32_MAX, &size) || (int)size == own.team.size)
    return BERTH_OK;
  return berth_fail(err, BERTH_MISSING, "found a job of size %d by %s, expected %s (%s)",
                    own.team.size, launch_mpi_name(sign->mpi), said, sign->size);
}

int search_team_join(berth_team_t **team, berth_error_t *err)
{
  const sign_t *sign = NULL;
  team_mpi_join_t *join = NULL;
  *team = &own.team;
  for (size_t i = 0; i < sizeof signs / sizeof *signs && !sign; i++)
    if (getenv(signs[i].variable)) sign = &signs[i];
  if (!sign) return BERTH_OK;
  int rc = load(sign->mpi, &join, err);
  if (rc) return rc;
  join(&own.team);
  atexit(leave);
  return check_size(sign, err);
}

void search_team_hush(const berth_team_t *team)
{
  int nowhere = team && team->rank > 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
  if (nowhere < 0) return;
  fflush(NULL);
  own.out = dup(STDOUT_FILENO);
  own.err = dup(STDERR_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

void search_team_unhush(const berth_team_t *team)
{
  if (!team || own.out < 0 || own.err < 0) return;
  fflush(NULL);
  dup2(own.out, STDOUT_FILENO);
  dup2(own.err, STDERR_FILENO);
  close(own.out);
  close(own.err);
  own.out = own.err = -1;
}

int search_team_end(berth_team_t *team, int rc, berth_error_t *err)
{
  rc = berth_team_agree(team, rc, err);
  own.done = 1;
  return rc;
}
