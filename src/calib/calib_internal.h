/* SPDX-License-Identifier: BSD-3-Clause */
/* A calibration under way, shared by the files of this module.
 *
 * A link joins an element to its parent. Links with the same two types are of one kind. The two
 * ends of a link are measured together, because every message crosses both. */
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

/* A value with a larger spread isn't used: it makes no type and no limit. */
extern const double calib_wide_spread;

/* A repeated measurement: flows, a size, and the samples. */
typedef struct probe {
  berth_calib_mode_t mode;
  size_t size;
  const berth_calib_flow_t *flows;
  size_t n_flows;
  double *samples; /* n rows of n_flows, in seconds per message */
  size_t n, cap;
  size_t need;     /* samples before the next stage begins */
  size_t since;    /* samples before it was measured again; 0: it wasn't */
  bool refined;    /* if the spread is large, more samples are worth their time */
  double expected; /* seconds per message before there are samples; 0: from its line */
  int line, point; /* its line and size; -1: none */
  const char *what;
} probe_t;

/* The measurements of a kind of link, or of links that differ from their kind in the same way. */
typedef struct line {
  int kind;
  int odd;                 /* one of the elements that differ; -1: the kind itself */
  bool holds[2];           /* directions that it covers */
  int element[2];          /* per direction, the lower end of the measured link */
  berth_calib_flow_t pair; /* source of the curve */
  int latency;             /* probe; -1: none */
  int *point;              /* probe per size */
  int capacity[2]; /* probes inside hosts; between hosts, several pairs give the ports' capacity */
  int both;        /* probe with flows in both directions; -1: none */
  int both_element;
  calib_stat_t several[2]; /* per direction, over all ports above hosts that it stands for */
} line_t;

typedef struct link_kind {
  int parent_type, child_type; /* child_type -1: PUs */
  bool inside;                 /* inside a host */
  int from, to;                /* a pair of elements (lower ends of links); -1: no ranks */
  bool same;                   /* both elements of the pair are of this kind */
  int pilot;       /* probe: first look at the pair, to choose message sizes; -1: none */
  double usual[2]; /* bandwidth of most ports, per direction; 0: unknown */
} link_kind_t;

/* A look at a port's bandwidth: some flows of a probe, all through that port. */
typedef struct view {
  int probe;
  size_t first, n;
} view_t;

/* One direction of a link above hosts. Each view has other partners, and is a lower bound. */
enum { MAX_VIEWS = 3 };
typedef struct port {
  int element, direction, kind;
  view_t view[MAX_VIEWS];
  size_t n_views;
  bool sound;        /* its partners could have carried more than was seen */
  bool has_wide;     /* a view has all possible partners, or many */
  bool contradicted; /* in a ring, more went through it than it should carry */
  int line;          /* of similar ports; -1: the kind's */
} port_t;

/* Flows from one port of a switch to one of the next two. Element -1 is the switch's own up
 * port. */
typedef struct arc {
  int from, to;
  size_t first, n; /* flows in the ring's probe */
} arc_t;

/* Ports of a switch in both directions: its children's alone, or its own, too. */
typedef struct ring {
  int element;
  bool whole;  /* has all ports with ranks behind them */
  bool leaves; /* some messages pass the switch's own port */
  size_t n_ports, n_arcs;
  arc_t *arcs;
  int probe;
  double limit;               /* the switch's limit by this ring; 0: none */
  double ports, ports_spread; /* what the ports allow */
  limit_t verdict;
} ring_t;

/* A ring of n PUs inside a host or a part of one. */
typedef struct series {
  int element, n;
  bool scattered;
  int probe;
} series_t;

/* The largest ring of a host whose type has its series on another host. */
typedef struct inside {
  int element;
  int usual, probe; /* probes: of the host with the series, of this one */
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
  int *port_of[2]; /* per element and direction; -1: none */
  line_t *lines;
  size_t n_lines, cap_lines;
  ring_t *rings;
  size_t n_rings, cap_rings;
  series_t *series;
  size_t n_series, cap_series;
  inside_t *insides;
  size_t n_insides, cap_insides;
  stage_t stage;
  int current; /* the probe of the last berth_calib_next; -1: none */
  int done;
  bool failed;      /* memory was out */
  bool out_of_time; /* something couldn't be measured in the time */
  /* For berth_calib_findings. */
  arena_t text;
  berth_calib_type_t *types; /* of the last fit */
  size_t n_types, cap_types;
  berth_calib_findings_t findings;
};

/* Message sizes. Coarse ones are measured first. */
extern const size_t calib_n_sizes;
size_t calib_size(size_t i);
bool calib_is_coarse(size_t i);

/* Adds a probe and copies the flows; `what` is in c->arena. Returns its number; -1 if memory is out
 * (c->failed). probe_add_refined adds one of three samples that may get more. */
int probe_add(berth_calib_t *c, berth_calib_mode_t mode, size_t size, size_t n,
              const berth_calib_flow_t *flows, size_t need, double expected, const char *what);
int probe_add_refined(berth_calib_t *c, berth_calib_mode_t mode, size_t size, size_t n,
                      const berth_calib_flow_t *flows, double expected, const char *what);
/* Requests that many more samples of a probe before the next stage begins. */
void probe_look_again(berth_calib_t *c, int probe, size_t times);
/* Seconds per message of a probe's first flow; smaller samples count as `floor`. n is 0 if there
 * are no samples. */
calib_stat_t probe_time(const berth_calib_t *c, int probe, double floor);
/* Bytes per second of flows: of `n` from `first` on together; of all; of all since the probe was
 * measured again. */
calib_stat_t probe_rate(const berth_calib_t *c, int probe, size_t first, size_t n);
calib_stat_t probe_total(const berth_calib_t *c, int probe);
/* The same, from the samples near the best ones. Other traffic on a network only slows flows. So
 * samples that differ by more than 5% from the second largest are left out. */
calib_stat_t probe_best(const berth_calib_t *c, int probe, size_t first, size_t n);
calib_stat_t probe_total_again(const berth_calib_t *c, int probe);
/* Fills in how to do an experiment of a probe. */
void probe_shape(const berth_calib_t *c, const probe_t *p, berth_calib_experiment_t *out);
/* A message size for several flows at once, from a pair's rate. */
size_t probe_several_size(double rate);

/* Fills c->findings. */
int findings_make(berth_calib_t *c, berth_error_t *err);

#endif
