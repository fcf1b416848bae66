/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth doctor --performance`: what holds this node back. */
#ifndef BERTH_CLI_DOCTOR_PERFORMANCE_H
#define BERTH_CLI_DOCTOR_PERFORMANCE_H

#include <stdbool.h>

/* Looks and prints. Returns the exit code. */
int doctor_performance(const char *program, bool json);

#endif
