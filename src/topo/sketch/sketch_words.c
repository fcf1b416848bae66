/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes the words of a sketch: levels, settings and braces. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/field.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "topo/sketch/sketch_internal.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char type_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

#define INNER_TYPES "socket, numa, die, group, l4, l3, l2, l1, core and thread"

berth_sketch_t *berth_sketch_new(berth_error_t *err)
{
  berth_sketch_t *s = calloc(1, sizeof *s);
  if (s && ARRAY_ADD(&s->blocks, &s->n_blocks, &s->cap_blocks,
                     (sketch_block_t){.parent = -1, .owner = -1, .last = -1}))
    return s;
  free(s);
  return no_memory_null(err);
}

void berth_sketch_free(berth_sketch_t *s)
{
  if (!s) return;
  for (size_t i = 0; i < s->n_levels; i++) free(s->levels[i].names.names);
  free(s->levels);
  free(s->blocks);
  free(s->settings);
  arena_free(&s->arena);
  free(s);
}

int sketch_fail(sketch_word_t word, berth_error_t *err, const char *format, ...)
{
  FIELD_ARGUMENTS(what, 400, format);
  return berth_fail(err, BERTH_BAD_INPUT, "%.200s%.80s: %s", word.place, word.text, what);
}

const char *sketch_type_name(const char *written)
{
  static const char *const other[][2] = {{"node", "host"}, {"socket", "package"}, {"pu", "thread"}};
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (strcmp(written, other[i][0]) == 0) return other[i][1];
  return written;
}

static int kind_of(const char *type)
{
  if (strcmp(type, "thread") == 0) return SKETCH_THREAD;
  for (int k = 0; k < N_KINDS; k++)
    if (strcmp(type, topo_kind_names[k]) == 0) return k;
  return SKETCH_SWITCH;
}

/* --- levels --- */

/* Reads "10" or "10,8,8" up to ':' or the end. */
static int read_counts(berth_sketch_t *s, sketch_level_t *l, const char *text, berth_error_t *err)
{
  size_t n = 1;
  for (const char *c = text; *c; c++) n += *c == ',';
  l->counts = arena_alloc(&s->arena, n * sizeof *l->counts);
  char *copy = arena_strdup(&s->arena, text), *rest = copy;
  if (!l->counts || !copy) return no_memory(err);
  for (char *count; (count = strsep(&rest, ","));)
    if (!text_to_u64(count, 1, BERTH_MAX_ELEMENTS, &l->counts[l->n_counts++]))
      return sketch_fail(l->word, err, "found count \"%.20s\", expected a number from 1 to %d",
                         count, BERTH_MAX_ELEMENTS);
  return BERTH_OK;
}

static int read_names(berth_sketch_t *s, sketch_level_t *l, const char *text, berth_error_t *err)
{
  berth_error_t why;
  int rc = hostlist_expand(text, &s->arena, &l->names, &why);
  if (rc == BERTH_BAD_INPUT) return sketch_fail(l->word, err, "%s", why.text);
  return rc ? no_memory(err) : BERTH_OK;
}

/* Reads "TYPE:COUNTS[:NAMES]". */
static int read_level(berth_sketch_t *s, sketch_level_t *l, berth_error_t *err)
{
  size_t n = strcspn(l->word.text, ":");
  char *type = arena_strdup(&s->arena, l->word.text);
  if (!type) return no_memory(err);
  type[n] = '\0';
  if (n == 0 || n > SKETCH_MAX_TYPE || !strchr(letters, *type) || type[strspn(type, type_chars)])
    return sketch_fail(l->word, err,
                       "found type \"%.40s\", expected a name of up to %d letters, digits, _ and -",
                       type, SKETCH_MAX_TYPE);
  l->stem = type;
  l->type = sketch_type_name(type);
  l->kind = kind_of(l->type);
  char *counts = type + n + 1, *names = strchr(counts, ':');
  if (names) *names++ = '\0';
  int rc = read_counts(s, l, counts, err);
  if (rc || !names) return rc;
  if (l->kind > KIND_HOST)
    return sketch_fail(l->word, err, "found names, expected them for hosts and what is above them");
  return read_names(s, l, names, err);
}

/* A switch or a host in a host, or in what is in one. */
static int refuse_outer(const berth_sketch_t *s, const sketch_level_t *l,
                        const sketch_level_t *above, berth_error_t *err)
{
  const char *near = sketch_near_type(l);
  if (near)
    return sketch_fail(l->word, err, "found it inside of %s, expected %s:COUNT in place of it",
                       above->word.text, near);
  return sketch_fail(l->word, err, "found it inside of %s, expected " INNER_TYPES " there%s",
                     above->word.text, s->block > 0 ? "; \"}\" ends what is inside of \"{\"" : "");
}

/* Whether the level may be inside of `above` (NULL: inside of nothing). */
static int check_nesting(const berth_sketch_t *s, const sketch_level_t *l,
                         const sketch_level_t *above, berth_error_t *err)
{
  if (l->kind <= KIND_HOST && above && above->kind >= KIND_HOST)
    return refuse_outer(s, l, above, err);
  if (l->kind > KIND_HOST && (!above || above->kind == SKETCH_SWITCH)) {
    const sketch_level_t *misspelt = above ? sketch_misspelt(s, above) : NULL;
    if (!misspelt)
      return sketch_fail(l->word, err, "found it outside of a host, expected host:COUNT before it");
    return sketch_fail(misspelt->word, err,
                       "found a switch with %s in it, expected %s:COUNT in place of it",
                       l->word.text, sketch_near_type(misspelt));
  }
  if (l->kind > KIND_HOST && above->kind >= l->kind)
    return sketch_fail(l->word, err, "found it inside of %s, expected the order host, " INNER_TYPES,
                       above->word.text);
  return BERTH_OK;
}

static int depth_of(const berth_sketch_t *s, int level)
{
  int depth = 0;
  for (; level >= 0; level = s->levels[level].parent) depth++;
  return depth;
}

/* Puts a level behind the last one of the same parent. */
static void link_level(berth_sketch_t *s, int number)
{
  sketch_level_t *l = &s->levels[number];
  int *tail = NULL;
  if (l->parent >= 0) tail = &s->levels[l->parent].child;
  for (int i = 0; i < number && l->parent < 0; i++)
    if (s->levels[i].parent < 0) tail = &s->levels[i].sibling;
  while (tail && *tail >= 0) tail = &s->levels[*tail].sibling;
  if (tail) *tail = number;
}

static int add_level(berth_sketch_t *s, sketch_level_t *l, berth_error_t *err)
{
  sketch_block_t *b = &s->blocks[s->block];
  l->block = s->block;
  l->own = l->child = l->sibling = -1;
  l->parent = b->last < 0 ? b->owner : b->closed ? s->levels[b->last].parent : b->last;
  int rc = check_nesting(s, l, l->parent < 0 ? NULL : &s->levels[l->parent], err);
  if (rc) return rc;
  if (s->n_levels >= SKETCH_MAX_LEVELS || depth_of(s, l->parent) >= SKETCH_MAX_DEPTH)
    return sketch_fail(l->word, err, "found too many levels, expected at most %d, and %d deep",
                       SKETCH_MAX_LEVELS, SKETCH_MAX_DEPTH);
  if (!ARRAY_ADD(&s->levels, &s->n_levels, &s->cap_levels, *l)) return no_memory(err);
  b->last = (int)s->n_levels - 1;
  b->closed = false;
  link_level(s, b->last);
  return BERTH_OK;
}

/* "socket:2 core:16" alone is one host. */
static int add_only_host(berth_sketch_t *s, const sketch_level_t *inner, berth_error_t *err)
{
  sketch_level_t host = {.word = inner->word, .type = "host", .stem = "host", .kind = KIND_HOST};
  host.counts = arena_alloc(&s->arena, sizeof *host.counts);
  if (!host.counts) return no_memory(err);
  host.counts[host.n_counts++] = 1;
  return add_level(s, &host, err);
}

static int take_level(berth_sketch_t *s, sketch_word_t word, berth_error_t *err)
{
  sketch_level_t l = {.word = word};
  int rc = read_level(s, &l, err);
  if (!rc && s->n_levels == 0 && l.kind > KIND_HOST) rc = add_only_host(s, &l, err);
  if (!rc) rc = add_level(s, &l, err);
  if (rc) free(l.names.names);
  return rc;
}

/* --- braces --- */

static int open_block(berth_sketch_t *s, sketch_word_t word, berth_error_t *err)
{
  sketch_block_t *b = &s->blocks[s->block];
  if (b->last < 0 || b->closed)
    return sketch_fail(word, err, "expected a level before it, such as rack:2 { host:10 }");
  int number = (int)s->n_blocks, owner = b->last;
  sketch_block_t own = {.word = word, .parent = s->block, .owner = owner, .last = -1};
  if (!ARRAY_ADD(&s->blocks, &s->n_blocks, &s->cap_blocks, own)) return no_memory(err);
  s->levels[owner].own = number;
  s->block = number;
  return BERTH_OK;
}

static int close_block(berth_sketch_t *s, sketch_word_t word, berth_error_t *err)
{
  const sketch_block_t *b = &s->blocks[s->block];
  if (b->parent < 0) return sketch_fail(word, err, "expected \"{\" before it");
  if (b->last < 0) return sketch_fail(word, err, "expected a level between the braces");
  s->block = b->parent;
  s->blocks[s->block].closed = true;
  return BERTH_OK;
}

/* --- settings --- */

static int read_setting(berth_sketch_t *s, sketch_setting_t *set, const char *value,
                        const char *folder, berth_error_t *err)
{
  if (strcmp(set->key, "like") == 0) {
    bool plain = *value == '/' || !*folder || strcmp(value, "this") == 0;
    char *path = text_printf("%s%s%s", plain ? "" : folder, plain ? "" : "/", value);
    set->path = path ? arena_strdup(&s->arena, path) : NULL;
    free(path);
    return set->path ? BERTH_OK : no_memory(err);
  }
  const char *at, *expected = topo_rate_link(value, &set->link, &at);
  return expected ? sketch_fail(set->word, err, "found \"%.40s\", expected %s", at, expected)
                  : BERTH_OK;
}

static int take_setting(berth_sketch_t *s, sketch_word_t word, const char *folder,
                        berth_error_t *err)
{
  const char *equals = strchr(word.text, '=');
  char *key = arena_strdup(&s->arena, word.text);
  if (!key) return no_memory(err);
  key[equals - word.text] = '\0';
  if (!equals[1]) return sketch_fail(word, err, "found no value, expected one behind \"=\"");
  if (strcmp(key, "name") == 0) {
    if (s->name) return sketch_fail(word, err, "found name a second time, expected it once");
    s->name = arena_strdup(&s->arena, equals + 1);
    return s->name ? BERTH_OK : no_memory(err);
  }
  sketch_setting_t set = {.word = word, .key = sketch_type_name(key), .block = s->block};
  for (size_t i = 0; i < s->n_settings; i++)
    if (s->settings[i].block == s->block && strcmp(s->settings[i].key, set.key) == 0)
      return sketch_fail(word, err, "found %s a second time, expected it once", key);
  int rc = read_setting(s, &set, equals + 1, folder, err);
  if (rc) return rc;
  return ARRAY_ADD(&s->settings, &s->n_settings, &s->cap_settings, set) ? BERTH_OK : no_memory(err);
}

sketch_setting_t *sketch_look(const berth_sketch_t *s, const sketch_level_t *level, const char *key)
{
  int own = level->own;
  for (int b = own >= 0 ? own : level->block; b >= 0; b = s->blocks[b].parent)
    for (size_t i = 0; i < s->n_settings; i++)
      if (s->settings[i].block == b && strcmp(s->settings[i].key, key) == 0) return &s->settings[i];
  return NULL;
}

sketch_setting_t *sketch_find(berth_sketch_t *s, const sketch_level_t *level, const char *key)
{
  sketch_setting_t *found = sketch_look(s, level, key);
  if (found) found->used = true;
  return found;
}

/* --- words --- */

static int take(berth_sketch_t *s, sketch_word_t word, const char *folder, berth_error_t *err)
{
  if (strcmp(word.text, "{") == 0) return open_block(s, word, err);
  if (strcmp(word.text, "}") == 0) return close_block(s, word, err);
  const char *equals = strchr(word.text, '='), *colon = strchr(word.text, ':');
  if (equals && (!colon || equals < colon)) return take_setting(s, word, folder, err);
  if (colon) return take_level(s, word, err);
  return sketch_fail(word, err,
                     "expected a level such as rack:3, a link such as rack=100Gbit/s, { or }");
}

int sketch_add_word(berth_sketch_t *s, sketch_word_t word, const char *folder, berth_error_t *err)
{
  word.text = arena_strdup(&s->arena, word.text);
  word.place = arena_strdup(&s->arena, word.place);
  return word.text && word.place ? take(s, word, folder, err) : no_memory(err);
}

int berth_sketch_add(berth_sketch_t *s, const char *word, berth_error_t *err)
{
  return sketch_add_word(s, (sketch_word_t){word, ""}, "", err);
}

const char *berth_sketch_name(const berth_sketch_t *s) { return s->name; }

/* The i-th setting "like", or NULL. */
static sketch_setting_t *model_of(const berth_sketch_t *s, size_t i)
{
  for (size_t k = 0; k < s->n_settings; k++)
    if (s->settings[k].path && i-- == 0) return &s->settings[k];
  return NULL;
}

size_t berth_sketch_n_models(const berth_sketch_t *s)
{
  size_t n = 0;
  while (model_of(s, n)) n++;
  return n;
}

const char *berth_sketch_model(const berth_sketch_t *s, size_t i) { return model_of(s, i)->path; }

void berth_sketch_set_model(berth_sketch_t *s, size_t i, const berth_topo_t *topo)
{
  model_of(s, i)->model = topo;
}
