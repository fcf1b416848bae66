/* SPDX-License-Identifier: BSD-3-Clause */
/* Text: UTF-8, building strings, numbers with units for people. */
#ifndef BERTH_BASE_TEXT_H
#define BERTH_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* U+FFFD, which stands for what can't be written. */
#define TEXT_REPLACEMENT "\xef\xbf\xbd"

/* True when the n bytes at s are well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates,
 * nothing above U+10FFFF). On false *bad (unless NULL) is the offset of the first wrong byte. */
bool text_utf8_valid(const char *s, size_t n, size_t *bad);

/* Length of the well-formed sequence at s (at most n bytes, which a NUL ends), 0 when there is
 * none.
 */
size_t text_utf8_length(const char *s, size_t n);

/* True when s has a control character (C0, DEL or C1). */
bool text_has_control(const char *s);

/* Length of the sequence at s if a terminal shows it as it is. 0 for bytes that are no UTF-8, for
 * control characters, and for characters that end lines or change the direction of text. */
size_t text_shown_length(const char *s, size_t n);

/* Replaces every byte of what text_shown_length refuses by '?', in place. */
void text_clean(char *s);

/* True when s begins with prefix, or ends with suffix. */
bool text_starts(const char *s, const char *prefix);
bool text_ends(const char *s, const char *suffix);

/* Allocated text from a printf format; NULL when memory is out. The caller frees it. */
char *text_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends a stream of open_memstream (or NULL) and returns its text, which the caller frees; NULL when
 * memory was out at any moment: glibc's fclose doesn't tell. */
char *text_end(FILE *stream, char **text);

/* A whole decimal number from min to max, nothing before or after it. */
bool text_to_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out);

/* Numbers for people, with their units, in a caller's buffer that is returned: "12.5 MB/s",
 * "64 KiB", "3.25 ms". */
enum { TEXT_NUMBER = 32 };
const char *text_bandwidth(double bytes_per_second, char buf[TEXT_NUMBER]);
const char *text_bytes(double bytes, char buf[TEXT_NUMBER]);
const char *text_seconds(double seconds, char buf[TEXT_NUMBER]);
const char *text_count(double count, char buf[TEXT_NUMBER]);

/* What "rank" or "message" ends in where there are so many. */
const char *text_plural(double n);

#endif
