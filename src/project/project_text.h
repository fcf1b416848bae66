/* SPDX-License-Identifier: BSD-3-Clause */
/* What TOML's parser is given of a project file. toml++ 3.3 has undefined behaviour for characters
 * from U+00A1 to U+0499: it looks for blanks by a table with a hole. So it gets ASCII only. */
#ifndef BERTH_PROJECT_TEXT_H
#define BERTH_PROJECT_TEXT_H

#include <berth/error.h>
#include <stddef.h>

/* Replaces characters outside ASCII in the comments of n bytes, in place. BERTH_BAD_INPUT, with the
 * place, for such a character elsewhere, and for a string of several lines (""" or '''). */
int project_text_make_ascii(char *text, size_t n, const char *path, berth_error_t *err);

#endif
