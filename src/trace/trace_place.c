/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the trace's frames by MPI-IO.
 *
 * The file system and the application's MPI settings may be any, and no failure may end the job. So
 * errors are returned while the file is opened. The file, not MPI, tells whether it was written. */
#include "trace/trace_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/trace_team.h"
#include "trace/tracer.h"

enum { PIECE = 1 << 30 /* a count is an int */ };

/* The application may have set the error handler for files that aren't open yet. It is restored;
 * its reference is kept, because some MPIs refuse to free a predefined one. */
static bool open_quietly(const char *path, MPI_File *file)
{
  MPI_Errhandler before;
  bool known = mpi.File_get_errhandler(mpi.file_null, &before) == MPI_SUCCESS;
  mpi.File_set_errhandler(mpi.file_null, mpi.errors_return);
  int rc = mpi.File_open(mpi.comm_self, path, MPI_MODE_WRONLY, mpi.info_null, file);
  if (known) mpi.File_set_errhandler(mpi.file_null, before);
  return rc == MPI_SUCCESS;
}

static bool write_at(MPI_File file, uint64_t place, const char *bytes, size_t n)
{
  bool good = true;
  for (size_t at = 0; at < n && good; at += PIECE) {
    int count = n - at < PIECE ? (int)(n - at) : PIECE, written = 0;
    MPI_Status status;
    good = mpi.File_write_at(file, (MPI_Offset)(place + at), bytes + at, count, mpi.byte,
                             &status) == MPI_SUCCESS &&
           mpi.Get_count(&status, mpi.byte, &written) == MPI_SUCCESS && written == count;
  }
  return good;
}

/* Asks the open file: on a network file system, attributes of a name may be old. */
static bool has_size(const char *path, uint64_t size)
{
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == size;
  close(fd);
  return good;
}

/* Each rank opens the file by itself. In a joint opening, Open MPI waits for ever if one rank
 * fails. */
static bool write_alone(const char *path, uint64_t place, const char *bytes, size_t n)
{
  MPI_File file;
  if (!open_quietly(path, &file)) return false;
  bool good = write_at(file, place, bytes, n);
  return mpi.File_close(&file) == MPI_SUCCESS && good;
}

bool place_frames(MPI_Comm comm, const char *path, const char *bytes, size_t n)
{
  uint64_t size = n, place = 0, total = 0;
  int rank = 0;
  mpi.Comm_rank(comm, &rank);
  bool good = mpi.Exscan(&size, &place, 1, mpi.uint64, mpi.sum, comm) == MPI_SUCCESS;
  if (rank == 0) place = 0; /* MPI_Exscan leaves rank 0's undefined */
  good = mpi.Allreduce(&size, &total, 1, mpi.uint64, mpi.sum, comm) == MPI_SUCCESS && good;
  if (!team_all(comm, good)) return false;
  return team_all(comm, write_alone(path, place, bytes, n)) &&
         team_all(comm, has_size(path, total));
}
