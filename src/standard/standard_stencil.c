/* SPDX-License-Identifier: BSD-3-Clause */
/* Halos: each rank has a block of points, and sends its neighbours those at their common border. */
#include "standard/standard_internal.h"

/* Sites, by how many dimensions two neighbours differ in. */
enum { MOST_APART = BERTH_STANDARD_DIMS };
typedef struct halo_sites {
  int id[MOST_APART + 1];
} halo_sites_t;

static int apart(const standard_job_t *job, const int *step)
{
  int n = 0;
  for (int d = 0; d < job->grid.n; d++) n += step[d] != 0;
  return n;
}

/* Points at the common border: those of the dimensions in which the neighbours are equal. */
static uint64_t border(const standard_job_t *job, const int *step)
{
  uint64_t points = 1;
  for (int d = 0; d < job->grid.n; d++)
    if (step[d] == 0) points *= job->block[d];
  return points;
}

/* The next step of -1, 0 and 1 in each dimension; false behind the last one. */
static bool next_step(const standard_job_t *job, int *step)
{
  for (int d = job->grid.n - 1; d >= 0; d--) {
    if (++step[d] <= 1) return true;
    step[d] = -1;
  }
  return false;
}

static int add_halo(standard_job_t *job, const halo_sites_t *sites, int rank, berth_error_t *err)
{
  int step[BERTH_STANDARD_DIMS], rc = BERTH_OK;
  for (int d = 0; d < job->grid.n; d++) step[d] = -1;
  do {
    int n = apart(job, step), to = grid_neighbour(&job->grid, rank, step, job->periodic);
    if (n == 0 || (n > 1 && !job->corners) || to < 0) continue;
    rc = standard_send(job, sites->id[n], rank, to, border(job, step) * job->element, err);
  } while (!rc && next_step(job, step));
  return rc;
}

int standard_stencil(standard_job_t *job, berth_error_t *err)
{
  /* What two blocks share, by the dimensions of the grid less those in which they differ. */
  static const char *const share[] = {"corners", "edges", "faces", "volumes"};
  halo_sites_t sites = {{0}};
  int rc = BERTH_OK, most = job->corners ? job->grid.n : 1;
  for (int n = 1; n <= most; n++) {
    sites.id[n] = standard_site(job, "MPI_Isend", share[job->grid.n - n], err);
    if (!sites.id[n]) return err->code;
  }
  for (int r = 0; r < job->ranks && !rc; r++) rc = add_halo(job, &sites, r, err);
  return rc;
}

int standard_cg(standard_job_t *job, berth_error_t *err)
{
  int rc = standard_stencil(job, err);
  if (!rc) rc = standard_call(job, "MPI_Allreduce", "scalar product p.Ap", 0, 8, err);
  return rc ? rc : standard_call(job, "MPI_Allreduce", "scalar product r.r", 0, 8, err);
}
