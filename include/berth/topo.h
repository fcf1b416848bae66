/* SPDX-License-Identifier: BSD-3-Clause */
/* The hardware topology (the paper, section 3.1): a tree whose leaves are processing units (PUs)
 * and whose inner elements are switches. A link joins each element but the root to its parent. It
 * is described by the ports at both ends: the parent's `down` port and the child's `up` port. File
 * format: docs/formats/topology.md.
 *
 * Bandwidths are bytes per second, sizes are bytes, times are seconds. Elements are numbered depth
 * first from the root, which is 0. PUs are numbered 0, 1, 2, … in the same order. */
#ifndef BERTH_TOPO_H
#define BERTH_TOPO_H

#include <berth/error.h>
#include <berth/node.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_topo berth_topo_t;

/* Limits. Readers and builders refuse more PUs, elements, levels of the tree, bytes of a name. */
enum {
  BERTH_MAX_PUS = 1 << 24,
  BERTH_MAX_ELEMENTS = 1 << 25,
  BERTH_MAX_DEPTH = 256,
  BERTH_MAX_NAME = 255
};

/* How a number was measured. A member is "" when unknown; functions that add take NULL for that,
 * too. */
typedef struct berth_origin {
  const char *date;      /* ISO 8601 in UTC, such as 2026-11-21T03:00:00Z */
  const char *mpi;       /* such as "Open MPI 4.1.4" */
  const char *transport; /* what carried the messages, such as "tcp", "vader" */
} berth_origin_t;

/* The bandwidth that one pair of ranks gets, by message size.
 *
 * A measured value is the median of its samples. Its spread is relative: half the distance from the
 * 5th to the 95th percentile of the samples (interpolated linearly), divided by the median. The
 * spread of a single sample is unknown, whatever the caller gives. */
#define BERTH_UNKNOWN_SPREAD (-1.0)

typedef struct berth_curve {
  const char *name;
  const char *source; /* where the numbers come from; "" when unknown */
  size_t n;
  const double *size;      /* strictly increasing, above 0 */
  const double *bandwidth; /* above 0 */
  berth_origin_t origin;
  const double *spread; /* n values, at least 0 or BERTH_UNKNOWN_SPREAD; NULL when unknown */
  const int *samples;   /* n values, at least 1; NULL when unknown */
} berth_curve_t;

/* One direction of a port. Without a curve and a capacity it costs nothing. */
typedef struct berth_port_dir {
  int curve;       /* number of the curve, -1 for none */
  double capacity; /* limit for all ranks together, 0 for none */
  double spread;   /* of the capacity, as in a curve; 0 if samples is 0 */
  int samples;     /* how often the capacity was measured; 0 when unknown */
  berth_origin_t origin;
} berth_port_dir_t;

typedef struct berth_port {
  berth_port_dir_t out; /* away from the PUs: the uplink */
  berth_port_dir_t in;  /* towards the PUs: the downlink */
  double reverse; /* bytes that each byte in one direction adds to the other one (acknowledgements,
                     credits): less than 1, 0 when unknown */
} berth_port_t;

typedef struct berth_type {
  const char *name;
  berth_port_t up, down;
  double capacity; /* limit for all traffic through the switch, 0 for none */
  double spread;   /* of that limit: its spread and number of samples, as in a port's direction */
  int samples;
  berth_origin_t origin;
  /* For hosts and their parts: the factor by which ranks compute slower while 2, 3, … PUs of their
   * core are busy instead of one. At least 1, not decreasing; NULL when unknown. It applies to all
   * cores below, unless a part in between has its own. */
  const double *slowdown;
  size_t n_slowdowns;
  const berth_node_t *node; /* of a type of hosts: what was measured of one (berth/node.h), else
                               NULL. Functions that add a type copy it; the topology owns it */
} berth_type_t;

enum { BERTH_MAX_SLOWDOWNS = 64 };

typedef struct berth_element {
  int parent;   /* -1 at the root */
  int type;     /* -1 for a PU */
  int depth;    /* 0 at the root */
  int height;   /* 0 for a PU, else one more than its highest child */
  int host;     /* number of the host that it is or belongs to, -1 above the hosts */
  int first_pu; /* its PUs are first_pu … first_pu + n_pus - 1 */
  int n_pus;
  int n_children;
  int size; /* elements in its subtree; its children are e + 1, e + 1 + size of that, … */
} berth_element_t;

typedef struct berth_pu {
  int element;
  int host;     /* number of its host */
  int os_index; /* the operating system's index within the host */
  int core;     /* hwloc's logical core within the host, as in rankfiles */
} berth_pu_t;

typedef struct berth_host {
  const char *name;
  int element;
} berth_host_t;

/* Reads a topology; "-" is standard input. Files may be compressed with zstd, whatever their name.
 * The caller frees the result. NULL on failure: BERTH_BAD_INPUT if the file breaks a rule of the
 * format, BERTH_MISSING if it can't be read or memory is out. */
BERTH_API berth_topo_t *berth_topo_load(const char *path, berth_error_t *err);
/* Writes a topology; "-" is standard output. It is compressed if the name ends in .zst. A file of
 * that name is replaced as a whole; a failure leaves it untouched. Equal topologies give equal
 * bytes. */
BERTH_API int berth_topo_save(const berth_topo_t *t, const char *path, berth_error_t *err);
BERTH_API void berth_topo_free(berth_topo_t *t);

/* Building: add curves, then types, then the tree depth first. Then call berth_topo_finish, which
 * numbers and checks everything. Strings are copied. Functions that add return the new number, or
 * -1 with the error filled. */
BERTH_API berth_topo_t *berth_topo_new(const char *name, berth_error_t *err);
BERTH_API int berth_topo_add_curve(berth_topo_t *t, const berth_curve_t *curve, berth_error_t *err);
BERTH_API int berth_topo_add_type(berth_topo_t *t, const berth_type_t *type, berth_error_t *err);
/* Adds a switch below `parent` (-1: as the root). host is NULL unless the element is a host. */
BERTH_API int berth_topo_add_switch(berth_topo_t *t, int parent, int type, const char *name,
                                    const char *host, berth_error_t *err);
BERTH_API int berth_topo_add_pu(berth_topo_t *t, int parent, int os_index, int core,
                                berth_error_t *err);
BERTH_API int berth_topo_finish(berth_topo_t *t, berth_error_t *err);

/* Sets how far a model's estimates for this machine are from measured times: relative, as a spread,
 * at least 0. `model` is a berth_model_name. A second call for a model replaces its value. May be
 * called before or after berth_topo_finish. */
BERTH_API int berth_topo_set_model_error(berth_topo_t *t, const char *model, double error,
                                         berth_error_t *err);
/* The value set for a model; 0 if there is none. */
BERTH_API double berth_topo_model_error(const berth_topo_t *t, const char *model);
/* How many models have a value (0 counts), and each one's name. */
BERTH_API int berth_topo_n_model_errors(const berth_topo_t *t);
BERTH_API const char *berth_topo_model_error_name(const berth_topo_t *t, int i);

/* States that capacities are distances, as in process mapping, and not bandwidths. Costs then have
 * no unit. May be called before or after berth_topo_finish. */
BERTH_API void berth_topo_set_distances(berth_topo_t *t);
BERTH_API int berth_topo_has_distances(const berth_topo_t *t);

/* Reading a topology's contents. Results are borrowed. They are valid until the topology is
 * freed. */
BERTH_API const char *berth_topo_name(const berth_topo_t *t);
BERTH_API int berth_topo_n_curves(const berth_topo_t *t);
BERTH_API int berth_topo_n_types(const berth_topo_t *t);
BERTH_API int berth_topo_n_elements(const berth_topo_t *t);
BERTH_API int berth_topo_n_pus(const berth_topo_t *t);
BERTH_API int berth_topo_n_hosts(const berth_topo_t *t);
BERTH_API const berth_curve_t *berth_topo_curve(const berth_topo_t *t, int curve);
BERTH_API const berth_type_t *berth_topo_type(const berth_topo_t *t, int type);
BERTH_API const berth_element_t *berth_topo_element(const berth_topo_t *t, int element);
BERTH_API const berth_pu_t *berth_topo_pu(const berth_topo_t *t, int pu);
BERTH_API const berth_host_t *berth_topo_host(const berth_topo_t *t, int host);
/* What was measured of a host: its type's record, NULL if there is none. */
BERTH_API const berth_node_t *berth_topo_host_node(const berth_topo_t *t, int host);
/* The element's name, NULL for a PU. */
BERTH_API const char *berth_topo_element_name(const berth_topo_t *t, int element);
/* The number of the host of that name; -1 if there is none. */
BERTH_API int berth_topo_find_host(const berth_topo_t *t, const char *name);

/* A hash of the machine: the tree, the numbers of PUs, cores and hosts, curves, capacities, limits
 * and slow-downs. Names, origins and spreads don't enter. The same on every computer. */
BERTH_API uint64_t berth_topo_hash(const berth_topo_t *t);

/* A hash of what a mapping depends on: the tree, the names of hosts, and the numbers of PUs and
 * cores. Links and other names don't enter. The same on every computer. */
BERTH_API uint64_t berth_topo_machine(const berth_topo_t *t);

/* The same hash without the names of hosts. */
BERTH_API uint64_t berth_topo_shape(const berth_topo_t *t);

/* The names of all hosts, as in node[01-16]. The caller frees it. NULL with the error filled. */
BERTH_API char *berth_topo_hosts_text(const berth_topo_t *t, berth_error_t *err);

/* The type of the lowest element above a PU that has a slow-down; -1 if none has. */
BERTH_API int berth_topo_slowdown_type(const berth_topo_t *t, int pu);

/* A link above the hosts that several links below it share: element `element`'s to its parent. */
typedef struct berth_shared_link {
  int element; /* the first one of `n` elements that share alike */
  int n;
  int children;   /* of each */
  int child_type; /* -1 if they differ */
  double below;   /* bytes per second that the children's links carry together */
  double own;     /* that its own link carries */
  double cable;   /* of one of the cables that `own` adds up, if that was stated; else 0 */
} berth_shared_link_t;

/* These links, from the root down. Links without a capacity don't count, nor elements with a child
 * that has none, nor an only child with the same link. Uplinks count. The caller frees *out. */
BERTH_API int berth_topo_shared_links(const berth_topo_t *t, berth_shared_link_t **out, size_t *n,
                                      berth_error_t *err);

/* A copy of a topology with n changes, one after the other: `TYPE.FIELD=VALUE` or
 * `TYPE.FIELD*=FACTOR` (docs/formats/machine.md, "What if"). Its name says what was changed; it has
 * no errors of models, because nobody validated it. The caller frees it. NULL with the error
 * filled: BERTH_BAD_INPUT if a change isn't one or has nothing to change. */
BERTH_API berth_topo_t *berth_topo_changed(const berth_topo_t *t, size_t n,
                                           const char *const *changes, berth_error_t *err);

/* The time of one message of n bytes on a curve. At a point it is size / bandwidth, and between
 * points linear in the size. Below the first point it is that point's time, above the last n / its
 * bandwidth. */
BERTH_API double berth_curve_time(const berth_curve_t *curve, double n);

/* The cut of the tree at a height: each PU's highest ancestor-or-self of at most that height, in
 * order. Writes at most berth_topo_n_pus() element numbers. Returns how many. */
BERTH_API int berth_topo_cut(const berth_topo_t *t, int height, int *elements);

/* Discovering machines: docs/formats/topology.md.
 *
 * A description is one line of text that says which parts of a host its PUs share. It has the
 * levels with more than one member, their members in brackets, PUs as os_index:core, and equal
 * members counted. host(package+l3(core(0:0,64:0)*32+1+1)*2+32+32) is two sockets with 32 cores of
 * two hardware threads each. The caller frees the results of both functions.
 *
 * berth_host_describe describes this machine, with the PUs that process `pid` (0: the caller) may
 * use, because a job often has only a part of a machine. berth_host_describe_xml describes the
 * machine in an hwloc XML file, as berth_host_xml and lstopo write it. hwloc may crash on a damaged
 * file. */
BERTH_API char *berth_host_describe(long pid, berth_error_t *err);
BERTH_API char *berth_host_describe_xml(const char *path, berth_error_t *err);

/* This machine as hwloc's XML, which the caller frees. NULL with the error filled. */
BERTH_API char *berth_host_xml(berth_error_t *err);

/* A topology of one host, which is its root. Its ports aren't measured: they have default curves,
 * whose source is BERTH_DEFAULT_SOURCE. Curves of rates that a user stated (berth_sketch_add) have
 * BERTH_STATED_SOURCE. berth_curve_is_default is true for both. */
#define BERTH_DEFAULT_SOURCE "default, not measured"
#define BERTH_STATED_SOURCE  "stated, not measured"
BERTH_API berth_topo_t *berth_topo_from_description(const char *host, const char *description,
                                                    berth_error_t *err);
BERTH_API int berth_curve_is_default(const berth_curve_t *curve);

/* Expands Slurm's host ranges, such as rack[1-4,7]node[01-16],login1. The array and its strings are
 * one allocation, which the caller frees. */
BERTH_API const char **berth_hostlist(const char *text, size_t *n, berth_error_t *err);

/* The inverse: a text for n names in their order. Consecutive names that differ only in the number
 * at their end share a bracket. The caller frees it. */
BERTH_API char *berth_hostlist_text(const char *const *names, size_t n, berth_error_t *err);

/* A tree of network switches with hosts, read from Slurm's topology.conf (topology/tree) or from
 * the output of ibnetdiscover for an InfiniBand fabric. The latter gives links capacities. Switches
 * that several ways lead to, as in fat trees, become one (docs/formats/topology.md). */
typedef struct berth_network berth_network_t;
BERTH_API berth_network_t *berth_network_load_slurm(const char *path, berth_error_t *err);
BERTH_API berth_network_t *berth_network_load_fabric(const char *path, berth_error_t *err);
BERTH_API void berth_network_free(berth_network_t *net);
/* Its hosts in the order of the tree, borrowed. */
BERTH_API const char *const *berth_network_hosts(const berth_network_t *net, size_t *n);

/* One line about something in the file that isn't used, such as a LinkSpeed without a unit; NULL if
 * there is nothing. Borrowed. */
BERTH_API const char *berth_network_note(const berth_network_t *net);

/* A host of the new topology: its name, and an existing host from which it gets its parts, types
 * and curves. */
typedef struct berth_host_like {
  const char *name;
  const berth_topo_t *topo;
  int host;
} berth_host_like_t;

/* Joins these hosts below a network's tree. Switches without any of the hosts are omitted. If net
 * is NULL, all hosts are below one switch. Names match with and without a domain; the name in the
 * network file is used. Fails with BERTH_BAD_INPUT if the file lacks a host. */
BERTH_API berth_topo_t *berth_topo_join(const char *name, size_t n, const berth_host_like_t *hosts,
                                        const berth_network_t *net, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
