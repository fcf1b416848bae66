/* SPDX-License-Identifier: BSD-3-Clause */
/* Includes collectives.def with COLLECTIVE as it was defined before, in all forms of this MPI:
 * those with large counts (MPI 4) are those with ints, with other types. It has no guard, because
 * each source that includes it makes functions of its own. */
COLLECTIVE(COLL_BARRIER, Barrier, Ibarrier, Barrier_init, (MPI_Comm comm), (comm), 0,
           coll_barrier(c), agent_barrier(a, c))
#define COUNT      int
#define DISPL      int
#define FORM(name) name
#define LIST(list) ((amounts_t){.narrow = (list)})
#include "coll/collectives.def"
#if MPI_VERSION >= 4
#define COUNT      MPI_Count
#define DISPL      MPI_Aint
#define FORM(name) name##_c
#define LIST(list) ((amounts_t){.wide = (list)})
#include "coll/collectives.def"
#endif
