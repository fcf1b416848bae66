/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found, in words. */
#include "scale/scale_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *finish(arena_t *arena, FILE *stream, char **text)
{
  char *whole = text_end(stream, text);
  const char *kept = whole ? arena_strdup(arena, whole) : NULL;
  free(whole);
  return kept;
}

static void dims(FILE *to, unsigned of)
{
  const char *before = of & (of - 1) ? "dimensions " : "dimension ";
  for (int d = 0; of >> d; d++) {
    if (!(of >> d & 1)) continue;
    fprintf(to, "%s%d", before, d + 1);
    before = " and ";
  }
}

static void line(FILE *to, const grid_t *grid, unsigned of, const char *whole, const char *part)
{
  if (of + 1 == 1u << grid->n) {
    fputs(whole, to);
  } else {
    fprintf(to, "%s (", part);
    dims(to, of);
    fputc(')', to);
  }
}

/* Names of relations: of all ranks, and of a line's. */
static const struct {
  const char *whole, *part;
} names[SCALE_N_RELATIONS] = {
    [SCALE_SELF] = {"itself", "itself"},
    [SCALE_ALL] = {"all other ranks", "all others of its line"},
    [SCALE_BITS] = {"ranks that differ in one bit", "ranks of its line that differ in one bit"},
    [SCALE_POWERS] = {"ranks 1, 2, 4… after it", "ranks 1, 2, 4… after it in its line"},
    [SCALE_POWERS_BACK] = {"ranks 1, 2, 4… before it", "ranks 1, 2, 4… before it in its line"},
    [SCALE_TREE] = {"down a binomial tree", "down a binomial tree of its line"},
    [SCALE_TREE_UP] = {"up a binomial tree", "up a binomial tree of its line"},
    [SCALE_HALVES] = {"down a binomial tree", "down a binomial tree of its line"},
    [SCALE_HALVES_UP] = {"up a binomial tree", "up a binomial tree of its line"},
    [SCALE_BINARY] = {"down a binary tree", "down a binary tree of its line"},
    [SCALE_BINARY_UP] = {"up a binary tree", "up a binary tree of its line"},
    [SCALE_FROM_FIRST] = {"rank 0 to all others", "the first of a line to its others"},
    [SCALE_TO_FIRST] = {"all others to rank 0", "all others of a line to its first"},
    [SCALE_REVERSE] = {"its mirror image", "its mirror image in its line"},
    [SCALE_TRANSPOSE] = {"the rank with two coordinates exchanged",
                         "the rank with two coordinates exchanged"},
};

/* The steps in one dimension alone, as "+-1" or "+1 -2". */
static void distances(FILE *to, unsigned ways)
{
  const char *before = "";
  for (int far = 1; far <= SCALE_FAR; far++) {
    bool up = ways >> (SCALE_FAR + far) & 1, down = ways >> (SCALE_FAR - far) & 1;
    if (!up && !down) continue;
    fprintf(to, "%s%s%d", before, up && down ? "+-" : up ? "+" : "-", far);
    before = " ";
  }
}

/* Where neighbours are: "(+-1 in each dimension, 4 diagonal)". */
static void places(FILE *to, const scale_explanation_t *e, int n, const grid_t *grid)
{
  unsigned ways[GRID_DIMS] = {0}, said = 0, all = (1u << grid->n) - 1;
  int diagonal = 0;
  const char *before = " (";
  for (int k = 0; k < n; k++) {
    const scale_relation_t *r = &e->rules[k].relation;
    diagonal += (r->dims & (r->dims - 1)) != 0;
    for (int d = 0; d < grid->n; d++)
      if (r->dims == 1u << d) ways[d] |= 1u << (SCALE_FAR + r->step[d]);
  }
  for (int d = 0; d < grid->n; d++) {
    unsigned same = 0;
    for (int k = d; k < grid->n; k++) same |= (ways[k] == ways[d] ? 1u : 0) << k;
    if (!ways[d] || said >> d & 1) continue;
    said |= same;
    fputs(before, to);
    distances(to, ways[d]);
    if (same != all)
      fputs(" in ", to), dims(to, same);
    else if (grid->n > 1)
      fputs(" in each dimension", to);
    before = "; ";
  }
  if (diagonal) fprintf(to, "%s%d diagonal", *before == ';' ? ", " : before, diagonal);
  fputc(')', to);
}

static void steps(FILE *to, const scale_explanation_t *e, int n, const grid_t *grid)
{
  unsigned around = 0, moved = 0;
  for (int k = 0; k < n; k++) {
    around |= e->rules[k].relation.periodic;
    moved |= e->rules[k].relation.dims;
  }
  fprintf(to, "%d neighbour%s", n, text_plural(n));
  places(to, e, n, grid);
  if (!around) return;
  fputs(", around the edges", to);
  if (around == moved) return;
  fputs(" of ", to);
  dims(to, around);
}

const char *scale_words_pairs(arena_t *arena, const scale_unit_t *u, const scale_explanation_t *e,
                              const grid_t *grid)
{
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  int n = 0;
  if (!to) return NULL;
  while (n < e->n && e->rules[n].relation.kind == SCALE_STEP) n++;
  if (n) steps(to, e, n, grid);
  for (int k = n; k < e->n; k++) {
    if (k) fputs("; ", to);
    const scale_relation_t *r = &e->rules[k].relation;
    unsigned of = r->kind == SCALE_SELF ? (1u << grid->n) - 1 : r->dims;
    line(to, grid, of, names[r->kind].whole, names[r->kind].part);
  }
  if (u->size) fprintf(to, " (size %d of %d)", u->size, u->sizes);
  return finish(arena, to, &text);
}

typedef struct said {
  int n;
  char law[WORDS_LAWS][SCALE_LAW_NAME];
} said_t;

/* Adds a law to a list unless it is there. */
static void say(FILE *to, said_t *said, const scale_law_t *law)
{
  char name[SCALE_LAW_NAME];
  scale_law_name(law, name);
  for (int i = 0; i < said->n; i++)
    if (strcmp(said->law[i], name) == 0) return;
  fprintf(to, "%s%s", said->n ? "; " : "", name);
  if (said->n < WORDS_LAWS) memcpy(said->law[said->n++], name, sizeof name);
}

/* The laws of some relations' bytes: "of a pair: the same". */
static void bytes_of(FILE *to, const scale_law_t *const *bytes, const bool *is_one, bool of, int n,
                     const char *whose)
{
  said_t said = {0};
  for (int k = 0; k < n; k++) {
    if (is_one[k] != of) continue;
    if (!said.n) fprintf(to, "%s: ", whose);
    say(to, &said, bytes[k]);
  }
}

/* "of a pair: the same", or how bytes and numbers grow. `each`: which bytes are those of one
 * message or call. */
static const char *laws(arena_t *arena, const scale_law_t *const *bytes,
                        const scale_law_t *const *counts, const bool *each, int n, const char *what)
{
  char *text = NULL;
  size_t size;
  said_t counted = {0};
  FILE *to = open_memstream(&text, &size);
  if (!to) return NULL;
  bool grows = false, pairs = false, one = false;
  for (int k = 0; k < n; k++) one |= each[k], pairs |= !each[k];
  if (pairs) bytes_of(to, bytes, each, false, n, "of a pair");
  if (pairs && one) fputs("; ", to);
  if (one) bytes_of(to, bytes, each, true, n, *what == 'c' ? "of a call" : "of a message");
  for (int k = 0; k < n; k++) {
    char name[SCALE_LAW_NAME];
    grows |= strcmp(scale_law_name(counts[k], name), "the same") != 0;
  }
  if (grows) fprintf(to, "; number of %s: ", what);
  for (int k = 0; k < n && grows; k++) say(to, &counted, counts[k]);
  return finish(arena, to, &text);
}

const char *scale_words_amounts(arena_t *arena, const scale_explanation_t *e)
{
  const scale_law_t *bytes[SCALE_RELATIONS], *counts[SCALE_RELATIONS];
  bool each[SCALE_RELATIONS];
  for (int k = 0; k < e->n; k++) {
    bytes[k] = &e->rules[k].bytes;
    counts[k] = &e->rules[k].messages;
    each[k] = e->rules[k].each;
  }
  return laws(arena, bytes, counts, each, e->n, "messages");
}

const char *scale_words_callers(arena_t *arena, const scale_call_rule_t *rule, const grid_t *grid)
{
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return NULL;
  if (rule->dims == 0)
    fputs("each rank alone", to);
  else
    line(to, grid, rule->dims, "all ranks", rule->first ? "the first line" : "lines of ranks");
  if (rule->roots == SCALE_ROOT_EACH) fputs(", each rank the root in turn", to);
  return finish(arena, to, &text);
}

const char *scale_words_calls(arena_t *arena, const scale_call_rule_t *rule)
{
  const scale_law_t *bytes[WORDS_LAWS], *counts[WORDS_LAWS];
  bool each[WORDS_LAWS];
  int n = rule->n < WORDS_LAWS ? rule->n : WORDS_LAWS;
  for (int k = 0; k < n; k++) {
    bytes[k] = &rule->bytes[k];
    counts[k] = &rule->count[k];
    each[k] = true;
  }
  return laws(arena, bytes, counts, each, n, "calls");
}
