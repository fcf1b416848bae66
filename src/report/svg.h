/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of SVG. Coordinates are pixels. Texts are any bytes; NULL
 * when memory was out, which fails the file. Classes are those of chart.css. */
#ifndef BERTH_REPORT_SVG_H
#define BERTH_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/out_file.h"

/* Pictures are as wide as lets their texts, of 13 pixels, be read in a column of a paper: of 8.5
 * cm, at 6.5 points. Lines are so far apart, and letters on average so wide, bold ones, too. */
enum { SVG_WIDTH = 480, SVG_LINE = 17, SVG_LETTER = 8, SVG_BOLD = 9 };

/* Begins a picture, with its styles where it is alone in a file. */
void svg_open(out_file_t *out, const char *what, int height, bool alone);
void svg_close(out_file_t *out);

/* A group with what hovering says of it. */
void svg_group(out_file_t *out, const char *title);
void svg_end_group(out_file_t *out);

void svg_rect(out_file_t *out, const char *class, double x, double y, double width, double height);
void svg_line(out_file_t *out, const char *class, double x1, double y1, double x2, double y2);
void svg_text(out_file_t *out, const char *class, double x, double y, const char *text);
/* A text that has room for `most` average letters: longer ones lose their middle. */
void svg_label(out_file_t *out, const char *class, double x, double y, const char *text,
               size_t max);
/* In lines of at most so many average letters, broken at spaces where there are some. Returns how
 * many lines; only counts them where `out` is NULL. */
int svg_lines(out_file_t *out, const char *class, double x, double y, const char *text, size_t max);
/* A text that is read upwards, with its middle at (x, y). */
void svg_upwards(out_file_t *out, const char *class, double x, double y, const char *text);

/* Colours of quantities: classes c0 to c11, by how far a value is from least to most. */
enum { SVG_COLOURS = 12 };
int svg_colour(double share);

/* A file in a folder, under a name that berth chose; see out_open. */
out_file_t *svg_file(const char *folder, const char *name, berth_error_t *err);

#endif
