/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file_out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/text.h"

struct out_file {
  FILE *file;
  char *target;     /* NULL when written in place */
  char *name;       /* as the caller gave it, for errors */
  int slot;         /* the temporary file's place in `temporaries`, -1 when in place */
  ZSTD_CStream *zstd;
  char *packed;     /* buffer for compressed bytes */
  size_t packed_size;
  int error;        /* errno of the first failure, 0 so far */
};

/* Names of temporary files that exist now, for the signal handler. */
enum { MAX_TEMPORARIES = 16 };
static char temporaries[MAX_TEMPORARIES][PATH_MAX];
static volatile sig_atomic_t temporary_used[MAX_TEMPORARIES];

void out_remove_temporaries(void)
{
  for (int i = 0; i < MAX_TEMPORARIES; i++)
    if (temporary_used[i]) unlink(temporaries[i]);
}

static int remember_temporary(const char *path)
{
  for (int i = 0; i < MAX_TEMPORARIES; i++) {
    if (temporary_used[i]) continue;
    if (strlen(path) >= PATH_MAX) return -1;
    strcpy(temporaries[i], path);
    temporary_used[i] = 1;
    return i;
  }
  return -1;
}

static void forget_temporary(int slot)
{
  if (slot >= 0) temporary_used[slot] = 0;
}

static void out_free(out_file_t *out)
{
  if (!out) return;
  forget_temporary(out->slot);
  ZSTD_freeCStream(out->zstd);
  free(out->packed);
  free(out->target);
  free(out->name);
  free(out);
}

/* Opens the temporary file beside the target, with the permissions a new file would have. */
static FILE *open_beside(out_file_t *out)
{
  char *path = text_printf("%s.tmp.XXXXXX", out->target);
  int fd = path ? mkostemp(path, O_CLOEXEC) : -1;
  if (fd < 0) {
    free(path);
    return NULL;
  }
  struct stat st;
  mode_t mask = umask(0);
  umask(mask);
  mode_t mode = stat(out->target, &st) == 0 ? st.st_mode & 0777 : 0666 & ~mask;
  out->slot = remember_temporary(path);
  FILE *file = fchmod(fd, mode) == 0 && out->slot >= 0 ? fdopen(fd, "wb") : NULL;
  if (!file) {
    int saved = out->slot < 0 ? EMFILE : errno;
    unlink(path);
    close(fd);
    errno = saved;
  }
  free(path);
  return file;
}

static FILE *open_target(out_file_t *out, const char *path)
{
  struct stat st;
  if (strcmp(path, "-") == 0) return stdout;
  if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
    if (S_ISDIR(st.st_mode)) {
      errno = EISDIR;
      return NULL;
    }
    return fopen(path, "wb");
  }
  out->target = realpath(path, NULL); /* through a link, the file it leads to is replaced */
  if (!out->target) out->target = strdup(path);
  return out->target ? open_beside(out) : NULL;
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

out_file_t *out_open(const char *path, berth_error_t *err)
{
  out_file_t *out = calloc(1, sizeof *out);
  if (out) out->slot = -1;
  if (!out || !(out->name = strdup(path)) || (text_ends(path, ".zst") && !start_zstd(out))) {
    berth_fail(err, BERTH_MISSING, "out of memory");
    out_free(out);
    return NULL;
  }
  out->file = open_target(out, path);
  if (!out->file) {
    berth_fail(err, BERTH_MISSING, "%s: cannot write: %s", path, strerror(errno));
    out_free(out);
    return NULL;
  }
  return out;
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

void out_write(out_file_t *out, const void *data, size_t n)
{
  if (out->zstd)
    put_zstd(out, data, n, ZSTD_e_continue);
  else
    put_raw(out, data, n);
}

void out_text(out_file_t *out, const char *text) { out_write(out, text, strlen(text)); }

void out_printf(out_file_t *out, const char *format, ...)
{
  char small[512], *text = small;
  va_list args, again;
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

int out_commit(out_file_t *out, berth_error_t *err)
{
  if (out->zstd) put_zstd(out, NULL, 0, ZSTD_e_end);
  if (fflush(out->file) && !out->error) out->error = errno;
  if (out->file != stdout && fclose(out->file) && !out->error) out->error = errno;
  if (!out->error && out->slot >= 0 &&
      rename(temporaries[out->slot], out->target) != 0)
    out->error = errno;
  int rc = BERTH_OK;
  if (out->error) {
    if (out->slot >= 0) unlink(temporaries[out->slot]);
    rc = berth_fail(err, BERTH_MISSING, "%s: cannot write: %s", out->name, strerror(out->error));
  }
  out_free(out);
  return rc;
}

void out_abort(out_file_t *out)
{
  if (!out) return;
  if (out->file != stdout) fclose(out->file);
  if (out->slot >= 0) unlink(temporaries[out->slot]);
  out_free(out);
}
