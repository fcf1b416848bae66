/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in the library's texts. The library's formats and helps write the name of a field, flag or
 * function in backquotes: "`time_limit_s`: found -1 s". A program that has other names for them,
 * such as its options, says so once; then these stand in every text, without backquotes. Names are
 * replaced in formats before anything is printed by them. What a file or user put into a text is
 * therefore never replaced, whatever it looks like. */
#ifndef BERTH_BASE_FIELD_H
#define BERTH_BASE_FIELD_H

#include <stdarg.h>
#include <stddef.h>

/* What the program calls a name of n bytes: a constant without %, or NULL, which leaves the name in
 * its backquotes. */
typedef const char *field_option_t(const char *name, size_t n);

/* From here on, for all threads; call it before there are others. NULL: as the library does. */
void field_set_options(field_option_t *option);

/* A constant text of the library as the program says it: `text`, or what `out` got. Text without
 * room in `out` stays as it is. */
const char *field_text(const char *text, char *out, size_t size) __attribute__((format_arg(1)));

/* snprintf and vsnprintf of a format of the library. */
void field_print(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void field_vprint(char *out, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

#endif
