/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies owner, group, permissions and ACL from a file to the one that replaces it. */
#include "base/rights.h"

#include <endian.h>
#include <errno.h>
#include <linux/posix_acl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char ACCESS_ACL[] = "system.posix_acl_access";

/* Layout of an ACL (<linux/posix_acl_xattr.h>, which needs the kernel's types): a 32-bit
 * version, then entries with 16 bits of tag, 16 bits of permissions and a 32-bit id. */
enum { HEADER = 4, ENTRY = 8, PERMISSIONS_AT = 2 };

static unsigned get16(const unsigned char *at)
{
  uint16_t value;
  memcpy(&value, at, sizeof value);
  return le16toh(value);
}

static void put16(unsigned char *at, unsigned value)
{
  uint16_t bytes = htole16((uint16_t)value);
  memcpy(at, &bytes, sizeof bytes);
}

/* The first entry with that tag; NULL if there is none. */
static unsigned char *find_entry(const rights_t *r, unsigned tag)
{
  for (size_t i = HEADER; i + ENTRY <= r->n; i += ENTRY)
    if (get16(r->acl + i) == tag) return r->acl + i;
  return NULL;
}

static unsigned permissions(const unsigned char *entry, unsigned if_none)
{
  return entry ? get16(entry + PERMISSIONS_AT) & 07 : if_none;
}

void rights_take(const char *path, const struct stat *st, rights_t *out)
{
  ssize_t size = lgetxattr(path, ACCESS_ACL, NULL, 0), n = -1;
  *out = (rights_t){.st = *st};
  for (int tries = 0; size > 0 && tries < 10; tries++) { /* it may grow between the calls */
    free(out->acl);
    out->acl = malloc((size_t)size);
    n = out->acl ? lgetxattr(path, ACCESS_ACL, out->acl, (size_t)size) : -1;
    if (n >= 0 || errno != ERANGE) break;
    size = lgetxattr(path, ACCESS_ACL, NULL, 0);
  }
  if (n >= 0)
    out->n = (size_t)n;
  else if (size != 0 && errno != ENODATA && errno != EOPNOTSUPP && errno != ENOSYS)
    out->error = errno;
}

void rights_clear(rights_t *r)
{
  free(r->acl);
  r->acl = NULL;
  r->n = 0;
}

/* Permissions without an ACL that give nobody more than the ACL did. An entry may exist to give
 * somebody less. Without it, they count as group or others, so these get no more than the entry. */
static mode_t mode_without_acl(const rights_t *r)
{
  const mode_t mode = r->st.st_mode & 0777;
  if (r->error) return mode & ~077u;
  if (!r->n) return mode;
  unsigned minimum = 07, mask = permissions(find_entry(r, ACL_MASK), 07);
  for (size_t i = HEADER; i + ENTRY <= r->n; i += ENTRY) {
    unsigned tag = get16(r->acl + i);
    if (tag == ACL_USER || tag == ACL_GROUP) minimum &= permissions(r->acl + i, 07) & mask;
  }
  unsigned group = permissions(find_entry(r, ACL_GROUP_OBJ), 0) & mask & minimum;
  return (mode & 0700) | group << 3 | (mode & 07 & minimum);
}

/* Restricts the group's permissions, because the group is another one now. */
static void limit_group(rights_t *r)
{
  const mode_t others = r->st.st_mode & 07;
  unsigned char *group = find_entry(r, ACL_GROUP_OBJ);
  if (group) put16(group + PERMISSIONS_AT, permissions(group, 0) & others);
  if (!r->n) r->st.st_mode &= ~070u | others << 3;
}

/* Removes the ACL that a new file inherits from its folder. Returns whether it has none. */
static bool remove_acl(int fd)
{
  return fgetxattr(fd, ACCESS_ACL, NULL, 0) <= 0 || fremovexattr(fd, ACCESS_ACL) == 0;
}

int rights_give(rights_t *r, int fd)
{
  if (r->error == ENOMEM) return ENOMEM;
  bool kept =
      fchown(fd, r->st.st_uid, r->st.st_gid) == 0 || fchown(fd, (uid_t)-1, r->st.st_gid) == 0;
  if (!kept) limit_group(r);
  if (r->n && fsetxattr(fd, ACCESS_ACL, r->acl, r->n, 0) == 0) return 0;
  mode_t mode = mode_without_acl(r);
  if (!remove_acl(fd)) mode &= ~070u; /* these bits would be the ACL's mask */
  return fchmod(fd, mode) == 0 ? 0 : errno;
}
