/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks MPI what datatypes are made of. Those of large counts need the functions of MPI 4: the older
 * ones raise an error for them. The MPI may be an older version than the one this is built for. */
#include "interpose/type_contents.h"

bool type_envelope(MPI_Datatype type, envelope_t *out)
{
  int ints = 0, addresses = 0, types = 0;
  *out = (envelope_t){.combiner = MPI_COMBINER_NAMED};
#if MPI_VERSION >= 4
  if (mpi.Type_get_envelope_c)
    return mpi.Type_get_envelope_c(type, &out->ints, &out->addresses, &out->counts, &out->types,
                                   &out->combiner) == MPI_SUCCESS;
#endif
  if (mpi.Type_get_envelope(type, &ints, &addresses, &types, &out->combiner) != MPI_SUCCESS)
    return false;
  out->ints = ints;
  out->addresses = addresses;
  out->types = types;
  return true;
}

bool type_envelope_is_own(const envelope_t *e)
{
  return e->combiner == MPI_COMBINER_NAMED || e->combiner == MPI_COMBINER_F90_REAL ||
         e->combiner == MPI_COMBINER_F90_COMPLEX || e->combiner == MPI_COMBINER_F90_INTEGER;
}

/* Puts the arrays in the struct, or in memory of their own. */
static bool make_room(contents_t *c)
{
  const size_t counts = (size_t)c->of.counts * sizeof *c->count,
               addresses = (size_t)c->of.addresses * sizeof *c->address,
               types = (size_t)c->of.types * sizeof *c->type,
               numbers = (size_t)c->of.ints * sizeof *c->number;
  c->memory = NULL;
  if (c->of.ints <= FEW_CONTENTS && c->of.addresses <= FEW_CONTENTS &&
      c->of.counts <= FEW_CONTENTS && c->of.types <= FEW_CONTENTS) {
    c->number = c->few_numbers;
    c->address = c->few_addresses;
    c->count = c->few_counts;
    c->type = c->few_types;
    return true;
  }
  c->bytes = counts + addresses + types + numbers;
  c->memory = c->from->take(c->bytes);
  if (!c->memory) return false;
  c->count = c->memory;
  c->address = (void *)((char *)c->count + counts);
  c->type = (void *)((char *)c->address + addresses);
  c->number = (void *)((char *)c->type + types);
  return true;
}

static bool ask(contents_t *c, MPI_Datatype type)
{
#if MPI_VERSION >= 4
  if (mpi.Type_get_contents_c)
    return mpi.Type_get_contents_c(type, c->of.ints, c->of.addresses, c->of.counts, c->of.types,
                                   c->number, c->address, c->count, c->type) == MPI_SUCCESS;
#endif
  return mpi.Type_get_contents(type, (int)c->of.ints, (int)c->of.addresses, (int)c->of.types,
                               c->number, c->address, c->type) == MPI_SUCCESS;
}

bool type_contents_read(contents_t *c, MPI_Datatype type, const envelope_t *of,
                        const contents_memory_t *from)
{
  c->of = *of;
  c->from = from;
  if (!make_room(c)) return false;
  if (ask(c, type)) return true;
  if (c->memory) c->from->give(c->memory, c->bytes);
  return false;
}

void type_contents_clear(contents_t *c)
{
  for (MPI_Count i = 0; i < c->of.types; i++) {
    envelope_t e;
    if (type_envelope(c->type[i], &e) && !type_envelope_is_own(&e)) mpi.Type_free(&c->type[i]);
  }
  if (c->memory) c->from->give(c->memory, c->bytes);
}
