/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules as they are in memory: for each operation a list, of which the first that holds says what
 * is done. */
#ifndef BERTH_SCHEDULE_RULE_H
#define BERTH_SCHEDULE_RULE_H

#include "base/arena.h"
#include "schedule/schedule_rules.h"
#include "schedule/two_levels/two_levels.h"

typedef enum rule_quantity {
  RULE_RANKS,
  RULE_ELEMENTS,       /* of a block, of the mean one if they differ */
  RULE_BYTES,          /* of a block: elements times the bytes of one */
  RULE_TOTAL_ELEMENTS, /* of a block for each rank */
  RULE_TOTAL_BYTES,
  RULE_COMMUTATIVE,
  RULE_BUILT_IN,
  RULE_IN_PLACE,
  RULE_POWER_OF_TWO,
  RULE_EQUAL_BLOCKS,
  RULE_PERSISTENT,
  RULE_HOSTS,       /* that have ranks */
  RULE_APART,       /* each rank has a host of its own */
  RULE_CONSECUTIVE, /* the ranks of each host follow one another */
  RULE_ROOT_LEADS   /* the root has the lowest rank of its host */
} rule_quantity_t;

typedef enum rule_comparison {
  RULE_EQUAL,
  RULE_BELOW,
  RULE_AT_MOST,
  RULE_AT_LEAST /* of what an MPI was told; files have no word for it */
} rule_comparison_t;

typedef struct condition {
  rule_quantity_t quantity;
  rule_comparison_t comparison;
  uint64_t value;
} condition_t;

enum { MOST_CONDITIONS = 4, DEEPEST_CHOICE = 8 /* each leads to the next */ };

/* A stage of a choice. */
typedef struct part {
  schedule_op_t op;
  const struct choice *choice; /* NULL: the rules of the operation choose */
  bool whole;                  /* its block is one element, which isn't divided */
  schedule_among_t among;      /* whom it runs on */
  uint64_t bytes;              /* of its block; 0: as in the call */
} part_t;

/* What an algorithm makes segments of. */
typedef enum divides {
  DIVIDES_ELEMENTS,        /* whole elements; blocks of larger ones aren't divided */
  DIVIDES_SINGLE_ELEMENTS, /* whole elements; larger ones go one by one */
  DIVIDES_BYTES            /* bytes: a block is one of bytes, whatever the request's elements are */
} divides_t;

/* What may be done for an operation: run an algorithm, or parts that are operations themselves. */
typedef struct choice {
  const char *name;
  schedule_op_t op;
  const schedule_algorithm_t *algorithm; /* NULL: the parts */
  int degree;
  int64_t segment; /* bytes, 0: blocks aren't divided */
  divides_t divides;
  bool is_open; /* while it is read */
  bool is_told; /* not by the rules: where it doesn't serve, the next rule holds */
  const struct choice *otherwise; /* where the algorithm doesn't serve; NULL: nothing */
  int n_parts;
  bool is_composed; /* some part doesn't run on all ranks */
  part_t part[SCHEDULE_STAGES];
  struct choice *next; /* of the same operation */
} choice_t;

typedef struct rule {
  int n_when;
  condition_t when[MOST_CONDITIONS]; /* all of them hold */
  const choice_t *choice;            /* NULL: the rules below */
  struct rule *below, *next;
} rule_t;

struct schedule_rules {
  two_levels_t library; /* berth's own library, which has no rules; half 0: these are rules */
  schedule_rules_t *of_others; /* of calls that the library leaves to the MPI, or NULL */
  arena_t arena;               /* of all that is below */
  const char *name;
  choice_t *choices[SCHEDULE_OPS];
  rule_t *rules[2][SCHEDULE_OPS]; /* of calls that block, then of others; NULL: none */
};

/* The quantity of a request that a condition looks at. */
uint64_t rules_quantity(const schedule_request_t *q, rule_quantity_t quantity);

/* The rules that hold for a request: themselves, or those of the MPI; NULL: none. */
const schedule_rules_t *rules_for(const schedule_rules_t *r, const schedule_request_t *q);

/* Whether a request meets a condition. */
bool rules_meets(const schedule_request_t *q, const condition_t *c);

/* What the rules, or else the list of algorithms, have of that name: a copy. It has neither an
 * algorithm nor parts if there is none. */
choice_t rules_choice_named(const schedule_rules_t *r, schedule_op_t op, const char *name);
/* What the rules of an operation choose; NULL: nothing. */
const choice_t *rules_choose(const schedule_rules_t *r, const schedule_request_t *q);
/* The choice itself, or the one of those behind it that serves; NULL: none does. */
const choice_t *rules_serving(const schedule_request_t *q, const choice_t *choice);
/* Fills the stages of a choice, or, if it is NULL, of what the rules choose. As schedule_decide. */
int rules_stages(const schedule_rules_t *r, const schedule_request_t *q, const choice_t *choice,
                 schedule_stage_t stage[SCHEDULE_STAGES]);

/* Reads rules from a text; `name` is the file's, for errors. */
int rules_parse(const char *text, size_t n, const char *name, schedule_rules_t **out,
                berth_error_t *err);

#endif
