/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing JSON as a stream, so that a file of a million ranks needs no tree in memory. */
#ifndef BERTH_BASE_JSON_OUT_H
#define BERTH_BASE_JSON_OUT_H

#include <stdbool.h>

#include "base/out_file.h"

/* What a reader of ours takes, see CJSON_NESTING_LIMIT. */
enum { JSON_OUT_DEPTH = 1000 };

/* How a container is laid out: one member a line, all in one line, or so without any spaces. */
typedef enum { JSON_LINES, JSON_ONE_LINE, JSON_COMPACT } json_layout_t;

typedef struct json_out {
  out_file_t *out;
  bool in_html; /* inside a script element: '<' is escaped in strings, so that nothing ends it */
  int depth;
  struct {
    char close;
    bool empty;
    json_layout_t layout;
  } level[JSON_OUT_DEPTH];
} json_out_t;

/* `key` is NULL for an item of an array and for the document. A container takes on the
 * layout of the one around it where that is tighter. */
void json_open(json_out_t *j, const char *key, char bracket, json_layout_t layout);
void json_close(json_out_t *j);
/* NULL writes null; bytes that are no UTF-8, as in names of files, become U+FFFD. */
/* The same of a text that was allocated, which is freed. NULL: memory was out when it was made,
 * which out_commit then says. */
void json_put_made(json_out_t *j, const char *key, char *value);
void json_put_string(json_out_t *j, const char *key, const char *value);
void json_put_hash(json_out_t *j, const char *key, uint64_t value); /* see json_get_hash */
void json_put_u64(json_out_t *j, const char *key, uint64_t value);
/* The shortest decimal that reads back as the same double; null when it isn't finite. */
void json_put_number(json_out_t *j, const char *key, double value);
void json_put_bool(json_out_t *j, const char *key, bool value);

#endif
