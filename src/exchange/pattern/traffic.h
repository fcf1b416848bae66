/* SPDX-License-Identifier: BSD-3-Clause */
/* What importers collect before they know how many ranks there are, and what exporters give out. */
#ifndef BERTH_EXCHANGE_PATTERN_TRAFFIC_H
#define BERTH_EXCHANGE_PATTERN_TRAFFIC_H

#include <berth/exchange.h>
#include <stdbool.h>

#include "base/id_table.h"

/* What is known of a rank besides. */
typedef struct rank_times {
  int rank;
  double wall_s, mpi_s;
  char host[256];
} rank_times_t;

typedef struct traffic {
  int ranks; /* so many are known of */
  berth_message_t *message;
  size_t n, cap, merged; /* merged: how many were left when they were added up last */
  berth_phase_t *phase;  /* with names of their own */
  size_t n_phases, phase_cap;
  id_table_t phase_of_id;
  int at_phase; /* of the messages that are added next */
  rank_times_t *times;
  size_t n_times, times_cap;
  berth_pattern_t *whole; /* of a format that holds whole patterns: the rest is added to it */
} traffic_t;

/* Adds messages of a known size; phase and site are set here. */
int traffic_put(traffic_t *t, const berth_message_t *m, berth_error_t *err);
/* Adds messages of the mean size: where that isn't whole, of the two sizes around it that make the
 * bytes what they are. None does nothing. */
int traffic_add(traffic_t *t, int src, int dst, uint64_t messages, uint64_t bytes,
                berth_error_t *err);
/* Adds bytes of which nobody knows in how many messages they went. */
int traffic_add_bytes(traffic_t *t, const berth_import_t *in, int src, int dst, uint64_t bytes,
                      berth_error_t *err);

/* Adds the half of an edge's bytes that goes from one end to the other; with the other half they
 * are all, also where that is odd. */
int traffic_add_half(traffic_t *t, const berth_import_t *in, int src, int dst, uint64_t bytes,
                     berth_error_t *err);

/* Makes a phase known, which messages may then be of; *known is how often it repeats as of the
 * first time that it was named. */
int traffic_phase(traffic_t *t, int id, const char *name, uint64_t repeats, uint64_t *known,
                  berth_error_t *err);

/* Adds a rank's times and host; the first for a rank count. */
int traffic_times(traffic_t *t, const rank_times_t *times, berth_error_t *err);

/* Takes a pattern that isn't finished yet, and is freed with what was collected. There may be one,
 * which has as many ranks as are asked for. */
void traffic_whole(traffic_t *t, berth_pattern_t *p);

/* A pattern of these, under in->ranks where that is set: fails with BERTH_BAD_INPUT, in the name of
 * the first file, where more ranks are known of. Frees what was collected, whatever happens. */
berth_pattern_t *traffic_finish(traffic_t *t, const berth_import_t *in, berth_error_t *err);
void traffic_clear(traffic_t *t);

/* For exporters: messages and bytes of the whole run for each pair of ranks, sorted by source and
 * destination; each pair once. */
typedef struct flow_total {
  int src, dst;
  uint64_t messages, bytes;
} flow_total_t;

int traffic_totals(const berth_pattern_t *p, flow_total_t **out, size_t *n, berth_error_t *err);

/* The same without direction and without what a rank sends to itself, each pair in both directions
 * with what both sent. */
int traffic_undirected(const berth_pattern_t *p, flow_total_t **out, size_t *n, berth_error_t *err);

#endif
