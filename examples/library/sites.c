/* SPDX-License-Identifier: BSD-3-Clause */
/* sites TRACE|FOLDER: the call sites that send most, of a trace or of what a crashed job's ranks
 * left in a folder of tables: `berth resolve` and `berth recover` through the library. */
#include <berth/spool.h>
#include <berth/symbol.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST = 5 };

typedef struct sent {
  const berth_site_t *site;
  uint64_t messages, bytes;
} sent_t;

static int by_bytes(const void *a, const void *b)
{
  const sent_t *s = a, *t = b;
  if (s->bytes != t->bytes) return s->bytes > t->bytes ? -1 : 1;
  return (s->site->id > t->site->id) - (s->site->id < t->site->id);
}

/* Adds up what each site sent in all phases. */
static void add_up(const berth_pattern_t *p, sent_t *sent, size_t n_sites)
{
  size_t n_phases, n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  for (size_t i = 0; i < n_phases; i++) {
    const berth_message_t *m = berth_pattern_messages(p, i, &n);
    for (size_t k = 0; k < n; k++)
      for (size_t s = 0; s < n_sites; s++) {
        if (sent[s].site->id != m[k].site) continue;
        sent[s].messages += m[k].count * phases[i].repeats;
        sent[s].bytes += m[k].bytes * phases[i].repeats;
      }
  }
}

static int print_sites(const berth_pattern_t *p, berth_error_t *err)
{
  size_t n;
  const berth_site_t *sites = berth_pattern_sites(p, &n);
  sent_t *sent = calloc(n + 1, sizeof *sent);
  if (!sent) return berth_fail(err, BERTH_MISSING, "out of memory");
  for (size_t i = 0; i < n; i++) sent[i].site = &sites[i];
  add_up(p, sent, n);
  qsort(sent, n, sizeof *sent, by_bytes);
  for (size_t i = 0; i < n && i < MOST && sent[i].bytes > 0; i++) {
    const berth_site_t *site = sent[i].site;
    printf("%" PRIu64 " bytes in %" PRIu64 " messages: %s", sent[i].bytes, sent[i].messages,
           site->op);
    for (size_t k = 0; k < site->n_frames; k++) printf(" < %s", site->frames[k]);
    putchar('\n');
  }
  free(sent);
  return BERTH_OK;
}

static int show(const berth_pattern_t *traced, berth_error_t *err)
{
  berth_resolution_t counts;
  berth_pattern_t *p = berth_resolve(traced, &counts, err);
  if (!p) return err->code;
  printf("%d ranks, %zu call sites, %zu resolved here, %zu before\n", berth_pattern_ranks(p),
         counts.sites, counts.resolved, counts.named);
  int rc = print_sites(p, err);
  berth_pattern_free(p);
  return rc;
}

static int show_job(const berth_tables_t *job, berth_error_t *err)
{
  berth_recovery_t what;
  berth_pattern_t *p = berth_recover(job, &what, err);
  int rc = p ? BERTH_OK : err->code;
  for (size_t i = 0; i < what.n_refused; i++) printf("left out: %s\n", what.refused[i]);
  if (!rc) printf("tables of %d of %d ranks, ", what.found, what.ranks);
  if (!rc) printf("%" PRIu64 " messages lost for want of room\n", what.lost);
  if (!rc) rc = show(p, err);
  berth_recovery_clear(&what);
  berth_pattern_free(p);
  return rc;
}

static int show_folder(const char *folder, berth_error_t *err)
{
  size_t n;
  berth_spool_t *spool = berth_spool_open(folder, err);
  if (!spool) return err->code;
  const berth_tables_t *jobs = berth_spool_jobs(spool, &n);
  int rc = n ? BERTH_OK : berth_fail(err, BERTH_MISSING, "%s: found no tables", folder);
  for (size_t i = 0; !rc && i < n; i++) rc = show_job(&jobs[i], err);
  berth_spool_free(spool);
  return rc;
}

static int show_trace(const char *path, berth_error_t *err)
{
  berth_pattern_t *p = berth_pattern_load(path, BERTH_PATTERN_STRICT, err);
  int rc = p ? show(p, err) : err->code;
  berth_pattern_free(p);
  return rc;
}

int main(int argc, char **argv)
{
  berth_error_t err = {0};
  struct stat st;
  if (argc != 2) {
    fprintf(stderr, "usage: sites TRACE|FOLDER\n");
    return BERTH_USAGE;
  }
  int is_folder = stat(argv[1], &st) == 0 && S_ISDIR(st.st_mode);
  int rc = is_folder ? show_folder(argv[1], &err) : show_trace(argv[1], &err);
  if (rc) fprintf(stderr, "sites: %s\n", err.text);
  return rc;
}
