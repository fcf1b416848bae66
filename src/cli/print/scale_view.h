/* SPDX-License-Identifier: BSD-3-Clause */
/* What a generalisation found, for people and for scripts. */
#ifndef BERTH_CLI_PRINT_SCALE_VIEW_H
#define BERTH_CLI_PRINT_SCALE_VIEW_H

#include <berth/scale.h>
#include <stdbool.h>
#include <stdio.h>

/* A pattern that was held against the recorded one of as many ranks. */
typedef struct scale_trial {
  const char *file; /* the recorded one; NULL: none */
  int ranks;
  const char *failed; /* why nothing could be compared; NULL: it was */
  berth_scale_agreement_t agreement;
} scale_trial_t;

typedef struct scale_view {
  const berth_scaled_t *scaled;
  int ranks;
  size_t n_traces;
  const int *traced;       /* ranks of the traces, in rising order */
  const char *output;      /* NULL: none */
  double tolerance;        /* of pairs that agree: 0.05 is 5% */
  scale_trial_t kept_back; /* the trace with the most ranks, against one of the others */
  scale_trial_t against;   /* a trace that the user has of this size */
} scale_view_t;

void scale_print(FILE *to, const scale_view_t *v);
/* Writes the object of docs/formats/scale.md. */
int scale_json(const scale_view_t *v, const char *path, berth_error_t *err);

#endif
