/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/parts.h"

void svg_escape(out_file_t *out, const char *text)
{
  static const struct {
    char c;
    const char *entity;
  } special[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  while (*text) {
    size_t plain = strcspn(text, "&<>\"");
    out_write(out, text, plain);
    text += plain;
    for (size_t i = 0; *text && i < sizeof special / sizeof *special; i++)
      if (special[i].c == *text) out_text(out, special[i].entity);
    text += *text != '\0';
  }
}

void svg_open(out_file_t *out, const char *what, int width, int height, bool alone)
{
  out_printf(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" "
             "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" aria-label=\"",
             width, height, width, height);
  svg_escape(out, what);
  out_text(out, "\">\n");
  for (const report_part_t *p = report_parts; alone && p->name; p++)
    if (strcmp(p->name, "chart.css") == 0) {
      out_text(out, "<style>\n");
      out_write(out, p->data, p->size);
      out_text(out, "</style>\n");
      svg_rect(out, "paper", 0, 0, width, height);
    }
}

void svg_close(out_file_t *out) { out_text(out, "</svg>\n"); }

void svg_group(out_file_t *out, const char *title)
{
  out_text(out, "<g><title>");
  svg_escape(out, title);
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
  svg_escape(out, text);
  out_text(out, "</text>\n");
}

void svg_label(out_file_t *out, const char *class, double x, double y, const char *text,
               size_t most)
{
  char buf[256];
  size_t used = 0, characters = 0;
  for (; text[used] && used + 8 < sizeof buf; used++) {
    bool begins = ((unsigned char)text[used] & 0xC0) != 0x80;
    if (begins && characters++ == most) break;
    buf[used] = text[used];
  }
  strcpy(buf + used, text[used] ? "…" : "");
  svg_text(out, class, x, y, buf);
}

int svg_colour(double share)
{
  int colour = (int)(share * SVG_COLOURS);
  return colour < 0 ? 0 : colour >= SVG_COLOURS ? SVG_COLOURS - 1 : colour;
}

out_file_t *svg_file(const char *folder, const char *name, berth_error_t *err)
{
  char *path = text_printf("%s/%s.svg", folder, name);
  out_file_t *out = path ? out_open(path, err) : NULL;
  if (!path) berth_fail(err, BERTH_MISSING, "out of memory");
  free(path);
  return out;
}
