/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls of the application settled for (tuned.h), kept for later jobs. */
#ifndef BERTH_COLL_SETTLED_H
#define BERTH_COLL_SETTLED_H

/* All ranks call it before MPI_Finalize. Rank 0 changes the file that the tuning came from: the
 * choice for which most communicators settled stands first, and later jobs don't compare again. */
void settled_keep(void);

#endif
