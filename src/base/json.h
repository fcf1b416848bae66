/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading JSON strictly, over cJSON. Every getter checks type and range. Its errors name the
 * file, the place, what was found and what was expected. */
#ifndef BERTH_BASE_JSON_H
#define BERTH_BASE_JSON_H

#include <berth/error.h>
#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Doubles represent whole numbers exactly up to here. Readers refuse larger ones. */
#define JSON_MAX_INT ((uint64_t)1 << 53)

/* Where a document comes from. All places of a document share one source. */
typedef struct json_source {
  const char *file;
  long line; /* the line in a JSON Lines file, from 1; 0: the file is one document */
  berth_error_t *err;
  const char *expected; /* "a topology": what the reader wants, if it finds a pattern */
} json_source_t;

/* A value in a document and the path to it. Places live on the stack; `up` points to the
 * caller's. */
typedef struct json_place {
  const json_source_t *source;
  const struct json_place *up; /* NULL at the document's root */
  const char *key;             /* last step of the path: a member's name, or NULL for an item */
  size_t index;                /* last step of the path: an item's number */
  const cJSON *node;           /* NULL if there is no such value */
} json_place_t;

typedef enum { JSON_NEEDED, JSON_OPTIONAL } json_need_t;

/* The members that a reader uses; an entry without a key ends the list. The key "*" matches all
 * other members. For an array, the list applies to its items. `below` applies to the member's
 * value; NULL keeps the whole value. */
typedef struct json_known {
  const char *key;
  const struct json_known *below;
} json_known_t;

/* Parses n bytes as one JSON value with nothing after it. Returns NULL and fills the error, with
 * line and column, if they aren't UTF-8 or JSON. Free with cJSON_Delete. */
cJSON *json_parse(const char *text, size_t n, const json_source_t *source);

/* Like json_parse, but replaces the values of unknown members by 0. Keys repeated inside of
 * these go unnoticed. If `known` is NULL, all members are kept. */
cJSON *json_parse_known(const char *text, size_t n, const json_known_t *known,
                        const json_source_t *source);

/* Reads a whole file (see in_open) and parses it. */
cJSON *json_parse_file(const char *path, const json_source_t *source);

/* Fills the source's error with "file: place: what"; returns BERTH_BAD_INPUT. */
int json_fail(const json_place_t *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fills the error "found …, expected `expected`" for that place. */
int json_unexpected(const json_place_t *at, const char *expected);

/* The document's root as a place; the member of an object; the item of an array. */
json_place_t json_root(const json_source_t *source, const cJSON *node);
json_place_t json_member(const json_place_t *object, const char *key);
json_place_t json_item(const json_place_t *array, size_t index, const cJSON *node);
/* Goes through an array: for (json_place_t at = json_first(&array); at.node; json_step(&at)). The
 * array's node may be NULL. */
json_place_t json_first(const json_place_t *array);
void json_step(json_place_t *item);

/* These get the value at a place. */
int json_as_u64(const json_place_t *at, uint64_t min, uint64_t max, uint64_t *out);
/* Strings belong to the document. All getters but json_as_any_string refuse control characters,
 * which could steer a terminal. */
int json_as_string(const json_place_t *at, const char **out);
int json_as_any_string(const json_place_t *at, const char **out);

/* These get a member of an object. If an optional member is missing or null, *out keeps its
 * value. */
int json_get_u64(const json_place_t *object, const char *key, json_need_t need, uint64_t min,
                 uint64_t max, uint64_t *out);
int json_get_int(const json_place_t *object, const char *key, json_need_t need, int min, int max,
                 int *out);
/* Gets a finite number that is at least min, or above min if `above` is true. */
int json_get_number(const json_place_t *object, const char *key, json_need_t need, double min,
                    int above, double *out);
int json_get_string(const json_place_t *object, const char *key, json_need_t need,
                    const char **out);
int json_get_bool(const json_place_t *object, const char *key, json_need_t need, bool *out);
/* Gets a hash that json_put_hash wrote: a string of 16 digits from 0 to 9 and a to f. */
int json_get_hash(const json_place_t *object, const char *key, json_need_t need, uint64_t *out);
/* *out is the member. If an optional member is missing, its node is NULL. */
int json_get_array(const json_place_t *object, const char *key, json_need_t need,
                   json_place_t *out);
int json_get_object(const json_place_t *object, const char *key, json_need_t need,
                    json_place_t *out);

/* Checks the members "format" and "version" of a document. */
int json_check_header(const json_place_t *object, const char *format, int version);

#endif
