/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may read and write a file: owner, group, permissions and POSIX ACL (acl(5)). */
#ifndef BERTH_BASE_RIGHTS_H
#define BERTH_BASE_RIGHTS_H

#include <stddef.h>
#include <sys/stat.h>

typedef struct rights {
  struct stat st; /* if there is an ACL, the group bits are its mask */
  unsigned char *acl;
  size_t n;  /* bytes of the ACL, 0: none */
  int error; /* errno if the ACL can't be read */
} rights_t;

/* Reads the ACL of a file, and keeps it with `st`. Free with rights_clear. */
void rights_take(const char *path, const struct stat *st, rights_t *out);
void rights_clear(rights_t *r);

/* Applies them to the new file fd. If the group can't be kept, the new group gets what both the
 * old group and others have. If the ACL can't be kept, nobody gets more than before; users with
 * an entry may get less. Returns 0 or errno. */
int rights_give(rights_t *r, int fd);

#endif
