/* SPDX-License-Identifier: BSD-3-Clause */
/* The pattern as pattern.c, pattern_load.c and pattern_save.c share it. */
#ifndef BERTH_PATTERN_INTERNAL_H
#define BERTH_PATTERN_INTERNAL_H

#include <berth/pattern.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/in_file.h"

#define LIST(type)                                                                                 \
  struct {                                                                                         \
    type *items;                                                                                   \
    size_t n, cap;                                                                                 \
  }

struct berth_pattern {
  int ranks;
  const char *mpi, *created;
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
  LIST(berth_unmodelled_t) unmodelled;
  LIST(berth_message_t) messages;
  size_t merged;                    /* messages that were left when they were added up last */
  const berth_baseline_t *baseline; /* NULL: it is none */
  const berth_cut_t *cut;           /* NULL: it is whole */
  size_t *phase_start;              /* phases.n + 1 offsets into messages */
  bool finished;                    /* and not added to since */
  bool drop_orders;                 /* those that differ from the messages, instead of failing */
  arena_t arena;                    /* strings and small arrays */
};

/* Reads a pattern from an open file of that name; see berth_pattern_load. */
berth_pattern_t *pattern_read(in_file_t *in, const char *name, int flags, berth_error_t *err);

/* Makes a finished pattern one that was cut off. */
int pattern_set_cut(berth_pattern_t *p, uint64_t lines, const char *why, berth_error_t *err);

/* Checks *shares, and puts a copy in their place. */
int pattern_copy_shares(berth_pattern_t *p, size_t n, const berth_share_t **shares,
                        berth_error_t *err);
/* Sorts the rows and holds them and the collectives' shares against the sorted communicators. */
int pattern_finish_shares(berth_pattern_t *p, berth_error_t *err);

/* Sorts the orders and holds them against the merged messages: part of berth_pattern_finish. */
int pattern_finish_orders(berth_pattern_t *p, berth_error_t *err);

#endif
