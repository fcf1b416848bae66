/* SPDX-License-Identifier: BSD-3-Clause */
/* The chain of berth's libraries in a process. Each wraps functions of MPI. A wrapper passes its
 * call on to the next library's wrapper, the last one to the MPI's PMPI_ function. A dlsym for
 * the next MPI_Send wouldn't do: a profiler in between calls PMPI_Send, which leads back to the
 * first library. */
#ifndef BERTH_INTERPOSE_CHAIN_H
#define BERTH_INTERPOSE_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* For wrappers. */
#define EXPORT __attribute__((visibility("default")))
#define FRAME  ((uintptr_t)__builtin_frame_address(0))
#define CALLER __builtin_return_address(0)

enum { CHAIN_LONGEST = 8 }; /* known libraries before this one */

/* Each library exports this for the one before it. Answers to the question:
 *
 *   "MPI_Send", "mpi_send_", …  its own wrapper of that name, else that of the next library that
 *                               has one; NULL: none has
 *   ">"                         this function of the next library; NULL at the end of the chain
 *   ">NAME"                     the process's symbol NAME behind the end of the chain */
EXPORT void *berth_interposed(const char *question);

/* This library's exported function of that name; NULL if it has none. */
void *chain_wrapper(const char *name);
/* The next library's wrapper of that name. NULL if there is none: the MPI's function is called
 * then. */
void *chain_next(const char *name);
/* The symbol that dlsym finds behind the last of berth's libraries. */
void *chain_behind(const char *name);

/* Number of berth's libraries before this one. Set by chain_find. */
extern unsigned chain_before;
void chain_find(void);
/* Whether an address lies in one of them. */
bool chain_holds(const void *address);
/* Whether it lies in this library; false before any of the functions above. */
bool chain_is_own(const void *address);
/* Collects return addresses, from the wrapper's (given by frame and caller) to the first one
 * outside of the libraries before this one. Returns their number. The libraries have frame
 * pointers. */
int chain_callers(uintptr_t frame, void *caller, void *pc[CHAIN_LONGEST + 1]);

/* Depth of the MPI calls that the thread makes for one of berth's libraries. All libraries share
 * the first one's variable. No library counts what the MPI calls inside of them through wrapped
 * PMPI_ functions. */
extern __thread int berth_interpose_own
    __attribute__((tls_model("initial-exec"), visibility("default")));
static inline void chain_own_begin(void) { berth_interpose_own++; }
static inline void chain_own_end(void) { berth_interpose_own--; }

#endif
