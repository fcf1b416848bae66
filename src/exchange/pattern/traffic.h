/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and times that importers collect, while the number of ranks is unknown; and sums for
 * exporters. */
#ifndef BERTH_EXCHANGE_PATTERN_TRAFFIC_H
#define BERTH_EXCHANGE_PATTERN_TRAFFIC_H

#include <berth/exchange.h>
#include <stdbool.h>

#include "base/id_table.h"

/* A rank's times and host. */
typedef struct rank_times {
  int rank;
  double wall_s, mpi_s;
  char host[256];
} rank_times_t;

typedef struct traffic {
  int ranks; /* highest known rank + 1 */
  berth_message_t *message;
  size_t n, cap, merged; /* merged: how many the last merge left */
  berth_phase_t *phase;  /* phases with a line of their own */
  size_t n_phases, phase_cap;
  id_table_t phase_of_id;
  int at_phase; /* phase of the messages that are added next */
  rank_times_t *times;
  size_t n_times, times_cap;
  berth_pattern_t *whole; /* from a format of whole patterns; the rest is added to it */
} traffic_t;

/* Adds messages of a known size; sets their phase and site. */
int traffic_put(traffic_t *t, const berth_message_t *m, berth_error_t *err);
/* Adds messages of the mean size. If that isn't whole, they get the two nearest sizes, so that the
 * bytes are exact. No messages: does nothing. */
int traffic_add(traffic_t *t, int src, int dst, uint64_t messages, uint64_t bytes,
                berth_error_t *err);
/* Adds bytes in an unknown number of messages. */
int traffic_add_bytes(traffic_t *t, const berth_import_t *in, int src, int dst, uint64_t bytes,
                      berth_error_t *err);

/* Adds half of an edge's bytes, in one direction. Both halves together are exact, also if the bytes
 * are odd. */
int traffic_add_half(traffic_t *t, const berth_import_t *in, int src, int dst, uint64_t bytes,
                     berth_error_t *err);

/* Makes a phase known, so that messages may use it. *known is its number of repeats from the first
 * call. */
int traffic_phase(traffic_t *t, int id, const char *name, uint64_t repeats, uint64_t *known,
                  berth_error_t *err);

/* Adds a rank's times and host. The first ones for a rank count. */
int traffic_times(traffic_t *t, const rank_times_t *times, berth_error_t *err);

/* Takes over an unfinished pattern, and frees it with everything else. There may be one; it must
 * have the requested number of ranks. */
void traffic_whole(traffic_t *t, berth_pattern_t *p);

/* Makes a pattern, with in->ranks ranks if that is set. BERTH_BAD_INPUT, in the name of the first
 * file, if there are higher ranks. Frees the collection, also after a failure. */
berth_pattern_t *traffic_finish(traffic_t *t, const berth_import_t *in, berth_error_t *err);
void traffic_clear(traffic_t *t);

/* For exporters: messages and bytes of the whole run for each pair of ranks, sorted by source and
 * destination; each pair once. */
typedef struct flow_total {
  int src, dst;
  uint64_t messages, bytes;
} flow_total_t;

int traffic_totals(const berth_pattern_t *p, flow_total_t **out, size_t *n, berth_error_t *err);

/* The same without directions and without messages of ranks to themselves: each pair is listed in
 * both directions, with the sum of both. */
int traffic_undirected(const berth_pattern_t *p, flow_total_t **out, size_t *n, berth_error_t *err);

#endif
