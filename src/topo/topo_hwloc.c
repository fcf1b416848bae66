/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of machines from hwloc. The only file that knows hwloc.
 *
 * An hwloc tree has a level for everything; most have one member and share nothing. A chain of
 * objects with one member each becomes one level: it is named by the outermost, which says what
 * its members share with the rest, and by the innermost, which says how they reach each other. A
 * socket with one L3 is "package+l3". */
#include <berth/topo.h>
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_in.h"

static const char *kind_of(hwloc_obj_t o)
{
  switch (o->type) {
  case HWLOC_OBJ_PACKAGE:
    return "package";
  case HWLOC_OBJ_DIE:
    return "die";
  case HWLOC_OBJ_L5CACHE:
  case HWLOC_OBJ_L4CACHE:
    return "l4";
  case HWLOC_OBJ_L3CACHE:
    return "l3";
  case HWLOC_OBJ_L2CACHE:
    return "l2";
  case HWLOC_OBJ_L1CACHE:
    return "l1";
  case HWLOC_OBJ_CORE:
    return "core";
  default:
    return "group";
  }
}

/* The outer name of a level: what has memory of its own is named for that, and the caches of one
 * core for the core. */
static const char *outer_kind_of(hwloc_obj_t outer, hwloc_obj_t inner)
{
  if (!outer->parent) return "host";
  if (outer->memory_arity > 0 && outer->type != HWLOC_OBJ_PACKAGE) return "numa";
  return hwloc_obj_type_is_cache(outer->type) && inner->type == HWLOC_OBJ_CORE ? "core"
                                                                               : kind_of(outer);
}

/* The only member of o that has allowed PUs; NULL when several have, or when o is a PU. */
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

static void put_pu(FILE *to, hwloc_topology_t topology, hwloc_obj_t pu)
{
  hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
  fprintf(to, "%u:%u", pu->os_index, core ? core->logical_index : pu->logical_index);
}

static void put_level(FILE *to, hwloc_topology_t topology, hwloc_obj_t outer,
                      hwloc_const_cpuset_t allowed)
{
  hwloc_obj_t inner = outer, next;
  while ((next = only_member(inner, allowed))) inner = next;
  int is_pu = inner->type == HWLOC_OBJ_PU;
  if (is_pu && outer->parent) {
    put_pu(to, topology, inner);
    return;
  }
  const char *kind = outer_kind_of(outer, inner);
  fputs(kind, to);
  if (!is_pu && inner->parent && strcmp(kind_of(inner), kind) != 0)
    fprintf(to, "+%s", kind_of(inner));
  fputc('(', to);
  if (is_pu) put_pu(to, topology, inner);
  const char *gap = "";
  for (unsigned i = 0; i < inner->arity; i++) {
    if (!hwloc_bitmap_intersects(inner->children[i]->cpuset, allowed)) continue;
    fputs(gap, to);
    put_level(to, topology, inner->children[i], allowed);
    gap = ",";
  }
  fputc(')', to);
}

static char *describe(hwloc_topology_t topology, hwloc_const_cpuset_t allowed, berth_error_t *err)
{
  char *text = NULL;
  size_t n;
  FILE *to = open_memstream(&text, &n);
  if (to) put_level(to, topology, hwloc_get_root_obj(topology), allowed);
  if (to && fclose(to) == 0) return text;
  free(text);
  berth_fail(err, BERTH_MISSING, "out of memory");
  return NULL;
}

/* The PUs of a loaded topology that the process may use; never none. */
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

char *berth_host_describe(long pid, berth_error_t *err)
{
  hwloc_topology_t topology = NULL;
  char *text = NULL;
  if (hwloc_topology_init(&topology) || hwloc_topology_load(topology)) {
    berth_fail(err, BERTH_MISSING, "hwloc cannot read this machine: %s", strerror(errno));
  } else {
    hwloc_cpuset_t allowed = allowed_pus(topology, pid);
    if (allowed)
      text = describe(topology, allowed, err);
    else
      berth_fail(err, BERTH_MISSING, "out of memory");
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
