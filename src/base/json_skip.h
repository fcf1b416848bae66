/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done with the text of a document before it is parsed. */
#ifndef BERTH_BASE_JSON_SKIP_H
#define BERTH_BASE_JSON_SKIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

/* Puts 0 and blanks in the place of members' values that aren't known, so that nothing is built of
 * them and all else stands where it stood. *copy is the changed text, the caller's to free, or NULL
 * where nothing had to be changed. What isn't JSON is left for the parser to refuse. Returns false
 * when memory is out. */
bool json_skip(const char *text, size_t n, const json_known_t *known, char **copy);

/* At least the bytes that the document takes once it is parsed. */
size_t json_weight(const char *text, size_t n);

#endif
