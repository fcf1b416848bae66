/* SPDX-License-Identifier: BSD-3-Clause */
/* An instance of the mapping benchmark as peers and the judge read it: no part of berth.
 *
 * pairs.txt: "ranks N", then a line "src dst bytes" for each ordered pair that sends.
 * tree.txt:  "levels L"; "distances D1 … DL", of two PUs whose lowest common element is at that
 *            level (the PUs are level 0); then for each level from 1 to L one line: the number of
 * its elements, then how many children each has. Level L has one element, the root.
 *
 * All functions end the program with one line of error when something is wrong. */
#ifndef MAPPING_INSTANCE_H
#define MAPPING_INSTANCE_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_LEVELS = 16 };

typedef struct pair {
  int src, dst;
  int64_t bytes;
} pair_t;

typedef struct pairs {
  int ranks;
  size_t n;
  pair_t *pair;
} pairs_t;

typedef struct tree {
  int levels, pus;
  int64_t distance[MOST_LEVELS + 1]; /* [0] is 0 */
  int count[MOST_LEVELS + 1];        /* elements of each level; [0] is pus */
  int *children[MOST_LEVELS + 1];    /* [0] is NULL */
  int *element[MOST_LEVELS + 1];     /* of each PU, its element at that level */
} tree_t;

/* Both directions of a pair added up: each pair stands with either rank. */
typedef struct csr {
  int n;
  int64_t *start; /* n + 1 */
  int *to;
  int64_t *weight, total; /* of all pairs, each once */
} csr_t;

_Noreturn void fail(const char *format, ...);
void *allocate(size_t n, size_t size);

pairs_t read_pairs(const char *path);
tree_t read_tree(const char *path);

/* Pairs whose bytes are equal both ways weigh what one way carries; so do all when all are. */
csr_t make_csr(const pairs_t *p);

double cpu_seconds(void); /* user and system time of this process so far */
/* Writes a PU per line, and to standard output what the work took. */
void write_result(const char *path, const int *pu_of_rank, int ranks, double cpu_s);

#endif
