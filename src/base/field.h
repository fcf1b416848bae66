/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of fields in the library's texts. The library writes the name of a field, flag or function
 * in backquotes: "`time_limit_s`: found -1 s". A program registers its own names for them, such as
 * its options. All texts then have these, without backquotes. Names are replaced in formats, before
 * printing. So text from a file or a user is never replaced. */
#ifndef BERTH_BASE_FIELD_H
#define BERTH_BASE_FIELD_H

#include <stdarg.h>
#include <stddef.h>

/* Returns the program's word for a name of n bytes: a constant without %. NULL keeps the name. */
typedef const char *field_option_t(const char *name, size_t n);

/* Sets the names for all threads. Call it before you start threads. NULL restores the library's
 * names. */
void field_set_options(field_option_t *option);

/* Returns a constant text of the library in the program's words: `text` itself or `out`. If the
 * result doesn't fit into `out`, returns `text`. */
const char *field_text(const char *text, char *out, size_t size) __attribute__((format_arg(1)));

/* snprintf and vsnprintf with a format of the library. */
void field_print(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void field_vprint(char *out, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Declares an array of that size, and prints a format and a function's variable arguments into it.
 */
#define FIELD_ARGUMENTS(text, size, format)                                                        \
  char text[size];                                                                                 \
  va_list format##_arguments;                                                                      \
  va_start(format##_arguments, format);                                                            \
  field_vprint(text, sizeof text, format, format##_arguments);                                     \
  va_end(format##_arguments)

#endif
