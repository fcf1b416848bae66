/* SPDX-License-Identifier: BSD-3-Clause */
/* A calibration under way: what the files of this module share.
 *
 * A link joins an element to its parent. Links of the same two types are of one kind. The two ends
 * of a link are measured together, because every message crosses both. */
#ifndef BERTH_CALIB_INTERNAL_H
#define BERTH_CALIB_INTERNAL_H

#include <berth/calib.h>
#include <stdbool.h>

#include "base/arena.h"
#include "calib/calib_stats.h"

/* Whether a switch or a host carries less than its ports. */
typedef enum { LIMIT_NONE, LIMIT_FOUND, LIMIT_UNSURE } limit_t;

/* Directions of a link, as indices. */
enum { OUT, IN };

/* A value whose samples spread by more says nothing: it makes no type and no limit. */
extern const double calib_wide_spread;

/* Something that is measured again and again: flows, a size, and what came of it. */
typedef struct probe {
  berth_calib_mode_t mode;
  size_t size;
  const berth_calib_flow_t *flows;
  size_t n_flows;
  double *samples; /* n rows of n_flows: seconds per message */
  size_t n, cap;
  size_t need;     /* samples before the next stage begins */
  size_t since;    /* samples before it was looked at again, 0 where it wasn't */
  bool refined;    /* more samples are worth their time where the spread is large */
  double expected; /* seconds per message of a flow, before there are samples; 0: by its line */
  int line, point; /* the line and the size that it belongs to, -1 for none */
  const char *what;
} probe_t;

/* What is measured of one kind of link, or of those links of it that differ from the others alike.
 */
typedef struct line {
  int kind;
  int odd;                 /* one of the elements that differ, -1 for the kind itself */
  bool holds[2];           /* the directions that it is about */
  int element[2];          /* per direction, the lower end of the link that is measured */
  berth_calib_flow_t pair; /* that the curve comes from */
  int latency;             /* probes, -1 for none */
  int *point;              /* per size */
  int capacity[2]; /* probes inside hosts; between hosts ports have what several pairs carry */
  int both;        /* probe of flows out and in at once, -1 for none */
  int both_element;
  calib_stat_t several[2]; /* per direction, of all ports above hosts that it stands for */
} line_t;

typedef struct link_kind {
  int parent_type, child_type; /* child_type is -1 for PUs */
  bool inside;                 /* a host */
  int from, to;                /* a pair of elements: lower ends of links; -1 without ranks */
  bool same;                   /* both elements of the pair are of this kind */
  int pilot;                   /* a first look at the pair, for the size of messages; -1 for none */
  double usual[2];             /* what most ports carry, per direction; 0 when unknown */
} link_kind_t;

/* One look at what a port carries: some flows of a probe, all through that port. */
typedef struct view {
  int probe;
  size_t first, n;
} view_t;

/* One direction of a link above hosts. Views have different partners; each shows at least what the
 * partners of that view can take. */
enum { MAX_VIEWS = 3 };
typedef struct port {
  int element, direction, kind;
  view_t view[MAX_VIEWS];
  size_t n_views;
  bool sound;        /* its partners could have taken more than was seen */
  bool has_wide;     /* one of them has all partners that there are, or many */
  bool contradicted; /* more went through it in a ring than it should carry */
  int line;          /* of those like it, -1 for the kind's */
} port_t;

/* Flows from one port of a switch to one of the next two; an element is -1 for the switch's own up
 * port. */
typedef struct arc {
  int from, to;
  size_t first, n; /* flows in the ring's probe */
} arc_t;

/* Ports of a switch, in both directions: those of its children alone, or its own, too. */
typedef struct ring {
  int element;
  bool whole;  /* all ports that have ranks behind them */
  bool leaves; /* some of its messages pass the switch's own port */
  size_t n_ports, n_arcs;
  arc_t *arcs;
  int probe;
  double limit;               /* of the switch by this ring, 0 for none */
  double ports, ports_spread; /* what the ports allow */
  limit_t verdict;
} ring_t;

/* A host's or a part's inside with n PUs in a ring. */
typedef struct series {
  int element, n;
  bool scattered;
  int probe;
} series_t;

/* The largest ring of a host other than the one of its type that has series. */
typedef struct inside {
  int element;
  int usual, probe; /* of the one that has series, and of this one */
} inside_t;

typedef enum {
  STAGE_START,
  STAGE_PILOT,
  STAGE_FANS,
  STAGE_OTHERS,
  STAGE_DOUBTS,
  STAGE_COARSE,
  STAGE_CAPACITY,
  STAGE_RINGS,
  STAGE_CHECK,
  STAGE_AGAIN,
  STAGE_FINE,
  STAGE_PEAKS,
  STAGE_REFINE
} stage_t;

struct berth_calib {
  const berth_topo_t *t;
  const unsigned char *has_rank;
  berth_calib_options_t options;
  arena_t arena;
  probe_t *probes;
  size_t n_probes, cap_probes;
  link_kind_t *kinds;
  size_t n_kinds, cap_kinds;
  port_t *ports;
  size_t n_ports, cap_ports;
  int *port_of[2]; /* per element and direction, -1 for none */
  line_t *lines;
  size_t n_lines, cap_lines;
  ring_t *rings;
  size_t n_rings, cap_rings;
  series_t *series;
  size_t n_series, cap_series;
  inside_t *insides;
  size_t n_insides, cap_insides;
  stage_t stage;
  int current; /* the probe that berth_calib_next gave, -1 for none */
  int done;
  bool failed;      /* memory was out */
  bool out_of_time; /* something could not be measured for want of time */
  /* For berth_calib_findings. */
  arena_t text;
  berth_calib_type_t *types; /* of the last fit */
  size_t n_types, cap_types;
  berth_calib_findings_t findings;
};

/* Sizes of messages: coarse ones are measured first. */
extern const size_t calib_n_sizes;
size_t calib_size(size_t i);
bool calib_is_coarse(size_t i);

/* Fills c->findings. */
int findings_make(berth_calib_t *c, berth_error_t *err);

#endif
