/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_SPOOL_ASSEMBLE_INTERNAL_H
#define BERTH_SPOOL_ASSEMBLE_INTERNAL_H

#include <stdbool.h>

#include "spool/assemble.h"
#include "spool/intern.h"
#include "spool/spool_read.h"

/* Sites and communicators are numbers of `sites` and `comms` until assembly_finish sorts them. */
typedef struct sent {
  uint32_t src, dst, phase, site; /* site 0 is none, n is number n - 1 */
  bool bin;
  uint64_t size, count, bytes;
} sent_t;

typedef struct called {
  uint32_t comm, site, phase; /* as above; comm 0 is MPI_COMM_WORLD */
  int32_t root;
  uint32_t op; /* number in `ops` */
  bool varies;
  uint64_t bytes; /* of one call; while `varies` of all calls */
  uint64_t count; /* the largest of any rank */
  uint64_t sum;   /* over ranks */
} called_t;

typedef struct comm_entry {
  uint32_t n;
  uint32_t *ranks; /* NULL while nobody listed them */
} comm_entry_t;

struct assembly {
  uint64_t job;
  uint32_t ranks;
  spool_header_t first; /* of the lowest rank that was added */
  struct rank_entry {
    uint32_t rank;
    spool_state_t state;
    int pu;
    double wall_s, mpi_s;
    uint32_t host; /* number in `hosts` */
  } * rank;
  size_t n_ranks, cap_ranks;
  unsigned char *known; /* one for each rank */
  intern_t sites;       /* op, then the frames' texts, each ended by a NUL */
  intern_t comms;       /* hash and number of ranks */
  intern_t ops, hosts;
  comm_entry_t *comm; /* one for each of `comms` */
  size_t cap_comm;
  sent_t *sent;
  size_t n_sent, cap_sent;
  called_t *called;
  size_t n_called, cap_called;
  spool_missed_t missed;
  uint64_t impossible; /* records that were left out */
};

static inline int assembly_no_memory(berth_error_t *err)
{
  return berth_fail(err, BERTH_MISSING, "out of memory");
}

/* What one rank's image becomes before it is taken over into the assembly. */
typedef struct rank_load {
  assembly_t *a;
  const spool_image_t *image;
  const spool_header_t *header;
  char **module; /* texts "path" and " (build id)" by identity; odd places hold the latter */
  size_t n_modules, cap_modules;
  uint32_t *site, *comm; /* numbers by identity, 0 where there is none */
  size_t n_sites, cap_sites, n_comms, cap_comms;
  sent_t *sent;
  size_t n_sent, cap_sent;
  called_t *called;
  size_t n_called, cap_called;
  uint64_t mpi_ticks, last_tick, impossible;
} rank_load_t;

/* Reads all of an image into *load; names are interned in the assembly, the rest stays in *load. */
int rank_load(rank_load_t *load, berth_error_t *err);
void rank_load_clear(rank_load_t *load);

/* Adds up equal entries and applies the rule for sizes; entries are one source's. Returns the new
 * number of entries. */
size_t sent_merge(sent_t *sent, size_t n);
/* The same for calls: of a rank's threads counts add up, over ranks the largest is taken. */
size_t called_merge(called_t *called, size_t n, bool over_ranks);

#endif
