/* SPDX-License-Identifier: BSD-3-Clause */
/* The secret of a run: berth gives it to the processes that it has started, as an argument, and
 * they repeat it in what they print for berth. What else a job prints doesn't have it. */
#ifndef BERTH_BASE_SECRET_H
#define BERTH_BASE_SECRET_H

#include <berth/error.h>

enum { SECRET_LENGTH = 32 };

/* Fills `secret` with random hexadecimal digits and a NUL. */
int secret_make(char secret[SECRET_LENGTH + 1], berth_error_t *err);

#endif
