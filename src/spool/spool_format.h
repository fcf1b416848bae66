/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracer's tables, one file for each rank of a job. The tracer counts in a mapping of the file,
 * so the kernel keeps what was counted whatever happens to the process; the same layout, packed,
 * is what ranks send to rank 0 in MPI_Finalize. Private to one version of berth.
 *
 *   header, 4096 bytes
 *   block, block, …    each a head and `used` bytes of records of one kind
 *
 * A record is written before `used` is raised over it, and counters are aligned 64-bit words with
 * one writer, so an image taken at any moment is consistent. Where a block would begin but its
 * magic number isn't there, the file ends. Numbers are in the machine's byte order. */
#ifndef BERTH_SPOOL_FORMAT_H
#define BERTH_SPOOL_FORMAT_H

#include <stdint.h>

#define SPOOL_VERSION_NUMBER 7 /* errors have it as text */
#define SPOOL_MAGIC          "berthspl"
#define SPOOL_SUFFIX         ".spool" /* of the files' names: JOB-RANK.spool */

enum {
  SPOOL_VERSION = SPOOL_VERSION_NUMBER,
  SPOOL_BYTE_ORDER = 0x01020304,
  SPOOL_BLOCK_MAGIC = 0x6b636c62,
  SPOOL_BLOCK_SIZE = 16384, /* blocks are whole multiples of it in a file; packed ones are not */
  SPOOL_MAX_FRAMES = 32,
  SPOOL_MAX_SITES = 1 << 19, /* identities are below these */
  SPOOL_MAX_PHASES = 1 << 20,
  SPOOL_EXACT_SIZES = 128, /* distinct sizes kept for a (source, destination, phase, site) */
  SPOOL_MAX_SENDS = 4096,  /* records of SPOOL_SENDS that a phase's order may have */
  SPOOL_OP_NAME = 28,
  SPOOL_MAX_LINES = 1 << 19,     /* identities of a spool_rma, or spool_coll, are below this */
  SPOOL_MAX_CLASSES = 1000,      /* of segments; numbers from 1 */
  SPOOL_SEGMENTS_BACK = 1 << 16, /* how far back a spool_segments looks */
  SPOOL_MAX_SEGMENTS = 1 << 24   /* that are put down in their order */
};

/* What names of traces of spawned jobs have behind the job's identity. */
#define SPOOL_SPAWNED "-spawned"

typedef enum spool_state { SPOOL_RUNNING, SPOOL_ABORTED, SPOOL_FINISHED } spool_state_t;

/* What was seen and isn't in the tables. */
typedef struct spool_missed {
  uint64_t outside;       /* sends to processes that are not in MPI_COMM_WORLD (spawned ones) */
  uint64_t lost;          /* sends and one-sided operations that found no room */
  uint64_t lost_bytes;    /* what they carried */
  uint64_t lost_calls;    /* collective calls, and others by name alone, that found no room */
  uint64_t outside_calls; /* collective calls with processes that are not in MPI_COMM_WORLD */
  uint64_t spawned;       /* processes that this rank's job started as the root of MPI_Comm_spawn */
  uint64_t stopped;       /* sends while MPI_Pcontrol(0) was in force */
  uint64_t stopped_calls; /* collective calls then */
  uint64_t threads;       /* threads for whose tables there was no room: nothing of them is known */
  uint64_t in_memory;     /* 1: the file couldn't grow, and what came later is in memory alone */
} spool_missed_t;

typedef struct spool_header {
  char magic[8];
  uint32_t version, byte_order;
  uint64_t job;         /* the same at all ranks of a job, different for other jobs */
  uint32_t rank, ranks; /* in MPI_COMM_WORLD */
  uint32_t state;       /* spool_state_t */
  int32_t abort_code;   /* what MPI_Abort was given */
  int32_t pu;           /* the operating system's index of the PU it is bound to, -1: none */
  uint32_t command_bytes;
  double ticks_per_s;  /* of the clock below */
  uint64_t begin_tick; /* MPI_Init returned */
  uint64_t end_tick;   /* MPI_Finalize was called; 0 before */
  int64_t created;     /* begin as seconds since 1970 */
  uint64_t no_times;   /* 1: the trace is to have no times */
  spool_missed_t missed;
  char host[256], mpi[128]; /* NUL-terminated */
  char command[3544];       /* words, each with its NUL; whole words only */
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
  SPOOL_CLASS_MESSAGES, /* spool_message: what phase 0's messages have of a class of segments, which
                           stands for the phase in the key */
  SPOOL_CLASS_COLLS,    /* spool_coll: the same of its calls */
  SPOOL_SEGMENTS,
  SPOOL_CLASSES,
  SPOOL_AUTO,
  SPOOL_REST, /* spool_message: bins of messages of any size that found no room of their own */
  SPOOL_WINDOWS = 32,
  SPOOL_RMAS,
  SPOOL_OPERATIONS, /* spool_message: of a spool_rma, whose identity is in the site's place */
  SPOOL_UNMODELLED,
  SPOOL_ROWS, /* spool_message, a bin of size 0: what a call that sends each rank another number
                 of bytes sends to one of them. The destination is its place in the list of the
                 communicator's ranks, and the site's place has the identity of a spool_coll */
  SPOOL_CLASS_ROWS /* the same of a class of segments, which stands for the phase in the key */
} spool_kind_t;

typedef struct spool_block {
  uint32_t magic, kind;
  uint64_t bytes; /* to the next block, this head included; a multiple of 8 */
  uint64_t used;  /* bytes of records behind the head */
  uint64_t unused[5];
} spool_block_t;

/* Messages to one rank from one site in one phase. The key is made by spool_key. */
typedef struct spool_message {
  uint64_t key;
  uint64_t size; /* of one message; in a bin the smallest size of the bin */
  uint64_t count;
  uint64_t excess; /* in a bin: bytes beyond size * count; and SPOOL_TOUCHED */
} spool_message_t;

#define SPOOL_BIN ((uint64_t)1 << 63) /* in a key: `size` stands for a bin */

/* In `excess` and `flags`, of use to the tracer only: nothing is to be done about a record's first
 * count in a segment. */
#define SPOOL_TOUCHED      ((uint64_t)1 << 63)
#define SPOOL_COLL_TOUCHED ((uint16_t)1 << 15)

static inline uint64_t spool_key(uint32_t dst, uint32_t phase, uint32_t site)
{
  return dst | (uint64_t)phase << 24 | (uint64_t)site << 44;
}
static inline uint32_t spool_key_dst(uint64_t key) { return key & 0xffffff; }
static inline uint32_t spool_key_phase(uint64_t key) { return (key >> 24) & 0xfffff; }
static inline uint32_t spool_key_site(uint64_t key) { return (key >> 44) & 0x7ffff; }

/* The smallest size in the bin of a size. A bin is at most 1/32 of its sizes wide. */
static inline uint64_t spool_bin(uint64_t size)
{
  if (size < 64) return size;
  int shift = 63 - __builtin_clzll(size) - 5;
  return size >> shift << shift;
}

/* In `flags`. */
#define SPOOL_COLL_VARIES ((uint16_t)1) /* bytes may differ from rank to rank and call to call */
#define SPOOL_COLL_PARTS  ((uint16_t)2) /* `given` is counted */
#define SPOOL_COLL_ROWS   ((uint16_t)4) /* it belongs in SPOOL_ROWS, too */

/* Calls of one collective operation. */
typedef struct spool_coll {
  uint32_t comm; /* identity of a spool_comm, 0 for MPI_COMM_WORLD */
  int32_t root;  /* rank in the communicator, -1 for none */
  uint32_t site;
  uint32_t phase;
  uint64_t bytes; /* of one call at this rank; 0 where they vary */
  uint64_t count;
  uint64_t given; /* this rank's part of all these calls */
  uint32_t id;    /* from 1; 0 without rows */
  uint32_t unused[5];
  uint16_t op;              /* tells operations apart within the file */
  uint16_t flags;           /* SPOOL_COLL_… */
  char name[SPOOL_OP_NAME]; /* "Allreduce"; NUL-terminated */
} spool_coll_t;

/* Calls of which nothing else is recorded. */
typedef struct spool_unmodelled {
  char name[32]; /* "File_write"; NUL-terminated */
  uint64_t calls;
} spool_unmodelled_t;

/* A window of one-sided operations: the `number`-th (from 0) that this communicator's members made.
 */
typedef struct spool_window {
  uint32_t id;   /* from 1 */
  uint32_t comm; /* identity of a spool_comm, 0 for MPI_COMM_WORLD */
  uint32_t number, unused;
} spool_window_t;

/* What opened the epoch of an operation. */
typedef enum spool_sync {
  SPOOL_SYNC_NONE, /* nothing: a wrong call */
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
  uint64_t epochs; /* in which there was such an operation */
  uint64_t last;   /* number of the last of them */
  int32_t target;  /* world rank where each target's epochs are its own (locks), else -1 */
  uint16_t op;     /* tells operations apart within the file */
  uint16_t sync;   /* spool_sync_t */
  char name[24];   /* "Put"; NUL-terminated */
} spool_rma_t;

/* What became of the order in which a rank's sends were issued in a phase's first occurrence. */
typedef enum spool_order {
  SPOOL_ORDER_NONE,    /* nobody asked for it */
  SPOOL_ORDER_KEPT,    /* all of it is in SPOOL_SENDS */
  SPOOL_ORDER_LONG,    /* it was longer than SPOOL_MAX_SENDS */
  SPOOL_ORDER_NO_ROOM, /* for all phases together */
  SPOOL_ORDER_THREADS  /* of several threads, among which there is no order */
} spool_order_t;

/* A phase that the rank was in. Messages and calls may be of phase 0 without one. */
typedef struct spool_phase {
  uint32_t id;
  uint32_t order; /* spool_order_t */
  uint64_t begun; /* occurrences; 1 of phase 0 */
  uint64_t unused[2];
} spool_phase_t;

/* Sends in a row of a phase's first occurrence that are alike. Those of a phase follow one another
 * in the order in which they were issued, with those of others between them. */
typedef struct spool_send {
  uint32_t dst, phase;
  uint64_t size;
  uint64_t times;
  uint32_t blocking; /* 1: the call returned when its message had gone */
  uint32_t unused;
} spool_send_t;

/* The classes of a rank's segments, from one collective call of all ranks to the next: one record
 * after the other. `back` 0: `times` segments of class `number`; else: each of them is of the class
 * of the one so far back. Class 0 are those for which there was no other. Where there are too many
 * records the last segments are not among them. */
typedef struct spool_segments {
  uint32_t back, number;
  uint64_t times;
} spool_segments_t;

/* A class of all of a rank's segments. */
typedef struct spool_class {
  uint32_t number, unused;
  uint64_t times; /* segments */
  uint64_t sum; /* of hashes of their numbers: classes of two ranks that agree in `times` and `sum`
                   have the same segments */
} spool_class_t;

/* What became of the automatic phases that a rank was asked for. */
typedef enum spool_auto_state {
  SPOOL_AUTO_KEPT,
  SPOOL_AUTO_PCONTROL, /* the program tells phases apart by itself */
  SPOOL_AUTO_THREADS,  /* several threads made collective calls of all ranks */
  SPOOL_AUTO_NO_ROOM   /* for what segments that followed had */
} spool_auto_state_t;

typedef struct spool_auto {
  uint32_t state;    /* spool_auto_state_t */
  uint32_t counting; /* the class to which a segment is being added that isn't put down yet; or 0 */
} spool_auto_t;

typedef struct spool_frame {
  uint32_t module; /* identity of a spool_module; 0: none, the offset is an address */
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

/* A communicator is known by the world ranks of its members, in its order. */
typedef struct spool_comm {
  uint32_t id;    /* from 1 */
  uint32_t bytes; /* of this record, a multiple of 8 */
  uint32_t n_ranks;
  uint32_t n_listed; /* n_ranks, or 0 where another rank lists them */
  uint64_t hash[2];  /* of the ranks: the same at all members */
  uint32_t ranks[];
} spool_comm_t;

typedef struct spool_thread {
  uint64_t mpi_ticks;    /* inside MPI calls */
  uint64_t last_tick;    /* the last of them ended */
  uint64_t unsure_ticks; /* inside or not, which isn't known, and not among these */
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
