/* SPDX-License-Identifier: BSD-3-Clause */
/* The struct behind berth_pattern_t, and the functions that the module's files share. */
#ifndef BERTH_PATTERN_INTERNAL_H
#define BERTH_PATTERN_INTERNAL_H

#include <berth/pattern.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/in_file.h"
#include "base/json.h"
#include "base/json_out.h"
#include "pattern/by_hosts.h"
#include "pattern/dense.h"

#define LIST(type)                                                                                 \
  struct {                                                                                         \
    type *items;                                                                                   \
    size_t n, cap;                                                                                 \
  }

struct berth_pattern {
  int ranks;
  const char *mpi, *created;
  const char *rules[BERTH_N_OPERATIONS];
  size_t argc;
  const char *const *argv;
  berth_rank_info_t *rank; /* one for each rank, NULL until the first is set */
  bool *rank_known;
  int ranks_known;
  LIST(berth_phase_t) phases; /* these lists are sorted by berth_pattern_finish */
  LIST(berth_site_t) sites;
  LIST(berth_comm_t) comms;
  LIST(berth_coll_t) colls;
  LIST(berth_row_t) rows;
  LIST(berth_rma_t) rmas;
  LIST(berth_order_t) orders;
  LIST(const char *) operations; /* names in the orders' steps */
  LIST(berth_unmodelled_t) unmodelled;
  LIST(berth_parameter_t) parameters; /* always sorted */
  LIST(berth_grid_t) grids;
  LIST(berth_time_t) times;
  LIST(berth_packed_t) packed;
  LIST(berth_message_t) messages;
  LIST(dense_phase_t) dense;
  by_hosts_t by_hosts[BY_HOSTS_SOURCES]; /* n_by_hosts of them */
  int n_by_hosts;
  size_t merged;                    /* how many messages the last merge left */
  const berth_baseline_t *baseline; /* NULL: not a baseline */
  const berth_cut_t *cut;           /* NULL: the pattern is whole */
  size_t *phase_start;              /* phases.n + 1 offsets into messages */
  bool finished;                    /* and nothing was added since */
  bool drop_orders;                 /* berth_pattern_finish drops wrong orders instead of failing */
  arena_t arena;                    /* strings and small arrays */
};

/* Reads a pattern from an open file. `name` is for errors. Otherwise as berth_pattern_load. */
berth_pattern_t *pattern_read(in_file_t *in, const char *name, int flags, berth_error_t *err);

/* Records that the file was truncated after so many lines. */
int pattern_set_cut(berth_pattern_t *p, uint64_t lines, const char *why, berth_error_t *err);

/* Checks *shares, then replaces it by a copy in the pattern's arena. */
int pattern_copy_shares(berth_pattern_t *p, size_t n, const berth_share_t **shares,
                        berth_error_t *err);
/* Sorts the rows. Checks them and the collectives' shares against the communicators. */
int pattern_finish_shares(berth_pattern_t *p, berth_error_t *err);

/* Sorts the orders and checks them against the merged messages. */
int pattern_finish_orders(berth_pattern_t *p, berth_error_t *err);

/* The header members "parameters" and "grids", in the same way as "baseline" below
 * (pattern_grid.h). */
int pattern_read_parameters(const json_place_t *header, berth_pattern_t *p);
void pattern_put_parameters(json_out_t *j, const berth_pattern_t *p);
int pattern_read_grids(const json_place_t *header, berth_pattern_t *p);

/* Reads the header member "baseline", which makes a pattern a baseline (docs/formats/check.md), if
 * there is one. */
int pattern_read_baseline(const json_place_t *header, berth_pattern_t *p);

/* Writes the member into the open header if p is a baseline. */
void pattern_put_baseline(json_out_t *j, const berth_pattern_t *p);

#endif
