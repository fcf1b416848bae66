/* SPDX-License-Identifier: BSD-3-Clause */
/* The format of the tracer's tables: one file per rank of a job. It is private to one version of
 * berth.
 *
 * The tracer counts in a mapping of the file, so that the kernel keeps the counts if the process
 * dies. Ranks pack the same layout in MPI_Finalize.
 *
 *   header, 4096 bytes
 *   block, block, …    each a head and `used` bytes of records of one kind
 *
 * `used` is raised after a record was written, and each counter is an aligned 64-bit word with
 * one writer. So an image is consistent at any moment. Only SPOOL_STEPS are rewritten in
 * place: an image of that moment may have a program that disagrees with its messages. The file ends
 * where a block would begin but its magic number is missing. Numbers have the machine's byte
 * order. */
#ifndef BERTH_SPOOL_FORMAT_H
#define BERTH_SPOOL_FORMAT_H

#include <stdint.h>

#define SPOOL_VERSION_NUMBER 16 /* errors print it */
#define SPOOL_MAGIC          "berthspl"
#define SPOOL_SUFFIX         ".spool" /* files are called JOB-RANK.spool */

enum {
  SPOOL_VERSION = SPOOL_VERSION_NUMBER,
  SPOOL_BYTE_ORDER = 0x01020304,
  SPOOL_BLOCK_MAGIC = 0x6b636c62,
  SPOOL_BLOCK_SIZE = 16384, /* block sizes in files are multiples of it; packed blocks aren't */
  SPOOL_MAX_FRAMES = 32,
  SPOOL_MAX_SITES = 1 << 19, /* identities are below these */
  SPOOL_MAX_PHASES = 1 << 20,
  SPOOL_EXACT_SIZES = 128, /* distinct sizes kept for a (source, destination, phase, site) */
  SPOOL_MAX_STEPS = 4096,  /* maximum records of SPOOL_STEPS in a phase */
  SPOOL_MAX_LOOPS = 8,     /* depth of loops in loops in SPOOL_STEPS */
  SPOOL_OP_NAME = 28,
  SPOOL_MAX_LINES = 1 << 19,     /* identities of a spool_rma or spool_coll are below this */
  SPOOL_MAX_CLASSES = 1000,      /* of segments; numbered from 1 */
  SPOOL_SEGMENTS_BACK = 1 << 16, /* maximum of `back` in spool_segments */
  SPOOL_MAX_SEGMENTS = 1 << 24   /* in a sequence of classes */
};

/* Follows the job's identity in the names of traces of spawned jobs. */
#define SPOOL_SPAWNED "-spawned"

typedef enum spool_state { SPOOL_RUNNING, SPOOL_ABORTED, SPOOL_FINISHED } spool_state_t;

/* What was seen but isn't in the tables. */
typedef struct spool_missed {
  uint64_t outside;       /* sends to processes outside MPI_COMM_WORLD (spawned ones) */
  uint64_t lost;          /* sends and one-sided operations without room */
  uint64_t lost_bytes;    /* their bytes */
  uint64_t lost_calls;    /* collective calls, and calls by name alone, without room */
  uint64_t outside_calls; /* collective calls with processes outside MPI_COMM_WORLD */
  uint64_t spawned;       /* processes that this rank started as the root of MPI_Comm_spawn */
  uint64_t stopped;       /* sends while MPI_Pcontrol(0) was in force */
  uint64_t stopped_calls; /* collective calls meanwhile */
  uint64_t threads;       /* threads without room for tables: nothing is known of them */
  uint64_t in_memory;     /* 1: the file couldn't grow; later counts are in memory alone */
  uint64_t
      lost_layouts; /* messages that aren't contiguous at this rank, whose layout found no room */
} spool_missed_t;

typedef struct spool_header {
  char magic[8];
  uint32_t version, byte_order;
  uint64_t job;         /* the same at all ranks of a job, different for other jobs */
  uint32_t rank, ranks; /* in MPI_COMM_WORLD */
  uint32_t state;       /* spool_state_t */
  int32_t abort_code;   /* the argument of MPI_Abort */
  int32_t pu;           /* operating system's index of the PU that it is bound to; -1: none */
  uint32_t command_bytes;
  double ticks_per_s;  /* of the clock of the ticks */
  uint64_t begin_tick; /* when MPI_Init returned */
  uint64_t end_tick;   /* when MPI_Finalize was called; 0: not yet */
  int64_t created;     /* time of begin_tick, in seconds since 1970 */
  uint64_t no_times;   /* 1: the trace shall have no times */
  spool_missed_t missed;
  char host[256], mpi[128]; /* NUL-terminated */
  char command[3536];       /* whole words, each with its NUL */
} spool_header_t;

typedef enum spool_kind {
  SPOOL_MESSAGES = 1,
  SPOOL_COLLS,
  SPOOL_SITES,
  SPOOL_MODULES,
  SPOOL_COMMS,
  SPOOL_THREADS,
  SPOOL_PHASES,
  SPOOL_STEPS,
  SPOOL_CLASS_MESSAGES, /* spool_message: a segment class's share of phase 0's messages; the key has
                           the class in place of the phase */
  SPOOL_CLASS_COLLS,    /* spool_coll: the same for calls */
  SPOOL_SEGMENTS,
  SPOOL_CLASSES,
  SPOOL_AUTO,
  SPOOL_REST, /* spool_message: bins of messages of any size that found no room of their own */
  SPOOL_WINDOWS = 32,
  SPOOL_RMAS,
  SPOOL_OPERATIONS, /* spool_message: of a spool_rma, whose identity is in place of the site */
  SPOOL_UNMODELLED,
  SPOOL_ROWS, /* spool_message, a bin of size 0: what calls with different bytes per destination
                 send to one of them. The destination is an index of the communicator's list; the
                 site is the identity of a spool_coll */
  SPOOL_CLASS_ROWS, /* the same for a segment class, which is in place of the phase */
  SPOOL_SPENT,
  SPOOL_PARAMETERS, /* of rank 0 alone */
  SPOOL_GRIDS,      /* the same */
  SPOOL_PACKED
} spool_kind_t;

typedef struct spool_block {
  uint32_t magic, kind;
  uint64_t bytes; /* to the next block, including this head; a multiple of 8 */
  uint64_t used;  /* bytes of records after the head */
  uint64_t unused[5];
} spool_block_t;

_Static_assert(sizeof(spool_header_t) == 4096, "the header is one page");
_Static_assert(sizeof(spool_block_t) == 64, "records begin at a cache line");

#endif
