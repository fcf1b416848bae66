/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of the format that concern one value: the builder holds whoever makes a pattern to
 * them, as the reader does a file. */
#ifndef BERTH_PATTERN_CHECK_H
#define BERTH_PATTERN_CHECK_H

#include <berth/pattern.h>

/* A number that must lie between 0 and max. */
int pattern_check(uint64_t value, uint64_t max, const char *what, berth_error_t *err);

/* UTF-8 without control characters; any UTF-8. NULL is neither. */
int pattern_check_text(const char *text, const char *what, berth_error_t *err);
int pattern_check_any_text(const char *text, const char *what, berth_error_t *err);

/* A rank's place and times. */
int pattern_check_rank_info(const berth_rank_info_t *info, berth_error_t *err);
int pattern_check_baseline(const berth_baseline_t *b, int ranks, berth_error_t *err);

/* BERTH_BAD_INPUT for a pattern that was added to since berth_pattern_finish, or of which it
 * failed: what looks at a pattern's messages asks for this first. */
int pattern_check_finished(const berth_pattern_t *p, berth_error_t *err);

#endif
