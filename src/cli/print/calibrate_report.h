/* SPDX-License-Identifier: BSD-3-Clause */
/* What `berth calibrate` says it found. */
#ifndef BERTH_CLI_PRINT_CALIBRATE_REPORT_H
#define BERTH_CLI_PRINT_CALIBRATE_REPORT_H

#include <berth/calib.h>
#include <stdio.h>

#include "calib/job/measuring_job.h"

typedef struct calibrate_summary {
  const char *output;
  const berth_topo_t *before; /* names the elements */
  const berth_calib_findings_t *findings;
  const berth_topo_t *fitted; /* has the models' errors */
  int trials;                 /* that these are from */
  const job_t *job;
  const char *date;
  double seconds;
  int experiments;
  const char *stopped; /* why it ended early, NULL when it didn't */
} calibrate_summary_t;

void calibrate_report_text(FILE *to, const calibrate_summary_t *s);
int calibrate_report_json(const calibrate_summary_t *s, berth_error_t *err);

#endif
