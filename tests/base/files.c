/* SPDX-License-Identifier: BSD-3-Clause */
#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/in_file.h"
#include "base/json.h"
#include "base/json_out.h"
#include "base/out_file.h"

#include "test_folder.h"

/* glibc keeps what it reads of LOCPATH. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:argz_add_sep\n"; }

static int files_in_dir(void)
{
  char command[160];
  snprintf(command, sizeof command, "exit $(ls -A %s | wc -l)", dir);
  return system(command) / 256;
}

static void write_lines(const char *path, int n)
{
  out_file_t *out = out_open(path, NULL);
  assert_non_null(out);
  for (int i = 0; i < n; i++) out_printf(out, "line %d\n", i);
  assert_int_equal(out_commit(out, NULL), BERTH_OK);
}

static void lines_come_back(void **state)
{
  (void)state;
  static const char *const names[] = {"plain", "packed.zst"};
  for (size_t k = 0; k < COUNT(names); k++) {
    enum { N = 200000 };
    write_lines(in_dir(names[k]), N);
    in_file_t *in = in_open(in_dir(names[k]), NULL);
    assert_non_null(in);
    char *line, expected[32];
    size_t length;
    for (int i = 0; i < N; i++) {
      assert_int_equal(in_line(in, &line, &length, NULL), BERTH_OK);
      snprintf(expected, sizeof expected, "line %d", i);
      assert_string_equal(line, expected);
      assert_int_equal(length, strlen(expected));
    }
    assert_int_equal(in_line(in, &line, &length, NULL), BERTH_OK);
    assert_null(line);
    in_close(in);
  }
}

static void zstd_frames_may_follow_one_another(void **state)
{
  (void)state;
  char data[256];
  size_t n = ZSTD_compress(data, sizeof data, "one\n", 4, 1);
  n += ZSTD_compress(data + n, sizeof data - n, "two", 3, 1);
  char *text;
  size_t length;
  assert_int_equal(in_read_all(scratch_file("frames", data, n), &text, &length, NULL), BERTH_OK);
  assert_string_equal(text, "one\ntwo");
  free(text);
  for (size_t cut = 4; cut < n; cut++) {
    if (cut == ZSTD_findFrameCompressedSize(data, n)) continue; /* between frames: a whole file */
    berth_error_t err = {0};
    const char *path = scratch_file("frames", data, cut);
    if (in_read_all(path, &text, &length, &err) == BERTH_OK) fail_msg("cut at %zu was taken", cut);
    assert_int_equal(err.code, BERTH_BAD_INPUT);
    assert_non_null(strstr(err.text, path));
  }
  unlink(scratch_file("frames", "", 0));
}

static void a_reader_never_sees_half_a_file(void **state)
{
  (void)state;
  char *path = in_dir("target");
  write_lines(path, 1);
  int before = files_in_dir();
  out_file_t *out = out_open(path, NULL);
  out_text(out, "half");
  assert_int_equal(files_in_dir(), before + 1);
  char *text;
  size_t length;
  assert_int_equal(in_read_all(path, &text, &length, NULL), BERTH_OK);
  assert_string_equal(text, "line 0\n");
  free(text);
  out_abort(out);
  assert_int_equal(files_in_dir(), before);
  out = out_open(path, NULL);
  out_text(out, "half");
  out_remove_temporaries(); /* as on a signal */
  assert_int_equal(files_in_dir(), before);
  assert_int_equal(out_commit(out, NULL), BERTH_MISSING);
}

/* Other processes write to the temporary file: it can be written whatever the target's permissions
 * are, which it gets in the end; and what they wrote can be thrown away. */
static void others_can_write_a_file(void **state)
{
  (void)state;
  char path[512], *text;
  size_t length;
  struct stat st;
  strcpy(path, in_dir("target"));
  write_lines(path, 1);
  assert_int_equal(chmod(path, 0444), 0);
  for (int kept = 0; kept < 2; kept++) {
    out_file_t *out = out_open_raw(path, NULL);
    const char *temporary = out_temporary(out);
    assert_int_equal(stat(temporary, &st), 0);
    assert_int_equal(st.st_mode & S_IWUSR, S_IWUSR);
    FILE *other = fopen(temporary, "r+");
    assert_non_null(other);
    fputs("others' text", other);
    fclose(other);
    if (!kept) out_rewind(out), out_text(out, "own");
    assert_int_equal(out_commit(out, NULL), BERTH_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0444);
    assert_int_equal(in_read_all(path, &text, &length, NULL), BERTH_OK);
    assert_string_equal(text, kept ? "others' text" : "own");
    free(text);
  }
  unlink(path);
  out_file_t *out = out_open_raw("/dev/null", NULL);
  assert_null(out_temporary(out));
  assert_int_equal(out_commit(out, NULL), BERTH_OK);
}

static void what_goes_to_memory_is_there(void **state)
{
  (void)state;
  char *text = NULL;
  size_t n = 0;
  out_file_t *out = out_open_memory(&text, &n, NULL);
  assert_null(out_temporary(out));
  out_text(out, "one");
  out_write(out, "\0two", 4);
  assert_int_equal(out_commit(out, NULL), BERTH_OK);
  assert_int_equal(n, 7);
  assert_memory_equal(text, "one\0two", 8);
  free(text);
}

static void a_check_leaves_no_trace(void **state)
{
  (void)state;
  int before = files_in_dir();
  assert_int_equal(out_check(in_dir("not there"), NULL), BERTH_OK);
  assert_int_equal(files_in_dir(), before);
  char *path = in_dir("target"), *text;
  size_t length;
  write_lines(path, 1);
  before = files_in_dir();
  assert_int_equal(out_check(path, NULL), BERTH_OK);
  assert_int_equal(files_in_dir(), before);
  assert_int_equal(in_read_all(path, &text, &length, NULL), BERTH_OK);
  assert_string_equal(text, "line 0\n");
  free(text);
  assert_int_equal(out_check("-", NULL), BERTH_OK);
  assert_int_equal(out_check("/dev/full", NULL), BERTH_OK);
}

static void devices_are_not_replaced(void **state)
{
  (void)state;
  struct stat st;
  write_lines("/dev/null", 3);
  assert_int_equal(stat("/dev/null", &st), 0);
  assert_true(S_ISCHR(st.st_mode));
}

static void descriptors_by_name_go_on_where_they_are(void **state)
{
  (void)state;
  char path[160], name[32], *text;
  size_t length;
  strcpy(path, in_dir("log"));
  FILE *log = fopen(path, "w");
  fputs("before\n", log);
  fflush(log);
  snprintf(name, sizeof name, "/dev/fd/%d", fileno(log));
  write_lines(name, 1);
  fclose(log);
  assert_int_equal(in_read_all(path, &text, &length, NULL), BERTH_OK);
  assert_string_equal(text, "before\nline 0\n");
  free(text);
}

static void links_stay_links(void **state)
{
  (void)state;
  struct stat st;
  char link[160], target[160];
  static const char *const names[] = {"there", "not-there"};
  for (size_t i = 0; i < COUNT(names); i++) {
    strcpy(target, in_dir(names[i]));
    if (i == 0) write_lines(target, 5);
    strcpy(link, in_dir("link"));
    assert_int_equal(symlink(target, link), 0);
    write_lines(link, 1);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat(target, &st), 0);
    assert_int_equal(st.st_size, 7);
    unlink(link);
  }
}

static void permissions_are_those_of_a_new_or_old_file(void **state)
{
  (void)state;
  struct stat st;
  mode_t before = umask(027);
  write_lines(in_dir("new"), 1);
  umask(before);
  assert_int_equal(stat(in_dir("new"), &st), 0);
  assert_int_equal(st.st_mode & 0777, 0640);
  assert_int_equal(chmod(in_dir("new"), 0604), 0);
  write_lines(in_dir("new"), 1);
  assert_int_equal(stat(in_dir("new"), &st), 0);
  assert_int_equal(st.st_mode & 0777, 0604);
}

/* The only file in the folder whose name begins so and goes on. */
static int mode_of_temporary(const char *path)
{
  char command[400];
  unsigned mode = 0;
  snprintf(command, sizeof command, "stat -c %%a %s.tmp.*", path);
  FILE *f = popen(command, "r");
  assert_int_equal(fscanf(f, "%o", &mode), 1);
  assert_int_equal(pclose(f), 0);
  return (int)mode;
}

/* Nobody may read what is being written who may not read the file that it replaces. */
static void temporaries_are_as_closed_as_their_targets(void **state)
{
  (void)state;
  static const int modes[] = {0600, 0400, 0640, 0604, 0644, 0666};
  char path[160];
  strcpy(path, in_dir("closed"));
  mode_t before = umask(0);
  for (size_t i = 0; i < COUNT(modes); i++) {
    struct stat st;
    write_lines(path, 1);
    assert_int_equal(chmod(path, (mode_t)modes[i]), 0);
    out_file_t *out = out_open(path, NULL);
    int mode = mode_of_temporary(path);
    if (mode & 077 & ~modes[i]) fail_msg("target %o: found a temporary of %o", modes[i], mode);
    assert_int_equal(out_commit(out, NULL), BERTH_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, modes[i]);
  }
  umask(before);
  unlink(path);
}

/* A group that may read a file goes on being the one: no other one gets its place. */
static void owners_stay(void **state)
{
  (void)state;
  struct stat st;
  char path[160];
  strcpy(path, in_dir("owned"));
  write_lines(path, 1);
  if (chown(path, 1, 1) != 0) skip(); /* for root alone */
  assert_int_equal(chmod(path, 0640), 0);
  write_lines(path, 2);
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_uid, 1);
  assert_int_equal(st.st_gid, 1);
  assert_int_equal(st.st_mode & 0777, 0640);
  unlink(path);
}

/* As in a program that has asked for its user's locale. */
static void numbers_have_a_point_in_any_locale(void **state)
{
  (void)state;
  char command[160];
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null", dir);
  assert_int_equal(system(command), 0);
  setenv("LOCPATH", dir, 1);
  locale_t comma = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);
  unsetenv("LOCPATH");
  assert_non_null(comma);
  locale_t before = uselocale(comma);
  json_out_t j = {.out = out_open(in_dir("locale"), NULL)};
  json_open(&j, NULL, '[', JSON_COMPACT);
  json_put_number(&j, NULL, 0.5);
  json_close(&j);
  assert_int_equal(out_commit(j.out, NULL), BERTH_OK);
  json_source_t source = {in_dir("locale"), 0, NULL};
  cJSON *doc = json_parse_file(source.file, &source);
  uselocale(before);
  freelocale(comma);
  assert_non_null(doc);
  assert_true(doc->child->valuedouble == 0.5);
  cJSON_Delete(doc);
}

static void what_cannot_be_opened_is_named(void **state)
{
  (void)state;
  berth_error_t err = {0};
  assert_null(in_open("/nowhere/x", &err));
  assert_string_equal(err.text, "/nowhere/x: cannot open: No such file or directory");
  assert_int_equal(err.code, BERTH_MISSING);
  assert_null(out_open("/nowhere/x", &err));
  assert_string_equal(err.text, "/nowhere/x: cannot write: No such file or directory");
  assert_null(out_open("", &err));
  assert_int_equal(out_check("/nowhere/x", &err), BERTH_MISSING);
  assert_string_equal(err.text, "/nowhere/x: cannot write: No such file or directory");
  assert_int_equal(out_check("/tmp", &err), BERTH_MISSING);
  assert_string_equal(err.text, "/tmp: cannot write: Is a directory");
  assert_null(in_open("/tmp", &err));
  assert_string_equal(err.text, "/tmp: found a directory, expected a file");
}

static void assert_text(const char *path, const char *expected)
{
  char *text;
  size_t length;
  if (!expected) {
    assert_int_equal(access(path, F_OK), -1);
    return;
  }
  assert_int_equal(in_read_all(path, &text, &length, NULL), BERTH_OK);
  assert_string_equal(text, expected);
  free(text);
}

/* Three files, of which one is there already; one may find a folder in its place in the end. */
static void several_files_appear_together(void **state)
{
  (void)state;
  static const struct {
    int keep, blocked, rc; /* blocked: which one, -1 for none */
  } cases[] = {{1, -1, BERTH_OK},
               {0, -1, BERTH_OK},
               {1, 0, BERTH_MISSING},
               {1, 1, BERTH_MISSING},
               {1, 2, BERTH_MISSING}};
  enum { FILES = 3, OLD = 1 };
  char path[FILES][160];
  for (size_t i = 0; i < COUNT(cases); i++) {
    int before = files_in_dir(), blocked = cases[i].blocked;
    bool named = cases[i].keep && blocked < 0;
    for (int k = 0; k < FILES; k++) {
      char name[16];
      snprintf(name, sizeof name, "held-%d", k);
      strcpy(path[k], in_dir(name));
    }
    write_lines(path[OLD], 1);
    out_hold();
    for (int k = 0; k < FILES; k++) write_lines(path[k], 2);
    for (int k = 0; k < FILES; k++) assert_text(path[k], k == OLD ? "line 0\n" : NULL);
    if (blocked == OLD) unlink(path[OLD]);
    if (blocked >= 0) assert_int_equal(mkdir(path[blocked], 0700), 0);
    assert_int_equal(out_release(cases[i].keep, NULL), cases[i].rc);
    for (int k = 0; k < FILES; k++)
      if (k != blocked)
        assert_text(path[k], named ? "line 0\nline 1\n" : k == OLD ? "line 0\n" : NULL);
    for (int k = 0; k < FILES; k++) remove(path[k]);
    assert_int_equal(files_in_dir(), before); /* nothing else is left */
    write_lines(path[0], 1);                  /* nothing is held any more */
    assert_int_equal(remove(path[0]), 0);
  }
}

/* More than there are places for those that whoever ends the process removes. */
static void so_many_files_appear_together(void **state)
{
  (void)state;
  enum { FILES = 300 };
  int before = files_in_dir();
  char name[32];
  out_hold();
  for (int i = 0; i < FILES; i++) {
    snprintf(name, sizeof name, "many%d", i);
    write_lines(in_dir(name), i);
  }
  assert_int_equal(access(in_dir("many0"), F_OK), -1);
  out_remove_temporaries();
  assert_int_equal(files_in_dir(), before + FILES - 256);
  assert_int_equal(out_release(0, NULL), BERTH_OK);
  assert_int_equal(files_in_dir(), before);
}

/* Each thread writes a file of its own, again and again, and reads it back. */
static void *write_and_read(void *number)
{
  static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  enum { TIMES = 60 };
  char path[64], digit = digits[*(int *)number % 36], text[8];
  snprintf(path, sizeof path, "%s/thread%d", dir, *(int *)number);
  for (int i = 0; i < TIMES; i++) {
    out_file_t *out = out_open(path, NULL);
    if (!out) return "not opened";
    out_printf(out, "%c", digit);
    if (out_commit(out, NULL)) return "not named";
    FILE *file = fopen(path, "r");
    if (!file) return "not there";
    bool same = fread(text, 1, sizeof text, file) == 1 && text[0] == digit;
    fclose(file);
    if (!same) return "with another thread's text";
  }
  return remove(path) == 0 ? NULL : "not removed";
}

static void threads_write_files_of_their_own(void **state)
{
  (void)state;
  enum { THREADS = 32 };
  pthread_t thread[THREADS];
  int number[THREADS], before = files_in_dir();
  for (int i = 0; i < THREADS; i++) {
    number[i] = i;
    assert_int_equal(pthread_create(&thread[i], NULL, write_and_read, &number[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    void *wrong = NULL;
    assert_int_equal(pthread_join(thread[i], &wrong), 0);
    if (wrong) FAIL_ROW("thread", "found a file %s, expected its own", (char *)wrong);
  }
  assert_int_equal(files_in_dir(), before);
}

static void json_is_written_as_it_reads(void **state)
{
  (void)state;
  char *path = in_dir("json");
  json_out_t j = {.out = out_open(path, NULL)};
  json_open(&j, NULL, '{', JSON_LINES);
  json_put_string(&j, "text", "q\"\\\n\xc3\xa4");
  json_put_number(&j, "tenth", 0.1);
  json_put_number(&j, "none", 1.0 / 0.0);
  json_open(&j, "list", '[', JSON_ONE_LINE);
  json_put_u64(&j, NULL, 1);
  json_put_bool(&j, NULL, true);
  json_close(&j);
  json_open(&j, "empty", '{', JSON_LINES);
  json_close(&j);
  json_close(&j);
  assert_int_equal(out_commit(j.out, NULL), BERTH_OK);
  char *text;
  size_t length;
  assert_int_equal(in_read_all(path, &text, &length, NULL), BERTH_OK);
  assert_string_equal(text, "{\n  \"text\": \"q\\\"\\\\\\u000a\xc3\xa4\",\n  \"tenth\": 0.1,\n"
                            "  \"none\": null,\n  \"list\": [1, true],\n  \"empty\": {}\n}\n");
  free(text);
}

/* What names of files may hold, in JSON and in XML; plain JSON strings are read back by others. */
static const struct {
  const char *text, *json, *xml;
} strings[] = {
    {"plain", "plain", "plain"},
    {"a<b> & \"c\"", "a<b> & \\\"c\\\"", "a&lt;b&gt; &amp; &quot;c&quot;"},
    {"gr\xc3\xbc\xf0\x9f\x9a\xa2", "gr\xc3\xbc\xf0\x9f\x9a\xa2", "gr\xc3\xbc\xf0\x9f\x9a\xa2"},
    {"bad\xff.json", "bad\xef\xbf\xbd.json", "bad\xef\xbf\xbd.json"},
    {"cut\xc3", "cut\xef\xbf\xbd", "cut\xef\xbf\xbd"},
    {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"ctl\x01\n", "ctl\\u0001\\u000a", "ctl\xef\xbf\xbd\n"},
    {"\xef\xbf\xbe\xef\xbf\xbf!", "\xef\xbf\xbe\xef\xbf\xbf!", "\xef\xbf\xbd\xef\xbf\xbd!"},
};

static void strings_are_what_formats_hold(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(strings); i++) {
    char *json = NULL, *xml = NULL, expected[80];
    size_t n;
    json_out_t j = {.out = out_open_memory(&json, &n, NULL)};
    json_put_string(&j, NULL, strings[i].text);
    assert_int_equal(out_commit(j.out, NULL), BERTH_OK);
    out_file_t *out = out_open_memory(&xml, &n, NULL);
    out_xml(out, strings[i].text);
    assert_int_equal(out_commit(out, NULL), BERTH_OK);
    snprintf(expected, sizeof expected, "\"%s\"", strings[i].json);
    if (strcmp(json, expected) != 0) FAIL_ROW(strings[i].text, "found JSON %s", json);
    if (strcmp(xml, strings[i].xml) != 0) FAIL_ROW(strings[i].text, "found XML %s", xml);
    free(json);
    free(xml);
  }
}

/* Text that there was no memory for fails the file, as a full disk does. */
static void no_text_is_an_error(void **state)
{
  (void)state;
  char *xml = NULL;
  size_t n;
  out_file_t *out = out_open_memory(&xml, &n, NULL);
  out_xml(out, NULL);
  assert_int_equal(out_commit(out, NULL), BERTH_MISSING);
  free(xml);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_come_back),
      cmocka_unit_test(zstd_frames_may_follow_one_another),
      cmocka_unit_test(a_reader_never_sees_half_a_file),
      cmocka_unit_test(a_check_leaves_no_trace),
      cmocka_unit_test(devices_are_not_replaced),
      cmocka_unit_test(descriptors_by_name_go_on_where_they_are),
      cmocka_unit_test(links_stay_links),
      cmocka_unit_test(permissions_are_those_of_a_new_or_old_file),
      cmocka_unit_test(temporaries_are_as_closed_as_their_targets),
      cmocka_unit_test(owners_stay),
      cmocka_unit_test(numbers_have_a_point_in_any_locale),
      cmocka_unit_test(others_can_write_a_file),
      cmocka_unit_test(what_goes_to_memory_is_there),
      cmocka_unit_test(what_cannot_be_opened_is_named),
      cmocka_unit_test(several_files_appear_together),
      cmocka_unit_test(so_many_files_appear_together),
      cmocka_unit_test(threads_write_files_of_their_own),
      cmocka_unit_test(json_is_written_as_it_reads),
      cmocka_unit_test(strings_are_what_formats_hold),
      cmocka_unit_test(no_text_is_an_error),
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
