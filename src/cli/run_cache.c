/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_cache.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/in_file.h"
#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/own.h"
#include "base/text.h"

/* A context's lines of the key: ranks, the program's file with its size and time, the folder, all
 * words with their lengths, so that no two jobs have one key. */
static void put_context(FILE *f, const launch_t *job, const launch_context_t *c)
{
  const char *program = job->argv[launch_program_word(job, c)];
  char *path = launch_program_file(job, c), *here = getcwd(NULL, 0);
  struct stat st = {0};
  if (path && stat(path, &st) != 0) st = (struct stat){0};
  fprintf(f, "%d ranks of %s (%lld bytes, %lld.%09ld)\nin %s %s\nwords", c->ranks,
          path ? path : program, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
          st.st_mtim.tv_nsec, here ? here : "", c->folder ? c->folder : "");
  for (size_t k = c->program; k < c->end; k++)
    fprintf(f, " %zu:%s", strlen(job->argv[k]), job->argv[k]);
  fputc('\n', f);
  free(path);
  free(here);
}

static char *make_key(const launch_t *job)
{
  char *key = NULL;
  size_t n;
  FILE *f = open_memstream(&key, &n);
  if (!f) return NULL;
  for (size_t i = 0; i < job->n_contexts; i++) put_context(f, job, &job->contexts[i]);
  return text_end(f, &key);
}

static char *default_folder(void)
{
  const char *own = getenv("BERTH_CACHE"), *cache = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  if (own && *own) return strdup(own);
  if (cache && *cache) return text_printf("%s/berth", cache);
  return home && *home ? text_printf("%s/.cache/berth", home) : NULL;
}

/* The folder, which the user alone may write, as what is in it decides how jobs are placed; links
 * to it are followed as to a file that is written. */
static int check_folder(const run_cache_t *c, berth_error_t *err)
{
  struct stat st;
  char *real = NULL, *path = text_printf("%.*s", (int)(strrchr(c->base, '/') - c->base), c->base);
  int rc = path ? own_resolve(path, false, &real, &st, err) : no_memory(err);
  if (!rc && st.st_mode) rc = own_check(path, &st, S_IFDIR, err);
  free(real);
  free(path);
  return rc;
}

int run_cache_check_file(const char *path, berth_error_t *err)
{
  struct stat st;
  return lstat(path, &st) == 0 ? own_check(path, &st, S_IFREG, err) : BERTH_OK;
}

int run_cache_check(const run_cache_t *c, berth_error_t *err)
{
  int rc = check_folder(c, err);
  if (!rc) rc = run_cache_check_file(c->key_file, err);
  if (!rc) rc = run_cache_check_file(c->tuning, err);
  return rc ? rc : run_cache_check_file(c->pattern, err);
}

/* mkdir -p of the folder that a file stands in. */
int run_cache_make_folder(const run_cache_t *c, berth_error_t *err)
{
  char *path = strdup(c->base);
  if (!path) return no_memory(err);
  int rc = BERTH_OK;
  for (char *s = strchr(path + 1, '/'); s && !rc; s = strchr(s + 1, '/')) {
    *s = '\0';
    if (mkdir(path, 0700) && errno != EEXIST)
      rc = berth_fail(err, BERTH_MISSING, "%s: cannot make the folder: %s", path, strerror(errno));
    *s = '/';
  }
  struct stat st;
  *strrchr(path, '/') = '\0';
  if (!rc && !(stat(path, &st) == 0 && S_ISDIR(st.st_mode) && access(path, W_OK | X_OK) == 0))
    rc = berth_fail(err, BERTH_MISSING, "%s: found no folder to write to, expected one", path);
  free(path);
  return rc;
}

static int name_files(run_cache_t *c, const launch_t *job, const char *folder, berth_error_t *err)
{
  const char *program = job->argv[launch_program_word(job, &job->contexts[0])];
  const char *slash = strrchr(program, '/');
  c->base = text_printf("%s/%s-%d-%016llx", folder, slash ? slash + 1 : program, job->ranks,
                        (unsigned long long)hash_bytes(HASH_START, c->key, strlen(c->key)));
  if (!c->base) return no_memory(err);
  uint64_t token = 0;
  if (getrandom(&token, sizeof token, 0) != sizeof token) token = (uint64_t)getpid();
  c->key_file = text_printf("%s.job", c->base);
  c->pattern = text_printf("%s.acp.zst", c->base);
  c->partial = text_printf("%s.%016llx.acp.zst", c->base, (unsigned long long)token);
  c->topology = text_printf("%s.%016llx.topology.json", c->base, (unsigned long long)token);
  c->tuning = text_printf("%s.tuning.json", c->base);
  return c->key_file && c->pattern && c->partial && c->topology && c->tuning ? BERTH_OK
                                                                             : no_memory(err);
}

int run_cache_open(const launch_t *job, const char *folder, run_cache_t *out, berth_error_t *err)
{
  *out = (run_cache_t){.key = make_key(job)};
  if (!out->key) return no_memory(err);
  char *path = folder ? strdup(folder) : default_folder();
  int rc = path ? name_files(out, job, path, err)
                : berth_fail(err, BERTH_MISSING,
                             "found no folder for traces: BERTH_CACHE, XDG_CACHE_HOME and HOME "
                             "are unset (--cache DIR names one)");
  free(path);
  if (rc) run_cache_clear(out);
  return rc;
}

void run_cache_clear(run_cache_t *c)
{
  free(c->base);
  free(c->key);
  free(c->key_file);
  free(c->pattern);
  free(c->partial);
  free(c->topology);
  free(c->tuning);
  *c = (run_cache_t){0};
}

char *run_cache_placement_file(const run_cache_t *c, const berth_mapping_t *m,
                               const berth_topo_t *t, const char *suffix)
{
  uint64_t h = hash_bytes(HASH_START, m->pu_of_rank, (size_t)m->ranks * sizeof *m->pu_of_rank);
  for (int r = 0; r < m->ranks; r++) {
    const berth_pu_t *pu = berth_topo_pu(t, m->pu_of_rank[r]);
    const char *host = berth_topo_host(t, pu->host)->name;
    h = hash_bytes(hash_bytes(h, host, strlen(host) + 1), &pu->core, sizeof pu->core);
  }
  return text_printf("%s.%016llx.%s", c->base, (unsigned long long)h, suffix);
}

int run_cache_has_pattern(const run_cache_t *c)
{
  char *key;
  size_t n;
  if (access(c->pattern, R_OK) != 0 || in_read_own(c->key_file, &key, &n, NULL)) return 0;
  int same = strcmp(key, c->key) == 0;
  free(key);
  return same;
}

int run_cache_close(const char *path, berth_error_t *err)
{
  struct stat st;
  if (stat(path, &st) == 0 && chmod(path, st.st_mode & 0755) == 0) return BERTH_OK;
  return berth_fail(err, BERTH_MISSING, "%s: cannot change its permissions: %s", path,
                    strerror(errno));
}

static int write_key(const run_cache_t *c, berth_error_t *err)
{
  out_file_t *out = out_open(c->key_file, err);
  if (!out) return BERTH_MISSING;
  out_text(out, c->key);
  return out_commit(out, err);
}

mode_t run_cache_umask(void)
{
  mode_t before = umask(077);
  umask(before | 022);
  return before;
}

int run_cache_keep(const run_cache_t *c, berth_error_t *err)
{
  mode_t before = run_cache_umask();
  int rc = write_key(c, err);
  umask(before);
  if (!rc) rc = run_cache_close(c->partial, err);
  if (!rc && rename(c->partial, c->pattern) != 0)
    rc = berth_fail(err, BERTH_MISSING, "%s: cannot write: %s", c->pattern, strerror(errno));
  return rc;
}
