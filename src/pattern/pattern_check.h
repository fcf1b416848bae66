/* SPDX-License-Identifier: BSD-3-Clause */
/* The format's rules for single values. The builder applies them, so files and callers obey the
 * same rules. All functions fail with BERTH_BAD_INPUT; `what` names the value in the error. */
#ifndef BERTH_PATTERN_CHECK_H
#define BERTH_PATTERN_CHECK_H

#include <berth/pattern.h>

/* value must be at most max. */
int pattern_check(uint64_t value, uint64_t max, const char *what, berth_error_t *err);

/* The first requires UTF-8 without control characters, the second any UTF-8. NULL is refused. */
int pattern_check_text(const char *text, const char *what, berth_error_t *err);
int pattern_check_any_text(const char *text, const char *what, berth_error_t *err);

/* Checks a rank's host, PU and times. */
int pattern_check_rank_info(const berth_rank_info_t *info, berth_error_t *err);
int pattern_check_baseline(const berth_baseline_t *b, int ranks, berth_error_t *err);

/* Fails if something was added since berth_pattern_finish, or if that failed. Functions that read a
 * pattern's messages call this first. */
int pattern_check_finished(const berth_pattern_t *p, berth_error_t *err);

#endif
