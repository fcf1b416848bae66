/* SPDX-License-Identifier: BSD-3-Clause */
/* judge: what a mapping is worth, without any of berth's code.
 *
 *   judge PAIRS TREE MAPPING        (a PU per line)
 *
 * Prints one JSON object:
 *   feasible    no PU has two ranks, none is out of range
 *   crowded     how many ranks are too many on their PUs
 *   J           half the sum over ordered pairs of bytes times distance, which is the sum over
 *               edges of weight times distance where both directions carry the weight
 *   weight      for each level, half the bytes of pairs whose lowest common element is there
 *   max_port    for each level l, the most that the link above one of its elements carries in the
 *               busier direction (level 0: above a PU)
 *   bottleneck  the largest over levels of max_port times half the link's length; an element's link
 *               is as long as distances grow from its level to the next, so that a path's links add
 *               up to its ends' distance */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "instance.h"

typedef struct judgement {
  int crowded, outside;
  int64_t twice_j, twice_weight[MOST_LEVELS + 1], max_port[MOST_LEVELS + 1];
} judgement_t;

static int *read_mapping(const char *path, int ranks)
{
  FILE *file = fopen(path, "r");
  int *pu = allocate((size_t)ranks, sizeof *pu), extra;
  if (!file) fail("%s: can't be read", path);
  for (int r = 0; r < ranks; r++)
    if (fscanf(file, "%d", &pu[r]) != 1)
      fail("%s: expected a PU for each of %d ranks", path, ranks);
  if (fscanf(file, "%d", &extra) == 1) fail("%s: more PUs than ranks", path);
  fclose(file);
  return pu;
}

static void count_places(const tree_t *t, int ranks, const int *pu, judgement_t *j)
{
  char *taken = allocate((size_t)t->pus, 1);
  for (int r = 0; r < ranks; r++) {
    if (pu[r] < 0 || pu[r] >= t->pus)
      j->outside++;
    else if (taken[pu[r]])
      j->crowded++;
    else
      taken[pu[r]] = 1;
  }
  free(taken);
}

static int64_t most(const int64_t *out, const int64_t *in, int n)
{
  int64_t largest = 0;
  for (int e = 0; e < n; e++) {
    if (out[e] > largest) largest = out[e];
    if (in[e] > largest) largest = in[e];
  }
  return largest;
}

/* Goes through the pairs level by level: those that part below a level load its links. */
static void weigh(const tree_t *t, const pairs_t *p, const int *pu, judgement_t *j)
{
  for (int level = 0; level < t->levels; level++) {
    int64_t *out = allocate((size_t)t->count[level], sizeof *out);
    int64_t *in = allocate((size_t)t->count[level], sizeof *in);
    for (size_t i = 0; i < p->n; i++) {
      int a = pu[p->pair[i].src], b = pu[p->pair[i].dst];
      int from = t->element[level][a], to = t->element[level][b];
      if (from == to) continue;
      out[from] += p->pair[i].bytes;
      in[to] += p->pair[i].bytes;
      if (t->element[level + 1][a] != t->element[level + 1][b]) continue;
      j->twice_weight[level + 1] += p->pair[i].bytes;
      j->twice_j += p->pair[i].bytes * t->distance[level + 1];
    }
    j->max_port[level] = most(out, in, t->count[level]);
    free(out);
    free(in);
  }
}

static void print_list(const char *name, const int64_t *value, int n, int half)
{
  printf("\"%s\": [", name);
  for (int i = 0; i < n; i++)
    printf("%s%" PRId64 "%s", i ? ", " : "", half ? value[i] / 2 : value[i],
           half && value[i] % 2 ? ".5" : "");
  printf("]");
}

int main(int argc, char **argv)
{
  if (argc != 4) fail("usage: judge PAIRS TREE MAPPING");
  pairs_t p = read_pairs(argv[1]);
  tree_t t = read_tree(argv[2]);
  int *pu = read_mapping(argv[3], p.ranks);
  judgement_t j = {0};
  count_places(&t, p.ranks, pu, &j);
  if (j.outside) fail("%s: %d ranks on no PU", argv[3], j.outside);
  weigh(&t, &p, pu, &j);
  double bottleneck = 0;
  for (int level = 0; level < t.levels; level++) {
    double length = (double)(t.distance[level + 1] - t.distance[level]);
    double time = 0.5 * length * (double)j.max_port[level];
    if (time > bottleneck) bottleneck = time;
  }
  printf("{\"feasible\": %s, \"crowded\": %d, \"J\": %" PRId64 "%s, ", j.crowded ? "false" : "true",
         j.crowded, j.twice_j / 2, j.twice_j % 2 ? ".5" : "");
  print_list("weight", j.twice_weight + 1, t.levels, 1);
  printf(", ");
  print_list("max_port", j.max_port, t.levels, 0);
  printf(", \"bottleneck\": %.17g}\n", bottleneck);
  return 0;
}
