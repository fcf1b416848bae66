/* SPDX-License-Identifier: BSD-3-Clause */
/* The chain of berth's libraries in a process, and a library's place in it. Each wraps functions of
 * MPI; what a wrapper passes on goes to the next library's, and from the last to the MPI's PMPI_
 * function. (Not to whatever comes next by the name MPI_Send: a profiler in between calls
 * PMPI_Send, which leads back to the first library.) */
#ifndef BERTH_INTERPOSE_CHAIN_H
#define BERTH_INTERPOSE_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Of wrappers. */
#define EXPORT __attribute__((visibility("default")))
#define FRAME  ((uintptr_t)__builtin_frame_address(0))
#define CALLER __builtin_return_address(0)

enum { CHAIN_LONGEST = 8 }; /* libraries before this one that are known */

/* What a library exports for the one before it. The answer to
 *   "MPI_Send", "mpi_send_", …  its own wrapper of that name; NULL where it has none
 *   ">"                         this function of the next library; NULL at the end of the chain
 *   ">NAME"                     what the process has of the name behind the end of the chain */
EXPORT void *berth_interposed(const char *question);

/* What this library exports by a name; NULL where that is nothing. */
void *chain_wrapper(const char *name);
/* The next library's wrapper of a name; NULL where there is none: then the MPI's own is called. */
void *chain_next(const char *name);
/* What dlsym finds of a name behind the last of berth's libraries. */
void *chain_behind(const char *name);

/* How many of berth's libraries are before this one, once chain_find has looked. */
extern unsigned chain_before;
void chain_find(void);
/* Whether an address lies in one of them. */
bool chain_holds(const void *address);
/* The return addresses that lead from a wrapper, given by its frame and return address, to the
 * first that lies outside of the libraries before this one, which is the last; returns how many.
 * The libraries have frame pointers. */
int chain_callers(uintptr_t frame, void *caller, void *pc[CHAIN_LONGEST + 1]);

/* How many calls, one inside another, the thread is making of MPI for one of berth's libraries.
 * All libraries share the first one's. What MPI calls inside of them (PMPI_ functions of
 * which the first library has its own) no library counts. */
extern __thread int berth_interpose_own
    __attribute__((tls_model("initial-exec"), visibility("default")));
static inline void chain_own_begin(void) { berth_interpose_own++; }
static inline void chain_own_end(void) { berth_interpose_own--; }

#endif
