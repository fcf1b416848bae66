/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading JSON strictly, over cJSON: every getter checks type and range and, when they are wrong,
 * says which file, which place, what was found and what was expected. */
#ifndef BERTH_BASE_JSON_H
#define BERTH_BASE_JSON_H

#include <berth/error.h>
#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

/* Whole numbers are exact in a double up to here; larger ones are refused. */
#define JSON_MAX_INT ((uint64_t)1 << 53)

/* Where a document comes from: all its places share one of these. */
typedef struct json_source {
  const char *file;
  long line; /* the line of a JSON Lines file, from 1; 0 when the file is one document */
  berth_error_t *err;
} json_source_t;

/* A value in a document together with the way that leads to it. Places live on the stack; `up`
 * points to the caller's. */
typedef struct json_place {
  const json_source_t *source;
  const struct json_place *up; /* NULL at the document itself */
  const char *key;             /* the step from `up`: a member's name, or NULL for an item */
  size_t index;                /* the step from `up`: an item's number */
  const cJSON *node;           /* NULL when there is no such value */
} json_place_t;

typedef enum { JSON_NEEDED, JSON_OPTIONAL } json_need_t;

/* Members that a reader takes, up to one without a key; "*" stands for all others. Of lists, it is
 * of their items. `below` is of the member's value, NULL: all of it is taken. */
typedef struct json_known {
  const char *key;
  const struct json_known *below;
} json_known_t;

/* Parses n bytes of text as one JSON value with nothing after it. Returns NULL with the error
 * filled (with line and column) when they are not UTF-8 or not JSON. Free with cJSON_Delete. */
cJSON *json_parse(const char *text, size_t n, const json_source_t *source);

/* The same, where members that aren't known are passed over: they are there, with the value 0, and
 * what their objects have twice isn't noticed. NULL for `known`: all are taken. */
cJSON *json_parse_known(const char *text, size_t n, const json_known_t *known,
                        const json_source_t *source);

/* Reads the whole file (see in_open) and parses it. */
cJSON *json_parse_file(const char *path, const json_source_t *source);

/* Fills the source's error with "file: place: what"; returns BERTH_BAD_INPUT. */
int json_fail(const json_place_t *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The error "found …, expected `expected`" at that place. */
int json_unexpected(const json_place_t *at, const char *expected);

/* The document's root as a place; the member of an object; the item of an array. */
json_place_t json_root(const json_source_t *source, const cJSON *node);
json_place_t json_member(const json_place_t *object, const char *key);
json_place_t json_item(const json_place_t *array, size_t index, const cJSON *node);

/* The value at a place. */
int json_as_u64(const json_place_t *at, uint64_t min, uint64_t max, uint64_t *out);
/* Strings are borrowed from the document. Control characters, which could play tricks on a
 * terminal, are refused in all but json_as_any_string's. */
int json_as_string(const json_place_t *at, const char **out);
int json_as_any_string(const json_place_t *at, const char **out);

/* A member of an object. A missing optional member (or null) leaves *out as it is. */
int json_get_u64(const json_place_t *object, const char *key, json_need_t need, uint64_t min,
                 uint64_t max, uint64_t *out);
int json_get_int(const json_place_t *object, const char *key, json_need_t need, int min, int max,
                 int *out);
/* A finite number, at least min; above min when `above` is true. */
int json_get_number(const json_place_t *object, const char *key, json_need_t need, double min,
                    int above, double *out);
int json_get_string(const json_place_t *object, const char *key, json_need_t need,
                    const char **out);
/* A hash, as json_put_hash writes it: a string of 16 digits from 0 to 9 and a to f. */
int json_get_hash(const json_place_t *object, const char *key, json_need_t need, uint64_t *out);
/* *out is the member; its node is NULL when an optional member is missing. */
int json_get_array(const json_place_t *object, const char *key, json_need_t need,
                   json_place_t *out);
int json_get_object(const json_place_t *object, const char *key, json_need_t need,
                    json_place_t *out);

/* Checks "format" and "version" of a document. */
int json_check_header(const json_place_t *object, const char *format, int version);

#endif
