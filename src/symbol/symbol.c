/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives a pattern's call sites functions, files and lines. */
#include "symbol/symbol.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/no_memory.h"
#include "base/own.h"
#include "base/text.h"
#include "pattern/pattern_check.h"
#include "pattern/pattern_copy.h"
#include "pattern/pattern_time.h"
#include "symbol/symbol_internal.h"

symbols_t *symbols_new(berth_error_t *err)
{
  symbols_t *s = calloc(1, sizeof *s);
  if (!s) no_memory(err);
  return s;
}

void symbols_free(symbols_t *s)
{
  if (!s) return;
  for (size_t i = 0; i < s->n; i++) {
    free(s->modules[i].path);
    free(s->modules[i].build_id);
    symbol_close(&s->modules[i]);
  }
  free(s->modules);
  id_table_clear(&s->module_of);
  apart_free(s->apart);
  free(s);
}

/* The parts of a stored frame. */
typedef struct parts {
  char *path, *build_id;
  uint64_t offset;
} parts_t;

static void parts_clear(parts_t *p)
{
  free(p->path);
  free(p->build_id);
}

static bool all_hex(const char *s, size_t n) { return n > 0 && strspn(s, "0123456789abcdef") >= n; }

/* Splits "/path/module+0x1234 (build id)". Returns false if the text has another form (errno 0)
 * or memory is out (errno ENOMEM). */
static bool split(const char *frame, parts_t *p)
{
  *p = (parts_t){0};
  errno = 0;
  const char *id = strrchr(frame, '('), *end = frame + strlen(frame);
  size_t id_length = id ? strcspn(id + 1, ")") : 0;
  bool has_id = id && id > frame + 1 && id[-1] == ' ' && id[id_length + 1] == ')' &&
                id[id_length + 2] == '\0' && all_hex(id + 1, id_length);
  if (has_id) end = id - 1;
  const char *plus = end;
  while (plus > frame && *plus != '+') plus--;
  if (plus == frame || strncmp(plus, "+0x", 3) != 0) return false;
  size_t digits = (size_t)(end - plus) - 3;
  if (digits == 0 || digits > 16 || !all_hex(plus + 3, digits)) return false;
  p->offset = strtoull(plus + 3, NULL, 16);
  p->path = strndup(frame, (size_t)(plus - frame));
  p->build_id = has_id ? strndup(id + 1, id_length) : strdup("");
  if (p->path && p->build_id) return true;
  parts_clear(p);
  errno = ENOMEM;
  return false;
}

const char *symbols_brief(const char *frame, size_t *n)
{
  parts_t p;
  *n = strlen(frame);
  if (!split(frame, &p)) return frame;
  const char *slash = strrchr(p.path, '/');
  size_t skip = slash ? (size_t)(slash + 1 - p.path) : 0;
  *n -= skip + (*p.build_id ? strlen(p.build_id) + strlen(" ()") : 0);
  parts_clear(&p);
  return frame + skip;
}

void symbol_unread_note(unread_t *u, const char *path, const char *why)
{
  if (u->n++ > 0) return;
  snprintf(u->why, sizeof u->why, "%.150s: %.100s", path, why);
  text_clean(u->why);
}

static bool is_module(const module_t *m, const char *path, const char *build_id)
{
  return strcmp(m->path, path) == 0 && strcmp(m->build_id, build_id) == 0;
}

module_t *symbol_module(symbols_t *s, const char *path, const char *build_id, bool *is_new)
{
  size_t place = s->n;
  uint64_t hash = hash_bytes(HASH_START, path, strlen(path) + 1);
  hash = hash_bytes(hash, build_id, strlen(build_id));
  bool is_known = id_table_find(&s->module_of, hash, &place);
  *is_new = false;
  for (size_t i = place; i < s->n; i++) /* usually the first one matches */
    if (is_module(&s->modules[i], path, build_id)) return &s->modules[i];
  module_t m = {.path = strdup(path), .build_id = strdup(build_id)};
  if (!m.path || !m.build_id || !ARRAY_GROW(&s->modules, s->n, &s->cap) ||
      (!is_known && !id_table_add(&s->module_of, hash, s->n))) {
    free(m.path);
    free(m.build_id);
    return NULL;
  }
  *is_new = true;
  s->modules[s->n] = m;
  return &s->modules[s->n++];
}

/* Finds the module, and opens it at its first use. NULL if memory is out. */
static module_t *find_module(symbols_t *s, const parts_t *p)
{
  bool is_new;
  module_t *m = symbol_module(s, p->path, p->build_id, &is_new);
  if (m && is_new && !s->apart) symbol_open(s, m);
  return m;
}

int symbols_frame(symbols_t *s, const char *frame, frame_put_t *put, void *context)
{
  parts_t p;
  if (!split(frame, &p)) return errno == ENOMEM || put(context, frame) ? -1 : 0;
  module_t *m = find_module(s, &p);
  int n = 0;
  if (m && s->apart && !m->given_up)
    n = apart_lookup(s->apart, s, m, p.offset, put, context);
  else if (m && m->found)
    n = symbol_lookup(s, m, p.offset, put, context);
  parts_clear(&p);
  if (!m || n < 0) return -1;
  if (n > 0) return 1;
  return put(context, frame) ? -1 : 0;
}

/* The new frames of a site. */
typedef struct frame_list {
  char **items;
  size_t n, cap;
} frame_list_t;

static int append(void *context, const char *text)
{
  frame_list_t *list = context;
  char *copy = strdup(text);
  if (copy && ARRAY_ADD(&list->items, &list->n, &list->cap, copy)) return 0;
  free(copy);
  return -1;
}

static void frame_list_clear(frame_list_t *list)
{
  for (size_t i = 0; i < list->n; i++) free(list->items[i]);
  free(list->items);
}

/* Whether the frame starts programs or threads: in the C library, or its stub in the program. */
static bool is_start_code(const char *stored, const char *resolved)
{
  const char *end = strchrnul(stored, '+'), *name = end;
  while (name > stored && name[-1] != '/') name--;
  return text_starts(name, "libc.so.") || text_starts(name, "libpthread.so.") ||
         text_starts(resolved, "_start+");
}

static bool is_main(const char *text)
{
  return text_starts(text, "main ") || text_starts(text, "main+");
}

bool symbol_is_named(const char *frame)
{
  parts_t p;
  if (*frame == '+' || !split(frame, &p)) return *frame != '+';
  parts_clear(&p);
  return false;
}

/* Fills the list with a site's frames up to main. */
static int resolve_site(symbols_t *s, const berth_site_t *site, frame_list_t *list, bool *resolved)
{
  size_t last_own = 0; /* number of frames up to the last one that isn't start code */
  bool in_main = false;
  for (size_t i = 0; i < site->n_frames && !in_main; i++) {
    size_t before = list->n;
    int rc = symbols_frame(s, site->frames[i], append, list);
    if (rc < 0) return -1;
    if (i == 0) *resolved = rc > 0;
    for (size_t k = before; k < list->n && !in_main; k++) {
      in_main = is_main(list->items[k]);
      if (in_main || !is_start_code(site->frames[i], list->items[k])) last_own = k + 1;
    }
  }
  size_t keep = last_own ? last_own : list->n;
  while (list->n > keep) free(list->items[--list->n]);
  return 0;
}

/* Copies a site with its frames resolved, and counts it. */
static int copy_site(symbols_t *s, const berth_site_t *site, berth_pattern_t *to,
                     berth_resolution_t *counts, berth_error_t *err)
{
  frame_list_t list = {0};
  bool resolved = false;
  int rc = resolve_site(s, site, &list, &resolved) < 0 ? no_memory(err) : BERTH_OK;
  berth_site_t copy = *site;
  copy.n_frames = list.n;
  copy.frames = (const char *const *)list.items;
  if (!rc) rc = berth_pattern_add_site(to, &copy, err);
  counts->sites++;
  counts->resolved += resolved;
  counts->named += site->n_frames > 0 && symbol_is_named(site->frames[0]);
  frame_list_clear(&list);
  return rc;
}

/* Sites that have nothing but times of calls aren't counted. */
static int copy_sites(symbols_t *s, const berth_pattern_t *p, berth_pattern_t *to,
                      berth_resolution_t *counts, berth_error_t *err)
{
  size_t n;
  berth_resolution_t others = {0};
  const berth_site_t *sites = berth_pattern_sites(p, &n);
  bool *time_only = pattern_time_only_sites(p, err);
  int rc = time_only ? BERTH_OK : BERTH_MISSING;
  for (size_t i = 0; !rc && i < n; i++)
    rc = copy_site(s, &sites[i], to, time_only[i] ? &others : counts, err);
  free(time_only);
  return rc;
}

/* Call it after the sites were added. */
static int copy_phases(const berth_pattern_t *p, berth_pattern_t *to, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n);
  namer_t *namer = phase_namer_new(p, to);
  for (size_t i = 0; !rc && i < n; i++) {
    if (phases[i].collective) continue; /* added for estimates */
    berth_phase_t phase = phases[i];
    phase.name = namer ? phase_namer_next(namer, &phases[i]) : NULL;
    rc = phase.name ? berth_pattern_add_phase(to, &phase, err) : no_memory(err);
  }
  phase_namer_free(namer);
  return rc;
}

static int copy_all(symbols_t *s, const berth_pattern_t *p, berth_pattern_t *to,
                    berth_resolution_t *counts, berth_error_t *err)
{
  int rc = pattern_copy_run(p, to, err);
  if (!rc) rc = copy_sites(s, p, to, counts, err);
  if (!rc) rc = copy_phases(p, to, err);
  if (!rc) rc = pattern_copy_traffic(p, to, err);
  return rc ? rc : berth_pattern_finish(to, err);
}

/* Takes ownership of the symbols; NULL means that memory is out. */
static berth_pattern_t *resolve(const berth_pattern_t *p, symbols_t *s, berth_resolution_t *counts,
                                berth_error_t *err)
{
  berth_resolution_t ignored;
  if (!counts) counts = &ignored;
  *counts = (berth_resolution_t){0};
  berth_pattern_t *to = s ? berth_pattern_new(berth_pattern_ranks(p), err) : NULL;
  int rc = to ? pattern_check_finished(p, err) : BERTH_MISSING;
  if (!rc) rc = copy_all(s, p, to, counts, err);
  if (s) {
    counts->unread = s->unread.n;
    memcpy(counts->why, s->unread.why, sizeof counts->why);
  }
  symbols_free(s);
  if (!rc) return to;
  berth_pattern_free(to);
  return NULL;
}

berth_pattern_t *berth_resolve(const berth_pattern_t *p, berth_resolution_t *counts,
                               berth_error_t *err)
{
  return resolve(p, symbols_new(err), counts, err);
}

berth_pattern_t *berth_resolve_apart(const berth_pattern_t *p, double seconds,
                                     berth_resolution_t *counts, berth_error_t *err)
{
  symbols_t *s = symbols_new(err);
  if (s && !(s->apart = apart_new(seconds))) {
    no_memory(err);
    symbols_free(s);
    s = NULL;
  }
  return resolve(p, s, counts, err);
}
