/* SPDX-License-Identifier: BSD-3-Clause */
/* A library's settings in the environment. What can't be used is named in a line, and the standard
 * value taken. */
#ifndef BERTH_JOB_ENVIRONMENT_H
#define BERTH_JOB_ENVIRONMENT_H

#include <stdbool.h>

/* Whether the variable is there, and not empty. */
bool environment_has(const char *name);
/* 0 or 1. */
bool environment_switch(const char *name, bool standard);
/* Seconds, at least 0; 0 if it isn't set. */
double environment_seconds(const char *name);
/* A whole number in these limits; `otherwise` is what the line says about a wrong one. */
int environment_number(const char *name, int least, int most, int standard, const char *otherwise);

#endif
