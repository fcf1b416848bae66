/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this module share.
 *
 * A link joins an element to its parent; links of the same two types are of one kind. Both ends of
 * a link are measured as one, since no message crosses one end alone. */
#ifndef BERTH_CALIB_INTERNAL_H
#define BERTH_CALIB_INTERNAL_H

#include "base/arena.h"
#include "calib/calib.h"
#include "calib/calib_stats.h"

/* Directions of a link, as indices. */
enum { OUT, IN };

/* Something that is measured again and again: flows, a size, and what came of it. */
typedef struct probe {
  calib_mode_t mode;
  size_t size;
  const calib_flow_t *flows;
  size_t n_flows;
  double *samples; /* n rows of n_flows: seconds per message */
  size_t n, cap;
  size_t need;     /* samples before the next stage begins */
  bool refined;    /* more samples are worth their time where the spread is large */
  double expected; /* seconds per message of a flow, before there are samples; 0: by its line */
  int line, point; /* the line and the size that it belongs to, -1 for none */
  const char *what;
} probe_t;

/* What is measured of one kind of link, or of one element's link that differs from its kind. */
typedef struct line {
  int kind;
  int odd;           /* the element, -1 for the kind itself */
  bool holds[2];     /* the directions that it is about */
  int element[2];    /* per direction, the lower end of the link that is measured */
  calib_flow_t pair; /* that the curve comes from */
  int latency;       /* probes, -1 for none */
  int *point;        /* per size */
  int capacity[2];
  int both; /* probe of its flows out and in at once, -1 for none */
  size_t n_out;
} line_t;

typedef struct link_kind {
  int parent_type, child_type; /* child_type is -1 for PUs */
  bool inside;                 /* a host */
  bool found;                  /* there are ranks to measure it */
  int elect;                   /* probe that compares pairs, -1 for none */
  int *from, *to;              /* the pairs' elements: lower ends of links */
  size_t n_pairs;
  bool same; /* both elements of a pair are of this kind */
} link_kind_t;

/* Flows from one port of a switch to the next; an element is -1 for the switch's own up port. */
typedef struct arc {
  int from, to;
  size_t first, n;                  /* flows in the ring's probe */
  int alone;                        /* probe of this arc's flows, -1 for none */
  int other_receiver, other_sender; /* probes that tell which end is to blame, -1 for none */
} arc_t;

/* All ports of a switch, in both directions. */
typedef struct ring {
  int element;
  arc_t *arcs;
  size_t n_arcs;
  int probe;
  int up;       /* probe of the arcs through its up port together, -1 for none */
  double limit; /* 0 for none */
  double ports; /* what the ports allow */
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
  int probe;
} inside_t;

typedef enum {
  STAGE_START,
  STAGE_ELECT,
  STAGE_COARSE,
  STAGE_CAPACITY,
  STAGE_RINGS,
  STAGE_ALONE,
  STAGE_ENDS,
  STAGE_ODD,
  STAGE_FINE,
  STAGE_REFINE
} stage_t;

struct calib {
  const berth_topo_t *t;
  const unsigned char *has_rank;
  calib_options_t options;
  arena_t arena;
  probe_t *probes;
  size_t n_probes, cap_probes;
  link_kind_t *kinds;
  size_t n_kinds, cap_kinds;
  line_t *lines;
  size_t n_lines, cap_lines;
  ring_t *rings;
  size_t n_rings, cap_rings;
  series_t *series;
  size_t n_series, cap_series;
  inside_t *insides;
  size_t n_insides, cap_insides;
  stage_t stage;
  int current; /* the probe that calib_next gave, -1 for none */
  int done;
  bool failed; /* memory was out */
  /* For calib_findings. */
  arena_t text;
  calib_findings_t findings;
};

/* Sizes of messages: coarse ones are measured first. */
extern const size_t calib_n_sizes;
size_t calib_size(size_t i);
bool calib_is_coarse(size_t i);

/* Adds a probe and returns its number, -1 when memory is out (c->failed). The flows are copied. */
int probe_add(calib_t *c, calib_mode_t mode, size_t size, size_t n, const calib_flow_t *flows,
              size_t need, double expected, const char *what);
/* Seconds per message of a probe's first flow; n is 0 when there are no samples. */
calib_stat_t probe_time(const calib_t *c, int probe);
/* Bytes per second of the flows first … first + n - 1 together. */
calib_stat_t probe_rate(const calib_t *c, int probe, size_t first, size_t n);
calib_stat_t probe_total(const calib_t *c, int probe);
/* How an experiment of a probe is to be done. */
void probe_shape(const calib_t *c, const probe_t *p, calib_experiment_t *out);

/* PUs with ranks below an element: all of them, or one a host. Writes at most `max`. */
size_t pus_below(const calib_t *c, int element, bool one_a_host, int *out, size_t max);
/* PUs with ranks outside an element but below `top`, near ones first. */
size_t pus_outside(const calib_t *c, int element, int top, bool one_a_host, int *out, size_t max);
bool is_above_hosts(const calib_t *c, int element);
/* The element's name for people; a PU's number. The arena's. */
const char *element_label(calib_t *c, arena_t *arena, int element);

/* Kinds and lines. */
void kinds_find(calib_t *c);
void kinds_elect(calib_t *c);
void lines_add_kinds(calib_t *c);
/* The measurement of one direction of an element's link, as its own; NULL when memory is out. */
line_t *line_add_odd(calib_t *c, int element, int direction, int partner);
void line_add_points(calib_t *c, line_t *l, bool coarse);
void line_add_capacities(calib_t *c, line_t *l);
void line_add_both(calib_t *c, line_t *l);
int kind_of_link(const calib_t *c, int element);
/* What a link carries in one direction by what is known so far: its own line, or its kind's. n is
 * 0 when nothing is known. `pair`: for one pair at that size; else for several. */
calib_stat_t link_rate(const calib_t *c, int element, int direction, bool pair, size_t size);
/* What each byte in one direction of a link adds to the other; n is 0 when unknown. */
calib_stat_t line_reverse(const calib_t *c, const line_t *l);
const line_t *line_of_link(const calib_t *c, int element, int direction);
/* A curve's time at a size: the stream's, but not less than the latency. */
calib_stat_t line_time(const calib_t *c, const line_t *l, size_t size_index);
bool line_is_usable(const calib_t *c, const line_t *l);

/* What a message may take, by those of the next smaller size. */
double line_guess(const calib_t *c, const line_t *l, size_t size_index);

/* A size for several flows at once, from what a pair carries. */
size_t several_size(double rate);

/* Rings, bottom up, and what follows from them. */
void rings_add(calib_t *c);
void rings_add_alone(calib_t *c);
void rings_add_ends(calib_t *c);
void rings_find_odd(calib_t *c);
void rings_find_limits(calib_t *c);
void series_add(calib_t *c);
/* The limit of a type inside hosts (0 for none) and what its ports would allow. */
calib_stat_t series_limit(const calib_t *c, int type, double *ports);
/* Other hosts of the types that have series, and what each carries in all where that differs from
 * its type's; n is 0 where not. */
void insides_add(calib_t *c);
calib_stat_t inside_differs(const calib_t *c, const inside_t *i);

/* For people. */
int findings_make(calib_t *c, berth_error_t *err);

#endif
