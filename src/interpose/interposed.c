/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds functions of MPI that the program or an earlier library defines.
 *
 * Calls of these don't reach berth's libraries. A linked-in profiler defines some. It calls PMPI_
 * functions, which berth's libraries define, too. If it also defines these, its calls aren't
 * counted. */
#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/interposed.h"
#include "interpose/mpi_table.h"

enum { LONGEST = 64, NAMED = 6 };

static const char *const names[] = {
#define NAME_(name)                  #name,
#define NAME(name, ...)              NAME_(name)
#define SEND(name, ...)              NAME(FORM(name))
#define COLL(name, iname, init, ...) NAME(FORM(name)) NAME(FORM(iname)) NAME(FORM(init))
#include "interpose/each_call.h"
    MPI_BY_HAND(NAME)};

/* The file that defines a name, if it isn't one of berth's; else NULL. A program that takes a
 * function's address may have an entry for it without defining it. */
static const char *owner(const char *name)
{
  void *address = dlsym(RTLD_DEFAULT, name);
  Dl_info info;
  ElfW(Sym) *symbol = NULL;
  if (!address || chain_is_own(address) || chain_holds(address)) return NULL;
  if (!dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT)) return NULL;
  if (!symbol || symbol->st_shndx == SHN_UNDEF) return NULL;
  return info.dli_fname;
}

/* Defined names of one kind. */
typedef struct found {
  char names[NAMED][LONGEST];
  int n;
  char file[256];
} found_t;

static void look_for(found_t *found, const char *name)
{
  const char *file = chain_wrapper(name) ? owner(name) : NULL;
  if (!file) return;
  const char *slash = strrchr(file, '/');
  if (!found->n) snprintf(found->file, sizeof found->file, "%s", slash ? slash + 1 : file);
  if (found->n < NAMED) snprintf(found->names[found->n], LONGEST, "%s", name);
  found->n++;
}

/* Tries the spellings of C and of Fortran's two bindings; the second one has two. */
static void look_for_all(found_t *found, const char *prefix)
{
  static const char *const spellings[] = {"", "_", "_f08_", "_f08ts_"};
  for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      char name[LONGEST];
      snprintf(name, sizeof name, "%sMPI_%.40s%s", prefix, names[i], spellings[k]);
      for (char *c = name; k && *c; c++) *c = (char)tolower((unsigned char)*c);
      look_for(found, name);
    }
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Prints a list such as "MPI_Init, MPI_Send and 3 others". */
static void list(const found_t *found, char *text, size_t size)
{
  int shown = found->n < NAMED ? found->n : NAMED;
  size_t at = 0;
  for (int i = 0; i < shown && at < size; i++)
    at += (size_t)snprintf(text + at, size - at, "%s%s",
                           i == 0                                ? ""
                           : i == shown - 1 && shown == found->n ? " and "
                                                                 : ", ",
                           found->names[i]);
  if (found->n > shown && at < size)
    snprintf(text + at, size - at, " and %d others", found->n - shown);
}

static void tell(interposed_say_t *say, found_t *found, const char *what)
{
  char text[NAMED * LONGEST + 64] = "";
  if (!found->n) return;
  if (found->n <= NAMED) qsort(found->names, (size_t)found->n, LONGEST, by_name);
  list(found, text, sizeof text);
  say("%s defines %s itself; %s", found->file, text, what);
}

void interposed_report(interposed_say_t *say)
{
  found_t mpi_names = {.n = 0}, pmpi_names = {.n = 0};
  look_for_all(&mpi_names, "");
  look_for_all(&pmpi_names, "P");
  tell(say, &mpi_names, "calls count where they reach PMPI_ functions");
  tell(say, &pmpi_names, "calls of it aren't counted");
}
