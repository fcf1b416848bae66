/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading files, plain or zstd. The magic number tells them apart; several frames may follow
 * each other. */
#ifndef BERTH_BASE_FILE_IN_H
#define BERTH_BASE_FILE_IN_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct in_file in_file_t;

/* Opens a file; "-" is standard input. Returns NULL and fills *err on failure. */
in_file_t *in_open(const char *path, berth_error_t *err);

/* Reads an open stream, which errors call `name`. in_close closes it. */
in_file_t *in_attach(FILE *file, const char *name, berth_error_t *err);

/* The beginning of standard input, up to 256 KiB: *bytes, borrowed until something reads "-", which
 * gets these bytes first. Returns how many there are. Not for several threads. */
size_t in_peek(const char **bytes);

/* Reads the next line: NUL-terminated, without its newline, valid until the next call. *line is
 * NULL at the end of the file. Refuses lines longer than 1 GiB. */
int in_line(in_file_t *in, char **line, size_t *length, berth_error_t *err);

/* Copies the next n bytes at most, which are read again by what comes next. Returns how many. */
size_t in_look(in_file_t *in, char *to, size_t n);

/* Whether the file was truncated: it ended within a zstd frame or within the last line read. */
bool in_is_cut(const in_file_t *in);

void in_close(in_file_t *in);

/* Reads the whole file. *text ends with a NUL that *length doesn't count; the caller frees it.
 * Refuses files above 1 GiB. */
int in_read_all(const char *path, char **text, size_t *length, berth_error_t *err);

/* The same for a regular file of this process's user that nobody else can write (base/own.h). */
int in_read_own(const char *path, char **text, size_t *length, berth_error_t *err);

#endif
