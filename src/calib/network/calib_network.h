/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder do for each other and for the calibration. */
#ifndef BERTH_CALIB_NETWORK_CALIB_NETWORK_H
#define BERTH_CALIB_NETWORK_CALIB_NETWORK_H

#include "calib/calib_internal.h"

/* --- calib_pus.c: PUs with ranks in the tree, and names for people. */
/* The PUs with ranks below an element: all, or one per host. Writes at most `max` and returns
 * their number. */
size_t pus_below(const berth_calib_t *c, int element, bool one_a_host, int *out, size_t max);
/* The PUs with ranks outside an element but below `top`, near ones first. */
size_t pus_outside(const berth_calib_t *c, int element, int top, bool one_a_host, int *out,
                   size_t max);
/* The last PU with a rank on the same host. It receives messages between hosts. So sender and
 * receiver have different cores if hosts share them, and answers, which start at first PUs, use
 * another connection and don't wait behind the measured flow. */
int pu_last(const berth_calib_t *c, int pu);
bool pus_is_above_hosts(const berth_calib_t *c, int element);
/* Names for people, in the arena. An element: its name or its PU's. A pair: "h0 pu 0 to h1 pu
 * 0". A kind of link: its types, as in "switch-host". A line: its kind, and the element and
 * direction if it is about these alone, as in "switch-host (h3) in". */
const char *pus_element_label(berth_calib_t *c, arena_t *arena, int element);
const char *pus_pair_label(berth_calib_t *c, arena_t *arena, berth_calib_flow_t pair);
const char *pus_kind_label(berth_calib_t *c, arena_t *arena, int kind);
const char *pus_port_label(berth_calib_t *c, arena_t *arena, const port_t *p);
const char *pus_line_label(berth_calib_t *c, arena_t *arena, const line_t *l);
/* Any text; "" if memory is out (c->failed). */
const char *pus_label(berth_calib_t *c, arena_t *arena, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- calib_kinds.c: kinds of links. */
void kinds_find(berth_calib_t *c);
void kinds_look(berth_calib_t *c); /* first look at each kind between hosts */
void kinds_add_lines(berth_calib_t *c);
int kind_of_link(const berth_calib_t *c, int element);

/* --- calib_ports.c: capacities of links above hosts, per direction. */
extern const double calib_alike; /* values that differ by less are equal */
/* Other partners for ports that differ or may be limited by theirs. */
void ports_add_others(berth_calib_t *c);
void ports_add_doubts(berth_calib_t *c); /* more samples for views that disagree */
void ports_classify(berth_calib_t *c); /* groups similar ports; adds lines for those that differ */
void ports_sum_up(berth_calib_t *c);   /* sets line_t.several from similar ports */
/* NULL if there is none. */
const port_t *port_find(const berth_calib_t *c, int element, int direction);
/* A port's rate by its best view; n is 0 if nothing is known. */
calib_stat_t port_rate(const berth_calib_t *c, const port_t *p);
/* A near pair of PUs to measure a direction of an element's link, with faster ports on its path. */
berth_calib_flow_t port_pair(const berth_calib_t *c, int element, int direction);
/* NULL if the port's value is sound, else the reason why not. */
const char *port_doubt(const berth_calib_t *c, const port_t *p);
/* A flow between the PUs of two elements, on the hosts with the fastest known ports. */
berth_calib_flow_t port_pair_flow(const berth_calib_t *c, int from, int to);
/* Whether flows through a port could show that it carries more than was seen. */
bool port_fan_has_room(const berth_calib_t *c, const port_t *p, const berth_calib_flow_t *flows,
                       size_t n);

/* --- calib_fans.c: flows between a port and several partners. */
void fans_add_ports(berth_calib_t *c); /* finds all ports and adds a fan of partners for each */
/* Adds a fan for one port alone, with partners from anywhere; a `wide` one has more of them. PUs
 * of `skip` (or NULL) are used only if there are no others. */
enum { MAX_FAN = 64 };
void fan_add_alone(berth_calib_t *c, int port, const view_t *skip, bool wide);

/* --- calib_lines.c: measurements of links. */
line_t *line_add(berth_calib_t *c, line_t l); /* NULL if memory is out */
void line_add_points(berth_calib_t *c, line_t *l, bool coarse);
void line_add_capacities(berth_calib_t *c, line_t *l);
/* Measures points again that exceed both of their neighbours. */
void line_check_peaks(berth_calib_t *c, line_t *l);
/* Flows between several PUs below an element and several outside: at most MAX_SEVERAL. */
enum { MAX_SEVERAL = 16 };
size_t line_fan(const berth_calib_t *c, int element, int direction, berth_calib_flow_t *flows);
/* The expected time of a message, from the next smaller size. */
double line_guess(const berth_calib_t *c, const line_t *l, size_t size_index);
/* Seconds per message of a size: from a stream, but at least the latency. */
calib_stat_t line_time(const berth_calib_t *c, const line_t *l, size_t size_index);
/* The same in bytes per second. If the spread is wide, the median counts up to the larger
 * neighbour. */
calib_stat_t line_rate(const berth_calib_t *c, const line_t *l, size_t size_index);
/* The maximum over all sizes. */
calib_stat_t line_largest(const berth_calib_t *c, const line_t *l);
bool line_is_usable(const berth_calib_t *c, const line_t *l);
/* NULL if there is none. */
const line_t *line_of_link(const berth_calib_t *c, int element, int direction);
/* What one pair gets of a link's direction at a size, from its own line or its kind's so far. n
 * is 0 if nothing is known. */
calib_stat_t line_link_pair_rate(const berth_calib_t *c, int element, int direction, size_t size);
/* What several pairs get together, if it is more than one pair gets. */
calib_stat_t line_link_rate(const berth_calib_t *c, int element, int direction);
/* What several pairs get in a direction of a line. */
calib_stat_t line_several(const berth_calib_t *c, const line_t *l, int direction);

/* --- calib_reverse.c: loss of a link's bandwidth while both directions are busy. */
/* Adds a probe of what each byte in one direction costs the other. */
void reverse_add(berth_calib_t *c, line_t *l);
/* If that gave nothing, or a switch's limit is on the path, adds another pair without one. */
void reverse_add_elsewhere(berth_calib_t *c, line_t *l);
/* n is 0 if unknown. */
calib_stat_t reverse_line(const berth_calib_t *c, const line_t *l);

/* --- calib_share.c: prediction of the rates of flows that share ports and switches. */
/* Predicts max-min fair rates from what is known so far. `free` is a port that counts as
 * infinitely fast, or NULL. With `limits`, switches have their known limits; with `both_ways`,
 * each direction costs the other its part. `cap` bounds each flow; 0 is no bound. Returns false
 * if memory is out. */
typedef struct sharing {
  const port_t *free;
  bool hope; /* ports that aren't sound are free, too */
  bool limits, both_ways;
  int but;          /* switch whose limit is ignored; -1: none */
  double but_limit; /* used as that switch's limit; 0: none */
} sharing_t;
bool share_rates(const berth_calib_t *c, const sharing_t *s, const berth_calib_flow_t *flows,
                 size_t n, const double *cap, double *rate);
/* The slowest port on a flow's path; INFINITY if none is known. */
double share_path(const berth_calib_t *c, berth_calib_flow_t f);
/* The ports above hosts on a flow's path: those that it leaves first, then those that it enters,
 * both from the PU upwards. Needs room for 2 * BERTH_MAX_DEPTH. */
typedef struct step {
  int element, direction;
} step_t;
size_t share_path_find(const berth_calib_t *c, berth_calib_flow_t f, step_t *steps);

/* --- calib_rings.c: rings of all ports of a switch, and the limits that they show. */
/* Adds rings, bottom up; then finds the limits. */
void rings_add(berth_calib_t *c);
/* Marks ports that rings contradict. */
void rings_check(berth_calib_t *c);
/* Measures rings and ports again that disagree. */
void rings_look_again(berth_calib_t *c);
void rings_find_limits(berth_calib_t *c);
/* A switch's limit (0: none known), and the ring that shows it (NULL: none). */
double rings_switch_limit(const berth_calib_t *c, int element);
const ring_t *rings_switch_ring(const berth_calib_t *c, int element);
/* Whether flows with that joint rate come near a known limit. */
bool rings_limit_flows(const berth_calib_t *c, const berth_calib_flow_t *flows, size_t n,
                       double rate);

/* --- calib_inside.c: capacities inside hosts. */
void inside_series_add(berth_calib_t *c);
const char *inside_series_label(berth_calib_t *c, arena_t *arena, const series_t *s);
/* The capacity of elements of a type inside hosts (n is 0 if unknown), what their ports would
 * allow, and whether that makes a limit. */
extern const double calib_series_tolerance; /* a smaller difference to its ports is no limit */
limit_t inside_series_limit(const berth_calib_t *c, int type, calib_stat_t *total, double *ports);
/* Adds other hosts of the types that have series. Hosts that look different are measured again,
 * in turns with the one that has the series. */
void insides_add(berth_calib_t *c);
void insides_look_again(berth_calib_t *c);
/* Whether a host differs from its type's, and its capacity if so. */
typedef enum { INSIDE_ALIKE, INSIDE_DIFFERS, INSIDE_UNSURE, INSIDE_UNCONFIRMED } inside_verdict_t;
inside_verdict_t inside_judge(const berth_calib_t *c, const inside_t *i, calib_stat_t *found,
                              calib_stat_t *usual);

#endif
