/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

const char *own_type_name(mode_t mode)
{
  static const struct {
    mode_t type;
    const char *name;
  } names[] = {{S_IFREG, "a file"},        {S_IFDIR, "a folder"},  {S_IFLNK, "a link"},
               {S_IFIFO, "a pipe (FIFO)"}, {S_IFSOCK, "a socket"}, {S_IFCHR, "a device"},
               {S_IFBLK, "a block device"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if ((mode & S_IFMT) == names[i].type) return names[i].name;
  return "something else";
}

int own_check(const char *path, const struct stat *st, mode_t type, berth_error_t *err)
{
  if (own_is(st, type)) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found %s of user %ld, mode %03o, expected %s of user %ld that nobody else "
                    "can write",
                    path, own_type_name(st->st_mode), (long)st->st_uid,
                    (unsigned)st->st_mode & 0777, own_type_name(type), (long)geteuid());
}

/* O_NONBLOCK: a pipe that nobody writes isn't waited for. */
int own_open_at(int folder, const char *name, const char *path, mode_t type, berth_error_t *err)
{
  struct stat st;
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  int error = errno;
  bool there = fd >= 0 ? fstat(fd, &st) == 0
                       : fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !own_is(&st, type);
  if (fd >= 0 && there && own_is(&st, type)) return fd;
  if (fd >= 0) close(fd);
  if (there)
    own_check(path, &st, type, err);
  else
    berth_fail(err, BERTH_MISSING, "%s: cannot open: %s", path, strerror(error));
  return -1;
}

int own_open(const char *path, mode_t type, berth_error_t *err)
{
  return own_open_at(AT_FDCWD, path, path, type, err);
}

DIR *own_open_folder(const char *path, berth_error_t *err)
{
  int fd = own_open(path, S_IFDIR, err);
  DIR *d = fd < 0 ? NULL : fdopendir(fd);
  if (fd >= 0 && !d) {
    berth_fail(err, BERTH_MISSING, "%s: cannot open: %s", path, strerror(errno));
    close(fd);
  }
  return d;
}
