/* SPDX-License-Identifier: BSD-3-Clause */
/* The first line of a result: what to do, in one sentence. */
#ifndef BERTH_CLI_PRINT_CONCLUSION_H
#define BERTH_CLI_PRINT_CONCLUSION_H

#include <berth/assess.h>
#include <berth/map.h>
#include <stdbool.h>
#include <stdio.h>

enum { CONCLUSION = 400 };

/* "Remap: 12.2 times less communication time than in the default order, the run 86% to 92%
 * shorter." or "Keep the default order: nothing cheaper was found (the lower bound leaves 3.0%)."
 * for the only placement of the assessment. `searched`: by `best`, and not by one algorithm that
 * was asked for. Returns buf; "" if there is nothing to compare with. */
const char *conclusion_of_map(const berth_assessment_t *a, const berth_map_report_t *r,
                              bool searched, char buf[CONCLUSION]);

/* "best.json is the cheapest: 12.2 times less communication time than in the default order …." of
 * the cheapest placement i of several. `reference`: the name of what it is compared with; NULL: the
 * default order. */
const char *conclusion_of_best(const berth_assessment_t *a, size_t i, const char *name,
                               const char *reference, char buf[CONCLUSION]);

/* "best.json: 12.2 times less communication time than in the default order …." of placement i. */
const char *conclusion_of_placement(const berth_assessment_t *a, size_t i, const char *name,
                                    char buf[CONCLUSION]);

#endif
