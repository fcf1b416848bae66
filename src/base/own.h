/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and folders of this process's user that nobody else can write: what others may have put
 * where many can write, as below /tmp, isn't taken for one's own. */
#ifndef BERTH_BASE_OWN_H
#define BERTH_BASE_OWN_H

#include <berth/error.h>
#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static inline bool own_is(const struct stat *st, mode_t type)
{
  return (st->st_mode & S_IFMT) == type && st->st_uid == geteuid() && (st->st_mode & 022) == 0;
}

/* BERTH_BAD_INPUT with one line that says what it is, and what to do, unless it is one's own, of
 * that type (S_IFREG, S_IFDIR). */
int own_check(const char *path, const struct stat *st, mode_t type, berth_error_t *err);

/* "a pipe (FIFO)", "a device" and so on, for errors. */
const char *own_type_name(mode_t mode);

/* Opens a file or folder of one's own to read it, without following a link. The descriptor, -1 with
 * the error filled. */
int own_open(const char *path, mode_t type, berth_error_t *err);

/* The same of `name` in an open folder; `path` is what errors call it. */
int own_open_at(int folder, const char *name, const char *path, mode_t type, berth_error_t *err);

/* Opens a folder of one's own to list it; NULL with the error filled. */
DIR *own_open_folder(const char *path, berth_error_t *err);

/* Whether the kernel lets this process replace or rename a file in a folder, whose name ends in a
 * slash ("" is the working folder): in a sticky one only the file's owner, the folder's, and who
 * has CAP_FOWNER. */
bool own_may_replace(const char *folder, const struct stat *st);

/* Where a path leads that is to be written, with no link left in it, as *real, which the caller
 * frees; and what is there (st_mode 0: nothing). A link of another user in a sticky folder that all
 * can write isn't followed, and a file, pipe or device of another user there isn't taken, unless it
 * is the folder's owner's: as under Linux's protected_symlinks, protected_regular and
 * protected_fifos, whatever these are set to. A file that own_may_replace forbids isn't taken
 * either. Elsewhere the owners of files don't matter, so that user namespaces may hide them; but
 * under a name that berth `chose` itself, a last link of another user isn't followed in any folder
 * that is not this user's alone. A link below /proc leads where its text needn't, and stays
 * (S_ISLNK). BERTH_MISSING with one line that names the link or file, its owner and whose was
 * expected. */
int own_resolve(const char *path, bool chose, char **real, struct stat *st, berth_error_t *err);

#endif
