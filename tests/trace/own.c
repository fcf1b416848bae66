/* SPDX-License-Identifier: BSD-3-Clause */
/* own OWN: rank 0 sends rank 1 100 messages of 8 bytes; all make 3 calls of MPI_Allreduce and use
 * MPI-IO without reading or writing. Compiled with OWN, the program has functions of MPI of its
 * own, as with a profiler that is linked in; with ALL, PMPI_Send, too, from which nothing goes on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#ifdef OWN
static int sends, reductions;
int MPI_Init(int *argc, char ***argv) { return PMPI_Init(argc, argv); }
int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
  sends++;
  return PMPI_Send(buf, count, type, dest, tag, comm);
}
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  reductions++;
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
int MPI_Finalize(void)
{
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%d %d\n", sends, reductions);
  return PMPI_Finalize();
}
#endif
#ifdef ALL
int PMPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
  return ((int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm))dlsym(
      dlopen(LIBRARY, RTLD_NOLOAD | RTLD_LAZY), "PMPI_Send"))(buf, count, type, dest, tag, comm);
}
#endif

static void use_file(const char *name)
{
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 4096);
  MPI_File_preallocate(file, 8192);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_set_atomicity(file, 1);
  MPI_File_sync(file);
  MPI_File_close(&file);
}

int main(int argc, char **argv)
{
  int (*volatile send)(const void *, int, MPI_Datatype, int, int, MPI_Comm) = MPI_Send;
  double value = 1;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 100; i++)
    if (rank == 0)
      send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    else if (rank == 1)
      MPI_Recv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; i++)
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  use_file(argv[1]);
  return MPI_Finalize();
}
