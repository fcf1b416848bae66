/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing files so that a reader never sees half of one: a temporary file beside the target that
 * takes its name at the end. Names that end in .zst are written compressed. Threads may write files
 * at the same time, each its own. */
#ifndef BERTH_BASE_FILE_OUT_H
#define BERTH_BASE_FILE_OUT_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct out_file out_file_t;

/* Starts writing path; "-" is standard output. A target that exists and is no regular file (a
 * device, a pipe) is written in place. Links are followed, and the file replaced that they lead to,
 * as far as own_resolve (base/own.h) allows. NULL with the error filled when it can't be written.
 */
out_file_t *out_open(const char *path, berth_error_t *err);

/* Whether berth chose the names that this thread opens from here on, so that nobody meant a link of
 * another user under them; at first it didn't. */
void out_choose_names(bool chosen);

/* The same for what is written as it is, whatever the name: bytes that are compressed already. */
out_file_t *out_open_raw(const char *path, berth_error_t *err);

/* Starts writing to memory: after out_commit *text has *n bytes and a NUL, and is the caller's to
 * free; after out_abort as well. */
out_file_t *out_open_memory(char **text, size_t *n, berth_error_t *err);

/* The temporary file's name, for other processes to write to it; NULL when the file is written in
 * place. out_rewind empties a temporary file of what was written to it, by whomever. */
const char *out_temporary(const out_file_t *out);
void out_rewind(out_file_t *out);

/* Fails where out_open would, and leaves no trace: for what is written long after the start. */
int out_check(const char *path, berth_error_t *err);

/* Errors are kept and reported by out_commit. */
void out_write(out_file_t *out, const void *data, size_t n);
void out_text(out_file_t *out, const char *text);
void out_lose_memory(out_file_t *out); /* memory was out while text was made for the file */
/* Text of XML, also in an attribute; bytes that are no UTF-8 and characters that XML forbids become
 * U+FFFD. NULL stands for memory that was out, which is kept as an error. */
void out_xml(out_file_t *out, const char *text);
/* A quoted field (RFC 4180). A spreadsheet would take one that begins with = + - @, a tab or a
 * carriage return for a formula: an apostrophe stands in front of it, and of an apostrophe itself.
 * out_csv_name is such a field without it. */
void out_csv(out_file_t *out, const char *text);
const char *out_csv_name(const char *field);
void out_printf(out_file_t *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether an error is kept: what comes then is not written, and need not be made. */
bool out_failed(const out_file_t *out);

/* Ends the file, gives it its name and frees `out`; on failure the target is as it was. */
int out_commit(out_file_t *out, berth_error_t *err);

/* Between out_hold and out_release, files that this thread ends by out_commit wait for their names,
 * so that several appear together or none does; those written in place don't wait. out_release
 * names them all or, unless `keep`, throws them away. out_name names them before, so that the
 * caller can say so; out_release without `keep` then takes the names away again. After out_name
 * signals wait for out_release. Where one can't be named (its folder changed since) the others lose
 * their names again, and files that were there are back: as long as the file system has hard links
 * or exchanges names, and nothing kills the process meanwhile. */
void out_hold(void);
int out_name(berth_error_t *err);
int out_release(int keep, berth_error_t *err);

/* Throws away what was written and frees `out`. */
void out_abort(out_file_t *out);

/* Removes temporary files of this process; safe in a signal handler. */
void out_remove_temporaries(void);

#endif
