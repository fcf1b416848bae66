/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds cores and memory with hwloc. */
#include "calib/node/node_machine.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/no_memory.h"
#include "base/text.h"

/* The usable PUs of the process. */
static hwloc_cpuset_t usable(hwloc_topology_t t)
{
  hwloc_bitmap_t bound = hwloc_bitmap_alloc();
  hwloc_bitmap_t all = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(t));
  if (bound && all && hwloc_get_cpubind(t, bound, HWLOC_CPUBIND_PROCESS) == 0 &&
      hwloc_bitmap_intersects(bound, all))
    hwloc_bitmap_and(all, all, bound);
  hwloc_bitmap_free(bound);
  return all;
}

static int numa_of(hwloc_topology_t t, hwloc_const_cpuset_t set)
{
  int n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE);
  for (int i = 0; i < n; i++)
    if (hwloc_bitmap_isincluded(set,
                                hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, (unsigned)i)->cpuset))
      return i;
  return 0;
}

/* Cores, or PUs on machines where hwloc knows no cores. */
static hwloc_obj_t core_number(hwloc_topology_t t, int i)
{
  hwloc_obj_type_t type =
      hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  return hwloc_get_obj_by_type(t, type, (unsigned)i);
}

static int find_cores(node_machine_t *m, berth_error_t *err)
{
  hwloc_cpuset_t all = usable(m->hwloc), part = hwloc_bitmap_alloc();
  int n = hwloc_get_nbobjs_by_type(m->hwloc, HWLOC_OBJ_PU);
  m->core = calloc((size_t)n + 1, sizeof *m->core);
  if (!all || !part || !m->core) {
    hwloc_bitmap_free(all);
    hwloc_bitmap_free(part);
    return no_memory(err);
  }
  hwloc_obj_t o;
  for (int i = 0; (o = core_number(m->hwloc, i)); i++) {
    hwloc_bitmap_and(part, o->cpuset, all);
    int pu = hwloc_bitmap_first(part);
    if (pu < 0) continue;
    m->core[m->n_cores++] = (node_core_t){pu, numa_of(m->hwloc, o->cpuset)};
    if (m->core[m->n_cores - 1].numa >= m->n_numas) m->n_numas = m->core[m->n_cores - 1].numa + 1;
  }
  hwloc_bitmap_free(all);
  hwloc_bitmap_free(part);
  return m->n_cores > 0 ? BERTH_OK : berth_fail(err, BERTH_MISSING, "found no core to measure on");
}

static int core_in(const node_machine_t *m, hwloc_obj_t o)
{
  int n = 0;
  for (int i = 0; i < m->n_cores; i++) n += hwloc_bitmap_isset(o->cpuset, (unsigned)m->core[i].pu);
  return n;
}

/* Writes the cores below an object, spread over its members; returns how many. */
static int spread_below(const node_machine_t *m, hwloc_obj_t o, int *out)
{
  if (o->arity == 0 || core_in(m, o) <= 1) {
    for (int i = 0; i < m->n_cores; i++)
      if (hwloc_bitmap_isset(o->cpuset, (unsigned)m->core[i].pu)) return out[0] = i, 1;
    return 0;
  }
  int n = 0, total = core_in(m, o), *all = calloc((size_t)total * o->arity, sizeof *all);
  int *count = calloc(o->arity, sizeof *count);
  for (unsigned k = 0; all && count && k < o->arity; k++)
    count[k] = spread_below(m, o->children[k], all + (size_t)k * (size_t)total);
  for (int turn = 0; all && count && turn < total; turn++)
    for (unsigned k = 0; k < o->arity; k++)
      if (turn < count[k]) out[n++] = all[(size_t)k * (size_t)total + (size_t)turn];
  free(all);
  free(count);
  return n;
}

/* The memory that a new program gets without paging, as Linux says. */
static size_t free_memory(void)
{
  size_t kb = 0;
  char line[128];
  FILE *f = fopen("/proc/meminfo", "r");
  while (f && kb == 0 && fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %zu kB", &kb) != 1) kb = 0;
  if (f) fclose(f);
  return kb * 1024;
}

static size_t largest_cache(hwloc_topology_t t)
{
  size_t most = 0;
  for (hwloc_obj_type_t type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L5CACHE; type++)
    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(t, type, o));)
      if (o->attr->cache.size > most) most = o->attr->cache.size;
  return most;
}

static void find_processor(node_machine_t *m)
{
  hwloc_obj_t package = hwloc_get_obj_by_type(m->hwloc, HWLOC_OBJ_PACKAGE, 0);
  const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
  snprintf(m->processor, sizeof m->processor, "%s", model ? model : "");
  text_clean(m->processor);
}

int node_machine_find(node_machine_t *m, berth_error_t *err)
{
  *m = (node_machine_t){0};
  hwloc_topology_t t;
  if (hwloc_topology_init(&t)) return no_memory(err);
  m->hwloc = t;
  if (hwloc_topology_load(t) || !hwloc_topology_is_thissystem(t))
    return berth_fail(err, BERTH_MISSING, "hwloc cannot read this machine: %s", strerror(errno));
  int rc = find_cores(m, err);
  if (rc) return rc;
  m->spread = calloc((size_t)m->n_cores, sizeof *m->spread);
  if (!m->spread || spread_below(m, hwloc_get_root_obj(t), m->spread) < m->n_cores)
    return no_memory(err);
  m->cache = largest_cache(t);
  m->memory = free_memory();
  find_processor(m);
  return BERTH_OK;
}

void node_machine_clear(node_machine_t *m)
{
  free(m->core);
  free(m->spread);
  if (m->hwloc) hwloc_topology_destroy(m->hwloc);
  *m = (node_machine_t){0};
}

int node_machine_bind(const node_machine_t *m, int core, berth_error_t *err)
{
  hwloc_cpuset_t set = hwloc_bitmap_alloc();
  if (!set) return no_memory(err);
  hwloc_bitmap_only(set, (unsigned)m->core[core].pu);
  int failed = hwloc_set_cpubind(m->hwloc, set, HWLOC_CPUBIND_THREAD);
  hwloc_bitmap_free(set);
  if (!failed) return BERTH_OK;
  return berth_fail(err, BERTH_MISSING, "cannot bind a thread to PU %d: %s", m->core[core].pu,
                    strerror(errno));
}

void *node_machine_take(const node_machine_t *m, size_t n, int numa)
{
  void *memory =
      mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  hwloc_obj_t node =
      numa < 0 ? NULL : hwloc_get_obj_by_type(m->hwloc, HWLOC_OBJ_NUMANODE, (unsigned)numa);
  if (node && m->n_numas > 1)
    hwloc_set_area_membind(m->hwloc, memory, n, node->nodeset, HWLOC_MEMBIND_BIND,
                           HWLOC_MEMBIND_BYNODESET);
  return memory;
}

void node_machine_return(void *memory, size_t n)
{
  if (memory) munmap(memory, n);
}
