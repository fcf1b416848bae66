/* SPDX-License-Identifier: BSD-3-Clause */
/* Blanks unknown members in the text of a JSON document before it is parsed. */
#include "base/json_skip.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A position in the text. Functions that read something return false if it isn't there. */
typedef struct walk {
  const char *text, *at, *end;
  char *copy;
  bool no_memory;
} walk_t;

static void skip_blanks(walk_t *w)
{
  while (w->at < w->end && (*w->at == ' ' || *w->at == '\t' || *w->at == '\n' || *w->at == '\r'))
    w->at++;
}

static bool skip_char(walk_t *w, char c)
{
  skip_blanks(w);
  if (w->at >= w->end || *w->at != c) return false;
  w->at++;
  return true;
}

/* The rest of an escape, after the backslash. The parser checks surrogates. */
static bool skip_escape(walk_t *w)
{
  if (w->at >= w->end) return false;
  char c = *w->at++;
  if (c != 'u') return c && strchr("\"\\/bfnrt", c);
  if (w->end - w->at < 4) return false;
  for (int i = 0; i < 4; i++)
    if (!w->at[i] || !strchr("0123456789abcdefABCDEF", w->at[i])) return false;
  bool surrogate = strchr("dD", w->at[0]) && strchr("89abcdefABCDEF", w->at[1]);
  w->at += 4;
  return !surrogate;
}

static bool skip_string(walk_t *w)
{
  if (!skip_char(w, '"')) return false;
  while (w->at < w->end && *w->at != '"')
    if (*w->at++ == '\\' && !skip_escape(w)) return false;
  return skip_char(w, '"');
}

static size_t skip_digits(walk_t *w)
{
  const char *from = w->at;
  while (w->at < w->end && *w->at >= '0' && *w->at <= '9') w->at++;
  return (size_t)(w->at - from);
}

static bool skip_number(walk_t *w)
{
  if (w->at < w->end && *w->at == '-') w->at++;
  bool zero = w->at < w->end && *w->at == '0';
  size_t digits = skip_digits(w);
  if (digits == 0 || (zero && digits > 1)) return false;
  if (w->at < w->end && *w->at == '.') {
    w->at++;
    if (skip_digits(w) == 0) return false;
  }
  if (w->at < w->end && (*w->at == 'e' || *w->at == 'E')) {
    w->at++;
    if (w->at < w->end && (*w->at == '+' || *w->at == '-')) w->at++;
    return skip_digits(w) > 0;
  }
  return true;
}

static bool skip_word(walk_t *w)
{
  static const char *const words[] = {"true", "false", "null"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t n = strlen(words[i]);
    if ((size_t)(w->end - w->at) < n || memcmp(w->at, words[i], n) != 0) continue;
    w->at += n;
    return true;
  }
  return skip_number(w);
}

static bool take_value(walk_t *w, const json_known_t *known, int depth);

/* Replaces the value of an unknown member by 0 and blanks. */
static bool blank_value(walk_t *w, int depth)
{
  skip_blanks(w);
  const char *from = w->at;
  if (!take_value(w, NULL, depth)) return false;
  if (w->at - from < 2) return true;
  size_t n = (size_t)(w->end - w->text);
  if (!w->copy && (w->copy = malloc(n + 1))) {
    memcpy(w->copy, w->text, n);
    w->copy[n] = '\0';
  }
  w->no_memory = !w->copy;
  if (w->no_memory) return false;
  char *to = w->copy + (from - w->text);
  for (const char *s = from; s < w->at; s++, to++)
    if (*s != '\n') *to = ' ';
  w->copy[from - w->text] = '0';
  return true;
}

/* The known member of that raw name; NULL if there is none. A name with an escape matches any. */
static const json_known_t *find(const json_known_t *known, const char *name, size_t n)
{
  static const json_known_t all = {"*", NULL};
  if (memchr(name, '\\', n)) return &all;
  for (; known->key; known++)
    if (strcmp(known->key, "*") == 0 ||
        (strlen(known->key) == n && memcmp(known->key, name, n) == 0))
      return known;
  return NULL;
}

static bool take_member(walk_t *w, const json_known_t *known, int depth)
{
  skip_blanks(w);
  const char *name = w->at + 1;
  if (!skip_string(w)) return false;
  size_t n = (size_t)(w->at - 1 - name);
  if (!skip_char(w, ':')) return false;
  const json_known_t *member = known ? find(known, name, n) : NULL;
  if (known && !member) return blank_value(w, depth);
  return take_value(w, member ? member->below : NULL, depth);
}

/* The content of an object or array, after its first bracket. */
static bool take_content(walk_t *w, const json_known_t *known, int depth, char close)
{
  if (skip_char(w, close)) return true;
  do {
    bool good = close == '}' ? take_member(w, known, depth) : take_value(w, known, depth);
    if (!good) return false;
  } while (skip_char(w, ','));
  return skip_char(w, close);
}

static bool take_value(walk_t *w, const json_known_t *known, int depth)
{
  skip_blanks(w);
  if (w->at >= w->end || depth >= CJSON_NESTING_LIMIT) return false;
  if (*w->at == '"') return skip_string(w);
  if (*w->at != '{' && *w->at != '[') return skip_word(w);
  char close = *w->at++ == '{' ? '}' : ']';
  return take_content(w, known, depth + 1, close);
}

bool json_skip(const char *text, size_t n, const json_known_t *known, char **copy)
{
  walk_t w = {.text = text, .at = text, .end = text + n};
  if (known) take_value(&w, known, 0);
  *copy = w.copy;
  return !w.no_memory;
}

/* A cJSON node has 64 bytes, and each allocation takes some more. */
size_t json_weight(const char *text, size_t n)
{
  enum { NODE = 80, STRING = 32 };
  size_t nodes = 1, strings = 0;
  for (size_t i = 0; i < n; i++) {
    if (text[i] == '"') {
      strings++;
      for (i++; i < n && text[i] != '"'; i++) i += text[i] == '\\';
    } else {
      nodes += text[i] == ',' || text[i] == '[' || text[i] == '{';
    }
  }
  size_t bytes = n + nodes * NODE;
  return bytes < SIZE_MAX - strings * STRING ? bytes + strings * STRING : SIZE_MAX;
}
