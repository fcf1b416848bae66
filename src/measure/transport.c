/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what carries messages, from the components that are mapped after MPI_Init.
 *
 * Open MPI unloads most components that it doesn't use. The remaining ones tell: the pml and,
 * with ob1, the btls. Of these a shared-memory one wins inside a host and a network one between
 * hosts. MPICH's version names its device. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "measure/measure.h"

/* Copies the text from `from` to one of `ends`. */
static void copy_word(char *out, const char *from, const char *ends)
{
  size_t n = strcspn(from, ends);
  snprintf(out, PLACE_NAME, "%.*s", (int)(n < PLACE_NAME ? n : PLACE_NAME - 1), from);
}

/* Reads "Open MPI v4.1.4, package: …" or "MPICH Version: 4.0.2\n…". */
static void find_version(transport_t *t, const char *text)
{
  static const char mpich[] = "MPICH Version:";
  char word[PLACE_NAME];
  if (strncmp(text, "Open MPI v", 10) == 0) {
    copy_word(word, text + 10, ", \n");
    snprintf(t->mpi, sizeof t->mpi, "Open MPI %.40s", word);
  } else if (strncmp(text, mpich, sizeof mpich - 1) == 0) {
    const char *version = text + sizeof mpich - 1;
    copy_word(word, version + strspn(version, " \t"), " \t\n");
    snprintf(t->mpi, sizeof t->mpi, "MPICH %.40s", word);
  } else {
    copy_word(t->mpi, text, ",\n");
  }
}

/* The preference of a shared-memory btl, from 1; 0 for other btls. Open MPI 4 keeps a stub `sm`
 * mapped beside `vader`. From version 5 on, `sm` is the real one, and there is no `vader`. */
static int shared_memory_rank(const char *btl)
{
  static const char *const names[] = {"sm", "smcuda", "vader"};
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
    if (strcmp(btl, names[i]) == 0) return i + 1;
  return 0;
}

/* TCP is used only if nothing faster is there. Other btls are compared by name, so that the
 * order of mapping doesn't matter. */
static int is_rather(const char *btl, const char *than)
{
  int tcp = strcmp(btl, "tcp") == 0, tcp_than = strcmp(than, "tcp") == 0;
  return tcp != tcp_than ? tcp_than : strcmp(btl, than) < 0;
}

static void take_component(transport_t *t, const char *framework, const char *name)
{
  if (strcmp(framework, "btl") == 0 && strcmp(name, "self") != 0) {
    int rank = shared_memory_rank(name);
    char *to = rank ? t->inside : t->between;
    if (!*to || (rank ? rank > shared_memory_rank(to) : is_rather(name, to)))
      copy_word(to, name, "");
  } else if (strcmp(framework, "mtl") == 0 ||
             (strcmp(framework, "pml") == 0 && strcmp(name, "ucx") == 0)) {
    copy_word(t->inside, name, "");
    copy_word(t->between, name, "");
  }
}

/* Looks for …/mca_FRAMEWORK_NAME.so among the mapped files. */
static void find_components(transport_t *t)
{
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    char framework[16], name[48];
    const char *slash = strrchr(line, '/');
    if (slash && sscanf(slash, "/mca_%15[a-z]_%47[a-z0-9].so", framework, name) == 2)
      take_component(t, framework, name);
  }
  if (maps) fclose(maps);
  if (!*t->inside) snprintf(t->inside, sizeof t->inside, "%s", t->between);
}

void transport_find(transport_t *t)
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int n;
  memset(t, 0, sizeof *t);
  MPI_Get_library_version(text, &n);
  find_version(t, text);
  const char *device = strstr(text, "MPICH Device:");
  if (!device) {
    find_components(t);
    return;
  }
  device += strlen("MPICH Device:");
  copy_word(t->between, device + strspn(device, " \t"), " \t\n");
  snprintf(t->inside, sizeof t->inside, "%s", t->between);
}
