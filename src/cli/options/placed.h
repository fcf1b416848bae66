/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements that a command is told to put beside each other. */
#ifndef BERTH_CLI_OPTIONS_PLACED_H
#define BERTH_CLI_OPTIONS_PLACED_H

#include <stdbool.h>

#include "cli/options/inputs.h"

typedef struct placed {
  const char *name;        /* the file, or "linear" */
  bool is_linear;          /* placed by berth, not read */
  berth_mapping_t mapping; /* of linear the placement alone */
} placed_t;

/* What is asked for. Free `files.item` alone. */
typedef struct placed_question {
  option_words_t files;
  const char *against; /* a file of these or one more, "linear"; NULL: linear if it fits */
  bool shared;         /* several ranks may be on one PU */
  bool none_needed;    /* no mapping may be named */
  bool asked[BERTH_N_MODELS], any_asked;
} placed_question_t;

/* The options that fill a placed_question_t: MAPPING... and --oversubscribe; and, for commands that
 * compare placements with one of them under several models, --against and --models, too. */
extern const option_table_t placed_options, placed_against_options;

/* The models to price by: those asked for and `always`, or all; without being asked, flow is for
 * few ranks only. */
void placed_models(const placed_question_t *question, int ranks, berth_model_t always,
                   bool asked[BERTH_N_MODELS]);

typedef struct placed_list {
  placed_t *item; /* the files, the reference where it isn't one of them, linear where it fits */
  size_t n, reference;
} placed_list_t;

/* Whether all ranks are on the same PUs. */
bool placed_is_same(const berth_mapping_t *a, const berth_mapping_t *b);

/* Reads and places them, linear in the scope of the mappings (usable_adopt_scope). Free with
 * placed_clear, also after a failure. */
int placed_load(inputs_t *in, const placed_question_t *question, placed_list_t *out,
                berth_error_t *err);
void placed_clear(placed_list_t *list);

#endif
