/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading the pattern of a command line. */
#ifndef BERTH_CLI_PATTERN_FILE_H
#define BERTH_CLI_PATTERN_FILE_H

#include <berth/pattern.h>

/* Where `truncated` is set, takes what is there of a file that was cut off, and says on standard
 * error how much that is. NULL with the error filled. */
berth_pattern_t *pattern_file_load(const char *path, int truncated, berth_error_t *err);

#endif
