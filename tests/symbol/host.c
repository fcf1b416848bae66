/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that knows nothing of MPI and loads a library that does, out of sight of the rest, as
 * an interpreter loads its modules. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*run)(void) = library ? (int (*)(void))dlsym(library, "plugin_main") : NULL;
  if (run) return run();
  fprintf(stderr, "host: %s\n", dlerror());
  return 1;
}
