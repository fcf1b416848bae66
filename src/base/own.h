/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and folders that belong to this process's user and that nobody else can write. Others
 * can put files into shared folders such as /tmp; berth doesn't take these for its own. */
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

/* Returns BERTH_BAD_INPUT, with what is wrong and what to do, unless the file is the user's own
 * and has that type (S_IFREG, S_IFDIR). */
int own_check(const char *path, const struct stat *st, mode_t type, berth_error_t *err);

/* "a pipe (FIFO)", "a device" and so on, for errors. */
const char *own_type_name(mode_t mode);

/* Opens one's own file or folder for reading, without following a link. Returns the descriptor,
 * or -1 and fills *err. */
int own_open(const char *path, mode_t type, berth_error_t *err);

/* Like own_open, for `name` in an open folder. Errors call it `path`. */
int own_open_at(int folder, const char *name, const char *path, mode_t type, berth_error_t *err);

/* Opens one's own folder to list it. Returns NULL and fills *err on failure. */
DIR *own_open_folder(const char *path, berth_error_t *err);

/* Whether the kernel lets this process replace or rename a file in a folder. In a sticky folder,
 * only the file's owner, the folder's owner and processes with CAP_FOWNER may. The folder's name
 * ends in a slash; "" is the working folder. */
bool own_may_replace(const char *folder, const struct stat *st);

/* Resolves the links in a path that is to be written. *real is the path without links, which the
 * caller frees; *st is the file there (st_mode 0: none).
 *
 * In a sticky folder that all can write, these are refused: links of other users; files, pipes and
 * devices of other users, unless they belong to the folder's owner; files that own_may_replace
 * forbids. This equals Linux's protected_symlinks, protected_regular and protected_fifos, whatever
 * their settings. In other folders, owners don't matter: user namespaces may hide them.
 *
 * If berth `chose` the name, another user's link as the last part is followed only in folders that
 * this user alone can write. A link below /proc stays (S_ISLNK): its text may not be where it
 * leads. Returns BERTH_MISSING and names the link or file, its owner and the expected owner. */
int own_resolve(const char *path, bool chose, char **real, struct stat *st, berth_error_t *err);

#endif
