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
 * one writer. So an image is consistent at any moment. The file ends where a block would begin
 * but its magic number is missing. Numbers have the machine's byte order. */
#ifndef BERTH_SPOOL_FORMAT_H
#define BERTH_SPOOL_FORMAT_H

#include <stdint.h>

#define SPOOL_VERSION_NUMBER 7 /* errors print it */
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
  SPOOL_MAX_SENDS = 4096,  /* maximum records of SPOOL_SENDS in a phase's order */
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
  char command[3544];       /* whole words, each with its NUL */
} spool_header_t;

typedef enum spool_kind {
  SPOOL_MESSAGES = 1,
  SPOOL_COLLS,
  SPOOL_SITES,
  SPOOL_MODULES,
  SPOOL_COMMS,
  SPOOL_THREADS,
  SPOOL_PHASES,
  SPOOL_SENDS,
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
  SPOOL_CLASS_ROWS /* the same for a segment class, which is in place of the phase */
} spool_kind_t;

typedef struct spool_block {
  uint32_t magic, kind;
  uint64_t bytes; /* to the next block, including this head; a multiple of 8 */
  uint64_t used;  /* bytes of records after the head */
  uint64_t unused[5];
} spool_block_t;

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
  uint32_t unused[5];
  uint16_t op;              /* number of the operation within this file */
  uint16_t flags;           /* SPOOL_COLL_… */
  char name[SPOOL_OP_NAME]; /* "Allreduce"; NUL-terminated */
} spool_coll_t;

/* Calls that are recorded by name alone. */
typedef struct spool_unmodelled {
  char name[32]; /* "File_write"; NUL-terminated */
  uint64_t calls;
} spool_unmodelled_t;

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
  SPOOL_SYNC_LOCK_ALL
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

/* The state of the order in which a rank's sends were issued in a phase's first occurrence. */
typedef enum spool_order {
  SPOOL_ORDER_NONE,    /* not requested */
  SPOOL_ORDER_KEPT,    /* complete in SPOOL_SENDS */
  SPOOL_ORDER_LONG,    /* longer than SPOOL_MAX_SENDS */
  SPOOL_ORDER_NO_ROOM, /* no room for the orders of all phases */
  SPOOL_ORDER_THREADS  /* several threads sent: there is no order */
} spool_order_t;

/* A phase of the rank. Phase 0 may have messages and calls without such a record. */
typedef struct spool_phase {
  uint32_t id;
  uint32_t order; /* spool_order_t */
  uint64_t begun; /* occurrences; 1 for phase 0 */
  uint64_t unused[2];
} spool_phase_t;

/* Consecutive equal sends in a phase's first occurrence. A phase's records are in the order of
 * issue; records of other phases may be in between. */
typedef struct spool_send {
  uint32_t dst, phase;
  uint64_t size;
  uint64_t times;
  uint32_t blocking; /* 1: the call returned after its message had gone */
  uint32_t unused;
} spool_send_t;

/* A run in the sequence of the rank's segment classes. If `back` is 0, `times` segments are of
 * class `number`. Otherwise each segment has the class of the one `back` segments before. Class
 * 0 means that there was no room for a class. If there is no room for more records, the last
 * segments are missing. */
typedef struct spool_segments {
  uint32_t back, number;
  uint64_t times;
} spool_segments_t;

/* A class of a rank's segments. */
typedef struct spool_class {
  uint32_t number, unused;
  uint64_t times; /* number of segments */
  uint64_t sum;   /* of hashes of the segments' numbers: if two ranks' classes agree in `times` and
                     `sum`, they have the same segments */
} spool_class_t;

/* The state of the automatic phases that were requested. */
typedef enum spool_auto_state {
  SPOOL_AUTO_KEPT,
  SPOOL_AUTO_PCONTROL, /* the program tells phases apart itself */
  SPOOL_AUTO_THREADS,  /* several threads made collective calls of all ranks */
  SPOOL_AUTO_NO_ROOM   /* for later segments */
} spool_auto_state_t;

typedef struct spool_auto {
  uint32_t state; /* spool_auto_state_t */
  uint32_t
      counting; /* class to which a segment is being added that isn't in the sequence yet; or 0 */
} spool_auto_t;

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

/* A communicator: the world ranks of its members, in its order. */
typedef struct spool_comm {
  uint32_t id;    /* from 1 */
  uint32_t bytes; /* of this record, a multiple of 8 */
  uint32_t n_ranks;
  uint32_t n_listed; /* n_ranks; 0: another rank lists them */
  uint64_t hash[2];  /* of the ranks; the same at all members */
  uint32_t ranks[];
} spool_comm_t;

typedef struct spool_thread {
  uint64_t mpi_ticks;    /* inside MPI calls */
  uint64_t last_tick;    /* end of the last call */
  uint64_t unsure_ticks; /* unknown whether inside MPI calls; not part of mpi_ticks */
  uint64_t unused[5];
} spool_thread_t;

_Static_assert(sizeof(spool_header_t) == 4096, "the header is one page");
_Static_assert(sizeof(spool_block_t) == 64, "records begin at a cache line");
_Static_assert(sizeof(spool_message_t) == 32, "two to a cache line");
_Static_assert(sizeof(spool_coll_t) == 96, "whole units of 32 bytes, as all that is indexed");
_Static_assert(sizeof(spool_rma_t) == 64, "one to a cache line");
_Static_assert(sizeof(spool_thread_t) == 64, "threads share no cache line");
_Static_assert(sizeof(spool_phase_t) == 32 && sizeof(spool_send_t) == 32, "two to a cache line");

#endif
