/* SPDX-License-Identifier: BSD-3-Clause */
/* Text: UTF-8, building strings, numbers with units for people. */
#ifndef BERTH_BASE_TEXT_H
#define BERTH_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* U+FFFD, the replacement for characters that can't be written. */
#define TEXT_REPLACEMENT "\xef\xbf\xbd"

/* Whether the n bytes at s are well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates,
 * nothing above U+10FFFF). If not, *bad (unless NULL) is the offset of the first wrong byte. */
bool text_utf8_valid(const char *s, size_t n, size_t *bad);

/* Length of the well-formed sequence in the n bytes at s; 0 if there is none. */
size_t text_utf8_length(const char *s, size_t n);

/* Whether s has a control character (C0, DEL or C1). */
bool text_has_control(const char *s);

/* Length of the sequence at s if a terminal shows it unchanged. 0 for bytes that aren't UTF-8,
 * control characters, and characters that end lines or change the direction of text. */
size_t text_shown_length(const char *s, size_t n);

/* Replaces the bytes that text_shown_length refuses by '?', in place. */
void text_clean(char *s);
/* The same for each line of a text. Tabs and carriage returns become blanks. */
void text_clean_lines(char *s);

bool text_starts(const char *s, const char *prefix);
bool text_ends(const char *s, const char *suffix);

/* Formats into an allocated string, which the caller frees; NULL if memory is out. */
char *text_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Closes a stream of open_memstream (or NULL) and returns its text, which the caller frees. NULL
 * if memory was out at any time; glibc's fclose doesn't tell. */
char *text_end(FILE *stream, char **text);

/* Reads a whole decimal number from min to max; false if s is anything else. */
bool text_to_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out);

/* Numbers with units for people: "12.5 MB/s", "64 KiB", "3.25 ms". They return buf. */
enum { TEXT_NUMBER = 32 };
const char *text_bandwidth(double bytes_per_second, char buf[TEXT_NUMBER]);
const char *text_bytes(double bytes, char buf[TEXT_NUMBER]);
const char *text_seconds(double seconds, char buf[TEXT_NUMBER]);
const char *text_count(double count, char buf[TEXT_NUMBER]);
/* A ratio, a percentage or another number without a unit, to so many significant digits and without
 * an exponent: 12.2, 3894 (all digits before the point stand), 0.00012. What is below 1e-9, or at
 * least 1e18, has one. */
const char *text_number(double value, int digits, char buf[TEXT_NUMBER]);

/* "s" unless n is 1. */
const char *text_plural(double n);

/* What stands before word i of n words in a list for people. Inline, as the tracer isn't linked
 * with base. */
static inline const char *text_or(size_t i, size_t n)
{
  return i == 0 ? "" : i + 1 < n ? ", " : " or ";
}

#endif
