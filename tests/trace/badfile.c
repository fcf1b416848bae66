/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded by finalize.sh: files of the trace that aren't finished yet (*.tmp.*) are what BADFILE
 * says to all processes that didn't make them: "missing" as on a node without the shared folder,
 * "full", "lost" where what is written never arrives. Files that may not be written are refused,
 * as they aren't for root. Each open is put down in BADFILE_LOG. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST = 1024 };
static char bad[MOST]; /* descriptors of such files */
static int made;       /* by this process */

static int is(const char *what)
{
  const char *how = getenv("BADFILE");
  return how && strcmp(how, what) == 0;
}

static int opened(const char *path, int flags, int mode)
{
  static int (*next)(const char *, int, ...);
  struct stat st;
  const char *log = getenv("BADFILE_LOG"), *token = path ? strstr(path, ".tmp.") : NULL;
  int makes = flags & O_EXCL, writes = (flags & O_ACCMODE) != O_RDONLY;
  if (!next) next = dlsym(RTLD_NEXT, "open64");
  if (!token || strlen(token) != strlen(".tmp.0123456789abcdef")) return next(path, flags, mode);
  if (!makes && !made && is("missing")) {
    errno = ENOENT;
    return -1;
  }
  if (writes && !makes && stat(path, &st) == 0 && !(st.st_mode & S_IWUSR)) {
    errno = EACCES;
    return -1;
  }
  int fd = next(path, flags, mode);
  FILE *f = log ? fopen(log, "a") : NULL;
  if (f) fprintf(f, "%d %s\n", (int)getpid(), makes ? "makes" : writes ? "writes" : "reads");
  if (f) fclose(f);
  made |= makes;
  if (fd >= 0 && fd < MOST) bad[fd] = writes && !made;
  return fd;
}

#define OPEN(name)                                                                                 \
  int name(const char *path, int flags, ...)                                                       \
  {                                                                                                \
    va_list args;                                                                                  \
    va_start(args, flags);                                                                         \
    int mode = flags & O_CREAT ? va_arg(args, int) : 0;                                            \
    va_end(args);                                                                                  \
    return opened(path, flags, mode);                                                              \
  }
OPEN(open)
OPEN(open64)

int close(int fd)
{
  static int (*next)(int);
  if (!next) next = dlsym(RTLD_NEXT, "close");
  if (fd >= 0 && fd < MOST) bad[fd] = 0;
  return next(fd);
}

/* Both MPIs write by one of these. */
#define WRITTEN(name, parameters, arguments, done)                                                 \
  ssize_t name parameters                                                                          \
  {                                                                                                \
    static ssize_t(*next) parameters;                                                              \
    if (!next) next = dlsym(RTLD_NEXT, #name);                                                     \
    if (fd < 0 || fd >= MOST || !bad[fd] || !(is("full") || is("lost"))) return next arguments;    \
    errno = ENOSPC;                                                                                \
    return is("full") ? -1 : (ssize_t)(done);                                                      \
  }

static size_t all_of(const struct iovec *v, int n)
{
  size_t bytes = 0;
  for (int i = 0; i < n; i++) bytes += v[i].iov_len;
  return bytes;
}
WRITTEN(write, (int fd, const void *p, size_t n), (fd, p, n), n)
WRITTEN(pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), n)
WRITTEN(pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at), n)
WRITTEN(writev, (int fd, const struct iovec *v, int n), (fd, v, n), all_of(v, n))
WRITTEN(pwritev, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at), all_of(v, n))
WRITTEN(pwritev64, (int fd, const struct iovec *v, int n, off64_t at), (fd, v, n, at), all_of(v, n))
