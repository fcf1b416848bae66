/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/trace_library.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/child.h"

int trace_library(launch_mpi_t mpi, char **path, berth_error_t *err)
{
  /* From the program's folder: installed as bin/berth, built as src/cli/berth. */
  static const char *const folders[] = {"../" BERTH_LIBDIR, "../../lib"};
  char *self = child_self(), *slash = self ? strrchr(self, '/') : NULL;
  if (!slash) {
    free(self);
    return berth_fail(err, BERTH_MISSING, "/proc/self/exe: cannot be read");
  }
  *slash = '\0';
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char *place =
        text_printf("%s/%s/berth/%s/libberth-trace.so", self, folders[i], launch_mpi_name(mpi));
    *path = place ? realpath(place, NULL) : NULL;
    free(place);
    if (*path) break;
  }
  int rc = *path ? BERTH_OK
                 : berth_fail(err, BERTH_MISSING,
                              "%s: found no tracer for %s, expected "
                              "%s/berth/%s/libberth-trace.so",
                              self, launch_mpi_name(mpi), folders[0], launch_mpi_name(mpi));
  free(self);
  if (rc || !strpbrk(*path, " :")) return rc;
  rc = berth_fail(err, BERTH_MISSING,
                  "%s: LD_PRELOAD cannot hold a path with a space or colon; install berth below "
                  "one without",
                  *path);
  free(*path);
  *path = NULL;
  return rc;
}
