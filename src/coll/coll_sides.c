/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/coll_sides.h"

#include <string.h>

#include "coll/packing.h"

/* What the type says. */
static bool look_at_type(side_t *s)
{
  MPI_Count low, extent;
  if (!reduction_layout(s->of.type, &s->size, &s->dense)) return false;
  s->extent = (int64_t)s->size;
  if (s->dense) return true;
  if (mpi.Type_get_extent_x(s->of.type, &low, &extent) != MPI_SUCCESS) return false;
  s->extent = extent;
  return true;
}

/* A type with gaps may have absolute addresses: then there needn't be a buffer. */
static bool has_data(const side_t *s, bool some)
{
  return s->of.data || !s->dense || s->size == 0 || !some;
}

bool side_look(block_data_t of, side_t *out)
{
  *out = (side_t){.of = of, .in_place = of.data == MPI_IN_PLACE};
  if (out->in_place) return true;
  if (of.count < 0 || !look_at_type(out)) return false;
  out->bytes = (size_t)of.count * out->size;
  return has_data(out, of.count > 0);
}

bool side_look_all(block_data_t of, int blocks, side_t *out)
{
  bool some = false;
  *out = (side_t){.of = of, .in_place = of.data == MPI_IN_PLACE};
  if (out->in_place) return true;
  if (!amounts_there(of.counts) || !amounts_there(of.displs) || !look_at_type(out)) return false;
  for (int r = 0; r < blocks; r++) {
    int64_t n = amounts_of(of.counts, r);
    if (n < 0) return false;
    some |= n > 0;
  }
  return has_data(out, some);
}

/* Elements from `data` on. */
static int move(const side_t *s, char *data, int64_t count, char *packed, bool unpacks)
{
  size_t bytes = (size_t)count * s->size;
  if (bytes == 0) return MPI_SUCCESS;
  if (!s->dense) return packing_move(packed, data, count, s->of.type, s->size, unpacks);
  memmove(unpacks ? data : packed, unpacks ? packed : data, bytes);
  return MPI_SUCCESS;
}

int side_pack(const side_t *s, int rank, char *packed)
{
  return move(s, side_data(s, rank), side_count(s, rank), packed, false);
}

int side_unpack(const side_t *s, int rank, char *packed)
{
  return move(s, side_data(s, rank), side_count(s, rank), packed, true);
}

int side_pack_all(const side_t *s, int blocks, char *packed)
{
  return move(s, s->of.data, blocks * s->of.count, packed, false);
}

int side_unpack_all(const side_t *s, int blocks, char *packed)
{
  return move(s, s->of.data, blocks * s->of.count, packed, true);
}

void sides_places(const coll_comm_t *c, const size_t *n, size_t *at)
{
  at[0] = 0;
  for (int i = 0; i < c->size; i++) at[i + 1] = at[i] + n[c->by_host[i]];
}

void sides_sort(const coll_comm_t *c, const char *from, char *to, size_t bytes)
{
  for (size_t i = 0; i < (size_t)c->size; i++)
    memcpy(to + i * bytes, from + (size_t)c->by_host[i] * bytes, bytes);
}

void sides_unsort(const coll_comm_t *c, const char *from, char *to, size_t bytes)
{
  for (size_t i = 0; i < (size_t)c->size; i++)
    memcpy(to + (size_t)c->by_host[i] * bytes, from + i * bytes, bytes);
}
