/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may read and write a file: its owner, group, permissions and POSIX ACL (acl(5)), for the file
 * that replaces it. */
#ifndef BERTH_BASE_RIGHTS_H
#define BERTH_BASE_RIGHTS_H

#include <stddef.h>
#include <sys/stat.h>

typedef struct rights {
  struct stat st; /* its group bits are the ACL's mask, if there is an ACL */
  unsigned char *acl;
  size_t n;  /* bytes of the ACL, 0: none */
  int error; /* errno, if the ACL can't be read */
} rights_t;

/* Takes those of a file: its ACL, as the kernel keeps it, and `st`. Free with rights_clear. */
void rights_take(const char *path, const struct stat *st, rights_t *out);
void rights_clear(rights_t *r);

/* Gives them to the new file that is open as fd. If the group can't be kept, the new group may do
 * what both the old group and all others may. If the ACL can't be kept, nobody may do more than
 * before, and who had an entry may do less. Returns 0 or errno. */
int rights_give(rights_t *r, int fd);

#endif
