/* SPDX-License-Identifier: BSD-3-Clause */
/* Single frames; what they become: berth/symbol.h. */
#ifndef BERTH_SYMBOL_SYMBOL_H
#define BERTH_SYMBOL_SYMBOL_H

#include <berth/symbol.h>

/* Opened modules; lookups in one of them share what was read. */
typedef struct symbols symbols_t;
symbols_t *symbols_new(berth_error_t *err);
void symbols_free(symbols_t *s);

/* Calls put(context, text) for each frame that a stored one becomes, innermost first. Returns 1
 * when it was resolved, 0 when its text is the stored one, -1 when memory is out or put returned
 * non-zero. */
int symbols_frame(symbols_t *s, const char *frame, int (*put)(void *context, const char *text),
                  void *context);

/* What a line has room for: "module+0x1234" of a stored frame, all of another. *n characters,
 * with no end of their own. */
const char *symbols_brief(const char *frame, size_t *n);

#endif
