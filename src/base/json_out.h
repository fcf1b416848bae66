/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing JSON as a stream: a file for a million ranks needs no tree in memory. */
#ifndef BERTH_BASE_JSON_OUT_H
#define BERTH_BASE_JSON_OUT_H

#include <stdbool.h>

#include "base/out_file.h"

/* Equal to the limit of berth's reader (CJSON_NESTING_LIMIT). */
enum { JSON_OUT_DEPTH = 1000 };

/* Layout of a container: one member per line, all in one line, or in one line without spaces. */
typedef enum { JSON_LINES, JSON_ONE_LINE, JSON_COMPACT } json_layout_t;

typedef struct json_out {
  out_file_t *out;
  bool in_html; /* inside a script element: escapes '<' in strings, so that no string can end the
                   element */
  int depth;
  struct {
    char close;
    bool empty;
    json_layout_t layout;
  } level[JSON_OUT_DEPTH];
} json_out_t;

/* Opens a file ("-": standard output) and begins its document: an object with the members format
 * and version 1. Returns BERTH_OK, or BERTH_MISSING with the error filled. out_commit(j->out) ends
 * the document. */
int json_begin(json_out_t *j, const char *path, const char *format, berth_error_t *err);

/* `key` is NULL for an item of an array and for the document. A container inherits a tighter
 * layout from the one around it. */
void json_open(json_out_t *j, const char *key, char bracket, json_layout_t layout);
void json_close(json_out_t *j);
/* NULL writes null. Bytes that aren't UTF-8 become U+FFFD. */
void json_put_string(json_out_t *j, const char *key, const char *value);
/* Writes an allocated string and frees it. NULL means that memory was out; out_commit then
 * fails. */
void json_put_made(json_out_t *j, const char *key, char *value);
void json_put_hash(json_out_t *j, const char *key, uint64_t value); /* see json_get_hash */
void json_put_u64(json_out_t *j, const char *key, uint64_t value);
/* Writes the shortest decimal that reads back as the same double; null if it isn't finite. */
void json_put_number(json_out_t *j, const char *key, double value);
void json_put_bool(json_out_t *j, const char *key, bool value);
/* Write arrays of n values. Ints are at least 0. */
void json_put_ints(json_out_t *j, const char *key, json_layout_t layout, const int *values,
                   size_t n);
void json_put_strings(json_out_t *j, const char *key, const char *const *values, size_t n);

#endif
