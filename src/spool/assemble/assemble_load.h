/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank's image while it is read, before the assembly takes it over. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_LOAD_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_LOAD_H

#include "spool/assemble/assemble_internal.h"

/* A record of a program, and its position among all of the rank. A collective call's communicator
 * is numbered as in called_t. If no call can have made the record, its kind is SPOOL_STEP_KINDS. */
typedef struct taken {
  size_t place;
  spool_step_t step;
} taken_t;

/* The number of segments of a class, and the sum that identifies them. */
typedef struct class_times {
  uint64_t times, sum;
} class_times_t;

/* row_line: a call record with rows, by identity and class (as a phase; 0: none). row_item: one
 * destination of such a row. */
typedef struct row_line {
  uint32_t id, phase;
  called_t call;
} row_line_t;
typedef struct row_item {
  uint32_t id, phase, dst; /* dst as in called_t */
  uint64_t bytes;
} row_item_t;

/* The contents of one rank's image. */
typedef struct rank_load {
  assembly_t *a;
  const spool_image_t *image;
  const spool_header_t *header;
  char **module; /* identity i has its path at 2 i - 2 and " (build id)" at 2 i - 1 */
  size_t n_modules, cap_modules;
  numbers_t site, comm, window, line; /* numbers + 1 */
  numbers_t op;                       /* index in `ops` + 1, of collective calls */
  sent_t *sent;
  size_t n_sent, cap_sent;
  called_t *called;
  size_t n_called, cap_called;
  row_line_t *row_line;
  size_t n_row_lines, cap_row_lines;
  row_item_t *row_item;
  size_t n_row_items, cap_row_items;
  spool_phase_t *phase;
  size_t n_phases, cap_phases;
  taken_t *taken;
  size_t n_taken, cap_taken;
  sent_t *operation;
  size_t n_operations, cap_operations;
  epochs_t *epochs;
  size_t n_epochs, cap_epochs;
  unmodelled_t *unmodelled;
  size_t n_unmodelled, cap_unmodelled;
  numbers_t whole; /* by function: its time in all calls, an index of `spent` + 1 */
  spent_t *spent;
  size_t n_spent, cap_spent;
  packed_t *packed;
  size_t n_packed, cap_packed;
  spool_segments_t *run;
  size_t n_runs, cap_runs;
  uint64_t n_segments;
  class_times_t class_times[SPOOL_MAX_CLASSES + 1];
  spool_auto_state_t auto_state;
  uint32_t counting;             /* as in spool_auto_t */
  bool automatic, classes;       /* classes: records of classes are read */
  uint64_t mpi_ticks, max_ticks; /* of the thread with the maximum; without and with unsure ones */
  uint64_t core_wait_ns;         /* of the same thread, or SPOOL_UNKNOWN_WAIT */
  size_t n_threads;              /* that were read so far */
  uint64_t thread;               /* identity of that with the maximum without unsure ones */
  uint64_t last_tick, impossible, coarse, coarse_bytes;
} rank_load_t;

bool load_numbers_set(numbers_t *x, uint32_t id, uint32_t number); /* false: memory is out */

/* Finds the assembly's number of an identity in this image. Returns false if it has none. */
bool load_numbers_translate(const numbers_t *numbers, uint32_t id, uint32_t *number);

/* Counts a record that no call can have made, such as one with a root outside of its communicator.
 * A wrong call that ended its job leaves such a record. The job's other records are good. */
int load_rank_leave_out(rank_load_t *load);

/* The number of an operation whose name lacks "MPI_"; -1 if memory is out. */
long load_op_intern(assembly_t *a, const char *name);

/* Subtracts the messages and calls of segment classes from phase 0. */
void class_take_away(rank_load_t *load);

/* Reads an image into *load. Names are interned in the assembly; everything else stays in *load. */
int load_rank(rank_load_t *load, berth_error_t *err);
void load_rank_clear(rank_load_t *load);

/* The number of ranks in a communicator. `comm` is its index + 1; 0 is MPI_COMM_WORLD. */
uint32_t load_comms_length(const assembly_t *a, uint32_t comm);
/* The ranks of an intercommunicator's first group; 0: it is none. Not of MPI_COMM_WORLD. */
uint32_t load_comms_border(const assembly_t *a, uint32_t comm);
/* The index of a communicator with that hash and number of ranks; -1 if memory is out. */
long load_comms_intern(assembly_t *a, const uint64_t key[3]);

#endif
