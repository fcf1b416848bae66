/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading files, plain or zstd (told apart by the magic number; frames may follow one another). */
#ifndef BERTH_BASE_FILE_IN_H
#define BERTH_BASE_FILE_IN_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct in_file in_file_t;

/* Opens a file, or standard input for "-". NULL with the error filled when it can't be. */
in_file_t *in_open(const char *path, berth_error_t *err);

/* Reads an open stream under that name for errors; in_close closes it. */
in_file_t *in_attach(FILE *file, const char *name, berth_error_t *err);

/* The next line without its newline, NUL-terminated, valid until the next call. *line is NULL at
 * the end of the file. Lines longer than 1 GiB are refused. */
int in_line(in_file_t *in, char **line, size_t *length, berth_error_t *err);

/* Whether the file ended too early: within a zstd frame, or in the last line that was read. */
bool in_is_cut(const in_file_t *in);

void in_close(in_file_t *in);

/* The whole file, NUL-terminated (the NUL isn't counted); the caller frees *text. Files above
 * 1 GiB are refused. */
int in_read_all(const char *path, char **text, size_t *length, berth_error_t *err);

/* The same of a regular file of this process's user that nobody else can write (base/own.h). */
int in_read_own(const char *path, char **text, size_t *length, berth_error_t *err);

#endif
