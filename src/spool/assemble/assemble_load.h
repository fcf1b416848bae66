/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank's image, as it is read, before the assembly takes it over. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_LOAD_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_LOAD_H

#include "spool/assemble/assemble_internal.h"

/* Sends in a row, and their place among all of the rank. */
typedef struct issued {
  uint32_t phase;
  size_t place;
  berth_send_t send;
} issued_t;

/* Segments of a class, and the sum that tells which. */
typedef struct class_times {
  uint64_t times, sum;
} class_times_t;

/* A record of calls with rows, by its identity and its class (as a phase; 0: none); and one item of
 * such a row. */
typedef struct row_line {
  uint32_t id, phase;
  called_t call;
} row_line_t;
typedef struct row_item {
  uint32_t id, phase, dst; /* dst as in called_t */
  uint64_t bytes;
} row_item_t;

/* What one rank's image becomes before it is taken over into the assembly. */
typedef struct rank_load {
  assembly_t *a;
  const spool_image_t *image;
  const spool_header_t *header;
  char **module; /* texts "path" and " (build id)" by identity; odd places hold the latter */
  size_t n_modules, cap_modules;
  numbers_t site, comm, window, line; /* + 1 */
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
  issued_t *issued;
  size_t n_issued, cap_issued;
  sent_t *operation;
  size_t n_operations, cap_operations;
  epochs_t *epochs;
  size_t n_epochs, cap_epochs;
  unmodelled_t *unmodelled;
  size_t n_unmodelled, cap_unmodelled;
  spool_segments_t *run;
  size_t n_runs, cap_runs;
  uint64_t n_segments;
  class_times_t class_times[SPOOL_MAX_CLASSES + 1];
  spool_auto_state_t auto_state;
  uint32_t counting; /* as in spool_auto_t */
  bool automatic;
  uint64_t mpi_ticks, max_ticks; /* of the thread that has most; with what isn't known, too */
  uint64_t last_tick, impossible, coarse, coarse_bytes;
} rank_load_t;

bool load_numbers_set(numbers_t *x, uint32_t id, uint32_t number); /* false when memory is out */

/* Sets *number to the assembly's number of an identity in this image. False when it has none. */
bool load_numbers_translate(const numbers_t *numbers, uint32_t id, uint32_t *number);

/* Counts a record that no call can have made, such as one with a root outside of its communicator.
 * A wrong call that ended its job leaves such a record; the others are good. */
int load_rank_leave_out(rank_load_t *load);

/* Reads all of an image into *load. Names are interned in the assembly, the rest stays in *load. */
int load_rank(rank_load_t *load, berth_error_t *err);
void load_rank_clear(rank_load_t *load);

/* How many ranks a communicator has, by its number + 1; 0 stands for MPI_COMM_WORLD. */
uint32_t load_comms_length(const assembly_t *a, uint32_t comm);
/* The number of a communicator, from 0, of that hash and number of ranks; -1 when memory is out. */
long load_comms_intern(assembly_t *a, const uint64_t key[3]);

#endif
