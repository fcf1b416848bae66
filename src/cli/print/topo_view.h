/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of `berth topo`. */
#ifndef BERTH_CLI_PRINT_TOPO_VIEW_H
#define BERTH_CLI_PRINT_TOPO_VIEW_H

#include <berth/exchange.h>
#include <berth/probe.h>
#include <berth/topo.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/json_out.h"
#include "cli/options/option.h"

/* "8 hosts, 16 PUs, depth 3, 2 curves (1 default, not measured)". */
void topo_print_summary(FILE *to, const berth_topo_t *t);

/* How much the links above hosts are oversubscribed: a line for each kind of link, behind `before`;
 * in front of them a title if there are any. And as a list of JSON. */
void topo_print_shared(FILE *to, const char *before, const char *title, const berth_topo_t *t);
int topo_show_shared(json_out_t *j, const berth_topo_t *t, berth_error_t *err);

/* `berth topo show`. */
void topo_show_text(const berth_topo_t *t);
int topo_show_json(const berth_topo_t *t, const char *path, berth_error_t *err);
/* What was measured of hosts, by their types, behind `before`. False: nothing was. */
bool topo_show_nodes(const berth_topo_t *t, const char *before);
/* The tree alone, for topo_show_text. */
void topo_show_tree(const berth_topo_t *t);
/* One curve: a line where nobody measured it, else a picture. */
void topo_show_curve(const berth_curve_t *c);
/* What those pictures' marks mean, where there is one. */
void topo_show_legend(const berth_topo_t *t);
/* " (+-0.5%, 7 samples)"; nothing where there are none. */
void topo_print_samples(double spread, int samples);

/* "+-6% (port), +-3% (flow)", and as an object; models whose error is 0 are left out. */
bool topo_has_model_errors(const berth_topo_t *t);
void topo_print_model_errors(FILE *to, const berth_topo_t *t);
void topo_show_model_errors(json_out_t *j, const char *key, const berth_topo_t *t);

typedef struct discover_options {
  const char *output, *slurm, *fabric, *like, *hosts, *name; /* NULL where not given */
  char **launcher; /* NULL-terminated, NULL when there is none */
  bool quiet;      /* no line about what was found */
  bool xml;        /* this machine as hwloc XML */
} discover_options_t;

/* `berth topo discover`. */
int topo_discover(const discover_options_t *o, berth_error_t *err);

/* The topology whose first host is a model for others: of a topology file, of hwloc XML, or "this"
 * machine. */
berth_topo_t *topo_load_model(const char *option, const char *like, berth_error_t *err);

/* `berth topo make`: n words and files of words, and the words of --link. */
typedef struct make_options {
  const char *output, *name, *like; /* NULL where not given */
  const char *const *words, *const *links;
  size_t n_words, n_links;
  bool quiet;
} make_options_t;
int topo_make(const make_options_t *o, berth_error_t *err);

/* `berth topo import|export`: their formats for --help, one by the name that the user gave, and the
 * commands. A format of NULL is told by how the file begins. */
void topo_list_formats(FILE *to);
option_take_t topo_take_format;
int topo_import(const char *file, const char *output, const berth_topo_format_t *format,
                const char *name, berth_error_t *err);
int topo_export(const char *file, const char *output, const berth_topo_format_t *format,
                berth_error_t *err);

/* berth_host_describe_xml, safe against crashes of hwloc. */
char *topo_describe_xml(const char *path, berth_error_t *err);

/* Starts a probe on every host that the launcher reaches, and takes the answers. Free with
 * berth_probe_free. */
berth_probe_t *topo_probe_hosts(char *const *launcher, berth_error_t *err);

#endif
