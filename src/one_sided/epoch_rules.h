/* SPDX-License-Identifier: BSD-3-Clause */
/* What an MPI sends for one-sided operations and for their synchronisation. Amounts are bytes of
 * messages as the MPI gives them to its network; -1: there is no such message. */
#ifndef BERTH_ONE_SIDED_EPOCH_RULES_H
#define BERTH_ONE_SIDED_EPOCH_RULES_H

#include <stdbool.h>
#include <stddef.h>

/* Which of an origin's operations don't share a fragment with others. */
typedef enum epoch_alone { ALONE_NEVER, ALONE_LONG, ALONE_ALWAYS } epoch_alone_t;

typedef struct epoch_operation {
  const char *op;
  int request;  /* header to the target */
  int carried;  /* how many times the operation's bytes go with it */
  int reply;    /* header back to the origin, or -1 */
  int returned; /* how many times the operation's bytes come with it */
  epoch_alone_t alone;
  bool divided; /* long ones, too, are in fragments */
} epoch_operation_t;

typedef struct epoch_sync {
  const char *sync;  /* as in berth_rma_t */
  int post;          /* from a target before the epoch */
  int lock, grant;   /* to a target, and back, before the first operation */
  int close, closed; /* to a target, and back, behind the last operation */
  bool with_all;     /* these are to all ranks of the window, not only to targets of operations */
  bool counts;       /* behind the operations there is a reduce_scatter_block of 4 bytes a rank, */
  bool barrier;      /* and then a barrier, of all ranks of the window */
} epoch_sync_t;

typedef struct epoch_rules {
  const char *name; /* also of the rules for collective operations */
  /* Operations for a target are collected in fragments, which have room for so many bytes behind
   * their header. What closes the epoch is in the last fragment. 0: each operation is a message of
   * its own. */
  int fragment, fragment_header;
  int alignment; /* each part of a fragment begins at a multiple of it */
  /* A fragment goes when the next part has no room. More than 0: also when so many bytes are in it,
   * or come back for it; and an operation for which there is no room is divided. */
  int enough;
  /* The header of a long operation is in a fragment, its data are a message of their own. Long are
   * operations that don't fit into a fragment; more than 0: those of at least so many bytes. */
  int long_from;
  int most_long; /* long operations in a fragment; 0: any number */
  /* Results of a fragment's operations, and the acknowledgement of an epoch's end, come in one
   * message with a header of `answer` bytes. */
  bool answers_together;
  int answer;
  /* What ends a fence is berth's library's reduce_scatter_block, by the hosts of a placement. */
  bool by_hosts;
  const epoch_operation_t *operations;
  size_t n_operations;
  const epoch_sync_t *syncs; /* the last one is for all others */
  size_t n_syncs;
} epoch_rules_t;

extern const epoch_rules_t epoch_rules_openmpi, epoch_rules_mpich, epoch_rules_berth;

/* All rules, *n of them. */
const epoch_rules_t *const *epoch_rules_all(size_t *n);
/* NULL: there are none of that name. */
const epoch_rules_t *epoch_rules_find(const char *name);
/* NULL: the rules don't have the operation. */
const epoch_operation_t *epoch_operation_find(const epoch_rules_t *r, const char *op);
const epoch_sync_t *epoch_sync_find(const epoch_rules_t *r, const char *sync);

#endif
