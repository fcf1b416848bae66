/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures which choice is the fastest, in MPI_Init: before the application, on its ranks and
 * hosts. M.-S. Wu (2005), chapter 4: predictions by a model tell which choices are worth measuring.
 */
#ifndef BERTH_COLL_TUNE_H
#define BERTH_COLL_TUNE_H

/* Reads the cells of a file on rank 0, measures them, writes the result to the file, and takes it
 * for this job. All ranks call it. */
void tune_job(const char *path);

#endif
