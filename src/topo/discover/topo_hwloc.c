/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes descriptions of machines with hwloc.
 *
 * An hwloc tree has levels for everything; most have one member and share nothing. A chain of
 * objects with one member each becomes one level. The outermost object gives its first name,
 * because it says what the members share with the rest. The innermost gives its second name,
 * because it says how the members reach each other. A socket with one L3 is "package+l3". */
#include <berth/topo.h>
#include <errno.h>
#include <hwloc.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/in_file.h"
#include "base/no_memory.h"
#include "topo/discover/topo_description.h"

static kind_t kind_of(hwloc_obj_t o)
{
  static const struct {
    hwloc_obj_type_t type;
    kind_t kind;
  } kinds[] = {{HWLOC_OBJ_MACHINE, KIND_HOST}, {HWLOC_OBJ_PACKAGE, KIND_PACKAGE},
               {HWLOC_OBJ_DIE, KIND_DIE},      {HWLOC_OBJ_L5CACHE, KIND_L4},
               {HWLOC_OBJ_L4CACHE, KIND_L4},   {HWLOC_OBJ_L3CACHE, KIND_L3},
               {HWLOC_OBJ_L2CACHE, KIND_L2},   {HWLOC_OBJ_L1CACHE, KIND_L1},
               {HWLOC_OBJ_CORE, KIND_CORE}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i].type == o->type) return kinds[i].kind;
  return KIND_GROUP;
}

/* The outer kind of a level. Own memory takes precedence; a core takes precedence over its
 * caches. */
static kind_t outer_kind_of(hwloc_obj_t outer, hwloc_obj_t inner)
{
  if (outer->parent && outer->memory_arity > 0 && outer->type != HWLOC_OBJ_PACKAGE)
    return KIND_NUMA;
  return hwloc_obj_type_is_cache(outer->type) && inner->type == HWLOC_OBJ_CORE ? KIND_CORE
                                                                               : kind_of(outer);
}

/* The only member of o with allowed PUs. NULL if several have, or if o is a PU. */
static hwloc_obj_t only_member(hwloc_obj_t o, hwloc_const_cpuset_t allowed)
{
  hwloc_obj_t found = NULL;
  for (unsigned i = 0; i < o->arity; i++) {
    if (!hwloc_bitmap_intersects(o->children[i]->cpuset, allowed)) continue;
    if (found) return NULL;
    found = o->children[i];
  }
  return found;
}

/* Adds the level or PU for the chain of objects from `outer`. -1 when memory is out. */
static int add_chain(parts_t *p, int parent, hwloc_topology_t topology, hwloc_obj_t outer,
                     hwloc_const_cpuset_t allowed)
{
  hwloc_obj_t inner = outer, next;
  while ((next = only_member(inner, allowed))) inner = next;
  bool is_pu = inner->type == HWLOC_OBJ_PU;
  int level = parent;
  if (!is_pu || parent < 0) { /* a host is a level even if it has a single PU */
    kind_t kind = outer_kind_of(outer, inner);
    level = parts_add_level(p, parent, kind, is_pu ? kind : kind_of(inner));
    if (level < 0) return -1;
  }
  if (is_pu) {
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, inner);
    unsigned number = core ? core->logical_index : inner->logical_index;
    return parts_add_pu(p, level, (int)inner->os_index, (int)number);
  }
  for (unsigned i = 0; i < inner->arity; i++)
    if (hwloc_bitmap_intersects(inner->children[i]->cpuset, allowed) &&
        add_chain(p, level, topology, inner->children[i], allowed) < 0)
      return -1;
  return level;
}

static char *describe(hwloc_topology_t topology, hwloc_const_cpuset_t allowed, berth_error_t *err)
{
  parts_t parts = {0};
  char *text = NULL;
  if (add_chain(&parts, -1, topology, hwloc_get_root_obj(topology), allowed) >= 0) {
    parts_finish(&parts);
    text = parts_print(&parts);
  }
  free(parts.part);
  if (!text) no_memory(err);
  return text;
}

/* The PUs that the process may use; at least one. */
static hwloc_cpuset_t allowed_pus(hwloc_topology_t topology, long pid)
{
  hwloc_const_cpuset_t all = hwloc_topology_get_allowed_cpuset(topology);
  hwloc_cpuset_t bound = hwloc_bitmap_alloc(), allowed = hwloc_bitmap_dup(all);
  if (bound && allowed && hwloc_topology_is_thissystem(topology)) {
    int failed = pid ? hwloc_get_proc_cpubind(topology, (hwloc_pid_t)pid, bound, 0)
                     : hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS);
    if (!failed && hwloc_bitmap_intersects(bound, all)) hwloc_bitmap_and(allowed, all, bound);
  }
  hwloc_bitmap_free(bound);
  return allowed;
}

/* Reads this machine. On failure the error is filled. The caller destroys *topology unless it is
 * NULL, also after a failure. */
static bool load_this(hwloc_topology_t *topology, berth_error_t *err)
{
  *topology = NULL;
  if (hwloc_topology_init(topology) == 0 && hwloc_topology_load(*topology) == 0) return true;
  berth_fail(err, BERTH_MISSING, "hwloc cannot read this machine: %s", strerror(errno));
  return false;
}

char *berth_host_xml(berth_error_t *err)
{
  hwloc_topology_t topology;
  char *xml = NULL, *text = NULL;
  int n;
  if (load_this(&topology, err)) {
    int failed = hwloc_topology_export_xmlbuffer(topology, &xml, &n, 0);
    if (failed || !(text = strdup(xml))) no_memory(err);
    hwloc_free_xmlbuffer(topology, xml);
  }
  if (topology) hwloc_topology_destroy(topology);
  return text;
}

char *berth_host_describe(long pid, berth_error_t *err)
{
  hwloc_topology_t topology;
  char *text = NULL;
  if (load_this(&topology, err)) {
    hwloc_cpuset_t allowed = allowed_pus(topology, pid);
    if (allowed)
      text = describe(topology, allowed, err);
    else
      no_memory(err);
    hwloc_bitmap_free(allowed);
  }
  if (topology) hwloc_topology_destroy(topology);
  return text;
}

char *berth_host_describe_xml(const char *path, berth_error_t *err)
{
  char *xml, *text = NULL;
  size_t n;
  if (in_read_all(path, &xml, &n, err)) return NULL;
  hwloc_topology_t topology = NULL;
  if (n >= INT_MAX || hwloc_topology_init(&topology) ||
      hwloc_topology_set_xmlbuffer(topology, xml, (int)n + 1) || hwloc_topology_load(topology))
    berth_fail(err, BERTH_BAD_INPUT, "%s: hwloc cannot read it, expected hwloc XML", path);
  else
    text = describe(topology, hwloc_topology_get_allowed_cpuset(topology), err);
  if (topology) hwloc_topology_destroy(topology);
  free(xml);
  return text;
}
