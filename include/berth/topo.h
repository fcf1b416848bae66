/* SPDX-License-Identifier: BSD-3-Clause */
/* The hardware communication topology (report, section 3.1): a tree whose leaves are processing
 * units (PUs) and whose inner elements are switches. Every element but the root hangs below its
 * parent by a link that is described from both ends: the parent's `down` port and the child's `up`
 * port. File format: docs/formats/topology.md.
 *
 * Bandwidths are bytes per second, sizes are bytes, times are seconds. Elements are numbered
 * depth first from the root, which is 0; PUs are numbered 0, 1, 2, … in the same order. */
#ifndef BERTH_TOPO_H
#define BERTH_TOPO_H

#include <berth/error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_topo berth_topo_t;

/* What is above these is refused: numbers of PUs and elements, levels of the tree, bytes of a
 * name. */
enum {
  BERTH_MAX_PUS = 1 << 24,
  BERTH_MAX_ELEMENTS = 1 << 25,
  BERTH_MAX_DEPTH = 256,
  BERTH_MAX_NAME = 255
};

/* What a measured number comes from. Each is "" when unknown (NULL is taken as that by the
 * functions that add). */
typedef struct berth_origin {
  const char *date;      /* ISO 8601 in UTC: 2026-11-21T03:00:00Z */
  const char *mpi;       /* "Open MPI 4.1.4" */
  const char *transport; /* what carried the messages: "tcp", "vader" */
} berth_origin_t;

/* The bandwidth that one pair of tasks sees, by message size.
 *
 * A measured value is the median of its samples. Its spread is relative: half the distance between
 * the 5th and the 95th percentile of the samples (linear between neighbours), over the median. One
 * sample has none: it is unknown, whatever was given. */
#define BERTH_UNKNOWN_SPREAD (-1.0)

typedef struct berth_curve {
  const char *name;
  const char *source; /* where the numbers come from, "" when the file doesn't say */
  size_t n;
  const double *size;      /* strictly increasing, above 0 */
  const double *bandwidth; /* above 0 */
  berth_origin_t origin;
  const double *spread; /* n values, at least 0 or BERTH_UNKNOWN_SPREAD; NULL when unknown */
  const int *samples;   /* n values, at least 1; NULL when unknown */
} berth_curve_t;

/* One direction of a port. A direction with no curve and no capacity costs nothing. */
typedef struct berth_port_dir {
  int curve;       /* number of the curve, -1 for none */
  double capacity; /* bound on what all tasks together move through it, 0 for none */
  double spread;   /* of the capacity, as in a curve; 0 when samples is 0 */
  int samples;     /* how often the capacity was measured, 0 when unknown */
  berth_origin_t origin;
} berth_port_dir_t;

typedef struct berth_port {
  berth_port_dir_t out; /* away from the PUs, towards the root */
  berth_port_dir_t in;  /* towards the PUs */
  double reverse;       /* what each byte in one direction adds to the other, in bytes there:
                           acknowledgements, credits; below 1, 0 when unknown */
} berth_port_t;

typedef struct berth_type {
  const char *name;
  berth_port_t up, down;
  double capacity; /* bound on everything that crosses the switch, 0 for none */
  double spread;   /* of that bound, and how often it was measured: as in a port's direction */
  int samples;
  berth_origin_t origin;
  /* Of hosts and their parts: how many times as long ranks take to compute while 2, 3, … PUs of
   * their core do, instead of one; at least 1, not decreasing. NULL when unknown. It holds for all
   * cores below, but for those below a part with its own. */
  const double *slowdown;
  size_t n_slowdowns;
} berth_type_t;

enum { BERTH_MAX_SLOWDOWNS = 64 };

typedef struct berth_element {
  int parent;   /* -1 at the root */
  int type;     /* -1 for a PU */
  int depth;    /* 0 at the root */
  int height;   /* 0 for a PU, else one more than its highest child's */
  int host;     /* number of the host that it is or stands in, -1 above the hosts */
  int first_pu; /* its PUs are first_pu … first_pu + n_pus - 1 */
  int n_pus;
  int n_children;
  int size; /* elements in its subtree: its children are e + 1, e + 1 + size of that, … */
} berth_element_t;

typedef struct berth_pu {
  int element;
  int host;     /* number of its host */
  int os_index; /* the operating system's index within the host */
  int core;     /* logical core (hwloc) within the host, the one that a rankfile names */
} berth_pu_t;

typedef struct berth_host {
  const char *name;
  int element;
} berth_host_t;

/* Reads a topology, "-" for standard input, plain or compressed with zstd, whatever its name; the
 * caller frees it. NULL with the error filled: BERTH_BAD_INPUT for a file that breaks a rule of the
 * format, BERTH_MISSING for one that can't be read, or when memory is out. */
BERTH_API berth_topo_t *berth_topo_load(const char *path, berth_error_t *err);
/* Writes it, "-" for standard output; compressed where the name ends in .zst. A file of that name
 * is replaced by the whole new one, or untouched in a failure. The bytes depend on nothing but the
 * contents. */
BERTH_API int berth_topo_save(const berth_topo_t *t, const char *path, berth_error_t *err);
BERTH_API void berth_topo_free(berth_topo_t *t);

/* Building: curves, then types, then the tree depth first, then berth_topo_finish, which numbers
 * and checks everything. Strings are copied. The functions that add return the number of what they
 * added, or -1 with the error filled. */
BERTH_API berth_topo_t *berth_topo_new(const char *name, berth_error_t *err);
BERTH_API int berth_topo_add_curve(berth_topo_t *t, const berth_curve_t *curve, berth_error_t *err);
BERTH_API int berth_topo_add_type(berth_topo_t *t, const berth_type_t *type, berth_error_t *err);
/* A switch below `parent` (-1: the root). host is NULL unless the element is a host. */
BERTH_API int berth_topo_add_switch(berth_topo_t *t, int parent, int type, const char *name,
                                    const char *host, berth_error_t *err);
BERTH_API int berth_topo_add_pu(berth_topo_t *t, int parent, int os_index, int core,
                                berth_error_t *err);
BERTH_API int berth_topo_finish(berth_topo_t *t, berth_error_t *err);

/* What predictions of a model of that name (berth_model_name) for this machine were found to miss
 * of measured times: relative, as a spread. At least 0; a second value for a model replaces the
 * first. May be called before or after berth_topo_finish. */
BERTH_API int berth_topo_set_model_error(berth_topo_t *t, const char *model, double error,
                                         berth_error_t *err);
/* The same; 0 when nobody measured it. */
BERTH_API double berth_topo_model_error(const berth_topo_t *t, const char *model);
/* How many models have a value, 0 included, and the name of each. */
BERTH_API int berth_topo_n_model_errors(const berth_topo_t *t);
BERTH_API const char *berth_topo_model_error_name(const berth_topo_t *t, int i);

/* Says that capacities stand for distances, as process mapping writes them, and not for bandwidths:
 * costs then have no unit. May be called before or after berth_topo_finish. */
BERTH_API void berth_topo_set_distances(berth_topo_t *t);
BERTH_API int berth_topo_has_distances(const berth_topo_t *t);

/* Looking. What is returned is borrowed and valid until the topology is freed. */
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
/* The element's name, NULL for a PU. */
BERTH_API const char *berth_topo_element_name(const berth_topo_t *t, int element);
/* The number of the host of that name, -1 when there is none. */
BERTH_API int berth_topo_find_host(const berth_topo_t *t, const char *name);

/* A number that stands for the machine: topologies that agree in the tree, the numbers of PUs,
 * cores and hosts, curves, capacities, limits and slow-downs have the same one, whatever names they
 * give, who measured them and how surely. The same on every machine. */
BERTH_API uint64_t berth_topo_hash(const berth_topo_t *t);

/* A number that stands for what a mapping is for: topologies have the same one if they agree in the
 * tree, in the names of hosts, and in the numbers of PUs and cores, whatever their links carry and
 * whatever other elements are called. The same on every machine. */
BERTH_API uint64_t berth_topo_machine(const berth_topo_t *t);

/* The same without the names of hosts. */
BERTH_API uint64_t berth_topo_shape(const berth_topo_t *t);

/* The names of all hosts, as in node[01-16]. The caller frees it; NULL with the error filled. */
BERTH_API char *berth_topo_hosts_text(const berth_topo_t *t, berth_error_t *err);

/* The type of the lowest host or part of one above a PU that carries a slow-down, -1 when none
 * does.
 */
BERTH_API int berth_topo_slowdown_type(const berth_topo_t *t, int pu);

/* The time of one message of n bytes on a curve: at a point size / bandwidth, between points
 * linear in time, below the first point the time of the first, above the last n / its bandwidth. */
BERTH_API double berth_curve_time(const berth_curve_t *curve, double n);

/* The cut of the tree at a height: each PU's highest ancestor-or-self of at most that height, in
 * order. Writes at most berth_topo_n_pus() element numbers and returns how many. */
BERTH_API int berth_topo_cut(const berth_topo_t *t, int height, int *elements);

/* Discovering machines: docs/formats/topology.md.
 *
 * A description is one line of text that says how the PUs of a host share its parts: the levels
 * that have more than one member, their members in brackets, PUs as os_index:core, equal members
 * counted. host(package+l3(core(0:0,64:0)*32+1+1)*2+32+32) are two sockets of 32 cores of two
 * hardware threads. Both functions return one that the caller frees.
 *
 * The first describes this machine with those PUs that the process of that id may use (0: the
 * calling one): a job often owns a part of a machine. The second describes the machine that an
 * hwloc XML file holds, as `lstopo FILE.xml` writes it; hwloc itself may crash on a damaged one. */
BERTH_API char *berth_host_describe(long pid, berth_error_t *err);
BERTH_API char *berth_host_describe_xml(const char *path, berth_error_t *err);

/* A topology of one host, which is its root. Nobody measured its ports: they have default curves,
 * whose source is BERTH_DEFAULT_SOURCE. */
#define BERTH_DEFAULT_SOURCE "default, not measured"
BERTH_API berth_topo_t *berth_topo_from_description(const char *host, const char *description,
                                                    berth_error_t *err);
BERTH_API int berth_curve_is_default(const berth_curve_t *curve);

/* Names by Slurm's ranges: rack[1-4,7]node[01-16],login1. The array and what it points to are one
 * allocation that the caller frees. */
BERTH_API const char **berth_hostlist(const char *text, size_t *n, berth_error_t *err);

/* The way back: a text that stands for n names in their order, with those in one bracket that
 * follow one another and differ by the number at their end alone. The caller frees it. */
BERTH_API char *berth_hostlist_text(const char *const *names, size_t n, berth_error_t *err);

/* A tree of network switches with hosts: from Slurm's topology.conf (topology/tree), or from what
 * ibnetdiscover wrote of an InfiniBand fabric. There links have capacities; switches that several
 * ways lead to, as in fat trees, stand together (docs/formats/topology.md). */
typedef struct berth_network berth_network_t;
BERTH_API berth_network_t *berth_network_load_slurm(const char *path, berth_error_t *err);
BERTH_API berth_network_t *berth_network_load_fabric(const char *path, berth_error_t *err);
BERTH_API void berth_network_free(berth_network_t *net);
/* Its hosts in the order of the tree, borrowed. */
BERTH_API const char *const *berth_network_hosts(const berth_network_t *net, size_t *n);

/* A host to be: its name, and a host of a topology whose inside, types and curves it gets. */
typedef struct berth_host_like {
  const char *name;
  const berth_topo_t *topo;
  int host;
} berth_host_like_t;

/* A topology of all these hosts below the tree of a network, without the switches that none of
 * them hangs on, or below one switch (net NULL). A host matches a name of the file also when one
 * of both has a domain behind a dot; the file's name is taken. Fails with BERTH_BAD_INPUT when a
 * host isn't in the file. */
BERTH_API berth_topo_t *berth_topo_join(const char *name, size_t n, const berth_host_like_t *hosts,
                                        const berth_network_t *net, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
