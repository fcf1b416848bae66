/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that writers make of one mapping: which ones, checked against each other and the inputs,
 * all written or none. */
#ifndef BERTH_CLI_OPTIONS_OUTPUTS_H
#define BERTH_CLI_OPTIONS_OUTPUTS_H

#include <berth/map.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/options/option.h"

typedef struct output {
  const berth_writer_t *writer;
  const char *path; /* "-" is standard output */
} output_t;

typedef struct outputs {
  output_t *list;
  size_t n, cap;
  char *pin; /* the name that outputs_complete made, or NULL */
} outputs_t;

/* Add a file to an outputs_t: of NAME=FILE, or NAME alone, which goes to standard output; and of an
 * option that has a writer's name. `arg` stays and is changed. */
option_take_t outputs_take, outputs_take_named;

/* Ends in a usage error where two outputs would overwrite each other, or one of n inputs (NULL: not
 * given). */
void outputs_check(struct argp_state *state, const outputs_t *o, size_t n,
                   const char *const *inputs);

/* Whether one goes to standard output, which other text then leaves to it. */
bool outputs_to_stdout(const outputs_t *o);

/* Adds the script that binds ranks (format pin) where the command of another format starts it and
 * nobody asked for it: FILE.pin beside that format's FILE. Not for standard output. */
int outputs_complete(outputs_t *o, const berth_mapping_t *m, const berth_topo_t *t,
                     berth_error_t *err);

/* Writes them; between together_begin and together_end (cli/together.h). */
int outputs_write(const outputs_t *o, const berth_mapping_t *m, const berth_topo_t *t,
                  berth_error_t *err);

/* Says what was written and the commands that start a job with it. */
int outputs_print(FILE *to, const outputs_t *o, const berth_mapping_t *m, const berth_topo_t *t,
                  berth_error_t *err);

/* A path as one would type it, which no launcher takes for an option. Free it. NULL: memory is out.
 */
char *outputs_quoted(const char *path);

/* The formats, one a line, for help texts. */
void outputs_list_formats(FILE *to);

void outputs_clear(outputs_t *o);

#endif
