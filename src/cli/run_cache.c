/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_cache.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_in.h"
#include "base/file_out.h"
#include "base/text.h"

static int no_memory(berth_error_t *err)
{
  return berth_fail(err, BERTH_MISSING, "out of memory");
}

/* One line for each program: ranks, the program's file, its arguments with their lengths, so that
 * no two jobs have one key. */
static char *make_key(const launch_t *job)
{
  char *key = NULL;
  size_t n;
  FILE *f = open_memstream(&key, &n);
  if (!f) return NULL;
  for (size_t i = 0; i < job->n_contexts; i++) {
    const launch_context_t *c = &job->contexts[i];
    char *found = launch_find_program(job->argv[c->program]);
    char *path = found ? realpath(found, NULL) : NULL;
    fprintf(f, "%d ranks of %s", c->ranks, path ? path : job->argv[c->program]);
    for (size_t k = c->program + 1; k < c->end; k++)
      fprintf(f, " %zu:%s", strlen(job->argv[k]), job->argv[k]);
    fputc('\n', f);
    free(found);
    free(path);
  }
  if (fclose(f) == 0) return key;
  free(key);
  return NULL;
}

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static uint64_t hash(const char *s)
{
  uint64_t h = 0xcbf29ce484222325u;
  for (; *s; s++) h = (h ^ (unsigned char)*s) * 0x100000001b3u;
  return h;
}

static char *default_folder(void)
{
  const char *own = getenv("BERTH_CACHE"), *cache = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  if (own && *own) return strdup(own);
  if (cache && *cache) return text_printf("%s/berth", cache);
  return home && *home ? text_printf("%s/.cache/berth", home) : NULL;
}

/* mkdir -p. */
static int make_folder(char *path, berth_error_t *err)
{
  struct stat st;
  for (char *s = path + 1;; s++) {
    if (*s && *s != '/') continue;
    char end = *s;
    *s = '\0';
    if (mkdir(path, 0777) && errno != EEXIST)
      return berth_fail(err, BERTH_MISSING, "%s: cannot make the folder: %s", path,
                        strerror(errno));
    *s = end;
    if (!end) break;
  }
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return BERTH_OK;
  return berth_fail(err, BERTH_MISSING, "%s: found no folder there, expected one", path);
}

static int name_files(run_cache_t *c, const launch_t *job, const char *folder, berth_error_t *err)
{
  const char *program = job->argv[job->contexts[0].program], *slash = strrchr(program, '/');
  char *base = text_printf("%s/%s-%d-%016llx", folder, slash ? slash + 1 : program, job->ranks,
                           (unsigned long long)hash(c->key));
  if (!base) return no_memory(err);
  c->key_file = text_printf("%s.job", base);
  c->pattern = text_printf("%s.acp.zst", base);
  c->partial = text_printf("%s.%ld.acp.zst", base, (long)getpid());
  c->topology = text_printf("%s.topology.json", base);
  c->mapping = text_printf("%s.mapping.json", base);
  c->rankfile = text_printf("%s.rankfile", base);
  free(base);
  bool all = c->key_file && c->pattern && c->partial && c->topology && c->mapping && c->rankfile;
  return all ? BERTH_OK : no_memory(err);
}

int run_cache_open(const launch_t *job, const char *folder, run_cache_t *out, berth_error_t *err)
{
  *out = (run_cache_t){.key = make_key(job)};
  if (!out->key) return no_memory(err);
  char *path = folder ? strdup(folder) : default_folder();
  int rc = path ? make_folder(path, err)
                : berth_fail(err, BERTH_MISSING,
                             "found no folder for traces: BERTH_CACHE, XDG_CACHE_HOME and HOME "
                             "are unset (--cache DIR names one)");
  if (!rc) rc = name_files(out, job, path, err);
  free(path);
  if (rc) run_cache_clear(out);
  return rc;
}

void run_cache_clear(run_cache_t *c)
{
  free(c->key);
  free(c->key_file);
  free(c->pattern);
  free(c->partial);
  free(c->topology);
  free(c->mapping);
  free(c->rankfile);
  *c = (run_cache_t){0};
}

int run_cache_has_pattern(const run_cache_t *c)
{
  char *key;
  size_t n;
  if (access(c->pattern, R_OK) != 0 || in_read_all(c->key_file, &key, &n, NULL)) return 0;
  int same = strcmp(key, c->key) == 0;
  free(key);
  return same;
}

int run_cache_keep(const run_cache_t *c, berth_error_t *err)
{
  out_file_t *out = out_open(c->key_file, err);
  if (!out) return BERTH_MISSING;
  out_text(out, c->key);
  int rc = out_commit(out, err);
  if (!rc && rename(c->partial, c->pattern) != 0)
    rc = berth_fail(err, BERTH_MISSING, "%s: cannot write: %s", c->pattern, strerror(errno));
  return rc;
}
