/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns in which a rank's number alone says who its partners are. */
#include "standard/standard_internal.h"

int standard_ring(standard_job_t *job, berth_error_t *err)
{
  int site = standard_site(job, "MPI_Sendrecv", "next rank", err), rc = BERTH_OK;
  if (!site) return err->code;
  for (int r = 0; r < job->ranks && !rc; r++)
    rc = standard_send(job, site, r, (r + 1) % job->ranks, job->message, err);
  return rc;
}

int standard_hypercube(standard_job_t *job, berth_error_t *err)
{
  int site = standard_site(job, "MPI_Sendrecv", "partner in one bit", err), rc = BERTH_OK;
  if (!site) return err->code;
  for (int r = 0; r < job->ranks && !rc; r++)
    for (int bit = 1; bit < job->ranks && !rc; bit <<= 1)
      if ((r ^ bit) < job->ranks) rc = standard_send(job, site, r, r ^ bit, job->message, err);
  return rc;
}

int standard_farm(standard_job_t *job, berth_error_t *err)
{
  int task = standard_site(job, "MPI_Send", "task", err), rc = BERTH_OK;
  int result = task ? standard_site(job, "MPI_Send", "result", err) : 0;
  if (!result) return err->code;
  for (int r = 1; r < job->ranks && !rc; r++) {
    rc = standard_send(job, task, 0, r, job->message, err);
    if (!rc) rc = standard_send(job, result, r, 0, job->message, err);
  }
  return rc;
}
