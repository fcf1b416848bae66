/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of SVG. Coordinates are pixels. Texts may be any bytes; NULL means that memory was out,
 * which fails the file. Classes are those of chart.css. */
#ifndef BERTH_REPORT_SVG_H
#define BERTH_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/out_file.h"

/* Width of pictures: texts of 13 pixels are readable in a column of a paper (8.5 cm, 6.5 points).
 * Height of lines; mean width of letters, and of bold ones. */
enum { SVG_WIDTH = 480, SVG_LINE = 17, SVG_LETTER = 8, SVG_BOLD = 9 };

/* Begins a picture; with its styles if it is a file of its own. */
void svg_open(out_file_t *out, const char *what, int height, bool alone);
void svg_close(out_file_t *out);

/* Begins a group with a tooltip. */
void svg_group(out_file_t *out, const char *title);
void svg_end_group(out_file_t *out);

void svg_rect(out_file_t *out, const char *class, double x, double y, double width, double height);
void svg_line(out_file_t *out, const char *class, double x1, double y1, double x2, double y2);
void svg_text(out_file_t *out, const char *class, double x, double y, const char *text);
/* A text with room for `max` average letters; longer ones lose their middle. */
void svg_label(out_file_t *out, const char *class, double x, double y, const char *text,
               size_t max);
/* A text in lines of at most `max` average letters, broken at spaces if possible. Returns how many
 * lines; with `out` NULL it only counts them. */
int svg_lines(out_file_t *out, const char *class, double x, double y, const char *text, size_t max);
/* A text that is read upwards, centred at (x, y). */
void svg_upwards(out_file_t *out, const char *class, double x, double y, const char *text);

/* Colours of quantities: classes c0 to c11, from minimum to maximum. */
enum { SVG_COLOURS = 12 };
int svg_colour(double share);

/* Opens a file in a folder, under a name that berth chose; see out_open. */
out_file_t *svg_file(const char *folder, const char *name, berth_error_t *err);

#endif
