/* SPDX-License-Identifier: BSD-3-Clause */
/* Both MPIs pack without a head: bytes follow one another as in a message. MPICH 4.0 truncates such
 * bytes of structures in messages of a rank to itself, so MPI_Pack does it. */
#include "coll/packing.h"

enum { SOMEWHERE = 4096 }; /* an address that isn't null */

/* MPICH's MPI_Pack takes no MPI_BOTTOM: a type with absolute addresses is moved to another one. */
static int move_type(MPI_Datatype *type)
{
  const int one = 1;
  const MPI_Aint back = -SOMEWHERE;
  MPI_Datatype from = *type;
  int rc = mpi.Type_create_hindexed(1, &one, &back, from, type);
  return rc == MPI_SUCCESS ? mpi.Type_commit(type) : rc;
}

int packing_move(char *packed, char *data, int64_t count, MPI_Datatype type, size_t size,
                 bool unpacks)
{
  MPI_Count low, extent;
  int64_t most = (int64_t)((1u << 30) / size) + 1;
  int rc = mpi.Type_get_extent_x(type, &low, &extent);
  MPI_Datatype moved = type;
  bool absolute = data == MPI_BOTTOM;
  if (absolute && rc == MPI_SUCCESS) rc = move_type(&moved);
  if (absolute) data = (char *)(uintptr_t)SOMEWHERE;
  for (int64_t at = 0; at < count && rc == MPI_SUCCESS; at += most) {
    int piece = (int)(count - at < most ? count - at : most), bytes = (int)((size_t)piece * size);
    char *own = data + at * extent, *there = packed + (size_t)at * size;
    int position = 0;
    rc = unpacks ? mpi.Unpack(there, bytes, &position, own, piece, moved, mpi.comm_world)
                 : mpi.Pack(own, piece, moved, there, bytes, &position, mpi.comm_world);
  }
  if (moved != type) mpi.Type_free(&moved);
  return rc;
}

size_t packing_bytes(int64_t count, MPI_Datatype type)
{
  size_t size;
  bool dense;
  return count > 0 && reduction_layout(type, &size, &dense) ? (size_t)count * size : 0;
}
