/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_TUNE_TUNING_FILE_H
#define BERTH_TUNE_TUNING_FILE_H

#include <stdbool.h>

/* Whether a file says that it is a tuning. */
bool tuning_is_file(const char *path);

#endif
