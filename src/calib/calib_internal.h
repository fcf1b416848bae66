/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this module share.
 *
 * A link joins an element to its parent; links of the same two types are of one kind. Both ends of
 * a link are measured as one, since no message crosses one end alone. */
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

/* Adds a probe and returns its number, -1 when memory is out (c->failed). The flows are copied. */
int probe_add(berth_calib_t *c, berth_calib_mode_t mode, size_t size, size_t n,
              const berth_calib_flow_t *flows, size_t need, double expected, const char *what);
/* Has a probe measured that often again before the next stage begins. */
void probe_look_again(berth_calib_t *c, int probe, size_t times);
/* Seconds per message of a probe's first flow, each sample at least `floor`; n is 0 when there are
 * no samples. */
calib_stat_t probe_time(const berth_calib_t *c, int probe, double floor);
/* Bytes per second of the flows first … first + n - 1 together; of all; of all since it was looked
 * at again. */
calib_stat_t probe_rate(const berth_calib_t *c, int probe, size_t first, size_t n);
calib_stat_t probe_total(const berth_calib_t *c, int probe);
/* The same of the samples near the best ones: others on a network only slow what is measured, so
 * samples are left out that are 5% below the second largest, or above it. */
calib_stat_t probe_best(const berth_calib_t *c, int probe, size_t first, size_t n);
calib_stat_t probe_total_again(const berth_calib_t *c, int probe);
/* How an experiment of a probe is to be done. */
void probe_shape(const berth_calib_t *c, const probe_t *p, berth_calib_experiment_t *out);

/* PUs with ranks below an element: all of them, or one a host. Writes at most `max`. */
size_t pus_below(const berth_calib_t *c, int element, bool one_a_host, int *out, size_t max);
/* PUs with ranks outside an element but below `top`, near ones first. */
size_t pus_outside(const berth_calib_t *c, int element, int top, bool one_a_host, int *out,
                   size_t max);
/* The same host's last PU with a rank. Messages between hosts are received there: where hosts share
 * cores it has another than the sender's, and what goes back, from first PUs again, has another
 * connection, so that what it waits for isn't behind what is measured. */
int pu_last(const berth_calib_t *c, int pu);
bool pus_is_above_hosts(const berth_calib_t *c, int element);
/* The arena's. Of an element its name for people, or its PU's; of a pair of PUs "h0 pu 0 to h1 pu
 * 0"; of a kind of links its types' names, as in "switch-host"; of a line that of its kind, with
 * the element and the direction where it is about those alone, as in "switch-host (h3) in". */
const char *pus_element_label(berth_calib_t *c, arena_t *arena, int element);
const char *pus_pair_label(berth_calib_t *c, arena_t *arena, berth_calib_flow_t pair);
const char *pus_kind_label(berth_calib_t *c, arena_t *arena, int kind);
const char *pus_port_label(berth_calib_t *c, arena_t *arena, const port_t *p);
const char *pus_line_label(berth_calib_t *c, arena_t *arena, const line_t *l);
/* A copy of text, "" when memory is out (c->failed). */
const char *pus_label_copy(berth_calib_t *c, arena_t *arena, const char *text);

/* Kinds of links. */
void kinds_find(berth_calib_t *c);
void kinds_look(berth_calib_t *c); /* a first look at each kind between hosts */
void kinds_add_lines(berth_calib_t *c);
int kind_of_link(const berth_calib_t *c, int element);
/* A flow between the PUs of two elements, of hosts whose ports are the fastest of those that are
 * known. */
berth_calib_flow_t port_pair_flow(const berth_calib_t *c, int from, int to);

/* Ports (calib_ports.c): what each direction of each link above hosts carries. */
extern const double calib_alike;       /* values that differ by less are one */
void fans_add_ports(berth_calib_t *c); /* finds them, and adds a fan of partners for each */
/* One port's fan by itself, with partners from anywhere, more of them where it shall be wide. Those
 * of `skip` are left out while there are others; NULL for none. */
enum { MAX_FAN = 64 };
void fan_add_alone(berth_calib_t *c, int port, const view_t *skip, bool wide);
/* Whether flows through a port could show that it carries more than was seen. */
bool port_fan_has_room(const berth_calib_t *c, const port_t *p, const berth_calib_flow_t *flows,
                       size_t n);
void ports_add_others(berth_calib_t *c); /* other partners where one differs or may be held back */
void ports_add_doubts(berth_calib_t *c); /* more samples where views don't agree */
void ports_classify(berth_calib_t *c);   /* which are alike; lines for those that differ */
void ports_sum_up(berth_calib_t *c);     /* what those that are alike carry: line_t.several */
const port_t *port_find(const berth_calib_t *c, int element, int direction); /* NULL for none */
/* What a port carries by its best view; n is 0 when nothing is known. */
calib_stat_t port_rate(const berth_calib_t *c, const port_t *p);
/* A pair of PUs to measure a direction of an element's link: near, with faster ports on its way. */
berth_calib_flow_t port_pair(const berth_calib_t *c, int element, int direction);
/* NULL when the port's value is sound, else why it isn't. */
const char *port_doubt(const berth_calib_t *c, const port_t *p);

/* Rates of flows that share ports and switches max-min fairly, by what is known of these. `free` is
 * a port taken for infinitely fast, NULL for none; with `limits` switches are as they were found,
 * with `both_ways` what goes one way takes its part of the other. `cap` bounds each flow, 0 for no
 * bound. False when memory is out. */
typedef struct sharing {
  const port_t *free;
  bool hope; /* ports that aren't sound are free, too */
  bool limits, both_ways;
  int but;          /* the switch whose limit is left out, -1 for none */
  double but_limit; /* taken for it instead, 0 for none */
} sharing_t;
bool share_rates(const berth_calib_t *c, const sharing_t *s, const berth_calib_flow_t *flows,
                 size_t n, const double *cap, double *rate);
/* The slowest port on the way of one flow; INFINITY when none is known. */
double share_path(const berth_calib_t *c, berth_calib_flow_t f);
/* The ports above hosts that a flow goes through: those it leaves first, both from the PU upwards.
 * Room for 2 * BERTH_MAX_DEPTH. */
typedef struct step {
  int element, direction;
} step_t;
size_t share_path_find(const berth_calib_t *c, berth_calib_flow_t f, step_t *steps);

/* Lines: what is measured of links. */
line_t *line_add(berth_calib_t *c, line_t l); /* NULL when memory is out */
void line_add_points(berth_calib_t *c, line_t *l, bool coarse);
void line_add_capacities(berth_calib_t *c, line_t *l);
/* Has points measured again that stand out above both of their neighbours. */
void line_check_peaks(berth_calib_t *c, const line_t *l);
/* Several PUs below an element to several outside of it, or back: at most MAX_SEVERAL flows. */
enum { MAX_SEVERAL = 16 };
size_t line_fan(const berth_calib_t *c, int element, int direction, berth_calib_flow_t *flows);
/* What a message may take, by those of the next smaller size. */
double line_guess(const berth_calib_t *c, const line_t *l, size_t size_index);
/* Seconds of a message at a size: in a stream, but no less than the latency. */
calib_stat_t line_time(const berth_calib_t *c, const line_t *l, size_t size_index);
/* What that makes in bytes per second. A wide spread's median is believed up to the larger of both
 * neighbours. */
calib_stat_t line_rate(const berth_calib_t *c, const line_t *l, size_t size_index);
/* The largest of all sizes. */
calib_stat_t line_largest(const berth_calib_t *c, const line_t *l);
bool line_is_usable(const berth_calib_t *c, const line_t *l);
/* NULL when there is none. */
const line_t *line_of_link(const berth_calib_t *c, int element, int direction);
/* What one pair gets of a link in one direction at a size, by what is known so far: its own line,
 * or its kind's. n is 0 when nothing is known. */
calib_stat_t line_link_pair_rate(const berth_calib_t *c, int element, int direction, size_t size);
/* What several pairs get together, if that is more than one gets. */
calib_stat_t line_link_rate(const berth_calib_t *c, int element, int direction);

/* What each byte in one direction of a link adds to the other. */
void reverse_add(berth_calib_t *c, line_t *l);
/* Where that told nothing, or a switch's limit lies in the way: another pair that has none. */
void reverse_add_elsewhere(berth_calib_t *c, line_t *l);
/* n is 0 when unknown. */
calib_stat_t reverse_line(const berth_calib_t *c, const line_t *l);

/* What several pairs get in a direction of a line. */
calib_stat_t line_several(const berth_calib_t *c, const line_t *l, int direction);

/* A size for several flows at once, from what a pair carries. */
size_t probe_several_size(double rate);

/* Rings, bottom up, and what follows from them. */
void rings_add(berth_calib_t *c);
/* Marks ports that rings contradict. */
void rings_check(berth_calib_t *c);
/* Has measured again what rings and ports don't agree about. */
void rings_look_again(berth_calib_t *c);
void rings_find_limits(berth_calib_t *c);
/* What a switch carries in all, 0 for no limit that is known; the ring that tells, NULL for none.
 */
double rings_switch_limit(const berth_calib_t *c, int element);
const ring_t *rings_switch_ring(const berth_calib_t *c, int element);
/* Whether flows that carry so much together come near a limit that was found. */
bool rings_limit_flows(const berth_calib_t *c, const berth_calib_flow_t *flows, size_t n,
                       double rate);

/* Insides of hosts. */
void inside_series_add(berth_calib_t *c);
/* What elements of a type inside hosts carry in all (n is 0 when unknown), what their ports would
 * allow, and what follows. */
extern const double calib_series_tolerance; /* less than that below its ports is no limit */
limit_t inside_series_limit(const berth_calib_t *c, int type, calib_stat_t *total, double *ports);
/* Other hosts of the types that have series; those that look different are measured again, in turns
 * with the one that has the series. */
void insides_add(berth_calib_t *c);
void insides_look_again(berth_calib_t *c);
/* Whether one differs from its type's, and what it carries in all then. */
typedef enum { INSIDE_ALIKE, INSIDE_DIFFERS, INSIDE_UNSURE, INSIDE_UNCONFIRMED } inside_verdict_t;
inside_verdict_t inside_judge(const berth_calib_t *c, const inside_t *i, calib_stat_t *found,
                              calib_stat_t *usual);

/* For people. */
int findings_make(berth_calib_t *c, berth_error_t *err);

#endif
