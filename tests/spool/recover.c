/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders of tables, and the patterns that are made of them, as berth/spool.h has it. */
#include <berth/spool.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "image.h"

#include "harness.h"

enum { MOST_FILES = 4 };

typedef enum kind {
  ABSENT,
  NO_FILE,
  GOOD,    /* of the rank that is its place in the row */
  RUNNING, /* the same, not at its end yet */
  AGAIN,   /* of rank 0 */
  DAMAGED,
  OTHER_JOB,
  EMPTY
} kind_t;

typedef struct row {
  const char *name;
  kind_t file[MOST_FILES];
  int ranks, found, finished; /* 0 ranks: it fails */
  size_t refused;
  const char *why; /* part of what the last refused file is said to be left out for */
} row_t;

static const row_t rows[] = {
    {"all are there", {GOOD, GOOD, GOOD}, 4, 3, 3, 0, NULL},
    {"one is damaged", {GOOD, DAMAGED}, 4, 1, 1, 1, "found no table of berth's tracer"},
    {"the first is damaged", {DAMAGED, GOOD}, 4, 1, 1, 1, "found no table of berth's tracer"},
    {"another job's", {GOOD, OTHER_JOB, GOOD}, 4, 2, 2, 1, "expected job"},
    {"a rank twice", {GOOD, AGAIN}, 4, 1, 1, 1, "found rank 0 a second time"},
    {"a file is missing", {GOOD, NO_FILE}, 4, 1, 1, 1, "cannot open: No such file"},
    {"an empty file", {EMPTY, GOOD}, 4, 1, 1, 1, ""},
    {"killed", {RUNNING, GOOD}, 4, 2, 1, 0, NULL},
    {"none is good", {NO_FILE, DAMAGED}, 0, 0, 0, 2, "found no table"},
};

static image_t image;
static char folder[256];

/* Writes a file of that kind; the caller frees its path. */
static char *make_file(kind_t kind, const char *job, int place)
{
  char *path = malloc(sizeof folder + 64);
  sprintf(path, "%s/%s-%d.spool", folder, job, place);
  if (kind == NO_FILE) return path;
  image_begin(&image, kind == AGAIN ? 0 : (uint32_t)place, 4);
  spool_header_t *h = image_header(&image);
  if (kind == RUNNING) h->state = SPOOL_RUNNING, h->end_tick = 0;
  if (kind == DAMAGED) h->magic[0] = 'x';
  if (kind == OTHER_JOB) h->job++;
  h->missed.lost = 5;
  image_message(&image, image_block(&image, SPOOL_MESSAGES), 3, 0, 8, 10);
  FILE *f = fopen(path, "wb");
  size_t size = kind == EMPTY ? 0 : image.size;
  if (!f || fwrite(image.bytes, 1, size, f) != size || fclose(f)) fail_msg("cannot write %s", path);
  return path;
}

typedef berth_pattern_t *make_t(const berth_tables_t *job, berth_recovery_t *what,
                                berth_error_t *err);

/* With nobody counting, both functions say the same. */
static void look_at(const row_t *row, const berth_tables_t *job, make_t *make)
{
  berth_error_t err = {0};
  berth_recovery_t what;
  size_t n = 0;
  berth_pattern_t *p = make(job, &what, &err);
  if ((p != NULL) != (row->ranks > 0)) FAIL_ROW(row->name, "found %s", err.text);
  if (what.ranks != row->ranks || what.found != row->found || what.finished != row->finished)
    FAIL_ROW(row->name, "found %d of %d ranks, %d at their end", what.found, what.ranks,
             what.finished);
  if (what.n_refused != row->refused) FAIL_ROW(row->name, "found %zu left out", what.n_refused);
  if (row->why && !strstr(what.refused[row->refused - 1], row->why))
    FAIL_ROW(row->name, "found '%s'", what.refused[row->refused - 1]);
  if (what.lost != 5 * (uint64_t)row->found) FAIL_ROW(row->name, "lost messages aren't counted");
  if (p) berth_pattern_messages(p, 0, &n);
  if (n != (size_t)row->found) FAIL_ROW(row->name, "found %zu messages", n);
  berth_pattern_free(p);
  berth_recovery_clear(&what);
  if (what.n_refused || what.refused) FAIL_ROW(row->name, "not empty when it was cleared");

  p = make(job, NULL, NULL); /* nobody asks */
  if ((p != NULL) != (row->ranks > 0)) FAIL_ROW(row->name, "differs where nobody asks");
  berth_pattern_free(p);
}

static void what_is_good_makes_a_pattern(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    const char *paths[MOST_FILES];
    char *own[MOST_FILES];
    size_t n = 0;
    for (; n < MOST_FILES && rows[i].file[n]; n++)
      paths[n] = own[n] = make_file(rows[i].file[n], "00", (int)n);
    const berth_tables_t job = {n, paths};
    look_at(&rows[i], &job, berth_recover);
    look_at(&rows[i], &job, berth_snapshot);
    while (n-- > 0) {
      unlink(own[n]);
      free(own[n]);
    }
  }
}

static void a_folder_has_its_jobs(void **state)
{
  (void)state;
  static const struct {
    const char *job;
    int rank;
  } files[] = {{"0a", 1}, {"0a", 0}, {"0ab", 0}, {"00", 2}};
  static const struct {
    const char *first;
    size_t n_paths;
  } jobs[] = {{"/00-2.spool", 1}, {"/0a-0.spool", 2}, {"/0ab-0.spool", 1}};
  berth_error_t err = {0};
  size_t n;
  char other[sizeof folder + 16];
  for (size_t i = 0; i < COUNT(files); i++) free(make_file(GOOD, files[i].job, files[i].rank));
  sprintf(other, "%s/x.spool", folder); /* no file */
  assert_int_equal(mkdir(other, 0700), 0);

  berth_spool_t *spool = berth_spool_open(folder, &err);
  if (!spool) fail_msg("%s", err.text);
  const berth_tables_t *found = berth_spool_jobs(spool, &n);
  assert_int_equal(n, COUNT(jobs));
  for (size_t i = 0; i < n; i++) {
    assert_int_equal(found[i].n_paths, jobs[i].n_paths);
    assert_string_equal(found[i].paths[0] + strlen(folder), jobs[i].first);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < found[i].n_paths; k++) unlink(found[i].paths[k]);
  berth_spool_free(spool);
  rmdir(other);

  spool = berth_spool_open(folder, &err);
  assert_non_null(spool);
  berth_spool_jobs(spool, &n);
  assert_int_equal(n, 0);
  berth_spool_free(spool);
  berth_spool_free(NULL);
  assert_null(berth_spool_open("/nonexistent/folder", &err));
  assert_int_equal(err.code, BERTH_MISSING);
}

static void tables_say_whose_they_are(void **state)
{
  (void)state;
  static const struct {
    kind_t kind;
    int rc;
  } cases[] = {{GOOD, BERTH_OK},
               {RUNNING, BERTH_OK},
               {DAMAGED, BERTH_BAD_INPUT},
               {EMPTY, BERTH_MISSING},
               {NO_FILE, BERTH_MISSING}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_tables_info_t info;
    char *path = make_file(cases[i].kind, "00", 3);
    assert_int_equal(berth_tables_look(path, &info, NULL), cases[i].rc);
    if (cases[i].rc == BERTH_OK) {
      assert_true(info.job == 77 && info.rank == 3 && info.ranks == 4 && info.created == 86400);
      assert_string_equal(info.host, "node0");
      assert_string_equal(info.command, "app -x");
    }
    unlink(path);
    free(path);
  }
}

static void the_folder_is_that_of_tracers(void **state)
{
  (void)state;
  const struct {
    const char *tmp, *given, *parent; /* parent NULL: the folder that was given */
  } cases[] = {{folder, "", folder},
               {"/nowhere", "", "/tmp"},
               {"/proc/self/status", "", "/tmp"},
               {"", "", "/tmp"},
               {folder, "/fast/disk", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char own[512];
    sprintf(own, "%.400s/berth-spool-%ld", cases[i].parent ? cases[i].parent : "", (long)geteuid());
    setenv("TMPDIR", cases[i].tmp, 1);
    setenv("BERTH_TRACE_SPOOL", cases[i].given, 1);
    char *found = berth_spool_folder(NULL);
    assert_string_equal(found, cases[i].parent ? own : cases[i].given);
    free(found);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_good_makes_a_pattern), cmocka_unit_test(a_folder_has_its_jobs),
      cmocka_unit_test(tables_say_whose_they_are), cmocka_unit_test(the_folder_is_that_of_tracers)};
  const char *tmp = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%.200s/berth-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(folder)) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(folder);
  return failed;
}
