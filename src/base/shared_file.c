/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that exceeds the process's limit would end it by a signal. */
static bool may_have(size_t bytes)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= bytes) return true;
  errno = EFBIG;
  return false;
}

bool shared_file_grow(const shared_file_t *f, size_t bytes)
{
  return may_have(bytes) && ftruncate(f->file, (off_t)bytes) == 0;
}

bool shared_file_new(const char *name, size_t bytes, shared_file_t *out)
{
  *out = (shared_file_t){(int)getpid(), -1, 0};
  if (!may_have(bytes)) return false;
  out->file = memfd_create(name, MFD_CLOEXEC);
  bool made = out->file >= 0 && shared_file_grow(out, bytes) &&
              getrandom(&out->mark, sizeof out->mark, 0) == sizeof out->mark &&
              pwrite(out->file, &out->mark, sizeof out->mark, 0) == sizeof out->mark;
  if (made) return true;
  int reason = errno;
  shared_file_close(out);
  errno = reason;
  return false;
}

void shared_file_close(shared_file_t *f)
{
  if (f->file >= 0) close(f->file);
  f->file = -1;
}

/* Whether an open file is the one that is meant. */
static bool is_right(int file, size_t bytes, uint64_t mark)
{
  struct stat s;
  uint64_t found;
  if (fstat(file, &s) != 0) return false;
  if (s.st_size >= (off_t)bytes && pread(file, &found, sizeof found, 0) == sizeof found &&
      found == mark)
    return true;
  errno = ESRCH;
  return false;
}

void *shared_file_map(const shared_file_t *f, size_t bytes, size_t span)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", f->process, f->file);
  int own = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (own < 0) return NULL;
  void *memory = is_right(own, bytes, f->mark)
                     ? mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, own, 0)
                     : MAP_FAILED;
  int reason = errno;
  close(own);
  errno = reason;
  return memory == MAP_FAILED ? NULL : memory;
}
