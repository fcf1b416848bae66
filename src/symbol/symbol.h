/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolution of single frames. Resolved frames: berth/symbol.h. */
#ifndef BERTH_SYMBOL_SYMBOL_H
#define BERTH_SYMBOL_SYMBOL_H

#include <berth/symbol.h>

/* Opened modules. Lookups in a module share what was read. */
typedef struct symbols symbols_t;
symbols_t *symbols_new(berth_error_t *err);
void symbols_free(symbols_t *s);

/* Returns non-zero to stop. */
typedef int frame_put_t(void *context, const char *text);

/* Calls put(context, text) for each frame that a stored one stands for, innermost first. Returns
 * 1 if it was resolved, 0 if the text is the stored one, -1 if memory is out or put returned
 * non-zero. */
int symbols_frame(symbols_t *s, const char *frame, frame_put_t *put, void *context);

/* The part of a frame that fits a line: "module+0x1234" of a stored frame, all of another one.
 * It has *n characters and isn't NUL-terminated. */
const char *symbols_brief(const char *frame, size_t *n);

#endif
