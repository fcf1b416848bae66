/* SPDX-License-Identifier: BSD-3-Clause */
/* Expands and writes Slurm's host ranges. */
#include "topo/discover/topo_network.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/text.h"

enum { MAX_BRACKETS = 8, MAX_DIGITS = 15 };

/* "7" or "08-12": bounds, and the number of digits of the lower one. */
typedef struct range {
  uint64_t low, high;
  int digits;
} range_t;

/* A text and the ranges of the bracket behind it. */
typedef struct part {
  const char *text;
  int length;
  size_t first, n; /* ranges; none at the end of a name */
  size_t range;    /* state of the iteration: the current range and number */
  uint64_t number;
} part_t;

/* One name with brackets. */
typedef struct pattern {
  part_t part[MAX_BRACKETS + 1];
  int n_parts;
  range_t *ranges; /* of all brackets */
  size_t n_ranges, cap_ranges;
  uint64_t count; /* how many names it expands to */
} pattern_t;

static uint64_t multiply(uint64_t a, uint64_t b)
{
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static const char *read_digits(const char *s, uint64_t *value, int *digits)
{
  *digits = (int)strspn(s, "0123456789");
  if (*digits < 1 || *digits > MAX_DIGITS) return NULL;
  *value = strtoull(s, NULL, 10);
  return s + *digits;
}

static int read_range(const char *start, size_t length, range_t *r, berth_error_t *err)
{
  int high_digits;
  const char *at = read_digits(start, &r->low, &r->digits);
  r->high = r->low;
  if (at && *at == '-') at = read_digits(at + 1, &r->high, &high_digits);
  if (!at || at != start + length)
    return berth_fail(err, BERTH_BAD_INPUT, "found range \"%.*s\", expected one such as 7 or 01-16",
                      length > 60 ? 60 : (int)length, start);
  if (r->high < r->low)
    return berth_fail(err, BERTH_BAD_INPUT, "found range \"%.*s\", expected it to increase",
                      (int)length, start);
  if (*start != '0') r->digits = 1;
  return BERTH_OK;
}

/* Reads the ranges at *s, which is behind '['. Leaves *s behind ']'. */
static int read_bracket(const char **s, pattern_t *p, part_t *part, berth_error_t *err)
{
  uint64_t numbers = 0;
  part->first = p->n_ranges;
  for (char end = ','; end == ','; *s += 1) {
    size_t length = strcspn(*s, ",[]");
    end = (*s)[length];
    if (end != ',' && end != ']')
      return berth_fail(err, BERTH_BAD_INPUT, "found \"[%.40s\", expected a ']' behind it", *s);
    if (!ARRAY_GROW(&p->ranges, p->n_ranges, &p->cap_ranges)) return no_memory(err);
    range_t *r = &p->ranges[p->n_ranges++];
    int rc = read_range(*s, length, r, err);
    if (rc) return rc;
    numbers = add(numbers, r->high - r->low + 1);
    *s += length;
  }
  part->n = p->n_ranges - part->first;
  part->range = part->first;
  part->number = p->ranges[part->first].low;
  p->count = multiply(p->count, numbers);
  return BERTH_OK;
}

/* Reads the name at *s up to the next comma or the end of the text. */
static int read_pattern(const char **s, pattern_t *p, berth_error_t *err)
{
  const char *start = *s;
  p->count = 1;
  for (;;) {
    size_t n = strcspn(*s, "[],");
    part_t *part = &p->part[p->n_parts++];
    if (n > BERTH_MAX_NAME)
      return berth_fail(err, BERTH_BAD_INPUT, "found a name of %zu bytes, expected at most %d", n,
                        BERTH_MAX_NAME);
    *part = (part_t){.text = *s, .length = (int)n};
    *s += n;
    if (**s != '[') break;
    if (p->n_parts > MAX_BRACKETS)
      return berth_fail(err, BERTH_BAD_INPUT, "found \"%.40s\", expected at most %d brackets",
                        start, MAX_BRACKETS);
    ++*s;
    int rc = read_bracket(s, p, part, err);
    if (rc) return rc;
  }
  if (**s == ']' || *s == start)
    return berth_fail(err, BERTH_BAD_INPUT, "found \"%.40s\", expected host names", start);
  return BERTH_OK;
}

/* Writes the current name. Like snprintf, it returns the length that it needs. */
static size_t put_name(const pattern_t *p, char *buf, size_t size)
{
  size_t n = 0;
  for (int i = 0; i < p->n_parts && n < size; i++) {
    const part_t *part = &p->part[i];
    n += (size_t)snprintf(buf + n, size - n, "%.*s", part->length, part->text);
    if (part->n > 0 && n < size)
      n += (size_t)snprintf(buf + n, size - n, "%0*" PRIu64, p->ranges[part->range].digits,
                            part->number);
  }
  return n;
}

/* Moves to the next name; the last bracket varies fastest. */
static void advance(pattern_t *p)
{
  for (int i = p->n_parts; i-- > 0;) {
    part_t *part = &p->part[i];
    if (part->n == 0) continue;
    if (part->number < p->ranges[part->range].high) {
      part->number++;
      return;
    }
    size_t next = part->range + 1;
    part->range = next < part->first + part->n ? next : part->first;
    part->number = p->ranges[part->range].low;
    if (part->range != part->first) return;
  }
}

static int expand_pattern(pattern_t *p, arena_t *arena, name_list_t *list, berth_error_t *err)
{
  char name[BERTH_MAX_NAME + 1];
  uint64_t all = add(list->n, p->count);
  if (all > BERTH_MAX_PUS)
    return berth_fail(err, BERTH_BAD_INPUT, "found %s%" PRIu64 " names, expected at most %d",
                      all == UINT64_MAX ? "more than " : "", all, BERTH_MAX_PUS);
  for (uint64_t k = 0; k < p->count; k++, advance(p)) {
    if (put_name(p, name, sizeof name) >= sizeof name)
      return berth_fail(err, BERTH_BAD_INPUT, "found a name of more than %d bytes, expected less",
                        BERTH_MAX_NAME);
    const char *copy = arena_strdup(arena, name);
    if (!copy || !ARRAY_GROW(&list->names, list->n, &list->cap)) return no_memory(err);
    list->names[list->n++] = copy;
  }
  return BERTH_OK;
}

int hostlist_expand(const char *text, arena_t *arena, name_list_t *list, berth_error_t *err)
{
  for (const char *s = text;; s++) {
    pattern_t p = {.n_parts = 0};
    int rc = read_pattern(&s, &p, err);
    if (!rc) rc = expand_pattern(&p, arena, list, err);
    free(p.ranges);
    if (rc || !*s) return rc;
  }
}

/* Copies the names behind an array of pointers to them, in one allocation. */
static const char **pack(const name_list_t *list, berth_error_t *err)
{
  size_t bytes = (list->n + 1) * sizeof *list->names;
  for (size_t i = 0; i < list->n; i++) bytes += strlen(list->names[i]) + 1;
  const char **out = malloc(bytes);
  if (!out) return no_memory_null(err);
  char *text = (char *)(out + list->n + 1);
  for (size_t i = 0; i < list->n; i++) {
    out[i] = text;
    text = stpcpy(text, list->names[i]) + 1;
  }
  out[list->n] = NULL;
  return out;
}

const char **berth_hostlist(const char *text, size_t *n, berth_error_t *err)
{
  arena_t arena = {0};
  name_list_t list = {0};
  const char **out = NULL;
  if (hostlist_expand(text, &arena, &list, err) == BERTH_OK) out = pack(&list, err);
  *n = out ? list.n : 0;
  free(list.names);
  arena_free(&arena);
  return out;
}

/* A name, split before the digits at its end. */
typedef struct numbered {
  size_t before;
  int digits;      /* 0: no number, or one that is too long */
  uint64_t number; /* value of the digits */
} numbered_t;

static numbered_t split_name(const char *name)
{
  size_t n = strlen(name), before = n;
  while (before > 0 && name[before - 1] >= '0' && name[before - 1] <= '9') before--;
  if (n - before == 0 || n - before > MAX_DIGITS) return (numbered_t){.before = n};
  return (numbered_t){before, (int)(n - before), strtoull(name + before, NULL, 10)};
}

/* Whether two names can share a bracket. All numbers of a bracket have the same number of digits,
 * because Slurm adds leading zeros only if the range begins with one. */
static bool goes_with(const char *a, const char *b)
{
  numbered_t x = split_name(a), y = split_name(b);
  return x.digits && x.digits == y.digits && x.before == y.before && strncmp(a, b, x.before) == 0;
}

/* Prints the numbers of names that share a bracket. */
static void print_numbers(FILE *to, const char *const *names, size_t n, size_t before)
{
  for (size_t first = 0, last; first < n; first = last + 1) {
    last = first;
    while (last + 1 < n && split_name(names[last + 1]).number == split_name(names[last]).number + 1)
      last++;
    fprintf(to, "%s%s", first ? "," : "", names[first] + before);
    if (last > first) fprintf(to, "-%s", names[last] + before);
  }
}

static void print_names(FILE *to, const char *const *names, size_t n)
{
  for (size_t i = 0, end; i < n; i = end) {
    size_t before = split_name(names[i]).before;
    for (end = i + 1; end < n && goes_with(names[i], names[end]);) end++;
    if (i) fputc(',', to);
    if (end == i + 1) {
      fputs(names[i], to);
      continue;
    }
    fprintf(to, "%.*s[", (int)before, names[i]);
    print_numbers(to, &names[i], end - i, before);
    fputc(']', to);
  }
}

char *berth_hostlist_text(const char *const *names, size_t n, berth_error_t *err)
{
  char *text = NULL;
  size_t length;
  FILE *to = open_memstream(&text, &length);
  if (to) print_names(to, names, n);
  if (!text_end(to, &text)) no_memory(err);
  return text;
}
