/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides whether a file may be read or replaced, by its owner, its permissions and its folder. */
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/no_memory.h"
#include "base/text.h"

enum { MAX_LINKS = 40 /* Linux's limit */ };

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

/* Returns a command for the user if only the permissions are wrong, else NULL; the caller frees
 * it. Paths that a shell would split get no command. */
static char *hint_for(const char *path, const struct stat *st, mode_t type)
{
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "%+,-./:=@_";
  if ((st->st_mode & S_IFMT) != type || st->st_uid != geteuid()) return NULL;
  bool plain = *path && *path != '-' && !path[strspn(path, safe)];
  return text_printf("; chmod go-w %s makes it so", plain ? path : "on it");
}

int own_check(const char *path, const struct stat *st, mode_t type, berth_error_t *err)
{
  if (own_is(st, type)) return BERTH_OK;
  char *hint = hint_for(path, st, type);
  berth_fail(err, BERTH_BAD_INPUT,
             "%s: found %s of user %ld, mode %03o, expected %s of user %ld that nobody else can "
             "write%s",
             path, own_type_name(st->st_mode), (long)st->st_uid, (unsigned)st->st_mode & 0777,
             own_type_name(type), (long)geteuid(), hint ? hint : "");
  free(hint);
  return BERTH_BAD_INPUT;
}

/* O_NONBLOCK, so that opening a pipe without a writer returns. */
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

/* Whether a user id is one user's. In a user namespace, the overflow id stands for all users
 * outside of it. */
static bool is_one_user(uid_t uid)
{
  unsigned long overflow = 65534, first = 0, outside = 0, n = 0, total = 0;
  FILE *f = fopen("/proc/sys/kernel/overflowuid", "re");
  if (f && fscanf(f, "%lu", &overflow) != 1) overflow = 65534;
  if (f) fclose(f);
  if (uid != overflow) return true;
  f = fopen("/proc/self/uid_map", "re");
  while (f && fscanf(f, "%lu %lu %lu", &first, &outside, &n) == 3) total += n;
  if (f) fclose(f);
  return total >= UINT32_MAX;
}

/* Whether a file or link of this owner may be used in a folder. The folder's name ends in a
 * slash; "" is the working folder. */
static bool may_use(const char *folder, uid_t owner, bool chose)
{
  struct stat dir;
  const mode_t all_write = S_ISVTX | S_IWOTH;
  if (owner == geteuid() || stat(*folder ? folder : ".", &dir) != 0) return true;
  if ((dir.st_mode & all_write) == all_write && (dir.st_uid != owner || !is_one_user(owner)))
    return false;
  return !chose || own_is(&dir, S_IFDIR);
}

/* Whether the kernel lets this process act as any file's owner. */
static bool acts_as_owner(void)
{
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};
  if (syscall(SYS_capget, &head, sets) != 0) return geteuid() == 0;
  return sets[CAP_TO_INDEX(CAP_FOWNER)].effective & CAP_TO_MASK(CAP_FOWNER);
}

bool own_may_replace(const char *folder, const struct stat *st)
{
  struct stat dir;
  const uid_t own = geteuid();
  if (st->st_uid == own || stat(*folder ? folder : ".", &dir) != 0) return true;
  if (!(dir.st_mode & S_ISVTX) || dir.st_uid == own) return true;
  return acts_as_owner() && is_one_user(st->st_uid);
}

/* The part of an error that says why another user's file or link is refused. */
static const char CHOSEN[] = "under a name that berth chose";
static const char PUBLIC[] = "in a folder that all can write";
static const char STICKY[] = "in a sticky folder";

static int refuse(const char *path, const struct stat *st, const char *where, berth_error_t *err)
{
  return berth_fail(
      err, BERTH_MISSING,
      "%s: found %s of user %ld %s, expected one of user %ld; choose another name or folder", path,
      own_type_name(st->st_mode), (long)st->st_uid, where, (long)geteuid());
}

/* A path while its links are resolved: the part without links, and the rest. */
typedef struct walk {
  char *done, *rest;
  int links;
  dev_t proc;
} walk_t;

/* Checks whether the path's last part, which isn't a link or a folder, may be written or
 * replaced. */
static int check_last(const walk_t *w, const char *path, const struct stat *st, berth_error_t *err)
{
  if (!may_use(w->done, st->st_uid, false)) return refuse(path, st, PUBLIC, err);
  if (S_ISREG(st->st_mode) && !own_may_replace(w->done, st)) return refuse(path, st, STICKY, err);
  return BERTH_OK;
}

/* Replaces a link by its text. */
static int follow(walk_t *w, const char *link, const char *behind, berth_error_t *err)
{
  char text[PATH_MAX];
  ssize_t n = readlink(link, text, sizeof text - 1);
  if (n < 0 || ++w->links > MAX_LINKS)
    return berth_fail(err, BERTH_MISSING, "%s: cannot open: %s", link,
                      strerror(n < 0 ? errno : ELOOP));
  text[n] = '\0';
  char *rest = text_printf("%s%s", text, behind);
  if (!rest) return no_memory(err);
  if (*text == '/') *w->done = '\0';
  free(w->rest);
  w->rest = rest;
  return BERTH_OK;
}

/* Resolves the next part of the path. */
static int step(walk_t *w, bool chose, struct stat *st, berth_error_t *err)
{
  size_t n = strcspn(w->rest, "/"), slashes = strspn(w->rest + n, "/");
  const char *behind = w->rest + n;
  char *path = text_printf("%s%.*s", w->done, (int)n, w->rest);
  char *next = text_printf("%s%.*s", w->done, (int)(n + slashes), w->rest);
  int rc = path && next ? BERTH_OK : no_memory(err);
  if (!rc && lstat(n ? path : next, st) != 0) *st = (struct stat){0};
  chose &= !*behind;
  if (!rc && S_ISLNK(st->st_mode) && st->st_dev != w->proc) {
    rc = may_use(w->done, st->st_uid, chose) ? follow(w, path, behind, err)
                                             : refuse(path, st, chose ? CHOSEN : PUBLIC, err);
  } else if (!rc) {
    if (!behind[slashes] && st->st_mode && !S_ISDIR(st->st_mode)) rc = check_last(w, path, st, err);
    memmove(w->rest, behind + slashes, strlen(behind + slashes) + 1);
    free(w->done);
    w->done = next;
    next = NULL;
  }
  free(path);
  free(next);
  return rc;
}

int own_resolve(const char *path, bool chose, char **real, struct stat *st, berth_error_t *err)
{
  struct stat proc;
  walk_t w = {.done = strdup(""), .rest = strdup(path)};
  int rc = w.done && w.rest ? BERTH_OK : no_memory(err);
  w.proc = stat("/proc/self/", &proc) == 0 ? proc.st_dev : 0;
  *st = (struct stat){0};
  while (!rc && *w.rest) rc = step(&w, chose, st, err);
  free(w.rest);
  if (rc)
    free(w.done);
  else
    *real = w.done;
  return rc;
}
