/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads JSON strictly: parses with cJSON, checks what cJSON doesn't, and gets typed values. */
#include "base/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/field.h"
#include "base/in_file.h"
#include "base/json_skip.h"
#include "base/no_memory.h"
#include "base/numeric.h"
#include "base/text.h"

/* "file", "file:12" or, with an offset into a whole document, "file:3:17". */
static void print_position(const json_source_t *source, const char *text, size_t offset, char *buf,
                           size_t size)
{
  long line = source->line ? source->line : 1, column = 1;
  for (size_t i = 0; i < offset; i++) {
    if (text[i] == '\n') {
      line++;
      column = 1;
    } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
      column++;
    }
  }
  snprintf(buf, size, "%s:%ld:%ld", source->file, line, column);
}

/* Whether nesting is why cJSON refused the text. cJSON doesn't say so. */
static int nested_too_deep(const char *text, size_t n)
{
  int depth = 0, in_string = 0;
  for (size_t i = 0; i < n && depth <= CJSON_NESTING_LIMIT; i++) {
    if (in_string && text[i] == '\\')
      i++;
    else if (text[i] == '"')
      in_string = !in_string;
    else if (!in_string)
      depth += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}');
  }
  return depth > CJSON_NESTING_LIMIT;
}

/* The offset of an escaped NUL in a string; n if there is none. cJSON would truncate the string
 * there. */
static size_t find_escaped_nul(const char *text, size_t n)
{
  for (size_t i = 0; i + 5 < n; i++) {
    if (text[i] != '\\') continue;
    if (memcmp(text + i, "\\u0000", 6) == 0) return i;
    i++; /* skip the escaped character */
  }
  return n;
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Stands for an unknown key after an allocation failed. */
static const char nobody_knows[] = "";

/* Returns a key that an object has twice, NULL if there is none, `nobody_knows` if memory is
 * out. Small objects, the common case, are compared pairwise; larger ones are sorted. */
static const char *repeated_key(const cJSON *object)
{
  size_t n = 0;
  const char *found = NULL;
  for (const cJSON *m = object->child; m; m = m->next) n++;
  if (n <= 16) {
    for (const cJSON *m = object->child; m; m = m->next)
      for (const cJSON *k = object->child; k != m && !found; k = k->next)
        if (strcmp(m->string, k->string) == 0) found = m->string;
    return found;
  }
  const char **names = malloc(n * sizeof *names);
  if (!names) return nobody_knows;
  n = 0;
  for (const cJSON *m = object->child; m; m = m->next) names[n++] = m->string;
  qsort(names, n, sizeof *names, by_name);
  for (size_t i = 1; i < n && !found; i++)
    if (strcmp(names[i - 1], names[i]) == 0) found = names[i];
  free(names);
  return found;
}

/* Like repeated_key, for all objects below a node. */
static const char *repeated_key_below(const cJSON *node)
{
  const char *found = cJSON_IsObject(node) ? repeated_key(node) : NULL;
  for (const cJSON *m = node->child; m && !found; m = m->next)
    if (m->child) found = repeated_key_below(m);
  return found;
}

/* Checks the rules that cJSON doesn't check. */
static int keeps_rules(const char *text, size_t n, const cJSON *root, const json_source_t *source)
{
  char where[300];
  size_t nul = find_escaped_nul(text, n);
  print_position(source, text, nul < n ? nul : 0, where, sizeof where);
  if (nul < n)
    berth_fail(source->err, BERTH_BAD_INPUT, "%s: found \\u0000, expected strings without it",
               where);
  const char *key = nul < n ? NULL : repeated_key_below(root);
  if (source->line) snprintf(where, sizeof where, "%s:%ld", source->file, source->line);
  if (key == nobody_knows)
    no_memory(source->err);
  else if (key)
    berth_fail(source->err, BERTH_BAD_INPUT,
               "%s: found key \"%.60s\" twice in an object, expected it once",
               source->line ? where : source->file, key);
  return nul == n && !key;
}

/* Parses with cJSON, which returns NULL both for wrong text and for lack of memory. If a second
 * try fails elsewhere, or a tree of that size doesn't fit, memory is out. *enough is false then. */
static cJSON *parse(const char *text, size_t n, const char **end, bool *enough)
{
  const char *again = NULL;
  locale_t before =
      numeric_begin(); /* cJSON reads numbers by strtod, which depends on the locale */
  cJSON *root = cJSON_ParseWithLengthOpts(text, n, end, 0);
  *enough = root != NULL;
  if (!root) {
    root = cJSON_ParseWithLengthOpts(text, n, &again, 0);
    void *room = malloc(json_weight(text, n) + 1);
    *enough = root || (again == *end && room);
    *end = again;
    free(room);
  }
  numeric_end(before);
  return root;
}

/* Whether the refused text is valid as far as it goes. The place where cJSON stops doesn't tell.
 * So an invalid byte is appended: cJSON must stop there or behind it. Then tokens that could come
 * next are put before that byte: one of them must make cJSON stop farther. */
static bool is_cut_off(const char *text, size_t n, bool *enough)
{
  static const char *const more[] = {"\x01", "\"\"\x01", ",\x01", ":\x01"};
  bool at_end = false, farther = false;
  char *longer = malloc(n + 4);
  if (!longer) *enough = false;
  if (!longer) return false;
  memcpy(longer, text, n);
  for (size_t i = 0; i < sizeof more / sizeof *more && (i == 0 || at_end); i++) {
    const char *end = longer;
    strcpy(longer + n, more[i]);
    cJSON_Delete(parse(longer, n + strlen(more[i]), &end, enough));
    if (!*enough) break;
    if (i == 0)
      at_end = end >= longer + n;
    else
      farther = farther || end > longer + n;
  }
  free(longer);
  return farther;
}

/* Whether the text is a pattern: lines of JSON, not one JSON value. */
static bool is_pattern(const char *text, size_t n)
{
  static const char format[] = "\"berth-pattern\"";
  return memmem(text, n < 100 ? n : 100, format, sizeof format - 1) != NULL;
}

/* Whether a text in quotes that begins at `offset`, or right before it, has no end. */
static bool is_unclosed(const char *text, size_t n, size_t offset)
{
  size_t i = offset + (text[offset] == '"');
  if (i == offset && (offset == 0 || text[offset - 1] != '"')) return false;
  for (; i < n && text[i] != '"'; i++) i += text[i] == '\\';
  return i >= n;
}

/* Fills the error for wrong JSON at text[offset]. */
static void fail_at(const char *text, size_t n, size_t offset, const json_source_t *source)
{
  char where[300];
  print_position(source, text, offset, where, sizeof where);
  int shown = (int)strnlen(text + offset, n - offset > 12 ? 12 : n - offset);
  if (!source->line && is_pattern(text, n))
    berth_fail(source->err, BERTH_BAD_INPUT, "%s: found a pattern, expected %s", source->file,
               source->expected ? source->expected : "another kind of file");
  else if (nested_too_deep(text, n))
    berth_fail(source->err, BERTH_BAD_INPUT, "%s: found JSON nested deeper than %d levels", where,
               CJSON_NESTING_LIMIT);
  else if (shown == 0)
    berth_fail(source->err, BERTH_BAD_INPUT, "%s: not valid JSON: found %s", where,
               offset < n     ? "a NUL byte"
               : source->line ? "the end of the line"
                              : "the end of the text");
  else
    berth_fail(source->err, BERTH_BAD_INPUT, "%s: not valid JSON at '%.*s'%s", where, shown,
               text + offset, is_unclosed(text, n, offset) ? ", which has no closing quote" : "");
}

/* Also refuses valid JSON that is too large or breaks a rule of keeps_rules. `own` is the text
 * with blanks in place of unknown members. */
static cJSON *parse_strictly(const char *text, const char *own, size_t n,
                             const json_source_t *source)
{
  bool enough = true;
  const char *end = NULL;
  cJSON *root = parse(own, n, &end, &enough);
  bool ended = root != NULL;
  if (root) {
    while (end < own + n && (*end == ' ' || *end == '\t' || *end == '\n' || *end == '\r')) end++;
    bool whole = end == own + n;
    if (whole && keeps_rules(text, n, root, source)) return root;
    cJSON_Delete(root);
    if (whole) return NULL;
  }
  size_t offset = end ? (size_t)(end - own) : 0;
  if (enough && (offset > n || (!ended && is_cut_off(own, n, &enough)))) offset = n;
  if (enough)
    fail_at(text, n, offset, source);
  else
    no_memory(source->err);
  return NULL;
}

cJSON *json_parse_known(const char *text, size_t n, const json_known_t *known,
                        const json_source_t *source)
{
  char where[300], *copy = NULL;
  size_t bad;
  cJSON *root = NULL;
  if (!text_utf8_valid(text, n, &bad)) {
    print_position(source, text, bad, where, sizeof where);
    berth_fail(source->err, BERTH_BAD_INPUT, "%s: found byte 0x%02x, expected UTF-8 text", where,
               (unsigned char)text[bad]);
    return NULL;
  }
  bool enough = json_skip(text, n, known, &copy);
  const char *own = copy ? copy : text;
  if (!enough || !budget_document(json_weight(own, n) + (copy ? n : 0)))
    no_memory(source->err);
  else
    root = parse_strictly(text, own, n, source);
  free(copy);
  return root;
}

cJSON *json_parse(const char *text, size_t n, const json_source_t *source)
{
  return json_parse_known(text, n, NULL, source);
}

cJSON *json_parse_file(const char *path, const json_source_t *source)
{
  char *text;
  size_t n;
  if (in_read_all(path, &text, &n, source->err)) return NULL;
  cJSON *root = json_parse(text, n, source);
  free(text);
  return root;
}

/* Writes a path such as root.children[2].name and returns its length. */
static size_t print_path(const json_place_t *at, char *buf, size_t size)
{
  if (!at || !at->up) return 0;
  size_t n = print_path(at->up, buf, size);
  if (n + 1 >= size) return n;
  int more = at->key ? snprintf(buf + n, size - n, "%s%.60s", n ? "." : "", at->key)
                     : snprintf(buf + n, size - n, "[%zu]", at->index);
  return n + (size_t)more < size ? n + (size_t)more : size - 1;
}

int json_fail(const json_place_t *at, const char *format, ...)
{
  char path[160] = "", line[24] = "";
  FIELD_ARGUMENTS(what, 256, format);
  print_path(at, path, sizeof path);
  if (at->source->line) snprintf(line, sizeof line, ":%ld", at->source->line);
  return berth_fail(at->source->err, BERTH_BAD_INPUT, "%s%s: %s%s%s", at->source->file, line, path,
                    *path ? ": " : "", what);
}

static void describe(const cJSON *node, char *buf, size_t size)
{
  if (cJSON_IsNumber(node))
    snprintf(buf, size, "%.16g", node->valuedouble);
  else if (cJSON_IsString(node))
    snprintf(buf, size, "\"%.40s%s\"", node->valuestring,
             strlen(node->valuestring) > 40 ? "..." : "");
  else
    snprintf(buf, size, "%s",
             !node                  ? "nothing"
             : cJSON_IsObject(node) ? "an object"
             : cJSON_IsArray(node)  ? "an array"
             : cJSON_IsNull(node)   ? "null"
             : cJSON_IsTrue(node)   ? "true"
                                    : "false");
}

int json_unexpected(const json_place_t *at, const char *expected)
{
  char found[64];
  describe(at->node, found, sizeof found);
  return json_fail(at, "found %s, expected %s", found, expected);
}

json_place_t json_root(const json_source_t *source, const cJSON *node)
{
  return (json_place_t){.source = source, .node = node};
}

json_place_t json_member(const json_place_t *object, const char *key)
{
  const cJSON *node = object->node ? cJSON_GetObjectItemCaseSensitive(object->node, key) : NULL;
  return (json_place_t){.source = object->source, .up = object, .key = key, .node = node};
}

json_place_t json_item(const json_place_t *array, size_t index, const cJSON *node)
{
  return (json_place_t){.source = array->source, .up = array, .index = index, .node = node};
}

json_place_t json_first(const json_place_t *array)
{
  return json_item(array, 0, array->node ? array->node->child : NULL);
}

void json_step(json_place_t *item)
{
  item->node = item->node->next;
  item->index++;
}

int json_as_u64(const json_place_t *at, uint64_t min, uint64_t max, uint64_t *out)
{
  double v = cJSON_IsNumber(at->node) ? at->node->valuedouble : -1;
  if (max > JSON_MAX_INT) max = JSON_MAX_INT;
  if (!(v >= (double)min && v <= (double)max && v == floor(v))) {
    char expected[96];
    snprintf(expected, sizeof expected, "a whole number from %llu to %llu", (unsigned long long)min,
             (unsigned long long)max);
    return json_unexpected(at, expected);
  }
  *out = (uint64_t)v;
  return BERTH_OK;
}

int json_as_any_string(const json_place_t *at, const char **out)
{
  if (!cJSON_IsString(at->node)) return json_unexpected(at, "a string");
  *out = at->node->valuestring;
  return BERTH_OK;
}

int json_as_string(const json_place_t *at, const char **out)
{
  int rc = json_as_any_string(at, out);
  if (rc || !text_has_control(*out)) return rc;
  return json_unexpected(at, "a string without control characters");
}

static int absent(const json_place_t *at, json_need_t need)
{
  return need == JSON_OPTIONAL && (!at->node || cJSON_IsNull(at->node));
}

int json_get_u64(const json_place_t *object, const char *key, json_need_t need, uint64_t min,
                 uint64_t max, uint64_t *out)
{
  json_place_t at = json_member(object, key);
  return absent(&at, need) ? BERTH_OK : json_as_u64(&at, min, max, out);
}

int json_get_int(const json_place_t *object, const char *key, json_need_t need, int min, int max,
                 int *out)
{
  uint64_t v = (uint64_t)*out;
  int rc = json_get_u64(object, key, need, (uint64_t)min, (uint64_t)max, &v);
  if (!rc) *out = (int)v;
  return rc;
}

int json_get_number(const json_place_t *object, const char *key, json_need_t need, double min,
                    int above, double *out)
{
  json_place_t at = json_member(object, key);
  if (absent(&at, need)) return BERTH_OK;
  double v = cJSON_IsNumber(at.node) ? at.node->valuedouble : NAN;
  if (!isfinite(v) || v < min || (above && v == min)) {
    char expected[64];
    snprintf(expected, sizeof expected, "a %snumber %s %g", isinf(v) ? "finite " : "",
             above ? "above" : "of at least", min);
    return json_unexpected(&at, expected);
  }
  *out = v;
  return BERTH_OK;
}

int json_get_bool(const json_place_t *object, const char *key, json_need_t need, bool *out)
{
  json_place_t at = json_member(object, key);
  if (absent(&at, need)) return BERTH_OK;
  if (!cJSON_IsBool(at.node)) return json_unexpected(&at, "true or false");
  *out = cJSON_IsTrue(at.node);
  return BERTH_OK;
}

int json_get_string(const json_place_t *object, const char *key, json_need_t need, const char **out)
{
  json_place_t at = json_member(object, key);
  return absent(&at, need) ? BERTH_OK : json_as_string(&at, out);
}

int json_get_hash(const json_place_t *object, const char *key, json_need_t need, uint64_t *out)
{
  enum { DIGITS = 16 };
  static const char digits[] = "0123456789abcdef";
  const char *text = NULL;
  int rc = json_get_string(object, key, need, &text);
  if (rc || !text) return rc;
  if (strlen(text) != DIGITS || strspn(text, digits) != DIGITS) {
    json_place_t at = json_member(object, key);
    return json_unexpected(&at, "16 digits from 0 to 9 and a to f");
  }
  *out = strtoull(text, NULL, 16);
  return BERTH_OK;
}

static int get_container(const json_place_t *object, const char *key, json_need_t need,
                         json_place_t *out, cJSON_bool (*is_kind)(const cJSON *), const char *kind)
{
  *out = json_member(object, key);
  bool none = absent(out, need);
  if (none) out->node = NULL;
  return none || is_kind(out->node) ? BERTH_OK : json_unexpected(out, kind);
}

int json_get_array(const json_place_t *object, const char *key, json_need_t need, json_place_t *out)
{
  return get_container(object, key, need, out, cJSON_IsArray, "an array");
}

int json_get_object(const json_place_t *object, const char *key, json_need_t need,
                    json_place_t *out)
{
  return get_container(object, key, need, out, cJSON_IsObject, "an object");
}

int json_check_header(const json_place_t *object, const char *format, int version)
{
  char expected[64];
  if (!cJSON_IsObject(object->node)) return json_unexpected(object, "an object");
  json_place_t f = json_member(object, "format"), v = json_member(object, "version");
  snprintf(expected, sizeof expected, "\"%s\"", format);
  if (!cJSON_IsString(f.node) || strcmp(f.node->valuestring, format) != 0)
    return json_unexpected(&f, expected);
  snprintf(expected, sizeof expected, "version %d, the one this berth reads", version);
  if (!cJSON_IsNumber(v.node) || v.node->valuedouble != version)
    return json_unexpected(&v, expected);
  return BERTH_OK;
}
