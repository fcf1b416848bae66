/* SPDX-License-Identifier: BSD-3-Clause */
#include "interpose/beside.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

void *beside_load(const char *path, const char *function, char *why, size_t size)
{
  Dl_info own = {0};
  char whole[PATH_MAX];
  const char *self = dladdr((void *)&beside_load, &own) ? own.dli_fname : "";
  const char *slash = strrchr(self, '/');
  int folder = slash ? (int)(slash - self) + 1 : 0;
  int length = snprintf(whole, sizeof whole, "%.*s%s", folder, self, path);
  void *library = length < (int)sizeof whole ? dlopen(whole, RTLD_NOW | RTLD_LOCAL) : NULL;
  void *found = library ? dlsym(library, function) : NULL;
  if (found) return found;
  const char *reason = length < (int)sizeof whole ? dlerror() : NULL;
  snprintf(why, size, "%.400s", reason ? reason : path);
  return NULL;
}
