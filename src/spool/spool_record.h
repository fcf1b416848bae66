/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of the tracer's tables: messages, calls, and what they refer to. */
#ifndef BERTH_SPOOL_RECORD_H
#define BERTH_SPOOL_RECORD_H

#include "spool/spool_format.h"

/* Messages to one rank from one site in one phase. spool_key makes the key. */
typedef struct spool_message {
  uint64_t key;
  uint64_t size; /* of one message; for a bin, its smallest size */
  uint64_t count;
  uint64_t excess; /* for a bin, bytes beyond size * count; and SPOOL_TOUCHED */
} spool_message_t;

#define SPOOL_BIN ((uint64_t)1 << 63) /* in a key: the record is a bin */

/* In `excess` and `flags`, for the tracer only: the record needs no work at its first count in a
 * segment. */
#define SPOOL_TOUCHED      ((uint64_t)1 << 63)
#define SPOOL_COLL_TOUCHED ((uint16_t)1 << 15)

static inline uint64_t spool_key(uint32_t dst, uint32_t phase, uint32_t site)
{
  return dst | (uint64_t)phase << 24 | (uint64_t)site << 44;
}
static inline uint32_t spool_key_dst(uint64_t key) { return key & 0xffffff; }
static inline uint32_t spool_key_phase(uint64_t key) { return (key >> 24) & 0xfffff; }
static inline uint32_t spool_key_site(uint64_t key) { return (key >> 44) & 0x7ffff; }

/* The smallest size in the bin of a size. A bin's width is at most 1/32 of its sizes. */
static inline uint64_t spool_bin(uint64_t size)
{
  if (size < 64) return size;
  int shift = 63 - __builtin_clzll(size) - 5;
  return size >> shift << shift;
}

/* Values of `flags`. */
#define SPOOL_COLL_VARIES ((uint16_t)1) /* bytes may differ between ranks and calls */
#define SPOOL_COLL_PARTS  ((uint16_t)2) /* `given` is counted */
#define SPOOL_COLL_ROWS   ((uint16_t)4) /* the call has rows (SPOOL_ROWS) */
/* All these calls had MPI_IN_PLACE, and operations where all ranks have it. */
#define SPOOL_COLL_IN_PLACE      ((uint16_t)8)
#define SPOOL_COLL_USER          ((uint16_t)16) /* the program made the reduction's operation */
#define SPOOL_COLL_UNCOMMUTATIVE ((uint16_t)32) /* which isn't commutative */

/* Calls of one collective operation. */
typedef struct spool_coll {
  uint32_t comm; /* identity of a spool_comm; 0: MPI_COMM_WORLD */
  int32_t root;  /* rank in the communicator; -1: none */
  uint32_t site;
  uint32_t phase;
  uint64_t bytes; /* of one call at this rank; 0 if they vary */
  uint64_t count;
  uint64_t given; /* this rank's part of all these calls */
  uint32_t id;    /* from 1; 0: no rows */
  uint32_t unused[3];
  /* The largest number of bytes of which the elements of all these calls are multiples; 0: they had
   * none. */
  uint64_t element;
  uint16_t op;              /* number of the operation within this file */
  uint16_t flags;           /* SPOOL_COLL_… */
  char name[SPOOL_OP_NAME]; /* "Allreduce"; NUL-terminated */
} spool_coll_t;

/* Calls that are recorded by name alone. */
typedef struct spool_unmodelled {
  char name[32]; /* "File_write"; NUL-terminated */
  uint64_t calls;
} spool_unmodelled_t;

/* An environment variable with a parameter of the MPI, and the text of the file that it names. */
typedef struct spool_parameter {
  uint32_t bytes;             /* of this record, a multiple of 8 */
  uint32_t name, value, text; /* bytes of each, with its NUL; text: 0, there is none */
  char texts[];               /* one after the other */
} spool_parameter_t;

/* A Cartesian grid of all ranks of MPI_COMM_WORLD, in its order. */
enum { SPOOL_GRID_DIMS = 8 };
typedef struct spool_grid {
  uint32_t n_dims;
  uint32_t periodic; /* bit d: dimension d */
  uint32_t dims[SPOOL_GRID_DIMS];
} spool_grid_t;

/* A window of one-sided operations. `number` counts the windows of this communicator's members,
 * from 0. */
typedef struct spool_window {
  uint32_t id;   /* from 1 */
  uint32_t comm; /* identity of a spool_comm; 0: MPI_COMM_WORLD */
  uint32_t number, unused;
} spool_window_t;

/* What opened the epoch of an operation. */
typedef enum spool_sync {
  SPOOL_SYNC_NONE, /* nothing: an erroneous call */
  SPOOL_SYNC_FENCE,
  SPOOL_SYNC_PSCW, /* MPI_Win_start */
  SPOOL_SYNC_LOCK,
  SPOOL_SYNC_LOCK_ALL,
  SPOOL_SYNCS /* their number */
} spool_sync_t;

/* One-sided operations of a kind on a window, from one site in one phase. */
typedef struct spool_rma {
  uint32_t id;     /* from 1 */
  uint32_t window; /* identity of a spool_window */
  uint32_t site, phase;
  uint64_t epochs; /* number of epochs with such an operation */
  uint64_t last;   /* number of the last of them */
  int32_t target;  /* world rank if each target has its own epochs (locks), else -1 */
  uint16_t op;     /* number of the operation within this file */
  uint16_t sync;   /* spool_sync_t */
  char name[24];   /* "Put"; NUL-terminated */
} spool_rma_t;

typedef struct spool_frame {
  uint32_t module; /* identity of a spool_module; 0: none, `offset` is an address */
  uint32_t unused;
  uint64_t offset; /* of the return address in the module */
} spool_frame_t;

typedef struct spool_site {
  uint32_t id; /* from 1 */
  uint32_t n_frames;
  char op[32];            /* "MPI_Isend"; NUL-terminated */
  spool_frame_t frames[]; /* innermost first */
} spool_site_t;

typedef struct spool_module {
  uint32_t id;    /* from 1 */
  uint32_t bytes; /* of this record, a multiple of 8 */
  uint8_t build_id_bytes, build_id[39];
  char path[]; /* NUL-terminated */
} spool_module_t;

/* A communicator: the world ranks of its members, in its order. An intercommunicator lists both of
 * its groups. */
typedef struct spool_comm {
  uint32_t id;    /* from 1 */
  uint32_t bytes; /* of this record, a multiple of 8 */
  uint32_t n_ranks;
  uint32_t n_listed; /* n_ranks; 0: another rank lists them */
  uint64_t hash[2];  /* of the ranks; the same at all members */
  uint32_t border;   /* ranks of the group that is listed first; 0: there is one group */
  uint32_t unused;
  uint32_t ranks[];
} spool_comm_t;

typedef struct spool_thread {
  uint64_t mpi_ticks;    /* inside MPI calls */
  uint64_t last_tick;    /* end of the last call */
  uint64_t unsure_ticks; /* unknown whether inside MPI calls; not part of mpi_ticks */
  uint64_t id;           /* from 1 */
  uint64_t core_wait_ns; /* ready to run outside of MPI calls, but without a core; not part of
                            mpi_ticks, but of unsure_ticks where calls weren't timed.
                            SPOOL_UNKNOWN_WAIT: the system doesn't tell */
  uint64_t unused[3];
} spool_thread_t;
#define SPOOL_UNKNOWN_WAIT UINT64_MAX

#define SPOOL_NO_COMM UINT32_MAX

/* A thread's time in calls of one function from one site, on one communicator. */
typedef struct spool_spent {
  uint64_t ticks;  /* part of the thread's mpi_ticks */
  uint32_t thread; /* `id` of a spool_thread */
  uint32_t comm;   /* of a collective call: identity of a spool_comm, or 0; else SPOOL_NO_COMM */
  uint32_t site;   /* 0: not known, as of short calls */
  uint16_t op;     /* number of the function within this file */
  uint16_t unused;
  char name[40]; /* "Waitall"; NUL-terminated */
} spool_spent_t;

/* A thread's messages, or blocks of collective calls, whose data aren't contiguous in this rank's
 * memory, of one layout and from one site, in the whole run. */
typedef struct spool_packed {
  uint32_t site;     /* of the send, the receive or the collective call */
  uint32_t receives; /* 1: it receives them; 0: it sends them */
  uint64_t size;     /* bytes of data of one message */
  uint64_t pieces;   /* in so many contiguous pieces, at least 2 */
  uint64_t span;     /* bytes from the lowest to behind the highest, at least `size` */
  uint64_t count;    /* of messages */
  uint64_t unused[3];
} spool_packed_t;

_Static_assert(sizeof(spool_message_t) == 32, "two to a cache line");
_Static_assert(sizeof(spool_coll_t) == 96, "whole units of 32 bytes, as all that is indexed");
_Static_assert(sizeof(spool_rma_t) == 64, "one to a cache line");
_Static_assert(sizeof(spool_thread_t) == 64, "threads share no cache line");
_Static_assert(sizeof(spool_spent_t) == 64, "one to a cache line");
_Static_assert(sizeof(spool_packed_t) == 64, "one to a cache line");

#endif
