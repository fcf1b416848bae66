/* SPDX-License-Identifier: BSD-3-Clause */
/* What datatypes are made of. */
#ifndef BERTH_INTERPOSE_TYPE_CONTENTS_H
#define BERTH_INTERPOSE_TYPE_CONTENTS_H

#include "interpose/mpi_table.h"

/* The numbers of a datatype's arguments, by kind, and the function that made it. */
typedef struct envelope {
  MPI_Count ints, addresses, counts, types;
  int combiner;
} envelope_t;

/* Where many arguments are kept. `give` gets the bytes that were taken. */
typedef struct contents_memory {
  void *(*take)(size_t bytes); /* NULL: memory is out */
  void (*give)(void *p, size_t bytes);
} contents_memory_t;

enum { FEW_CONTENTS = 12 };

/* The arguments. */
typedef struct contents {
  envelope_t of;
  int *number;
  MPI_Aint *address;
  MPI_Count *count; /* of the large-count functions, in place of numbers and addresses */
  MPI_Datatype *type;
  const contents_memory_t *from;
  void *memory; /* `bytes` of it; NULL if there are few arguments */
  size_t bytes;
  int few_numbers[FEW_CONTENTS];
  MPI_Aint few_addresses[FEW_CONTENTS];
  MPI_Count few_counts[FEW_CONTENTS];
  MPI_Datatype few_types[FEW_CONTENTS];
} contents_t;

bool type_envelope(MPI_Datatype type, envelope_t *out);
/* Whether it is one of MPI's own datatypes, which nobody frees. */
bool type_envelope_is_own(const envelope_t *e);

/* Returns false if memory is out. Otherwise type_contents_clear ends it, which also frees the
 * datatypes that MPI has returned. */
bool type_contents_read(contents_t *c, MPI_Datatype type, const envelope_t *of,
                        const contents_memory_t *from);
void type_contents_clear(contents_t *c);

/* The i-th whole number, and the i-th displacement in bytes, of the arguments. `numbers` is how
 * many numbers the displacements come after. */
static inline int64_t contents_number(const contents_t *c, int64_t i)
{
  return c->of.counts ? (int64_t)c->count[i] : c->number[i];
}

static inline int64_t contents_displacement(const contents_t *c, int64_t numbers, int64_t i)
{
  return c->of.counts ? (int64_t)c->count[numbers + i] : (int64_t)c->address[i];
}

#endif
