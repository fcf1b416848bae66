/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/window_info.h"

#include <string.h>

#include "rma/epoch.h"
#include "rma/rma_error.h"

int window_end(rma_window_t *w, MPI_Win *handle)
{
  int rc = epoch_all_closed(w);
  return rc == MPI_SUCCESS ? window_free(w, handle) : error_raise(w->handle, rc);
}

/* A group of its own: the program frees it. */
int window_group(const rma_window_t *w, MPI_Group *group)
{
  return mpi.Group_union(w->group, w->group, group);
}

bool window_number_attribute(const rma_window_t *w, int key, MPI_Aint *value)
{
  const rma_target_t *own = &w->target[w->rank];
  if (key == MPI_WIN_BASE)
    *value = (MPI_Aint)(uintptr_t)own->memory;
  else if (key == MPI_WIN_SIZE)
    *value = (MPI_Aint)own->size;
  else if (key == MPI_WIN_DISP_UNIT)
    *value = (MPI_Aint)own->unit;
  else if (key == MPI_WIN_CREATE_FLAVOR)
    *value = w->flavor;
  else if (key == MPI_WIN_MODEL)
    *value = MPI_WIN_UNIFIED;
  else
    return false;
  return true;
}

int window_attribute(rma_window_t *w, int key, void *value, int *flag)
{
  MPI_Aint number;
  if (!window_number_attribute(w, key, &number))
    return mpi.Win_get_attr(w->handle, key, value, flag);
  *flag = 1;
  if (key == MPI_WIN_BASE) {
    *(void **)value = w->target[w->rank].memory;
  } else if (key == MPI_WIN_SIZE) {
    w->size_attribute = number;
    *(void **)value = &w->size_attribute;
  } else {
    int *of = key == MPI_WIN_DISP_UNIT       ? &w->unit_attribute
              : key == MPI_WIN_CREATE_FLAVOR ? &w->flavor
                                             : &w->model_attribute;
    *of = (int)number;
    *(void **)value = of;
  }
  return MPI_SUCCESS;
}

int window_query(const rma_window_t *w, int rank, MPI_Aint *size, int64_t *unit, void *base)
{
  int code = MPI_SUCCESS;
  if (w->flavor != MPI_WIN_FLAVOR_SHARED)
    code = error_code(MPI_ERR_RMA_FLAVOR,
                      "found another kind of window, expected one of MPI_Win_allocate_shared");
  else if (rank != MPI_PROC_NULL && (rank < 0 || rank >= w->size))
    code = error_code(MPI_ERR_RANK, "found rank %d, expected one from 0 to %d", rank, w->size - 1);
  if (code != MPI_SUCCESS) return error_raise(w->handle, code);
  if (rank == MPI_PROC_NULL) /* the lowest rank that has memory */
    for (rank = 0; rank < w->size - 1 && w->target[rank].size == 0;) rank++;
  const rma_target_t *t = &w->target[rank];
  *size = (MPI_Aint)t->size;
  *unit = t->unit;
  *(void **)base = t->size > 0 ? t->memory : NULL;
  return MPI_SUCCESS;
}

static int not_dynamic(const rma_window_t *w)
{
  return error_raise(w->handle, error_code(MPI_ERR_RMA_FLAVOR, "found another kind of window, "
                                                               "expected a dynamic one"));
}

static window_region_t *own_regions(const rma_window_t *w)
{
  return &w->memory.region[(size_t)w->memory.me * WINDOW_REGIONS];
}

/* Regions are changed by their own rank alone; others see whether they are being changed. */
static void change(rma_window_t *w, uint32_t n, uint32_t at, window_region_t region)
{
  window_member_t *own = &w->memory.member[w->memory.me];
  window_region_t *r = own_regions(w);
  atomic_fetch_add(&own->changes, 1);
  r[at] = region;
  atomic_store(&own->n_regions, n);
  atomic_fetch_add(&own->changes, 1);
}

int window_attach(rma_window_t *w, void *base, MPI_Aint size)
{
  if (w->flavor != MPI_WIN_FLAVOR_DYNAMIC) return not_dynamic(w);
  const window_region_t region = {(uint64_t)(uintptr_t)base, (uint64_t)size};
  const window_region_t *r = own_regions(w);
  uint32_t n = atomic_load(&w->memory.member[w->memory.me].n_regions);
  int code = MPI_SUCCESS;
  if (size < 0) code = error_code(MPI_ERR_SIZE, "found %ld bytes, expected at least 0", (long)size);
  if (n == WINDOW_REGIONS)
    code = error_code(MPI_ERR_RMA_ATTACH, "found %d pieces of memory, expected fewer", (int)n);
  for (uint32_t i = 0; i < n && code == MPI_SUCCESS; i++)
    if (region.begin < r[i].begin + r[i].bytes && r[i].begin < region.begin + region.bytes)
      code = error_code(MPI_ERR_RMA_ATTACH, "found memory at %p of which some is attached already",
                        base);
  if (code != MPI_SUCCESS) return error_raise(w->handle, code);
  change(w, n + 1, n, region);
  return MPI_SUCCESS;
}

int window_detach(rma_window_t *w, const void *base)
{
  if (w->flavor != MPI_WIN_FLAVOR_DYNAMIC) return not_dynamic(w);
  const window_region_t *r = own_regions(w);
  uint32_t n = atomic_load(&w->memory.member[w->memory.me].n_regions), i = 0;
  while (i < n && r[i].begin != (uint64_t)(uintptr_t)base) i++;
  if (i == n)
    return error_raise(
        w->handle,
        error_code(MPI_ERR_BASE, "found address %p, expected one that was attached", base));
  change(w, n - 1, i, r[n - 1]);
  return MPI_SUCCESS;
}
