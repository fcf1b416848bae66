/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/check_place.h"

#include <fts.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MAX_ENTRIES = 200000 }; /* a checkout with more isn't searched to its end */

/* The only file of that name below the folder, outside of hidden ones: its path from there, NULL
 * where there is none or more than one. */
static char *find_file(char *folder, const char *name, size_t length)
{
  char *const roots[] = {folder, NULL};
  char *found = NULL;
  size_t matches = 0, seen = 0;
  FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOSTAT | FTS_NOCHDIR, NULL);
  for (FTSENT *e; walk && matches < 2 && seen < MAX_ENTRIES && (e = fts_read(walk)); seen++) {
    if (e->fts_level > 0 && e->fts_name[0] == '.') {
      fts_set(walk, e, FTS_SKIP);
      continue;
    }
    bool other = e->fts_info == FTS_D || e->fts_info == FTS_DP || e->fts_namelen != length;
    if (other || memcmp(e->fts_name, name, length) != 0 || matches++) continue;
    const char *rest = e->fts_path + strlen(folder);
    found = strdup(rest + strspn(rest, "/"));
  }
  if (walk) fts_close(walk);
  if (matches == 1 && seen < MAX_ENTRIES) return found;
  free(found);
  return NULL;
}

char *check_place_of(const char *frame, int *line)
{
  const char *space = strrchr(frame, ' '), *name = space ? space + 1 : frame;
  const char *colon = strrchr(name, ':'), *top = getenv("GITHUB_WORKSPACE");
  uint64_t number;
  if (!colon || colon == name || !text_to_u64(colon + 1, 1, INT_MAX, &number)) return NULL;
  char *folder = strdup(top && *top ? top : ".");
  char *path = folder ? find_file(folder, name, (size_t)(colon - name)) : NULL;
  free(folder);
  *line = (int)number;
  return path;
}
