/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes JSON as a stream. */
#include "base/json_out.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numeric.h"
#include "base/text.h"

/* Escapes the second "#" of "##": CI systems take "##[…" in a program's output for commands. */
static bool is_plain(const json_out_t *j, const char *s, const char *begin)
{
  return (unsigned char)*s >= 0x20 && (unsigned char)*s < 0x80 && *s != '"' && *s != '\\' &&
         !(j->in_html && *s == '<') && !(*s == '#' && s > begin && s[-1] == '#');
}

/* Escapes a character of two or three bytes that a terminal wouldn't show. */
static void put_code_point(out_file_t *out, const char *s, size_t length)
{
  unsigned code = (unsigned char)s[0] & (length == 2 ? 0x1f : 0x0f);
  for (size_t i = 1; i < length; i++) code = code << 6 | ((unsigned char)s[i] & 0x3f);
  out_printf(out, "\\u%04x", code);
}

static void put_quoted(const json_out_t *j, const char *s)
{
  const char *begin = s;
  out_file_t *out = j->out;
  out_write(out, "\"", 1);
  while (*s) {
    size_t plain = 0;
    while (is_plain(j, s + plain, begin)) plain++;
    out_write(out, s, plain);
    s += plain;
    if (!*s) break;
    size_t length = text_utf8_length(s, 4);
    if (length == 0)
      out_text(out, TEXT_REPLACEMENT);
    else if (length > 1 && text_shown_length(s, length) == 0)
      put_code_point(out, s, length);
    else if (length > 1)
      out_write(out, s, length);
    else if (*s == '"' || *s == '\\')
      out_printf(out, "\\%c", *s);
    else
      out_printf(out, "\\u%04x", (unsigned char)*s);
    s += length ? length : 1;
  }
  out_write(out, "\"", 1);
}

static void put_line_break(json_out_t *j) { out_printf(j->out, "\n%*s", 2 * j->depth, ""); }

/* Writes what comes before a value: comma, line break or space, key. */
static void put_key(json_out_t *j, const char *key)
{
  json_layout_t layout = JSON_COMPACT;
  if (j->depth > 0) {
    layout = j->level[j->depth - 1].layout;
    bool first = j->level[j->depth - 1].empty;
    if (!first) out_write(j->out, ",", 1);
    if (layout == JSON_LINES) put_line_break(j);
    if (layout == JSON_ONE_LINE && !first) out_write(j->out, " ", 1);
    j->level[j->depth - 1].empty = false;
  }
  if (!key) return;
  put_quoted(j, key);
  out_text(j->out, layout == JSON_COMPACT ? ":" : ": ");
}

void json_open(json_out_t *j, const char *key, char bracket, json_layout_t layout)
{
  put_key(j, key);
  out_write(j->out, &bracket, 1);
  assert(j->depth < JSON_OUT_DEPTH); /* berth's writers nest a few levels */
  json_layout_t around = j->depth > 0 ? j->level[j->depth - 1].layout : JSON_LINES;
  j->level[j->depth].close = bracket == '{' ? '}' : ']';
  j->level[j->depth].layout = layout > around ? layout : around;
  j->level[j->depth].empty = true;
  j->depth++;
}

int json_begin(json_out_t *j, const char *path, const char *format, berth_error_t *err)
{
  *j = (json_out_t){.out = out_open(path, err)};
  if (!j->out) return BERTH_MISSING;
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "format", format);
  json_put_u64(j, "version", 1);
  return BERTH_OK;
}

void json_close(json_out_t *j)
{
  j->depth--;
  if (!j->level[j->depth].empty && j->level[j->depth].layout == JSON_LINES) put_line_break(j);
  out_write(j->out, &j->level[j->depth].close, 1);
  if (j->depth == 0) out_write(j->out, "\n", 1);
}

void json_put_string(json_out_t *j, const char *key, const char *value)
{
  put_key(j, key);
  if (value)
    put_quoted(j, value);
  else
    out_text(j->out, "null");
}

void json_put_made(json_out_t *j, const char *key, char *value)
{
  if (!value) out_lose_memory(j->out);
  json_put_string(j, key, value);
  free(value);
}

void json_put_hash(json_out_t *j, const char *key, uint64_t value)
{
  char digits[17];
  snprintf(digits, sizeof digits, "%016llx", (unsigned long long)value);
  json_put_string(j, key, digits);
}

void json_put_u64(json_out_t *j, const char *key, uint64_t value)
{
  put_key(j, key);
  out_printf(j->out, "%llu", (unsigned long long)value);
}

void json_put_number(json_out_t *j, const char *key, double value)
{
  put_key(j, key);
  if (!isfinite(value)) {
    out_text(j->out, "null");
    return;
  }
  char buf[40];
  locale_t before = numeric_begin();
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(buf, sizeof buf, "%.*g", digits, value);
    if (strtod(buf, NULL) == value) break;
  }
  numeric_end(before);
  out_text(j->out, buf);
}

void json_put_bool(json_out_t *j, const char *key, bool value)
{
  put_key(j, key);
  out_text(j->out, value ? "true" : "false");
}

void json_put_ints(json_out_t *j, const char *key, json_layout_t layout, const int *values,
                   size_t n)
{
  json_open(j, key, '[', layout);
  for (size_t i = 0; i < n; i++) json_put_u64(j, NULL, (uint64_t)values[i]);
  json_close(j);
}

void json_put_strings(json_out_t *j, const char *key, const char *const *values, size_t n)
{
  json_open(j, key, '[', JSON_ONE_LINE);
  for (size_t i = 0; i < n; i++) json_put_string(j, NULL, values[i]);
  json_close(j);
}
