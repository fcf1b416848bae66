/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_metis: parts by METIS, part k on PU k.
 *
 *   peer_metis PAIRS TREE METHOD MAPPING
 *
 * METHOD: rb (METIS_PartGraphRecursive) or kway (METIS_PartGraphKway), ufactor 1, which asks for
 * the least imbalance that METIS knows; as many parts as ranks. Identity placement: with rb, parts
 * that share a bisection stand together. Weights are scaled to METIS's 32 bits where they don't
 * fit. Timed: the partitioning. */
#include <metis.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

/* METIS adds up all edges of the graph in one number of its own. */
static int64_t scale_of(const csr_t *g)
{
  const int64_t most = INT32_MAX / 4;
  return 1 + 2 * g->total / most;
}

int main(int argc, char **argv)
{
  if (argc != 5) fail("usage: peer_metis PAIRS TREE rb|kway MAPPING");
  pairs_t p = read_pairs(argv[1]);
  csr_t g = make_csr(&p);
  size_t edges = (size_t)g.start[g.n], ranks = (size_t)g.n;
  idx_t *start = allocate(ranks + 1, sizeof *start), *to = allocate(edges, sizeof *to);
  idx_t *weight = allocate(edges, sizeof *weight), *part = allocate(ranks, sizeof *part);
  int64_t scale = scale_of(&g);
  for (size_t r = 0; r <= ranks; r++) start[r] = (idx_t)g.start[r];
  for (size_t i = 0; i < edges; i++) to[i] = g.to[i];
  for (size_t i = 0; i < edges; i++)
    weight[i] = g.weight[i] / scale ? (idx_t)(g.weight[i] / scale) : 1;
  idx_t n = g.n, one = 1, parts = g.n, cut, options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_UFACTOR] = 1;
  double before = cpu_seconds();
  int kway = strcmp(argv[3], "kway") == 0;
  if (!kway && strcmp(argv[3], "rb") != 0) fail("found method '%s', expected rb or kway", argv[3]);
  int rc = (kway ? METIS_PartGraphKway : METIS_PartGraphRecursive)(
      &n, &one, start, to, NULL, NULL, weight, &parts, NULL, NULL, options, &cut, part);
  if (rc != METIS_OK) fail("METIS failed with code %d", rc);
  write_result(argv[4], part, p.ranks, cpu_seconds() - before);
  return 0;
}
