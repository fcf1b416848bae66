/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing files so that no reader sees half of one. berth writes a temporary file beside the
 * target and renames it at the end. Names that end in .zst are written compressed. Threads may
 * write files at the same time, each its own. */
#ifndef BERTH_BASE_FILE_OUT_H
#define BERTH_BASE_FILE_OUT_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct out_file out_file_t;

/* Starts writing path; "-" is standard output. An existing target that isn't a regular file (a
 * device, a pipe) is written in place. Links are followed as far as own_resolve (base/own.h)
 * allows. Returns NULL and fills *err on failure. */
out_file_t *out_open(const char *path, berth_error_t *err);

/* Says whether berth itself chose the names that this thread opens from now on. Nobody wants
 * another user's link under such a name, so it isn't followed. The default is false. */
void out_choose_names(bool chosen);

/* Like out_open, but never compresses: the caller's bytes are compressed already. */
out_file_t *out_open_raw(const char *path, berth_error_t *err);

/* Starts writing to memory. After out_commit, *text has *n bytes and a NUL. The caller frees
 * *text, also after out_abort. */
out_file_t *out_open_memory(char **text, size_t *n, berth_error_t *err);

/* The temporary file's name, so that other processes can write to it; NULL if the file is
 * written in place. out_rewind empties the temporary file, whoever wrote to it. */
const char *out_temporary(const out_file_t *out);
void out_rewind(out_file_t *out);

/* Fails if out_open would, and changes nothing. For files that are written long after the start. */
int out_check(const char *path, berth_error_t *err);

/* out_commit reports the first error of these. */
void out_write(out_file_t *out, const void *data, size_t n);
void out_text(out_file_t *out, const char *text);
void out_lose_memory(out_file_t *out); /* says that making text for the file failed */
/* Writes text or an attribute of XML. Bytes that aren't UTF-8 and characters that XML forbids
 * become U+FFFD. NULL means that memory was out; out_commit then fails. */
void out_xml(out_file_t *out, const char *text);
/* Writes a quoted field (RFC 4180). Spreadsheets take fields that begin with = + - @, a tab or a
 * carriage return for formulas. So an apostrophe is put before these, and before an apostrophe.
 * out_csv_name returns a field without it. */
void out_csv(out_file_t *out, const char *text);
const char *out_csv_name(const char *field);
void out_printf(out_file_t *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether an error was kept. Later output is dropped, so you can stop producing it. */
bool out_failed(const out_file_t *out);

/* Ends the file, gives it its name and frees `out`. On failure the target is unchanged. */
int out_commit(out_file_t *out, berth_error_t *err);

/* Lets several files of this thread appear together or not at all. Between out_hold and
 * out_release, out_commit leaves its file without a name. Files written in place don't wait.
 * out_release names all files if `keep` is true, and discards them otherwise. out_name names them
 * earlier, so that the caller can announce them; out_release without `keep` then undoes that.
 * Signals are blocked from out_name to out_release.
 * If one file can't be named, the others lose their names and the replaced files return. This
 * needs a file system with hard links or exchanges of names, and no SIGKILL in between. */
void out_hold(void);
int out_name(berth_error_t *err);
int out_release(int keep, berth_error_t *err);

/* Discards the output and frees `out`. */
void out_abort(out_file_t *out);

/* Removes temporary files of this process; safe in a signal handler. */
void out_remove_temporaries(void);

#endif
