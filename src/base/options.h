/* SPDX-License-Identifier: BSD-3-Clause */
/* Option structs of public headers begin with a size_t: their size as the caller was compiled. So
 * they may grow at their end, and older programs still work. */
#ifndef BERTH_BASE_OPTIONS_H
#define BERTH_BASE_OPTIONS_H

#include <berth/error.h>
#include <stddef.h>

/* Fills the caller's struct of `size` bytes from the defaults, a struct of `own` bytes. */
void options_init(void *to, size_t size, const void *defaults, size_t own);

/* Puts what the caller's struct has over the defaults in *to, a struct of `own` bytes. BERTH_USAGE
 * where its size can't be that of such a struct: `init` names the function that fills it in. */
int options_take(void *to, size_t own, const void *given, const char *init, berth_error_t *err);

#endif
