/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the MPI's Fortran functions and variables, and the next library's functions. */
#include "interpose/fortran_binding.h"

#include <dlfcn.h>
#include <link.h>

#ifdef OPEN_MPI
static const char *const libraries[] = {"libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};
#else
static const char *const libraries[] = {"libmpichfort.so.12"};
#endif

/* Looks in the loaded libraries, also those with hidden symbols, and then behind berth's
 * libraries. */
static void *find_symbol(const char *name)
{
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    void *address = library ? dlsym(library, name) : NULL;
    if (address) return address;
  }
  return chain_behind(name);
}

/* Without a PMPI function the name isn't MPI's: libraries that replace MPI in serial programs
 * have it. */
void *fortran_find_slow(fortran_function_t *f)
{
  void *address = chain_next(f->name);
  if (!address) address = find_symbol(f->pmpi);
  if (!address) address = chain_behind(f->name);
  atomic_store_explicit(&f->address, address, memory_order_relaxed);
  return address;
}

/* All users share the variable of the file that was loaded first: the program or a library. The
 * dynamic loader is asked in each library, because a hidden library may become visible later. */
static __attribute__((noinline)) void *find_variable_slow(const char *name)
{
  void *process = dlopen(NULL, RTLD_LAZY), *address = NULL;
  struct link_map *map = NULL, *owner;
  Dl_info ignored;
  if (process) dlinfo(process, RTLD_DI_LINKMAP, &map);
  for (; map; map = map->l_next) {
    void *library = *map->l_name ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = dlsym(library ? library : process, name);
    if (library) dlclose(library);
    if (!found || !dladdr1(found, &ignored, (void **)&owner, RTLD_DL_LINKMAP)) continue;
    address = found;
    if (owner == map) break;
  }
  return address;
}

static inline void *find_variable(_Atomic(void *) *found, const char *name)
{
  void *address = atomic_load_explicit(found, memory_order_relaxed);
  if (LIKELY(address)) return address;
  address = find_variable_slow(name);
  atomic_store_explicit(found, address, memory_order_relaxed);
  return address;
}

static bool same_library(void *a, void *b)
{
  Dl_info of_a, of_b;
  return a && b && dladdr(a, &of_a) && dladdr(b, &of_b) && of_a.dli_fbase == of_b.dli_fbase;
}

void fortran_nobody(void) {}

void *fortran_find_other_slow(fortran_function_t *f)
{
  void *address = chain_behind(f->name);
  if (!address || same_library(address, find_symbol(f->pmpi))) address = (void *)fortran_nobody;
  atomic_store_explicit(&f->address, address, memory_order_relaxed);
  return address;
}

#ifdef OPEN_MPI

/* All bindings have one variable. */
static const void *in_place(void)
{
  static _Atomic(void *) address;
  return find_variable(&address, "mpi_fortran_in_place_");
}

static const void *in_place_f08(void) { return in_place(); }
static const void *address_f08(const void *buffer) { return buffer; }
#else
/* MPICH's library keeps the address in a variable. Its first Fortran call sets it. */
static const void *in_place(void)
{
  static _Atomic(void *) variable;
  void **found = atomic_load_explicit(&variable, memory_order_relaxed);
  if (UNLIKELY(!found)) {
    found = find_symbol("MPIR_F_MPI_IN_PLACE");
    if (!found) return NULL;
    atomic_store_explicit(&variable, found, memory_order_relaxed);
  }
  if (UNLIKELY(!*found)) {
    void (*initialized)(MPI_Fint *, MPI_Fint *) = find_symbol("pmpi_initialized_");
    MPI_Fint flag, error;
    if (initialized) initialized(&flag, &error);
  }
  return *found;
}

static const void *in_place_f08(void)
{
  static _Atomic(void *) address;
  return find_variable(&address, "MPIR_F08_MPI_IN_PLACE");
}

/* The address is the first member of a buffer's descriptor (Fortran 2018, 18.5.3). */
static const void *address_f08(const void *descriptor) { return *(const void *const *)descriptor; }
#endif

const void *fortran_choice(const void *buffer)
{
  return buffer == in_place() ? MPI_IN_PLACE : buffer;
}

const void *fortran_choice_f08(const void *buffer)
{
  const void *address = address_f08(buffer);
  return address == in_place_f08() ? MPI_IN_PLACE : address;
}
