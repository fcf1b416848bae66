/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_TUNE_TUNING_INTERNAL_H
#define BERTH_TUNE_TUNING_INTERNAL_H

#include <berth/tuning.h>

/* Reads a tuning from a text; `name` is the file's, for errors. */
int tuning_parse(const char *text, size_t n, const char *name, int ranks, berth_tuning_t *out,
                 berth_error_t *err);

#endif
