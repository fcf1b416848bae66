/* SPDX-License-Identifier: BSD-3-Clause */
/* What messages cost whose data lie in blocks apart from each other: measured by `berth calibrate
 * node` with a launcher, as a part of a node's record (berth/node.h). Somebody has to pack them:
 * the MPI, if the message has a derived datatype, or the program. The question is that of Boyer and
 * Chase, "Insomnia", section 4. Blocks and messages are in bytes, times in seconds. */
#ifndef BERTH_STRIDED_H
#define BERTH_STRIDED_H

#include <berth/node.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who packs. */
typedef enum berth_packer {
  BERTH_PACKER_NOBODY, /* "contiguous": the data needn't be packed */
  BERTH_PACKER_HAND,   /* "hand": the program, by assignments */
  BERTH_PACKER_MEMCPY, /* "memcpy": the program, by memcpy */
  BERTH_PACKER_TOUCH,  /* "touch": the same, which writes to the destination first */
  BERTH_PACKER_PACK,   /* "pack": MPI_Pack and MPI_Unpack */
  BERTH_PACKER_TYPE,   /* "type": the MPI, as the message has a derived datatype */
  BERTH_PACKERS
} berth_packer_t;

/* Whose data are in blocks: those that are sent, those that are received, or both. */
typedef enum berth_side {
  BERTH_SIDE_SEND,
  BERTH_SIDE_RECEIVE,
  BERTH_SIDE_BOTH,
  BERTH_SIDES
} berth_side_t;

/* The names in files; NULL for other values. */
BERTH_API const char *berth_packer_name(berth_packer_t by);
BERTH_API const char *berth_side_name(berth_side_t side);

/* Times of messages under one MPI. Points rise in bytes, then in block. `mpi`, `by`, `side`,
 * `exchange` and `gap` differ between the tables of a node. */
typedef struct berth_strided {
  const char *mpi; /* "Open MPI 4.1.4" */
  berth_packer_t by;
  berth_side_t side;
  int exchange; /* 1: two ranks send to each other, one message each; 0: one sends several to the
                   other one, as a link's curve is measured */
  double gap;   /* bytes between blocks; 0: as many as a block has */
  size_t n;
  const double *block; /* of a block; bytes if there are no gaps */
  const double *bytes; /* of a message's data */
  const double *seconds;
  const double *spread; /* as in berth_node_curve_t */
  const int *samples;
} berth_strided_t;

/* Adds a table, copied. One that is there already is replaced. BERTH_BAD_INPUT if it breaks a rule
 * above. */
BERTH_API int berth_node_add_strided(berth_node_t *n, const berth_strided_t *table,
                                     berth_error_t *err);
/* Removes all tables of one MPI. BERTH_MISSING if memory is out. */
BERTH_API int berth_node_remove_strided(berth_node_t *n, const char *mpi, berth_error_t *err);
/* Both are borrowed until a table is added or removed. */
BERTH_API size_t berth_node_n_strided(const berth_node_t *n);
BERTH_API const berth_strided_t *berth_node_strided_at(const berth_node_t *n, size_t i);
/* The table with these five; NULL if there is none. Contiguous data have BERTH_SIDE_BOTH and gap
 * 0. */
BERTH_API const berth_strided_t *berth_node_find_strided(const berth_node_t *n, const char *mpi,
                                                         berth_packer_t by, berth_side_t side,
                                                         int exchange, double gap);
/* The contiguous exchanges of the k-th MPI that has such, with which its other exchanges are
 * compared; NULL if there are no more. */
BERTH_API const berth_strided_t *berth_node_exchanges(const berth_node_t *n, size_t k);

/* The MPI whose tables hold for programs that use `mpi`: the same one, else another version of it.
 * NULL if there is none. Borrowed. */
BERTH_API const char *berth_node_strided_mpi(const berth_node_t *n, const char *mpi);

/* Seconds of a message of `bytes` bytes by a table of contiguous ones; beyond its sizes in
 * proportion to them. */
BERTH_API double berth_strided_contiguous_s(const berth_strided_t *table, double bytes);

/* How much longer a message of a derived datatype takes than a contiguous one: `bytes` of data in
 * `pieces` blocks over `span` bytes, sent or received, one of several on its way. It may be below
 * 0, as MPIs send some contiguous messages in slower ways. NAN if it wasn't measured under `mpi`, a
 * result of berth_node_strided_mpi. */
BERTH_API double berth_node_packing_s(const berth_node_t *n, const char *mpi, berth_side_t side,
                                      double bytes, double pieces, double span);

/* The same of a call in which two ranks send such messages to each other: each of them packs or
 * unpacks while the other one does, too, so nobody's packing hides behind the other's. Gaps count
 * by what they add one way. BERTH_SIDE_BOTH: what they send and receive is in blocks. NAN if no
 * exchanges were measured under `mpi`. */
BERTH_API double berth_node_exchange_packing_s(const berth_node_t *n, const char *mpi,
                                               berth_side_t side, double bytes, double pieces,
                                               double span);

/* What it would take if the program packed the message or, for BERTH_SIDE_RECEIVE, unpacked it, in
 * the fastest way that was measured. An exchange of blocks with gaps as large says how that
 * compares with the derived datatype. *by is that way, BERTH_PACKER_TYPE if nothing is faster. NAN
 * as above. */
BERTH_API double berth_node_packed_by_program_s(const berth_node_t *n, const char *mpi,
                                                berth_side_t side, double bytes, double pieces,
                                                double span, berth_packer_t *by);

/* The crossover: the smallest measured block from which on a message of a measured size is no
 * slower by the derived datatype than packed by the program in the fastest way (3% don't count), in
 * exchanges. INFINITY if there is none, NAN if nothing was measured. */
BERTH_API double berth_node_crossover(const berth_node_t *n, const char *mpi, berth_side_t side,
                                      double bytes);

#ifdef __cplusplus
}
#endif

#endif
