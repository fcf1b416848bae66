/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes output files through temporary files, which take their names at the end. */
#include "base/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/no_memory.h"
#include "base/own.h"
#include "base/rights.h"
#include "base/text.h"

struct out_file {
  FILE *file;
  char *target;    /* NULL if written in place */
  char *name;      /* as the caller gave it, for errors */
  char *temporary; /* the temporary file; NULL if written in place */
  int slot;        /* its index in `temporaries`, or -1 */
  bool replaces;   /* the target exists */
  rights_t old;    /* its owner, permissions and ACL, for this file; st.st_mode 0: no target */
  struct out_file *held_before;
  char *replaced_by; /* of a held file: the new name of the file that it replaced */
  int replaced_slot; /* that name's index in `temporaries`, or -1 */
  bool has_old;      /* the replaced file is kept */
  bool is_exchanged; /* it has the temporary's name */
  bool is_named;     /* this file has its name */
  ZSTD_CStream *zstd;
  char *packed; /* buffer for compressed bytes */
  size_t packed_size;
  int error; /* errno of the first failure; 0: none */
};

/* Temporary files that exist now, for whoever ends the process. Whoever takes a name out of the
 * list owns it. If the list is full, a file isn't in it. */
enum { MAX_TEMPORARIES = 256 };
static _Atomic(char *) temporaries[MAX_TEMPORARIES];

void out_remove_temporaries(void)
{
  for (int i = 0; i < MAX_TEMPORARIES; i++) {
    char *path = atomic_exchange(&temporaries[i], NULL);
    char *nothing = NULL;
    if (!path) continue;
    unlink(path);
    /* don't free in a signal handler, but put it back: the process may go on */
    atomic_compare_exchange_strong(&temporaries[i], &nothing, path);
  }
}

/* Whether this thread holds files, and the last file that it holds; the others are linked from
 * it. */
static _Thread_local bool holding;
static _Thread_local out_file_t *held;

/* Whether out_name was called, and the first file that has its name but may lose it again.
 * Signals are blocked meanwhile. */
static _Thread_local bool naming;
static _Thread_local out_file_t *named;
static _Thread_local sigset_t mask_before;

/* Whether berth chose the names that this thread opens. */
static _Thread_local bool names_chosen;

void out_choose_names(bool chosen) { names_chosen = chosen; }

static int remember_temporary(const char *path)
{
  char *copy = strdup(path);
  for (int i = 0; i < MAX_TEMPORARIES && copy; i++) {
    char *nothing = NULL;
    if (atomic_compare_exchange_strong(&temporaries[i], &nothing, copy)) return i;
  }
  free(copy);
  return -1;
}

static void forget_temporary(int slot)
{
  if (slot >= 0) free(atomic_exchange(&temporaries[slot], NULL));
}

static void out_free(out_file_t *out)
{
  if (!out) return;
  forget_temporary(out->slot);
  forget_temporary(out->replaced_slot);
  ZSTD_freeCStream(out->zstd);
  free(out->packed);
  free(out->temporary);
  free(out->replaced_by);
  rights_clear(&out->old);
  free(out->target);
  free(out->name);
  free(out);
}

/* Creates a file with an unused name beside the target. */
static int create_beside(const char *target, mode_t mode, char **path)
{
  for (int attempt = 0; attempt < 100; attempt++) {
    uint64_t token = 0;
    if (getrandom(&token, sizeof token, 0) != sizeof token) token = (uint64_t)getpid() + attempt;
    *path = text_printf("%s.tmp.%016llx", target, (unsigned long long)token);
    int fd = *path ? open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) : -1;
    if (fd >= 0 || errno != EEXIST) return fd;
    free(*path);
    *path = NULL;
  }
  return -1;
}

/* Opens the temporary file. It gets the permissions of an existing target at the end only: until
 * then other processes of this user may have to write to it, and nobody else. A new file gets
 * what open would give it under the process's umask. */
static FILE *open_beside(out_file_t *out)
{
  const struct stat st = out->old.st;
  out->replaces = st.st_mode != 0;
  if (out->replaces) rights_take(out->target, &st, &out->old);
  int fd = create_beside(out->target, out->replaces ? 0600 : 0666, &out->temporary);
  if (fd < 0) return NULL;
  out->slot = remember_temporary(out->temporary);
  FILE *file = fdopen(fd, "wb");
  if (!file) {
    int saved = errno;
    unlink(out->temporary);
    close(fd);
    errno = saved;
  }
  return file;
}

/* The descriptor that "-" or a path such as /dev/stdout or /dev/fd/3 stands for; -1 for other
 * paths. Opening such a path again would start at the beginning of the file behind it. */
static int named_descriptor(const char *path)
{
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  uint64_t fd;
  if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
  if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (text_starts(path, folders[i]) && text_to_u64(path + strlen(folders[i]), 0, 1 << 20, &fd))
      return (int)fd;
  return -1;
}

static FILE *open_descriptor(int fd)
{
  fflush(stdout); /* keep the order with earlier output */
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  FILE *file = copy < 0 ? NULL : fdopen(copy, "wb");
  if (!file && copy >= 0) close(copy);
  return file;
}

/* Anything but a regular file is written in place. */
static FILE *open_target(out_file_t *out, mode_t mode)
{
  if (!*out->target || S_ISDIR(mode)) {
    errno = *out->target ? EISDIR : ENOENT;
    return NULL;
  }
  if (!mode || S_ISREG(mode)) return open_beside(out);
  FILE *file = fopen(out->target, "wb");
  free(out->target);
  out->target = NULL;
  return file;
}

static int start_zstd(out_file_t *out)
{
  out->packed_size = ZSTD_CStreamOutSize();
  out->packed = malloc(out->packed_size);
  out->zstd = ZSTD_createCStream();
  if (!out->packed || !out->zstd) return 0;
  return !ZSTD_isError(ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_compressionLevel, 5)) &&
         !ZSTD_isError(ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_checksumFlag, 1));
}

static out_file_t *out_without_memory(out_file_t *out, berth_error_t *err)
{
  no_memory(err);
  out_free(out);
  return NULL;
}

static out_file_t *new_file(const char *path)
{
  out_file_t *out = calloc(1, sizeof *out);
  if (!out) return NULL;
  out->slot = out->replaced_slot = -1;
  out->name = strdup(strcmp(path, "-") == 0 ? "standard output" : path);
  if (out->name) return out;
  free(out);
  return NULL;
}

out_file_t *out_open(const char *path, berth_error_t *err)
{
  out_file_t *out = out_open_raw(path, err);
  return out && text_ends(path, ".zst") && !start_zstd(out) ? out_abort(out),
         out_without_memory(NULL, err)                      : out;
}

out_file_t *out_open_raw(const char *path, berth_error_t *err)
{
  out_file_t *out = new_file(path);
  if (!out) return out_without_memory(NULL, err);
  int fd = named_descriptor(path);
  if (fd < 0 && own_resolve(path, names_chosen, &out->target, &out->old.st, err)) {
    out_free(out);
    return NULL;
  }
  out->file = fd < 0 ? open_target(out, out->old.st.st_mode) : open_descriptor(fd);
  if (!out->file) {
    berth_fail(err, BERTH_MISSING, "%s: cannot write: %s", path, strerror(errno));
    out_free(out);
    return NULL;
  }
  return out;
}

out_file_t *out_open_memory(char **text, size_t *n, berth_error_t *err)
{
  out_file_t *out = new_file("memory");
  if (out) out->file = open_memstream(text, n);
  return out && out->file ? out : out_without_memory(out, err);
}

const char *out_temporary(const out_file_t *out) { return out->temporary; }

void out_rewind(out_file_t *out)
{
  rewind(out->file);
  if (ftruncate(fileno(out->file), 0) != 0) out->error = errno;
}

static void put_raw(out_file_t *out, const void *data, size_t n)
{
  if (!out->error && fwrite(data, 1, n, out->file) != n) out->error = errno ? errno : EIO;
}

static void put_zstd(out_file_t *out, const void *data, size_t n, ZSTD_EndDirective mode)
{
  ZSTD_inBuffer in = {data, n, 0};
  size_t left = 1;
  while (!out->error && (mode == ZSTD_e_end ? left != 0 : in.pos < in.size)) {
    ZSTD_outBuffer packed = {out->packed, out->packed_size, 0};
    left = ZSTD_compressStream2(out->zstd, &packed, &in, mode);
    if (ZSTD_isError(left)) out->error = EIO;
    put_raw(out, out->packed, packed.pos);
  }
}

bool out_failed(const out_file_t *out) { return out->error != 0; }

void out_write(out_file_t *out, const void *data, size_t n)
{
  if (out->error) return;
  if (out->zstd)
    put_zstd(out, data, n, ZSTD_e_continue);
  else
    put_raw(out, data, n);
}

void out_lose_memory(out_file_t *out)
{
  if (!out->error) out->error = ENOMEM;
}

void out_text(out_file_t *out, const char *text) { out_write(out, text, strlen(text)); }

/* Whether XML 1.0 (2.2) allows the character at s. */
static bool is_xml(const char *s)
{
  unsigned char c = (unsigned char)*s;
  return (c >= 0x20 || c == '\t' || c == '\n' || c == '\r') && !text_starts(s, "\xef\xbf\xbe") &&
         !text_starts(s, "\xef\xbf\xbf");
}

void out_xml(out_file_t *out, const char *text)
{
  if (!text) {
    out_lose_memory(out);
    return;
  }
  for (size_t n; *text; text += n ? n : 1) {
    n = text_utf8_length(text, 4);
    const char *instead = *text == '&'              ? "&amp;"
                          : *text == '<'            ? "&lt;"
                          : *text == '>'            ? "&gt;"
                          : *text == '"'            ? "&quot;"
                          : n == 0 || !is_xml(text) ? TEXT_REPLACEMENT
                                                    : NULL;
    if (instead)
      out_text(out, instead);
    else
      out_write(out, text, n);
  }
}

/* Whether a spreadsheet would take the text for a formula, or for text marked by an apostrophe. */
static bool looks_like_formula(const char *text) { return *text && strchr("=+-@'\t\r", *text); }

const char *out_csv_name(const char *field)
{
  return *field == '\'' && looks_like_formula(field + 1) ? field + 1 : field;
}

void out_csv(out_file_t *out, const char *text)
{
  out_text(out, looks_like_formula(text) ? "\"'" : "\"");
  for (size_t n; *text; text += n) {
    n = strcspn(text, "\"");
    if (n) out_write(out, text, n);
    if (text[n] && ++n) out_text(out, "\"\"");
  }
  out_text(out, "\"");
}

void out_printf(out_file_t *out, const char *format, ...)
{
  char small[512], *text = small;
  va_list args, again;
  if (out->error) return;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(small, sizeof small, format, args);
  if (n >= (int)sizeof small && vasprintf(&text, format, again) < 0) n = -1;
  if (n < 0)
    out->error = ENOMEM;
  else
    out_write(out, text, (size_t)n);
  if (n >= (int)sizeof small) free(text);
  va_end(again);
  va_end(args);
}

static int cannot_write(const out_file_t *out, int error, berth_error_t *err)
{
  return berth_fail(err, BERTH_MISSING, "%s: cannot write: %s", out->name, strerror(error));
}

/* Gives a closed file its name. */
static int give_name(out_file_t *out, berth_error_t *err)
{
  if (!out->error && out->temporary && rename(out->temporary, out->target) != 0) out->error = errno;
  int rc = out->error ? cannot_write(out, out->error, err) : BERTH_OK;
  if (rc && out->temporary) unlink(out->temporary);
  out_free(out);
  return rc;
}

int out_commit(out_file_t *out, berth_error_t *err)
{
  if (out->zstd) put_zstd(out, NULL, 0, ZSTD_e_end);
  if (fflush(out->file) && !out->error) out->error = errno;
  if (out->replaces && !out->error) out->error = rights_give(&out->old, fileno(out->file));
  if (fclose(out->file) && !out->error) out->error = errno;
  if (holding && out->temporary && !out->error &&
      !(out->replaced_by = text_printf("%s.old", out->temporary)))
    out->error = ENOMEM;
  if (!holding || !out->temporary || out->error) return give_name(out, err);
  out->held_before = held;
  held = out;
  return BERTH_OK;
}

void out_hold(void) { holding = true; }

/* Gives a held file its name so that it can be undone. An existing file gets another name first,
 * or the two exchange their names. */
static int name_held(out_file_t *out, berth_error_t *err)
{
  const char *from = out->temporary, *to = out->target;
  out->has_old = link(to, out->replaced_by) == 0;
  if (out->has_old) out->replaced_slot = remember_temporary(out->replaced_by);
  struct stat st;
  bool is_file =
      lstat(to, &st) == 0 && S_ISREG(st.st_mode); /* still a file, and not a folder by now */
  if (!out->has_old && is_file && renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0) {
    out->has_old = out->is_exchanged = out->is_named = true;
    return BERTH_OK;
  }
  out->is_named = rename(from, to) == 0;
  return out->is_named ? BERTH_OK : cannot_write(out, errno, err);
}

/* Restores the file that had the name before. */
static void undo_name(const out_file_t *out)
{
  if (out->is_exchanged)
    rename(out->temporary, out->target);
  else if (out->has_old && out->is_named)
    rename(out->replaced_by, out->target);
  else if (out->is_named)
    unlink(out->target);
}

/* Frees a held file, and keeps its name or not. */
static void forget_held(out_file_t *out, bool stays)
{
  if (!stays) undo_name(out);
  if (out->has_old && !out->is_exchanged) unlink(out->replaced_by);
  if (!stays || out->is_exchanged) unlink(out->temporary);
  out_free(out);
}

/* Removes the held files from the list, and returns them with the first one first. */
static out_file_t *take_held(void)
{
  out_file_t *first = NULL;
  while (held) {
    out_file_t *out = held;
    held = out->held_before;
    out->held_before = first;
    first = out;
  }
  holding = false;
  return first;
}

static void forget_all(out_file_t *first, bool stay)
{
  for (out_file_t *next; first; first = next) {
    next = first->held_before;
    forget_held(first, stay);
  }
}

/* Ends the files of out_name. */
static void end_naming(bool keep)
{
  forget_all(named, keep);
  named = NULL;
  naming = false;
  pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
}

int out_name(berth_error_t *err)
{
  sigset_t all;
  int rc = BERTH_OK;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &mask_before);
  naming = true;
  named = take_held();
  for (out_file_t *out = named; out && !rc; out = out->held_before) rc = name_held(out, err);
  if (rc) end_naming(false);
  return rc;
}

int out_release(int keep, berth_error_t *err)
{
  int rc = keep && !naming ? out_name(err) : BERTH_OK;
  if (naming) end_naming(keep);
  forget_all(take_held(), false);
  return rc;
}

void out_abort(out_file_t *out)
{
  if (!out) return;
  fclose(out->file);
  if (out->temporary) unlink(out->temporary);
  out_free(out);
}

/* Doesn't open anything but regular files: a pipe's reader would notice. */
int out_check(const char *path, berth_error_t *err)
{
  struct stat st;
  char *real;
  if (named_descriptor(path) >= 0) return BERTH_OK;
  if (own_resolve(path, names_chosen, &real, &st, err)) return BERTH_MISSING;
  free(real);
  if (st.st_mode && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) return BERTH_OK;
  out_file_t *out = out_open(path, err);
  out_abort(out);
  return out ? BERTH_OK : BERTH_MISSING;
}
