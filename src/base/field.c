/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces names of fields in the library's texts by names of the program's options. */
#include "base/field.h"

#include <stdio.h>
#include <string.h>

static field_option_t *option_of;

void field_set_options(field_option_t *option) { option_of = option; }

/* Length of the name between backquotes at s; 0 if there is none. */
static size_t name_length(const char *s)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789";
  size_t n = *s == '`' ? strspn(s + 1, letters) : 0;
  return n && s[1 + n] == '`' ? n : 0;
}

const char *field_text(const char *text, char *out, size_t size)
{
  size_t used = 0;
  if (!option_of || !strchr(text, '`')) return text;
  for (const char *s = text; *s;) {
    size_t name = name_length(s), n = name ? name + 2 : 1;
    const char *option = name ? option_of(s + 1, name) : NULL, *piece = option ? option : s;
    size_t length = option ? strlen(option) : n;
    if (length >= size - used) return text;
    memcpy(out + used, piece, length);
    used += length;
    s += n;
  }
  out[used] = '\0';
  return out;
}

void field_print(char *out, size_t size, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  field_vprint(out, size, format, args);
  va_end(args);
}

void field_vprint(char *out, size_t size, const char *format, va_list args)
{
  char said[1024]; /* twice the size of an error's text */
  vsnprintf(out, size, field_text(format, said, sizeof said), args);
}
