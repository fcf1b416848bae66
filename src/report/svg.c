/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes pieces of SVG. */
#include "report/svg.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "report/report_internal.h"

/* The first colour of that name, for paper. */
static void put_colour(out_file_t *out, const char *name, size_t n)
{
  const embedded_t *p = embedded_find(report_parts, "colours.css", strlen("colours.css"));
  const char *at = (const char *)p->data, *end = at + p->size;
  while ((at = memmem(at, (size_t)(end - at), name, n)) && at[n] != ':') at += n;
  if (!at) return;
  at += n + strspn(at + n, ": ");
  out_write(out, at, strcspn(at, ";"));
}

static void put_styles(out_file_t *out)
{
  static const char var[] = "var(";
  const embedded_t *p = embedded_find(report_parts, "chart.css", strlen("chart.css"));
  const char *at = (const char *)p->data, *end = at + p->size, *next;
  out_text(out, "<style>\n");
  for (; (next = memmem(at, (size_t)(end - at), var, strlen(var))); at = strchr(next, ')') + 1) {
    out_write(out, at, (size_t)(next - at));
    next += strlen(var);
    put_colour(out, next, strcspn(next, ")"));
  }
  out_write(out, at, (size_t)(end - at));
  out_text(out, "</style>\n");
}

void svg_open(out_file_t *out, const char *what, int height, bool alone)
{
  out_printf(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" "
             "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" aria-label=\"",
             SVG_WIDTH, height, SVG_WIDTH, height);
  out_xml(out, what);
  out_text(out, "\">\n");
  if (!alone) return;
  put_styles(out);
  svg_rect(out, "paper", 0, 0, SVG_WIDTH, height);
}

void svg_close(out_file_t *out) { out_text(out, "</svg>\n"); }

void svg_group(out_file_t *out, const char *title)
{
  out_text(out, "<g><title>");
  out_xml(out, title);
  out_text(out, "</title>");
}

void svg_end_group(out_file_t *out) { out_text(out, "</g>\n"); }

void svg_rect(out_file_t *out, const char *class, double x, double y, double width, double height)
{
  out_printf(out, "<rect class=\"%s\" x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\"/>\n",
             class, x, y, width, height);
}

void svg_line(out_file_t *out, const char *class, double x1, double y1, double x2, double y2)
{
  out_printf(out, "<path class=\"%s\" d=\"M%.6g %.6gL%.6g %.6g\"/>\n", class, x1, y1, x2, y2);
}

void svg_text(out_file_t *out, const char *class, double x, double y, const char *text)
{
  out_printf(out, "<text class=\"%s\" x=\"%.6g\" y=\"%.6g\">", class, x, y);
  out_xml(out, text);
  out_text(out, "</text>\n");
}

/* The number of bytes of a character. An invalid byte counts as a character. */
static size_t letter_at(const char *text)
{
  size_t n = text_utf8_length(text, 4);
  return n ? n : 1;
}

/* A character's width in tenths of an average letter, by its first byte. */
static size_t tenths(char c)
{
  return strchr(" .,:;'|!()[]-/ijlftr", c) ? 6 : strchr("mwMW@%+", c) ? 15 : 10;
}

static size_t width_of(const char *text)
{
  size_t width = 0;
  for (; *text; text += letter_at(text)) width += tenths(*text);
  return width;
}

/* How many bytes are as wide as n letters; all if the text is narrower. */
static size_t bytes_of(const char *text, size_t n)
{
  size_t used = 0, width = 0;
  for (; text[used]; used += letter_at(text + used))
    if ((width += tenths(text[used])) > 10 * n) break;
  return used;
}

/* Keeps both ends, because both distinguish names: folders in front, numbers at the end. */
void svg_label(out_file_t *out, const char *class, double x, double y, const char *text, size_t max)
{
  char buf[512];
  if (!text || !text[bytes_of(text, max)]) {
    svg_text(out, class, x, y, text);
    return;
  }
  size_t front = bytes_of(text, max / 2), room = 10 * (max - max / 2);
  const char *back = text + front;
  for (size_t width = width_of(back); width + 10 > room && *back; back += letter_at(back))
    width -= tenths(*back);
  snprintf(buf, sizeof buf, "%.*s…%s", (int)front, text, back);
  svg_text(out, class, x, y, buf);
}

/* The number of bytes of a line: up to the last space that fits. A number and its unit stay
 * together. */
static size_t line_of(const char *text, size_t max)
{
  size_t whole = bytes_of(text, max), used = whole;
  if (!text[whole]) return whole;
  while (used && (text[used] != ' ' || isdigit((unsigned char)text[used - 1]))) used--;
  return used ? used : whole;
}

int svg_lines(out_file_t *out, const char *class, double x, double y, const char *text, size_t max)
{
  int n = 0;
  if (!text && out) svg_text(out, class, x, y, text);
  while (text && *text) {
    char line[512];
    size_t used = line_of(text, max);
    snprintf(line, sizeof line, "%.*s", (int)used, text);
    if (out) svg_text(out, class, x, y + (double)n * SVG_LINE, line);
    n++;
    text += used + strspn(text + used, " ");
  }
  return n;
}

void svg_upwards(out_file_t *out, const char *class, double x, double y, const char *text)
{
  out_printf(out, "<g transform=\"translate(%.6g %.6g) rotate(-90)\">", x, y);
  svg_text(out, class, 0, 0, text);
  out_text(out, "</g>\n");
}

int svg_colour(double share)
{
  int colour = (int)(share * SVG_COLOURS);
  return colour < 0 ? 0 : colour >= SVG_COLOURS ? SVG_COLOURS - 1 : colour;
}

out_file_t *svg_file(const char *folder, const char *name, berth_error_t *err)
{
  char *path = text_printf("%s/%s", folder, name);
  out_choose_names(true);
  out_file_t *out = path ? out_open(path, err) : NULL;
  out_choose_names(false);
  if (!path) no_memory(err);
  free(path);
  return out;
}
