/* SPDX-License-Identifier: BSD-3-Clause */
/* Preparing the text of a JSON document before it is parsed. */
#ifndef BERTH_BASE_JSON_SKIP_H
#define BERTH_BASE_JSON_SKIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

/* Replaces the values of unknown members by 0 and blanks. So they take no memory, and all other
 * text keeps its place. *copy is the changed text, which the caller frees; NULL if nothing changed.
 * Text that isn't JSON is left for the parser to refuse. Returns false if memory is out. */
bool json_skip(const char *text, size_t n, const json_known_t *known, char **copy);

/* The minimum number of bytes that the parsed document takes. */
size_t json_weight(const char *text, size_t n);

#endif
