/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of SVG. Coordinates are pixels; texts are escaped. Classes are those of chart.css. */
#ifndef BERTH_REPORT_SVG_H
#define BERTH_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/file_out.h"

/* Text of HTML or XML. */
void svg_escape(out_file_t *out, const char *text);

/* Begins a picture, with its styles where it is alone in a file. */
void svg_open(out_file_t *out, const char *what, int width, int height, bool alone);
void svg_close(out_file_t *out);

/* A group with what hovering says of it. */
void svg_group(out_file_t *out, const char *title);
void svg_end_group(out_file_t *out);

void svg_rect(out_file_t *out, const char *class, double x, double y, double width, double height);
void svg_line(out_file_t *out, const char *class, double x1, double y1, double x2, double y2);
void svg_text(out_file_t *out, const char *class, double x, double y, const char *text);
/* The first `most` characters of it. */
void svg_label(out_file_t *out, const char *class, double x, double y, const char *text,
               size_t most);

/* Colours of quantities: classes c0 to c11, by how far a value is from least to most. */
enum { SVG_COLOURS = 12 };
int svg_colour(double share);

/* A file name.svg in a folder, and its end; see out_commit. */
out_file_t *svg_file(const char *folder, const char *name, berth_error_t *err);

#endif
