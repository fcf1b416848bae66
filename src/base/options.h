/* SPDX-License-Identifier: BSD-3-Clause */
/* Option structs of public headers. Each begins with a size_t, its size when the caller was
 * compiled. So a struct may grow at its end, and older programs still work. */
#ifndef BERTH_BASE_OPTIONS_H
#define BERTH_BASE_OPTIONS_H

#include <berth/error.h>
#include <stddef.h>

/* Fills the caller's struct of `size` bytes from the defaults, a struct of `own` bytes. */
void options_init(void *to, size_t size, const void *defaults, size_t own);

/* Copies the caller's struct over the defaults in *to, a struct of `own` bytes. Returns BERTH_USAGE
 * if its size is impossible; the error then names `init`, the function that sets the size. */
int options_take(void *to, size_t own, const void *given, const char *init, berth_error_t *err);

#endif
