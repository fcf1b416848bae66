/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the MPI's functions and handles, and the next library's wrappers. */
#include "interpose/mpi_table.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

mpi_table_t mpi, mpi_next;

static bool right_mpi;

/* Where each function's address goes. */
static const struct {
  const char *name;
  size_t offset;
} entries[] = {
#define ENTRY_(name)     {"PMPI_" #name, offsetof(mpi_table_t, name)},
#define ENTRY(name, ...) ENTRY_(name)
#if MPI_VERSION >= 4
#define PERSISTENT ENTRY
#else
#define PERSISTENT_(name) {"PMPIX_" #name, offsetof(mpi_table_t, name)},
#define PERSISTENT(name)  PERSISTENT_(name)
#endif
#define SEND(name, ...)              ENTRY(FORM(name))
#define COLL(name, iname, init, ...) ENTRY(FORM(name)) ENTRY(FORM(iname)) PERSISTENT(FORM(init))
#include "interpose/each_call.h"
    MPI_BY_HAND(ENTRY) MPI_OTHERS(ENTRY) MPI_FROM_FORTRAN(ENTRY) MPI_OF_SESSIONS(ENTRY)};

/* Looks in the MPI library. If its name is unknown, looks behind berth's libraries. */
static void *look_up(void *library, const char *name)
{
  return library ? dlsym(library, name) : chain_behind(name);
}

#ifdef OPEN_MPI
static const char *const libraries[] = {"libmpi.so.40", "libmpi.so"};
#else
static const char *const libraries[] = {"libmpich.so.12", "libmpi.so.12"};
#endif

/* The MPI library that the process has loaded, perhaps with hidden symbols (as mpi4py does).
 * NULL if none has a known name. */
static void *find_library(void)
{
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library && dlsym(library, "PMPI_Init")) return library;
  }
  return NULL;
}

#ifdef OPEN_MPI

/* The program may hold a copy of the variable, which the library then uses, too. */
static void *variable(void *library, const char *name)
{
  void *address = dlsym(RTLD_DEFAULT, name);
  return address ? address : look_up(library, name);
}

void *mpi_variable(const char *name) { return variable(find_library(), name); }

static bool load_handles(void *library)
{
  bool found = true;
#define HANDLE(name, symbol, constant) found &= !!(mpi.name = variable(library, #symbol));
  MPI_HANDLES(HANDLE)
  return found;
}
#else
static bool load_handles(void *library)
{
#define HANDLE(name, symbol, constant) mpi.name = constant;
  MPI_HANDLES(HANDLE)
  return !look_up(library, "ompi_mpi_comm_world");
}
#endif

static void **entry_of(mpi_table_t *table, size_t i)
{
  return (void **)((char *)table + entries[i].offset);
}

/* The next library's wrappers have the name without its P. */
static void load_next(void)
{
  mpi_next = mpi;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    void *wrapper = chain_next(entries[i].name + 1);
    if (wrapper) *entry_of(&mpi_next, i) = wrapper;
  }
}

static void load(void)
{
  void *library = find_library();
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
    *entry_of(&mpi, i) = look_up(library, entries[i].name);
  right_mpi = load_handles(library) && mpi.Init && mpi.Finalize && mpi.Type_size_x;
  load_next();
  chain_find();
}

bool mpi_table_load(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return right_mpi;
}

void mpi_version(char *buf, size_t size)
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
  int length;
  mpi.Get_library_version(text, &length);
  text[strcspn(text, ",\n")] = '\0';
  char *word = strstr(text, " Version:"), *version = strstr(text, " v");
  const char *number = word ? word + strlen(" Version:") : version ? version + 2 : "";
  if (word) *word = '\0';
  if (version && isdigit((unsigned char)version[2])) *version = '\0';
  number += strspn(number, " \t");
  snprintf(buf, size, "%.90s%s%.30s", text, *number ? " " : "", number);
}
