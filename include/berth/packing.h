/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of packing: the MPI packs messages of derived datatypes, and unpacks them. A block of a
 * collective call counts as a message here. Definitions: docs/formats/cost-models.md, Packing.
 *
 * It needs the layouts of the messages (berth_packed_t) and what such messages cost on the ranks'
 * hosts under the pattern's MPI (berth/strided.h). Without these it counts as 0. */
#ifndef BERTH_PACKING_H
#define BERTH_PACKING_H

#include <berth/cost.h>
#include <berth/strided.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a pattern says, prepared for placements on a topology, which it borrows. */
typedef struct berth_packing berth_packing_t;

/* NULL with the error filled if memory is out, or times of contiguous messages in a host overflow a
 * double. */
BERTH_API berth_packing_t *berth_packing_new(const berth_pattern_t *p, const berth_topo_t *t,
                                             berth_model_t model, berth_error_t *err);
BERTH_API void berth_packing_free(berth_packing_t *k);

/* How many messages were packed or unpacked, each end by itself; and by how many of these the costs
 * are unknown with rank r on PU pu_of_rank[r]. */
BERTH_API double berth_packing_messages(const berth_packing_t *k);
BERTH_API double berth_packing_unknown(const berth_packing_t *k, const int *pu_of_rank);

/* Seconds of the rank that packs and unpacks longest, in the whole run. They may be below 0: within
 * a host, MPIs send some contiguous messages more slowly than packed ones. */
BERTH_API double berth_packing_evaluate(const berth_packing_t *k, const int *pu_of_rank);

/* The packing at a call site, of all ranks. */
typedef struct berth_packing_site {
  int site;               /* its identity in the pattern; 0: unknown */
  int receives;           /* 1: messages that it receives; 0: that it sends */
  double messages, bytes; /* in the whole run */
  double pieces;          /* contiguous pieces of a message, on average */
  double seconds;         /* longer than contiguous messages, on the rank with the most */
  double by_program_s;    /* the same if the program packed as `by` says; the least of all ways */
  berth_packer_t by;      /* of most of the messages; BERTH_PACKER_TYPE: nothing is faster */
} berth_packing_site_t;

/* The call sites with known costs, those with the most seconds first. The caller frees *out, which
 * is NULL after a failure. */
BERTH_API int berth_packing_sites(const berth_packing_t *k, const int *pu_of_rank,
                                  berth_packing_site_t **out, size_t *n, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
