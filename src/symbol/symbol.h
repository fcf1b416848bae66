/* SPDX-License-Identifier: BSD-3-Clause */
/* Call sites for people: a frame that the tracer stored as
 *     /path/module+0x1234 (build id)
 * becomes "exchange halo.c:120" where the module has debug information on this machine (in itself
 * or below /usr/lib/debug; nothing is fetched), "exchange+0x34 module" where it has a symbol only,
 * and stays as it is where it has neither, or where the module isn't the one that was traced. A
 * frame in inlined functions becomes several. What lies outside of main is left out. */
#ifndef BERTH_SYMBOL_SYMBOL_H
#define BERTH_SYMBOL_SYMBOL_H

#include <berth/pattern.h>

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

typedef struct symbol_stats {
  size_t sites;
  size_t resolved; /* sites whose innermost frame was */
  size_t named;    /* sites whose innermost frame was none that a tracer stores: resolved before */
} symbol_stats_t;

/* A copy of a pattern with the frames of its sites resolved; *out is the caller's. *stats may be
 * NULL. */
int symbols_resolve(const berth_pattern_t *p, berth_pattern_t **out, symbol_stats_t *stats,
                    berth_error_t *err);

#endif
