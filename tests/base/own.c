/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and links of other users, where berth is to write: made by root, skipped for others. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/in_file.h"
#include "base/out_file.h"
#include "base/text.h"

#include "test_folder.h"

static void write_text(const char *path, const char *text)
{
  out_file_t *out = out_open(path, NULL);
  assert_non_null(out);
  out_text(out, text);
  assert_int_equal(out_commit(out, NULL), BERTH_OK);
}

static void assert_text(const char *path, const char *expected)
{
  char *text;
  size_t length;
  assert_int_equal(in_read_all(path, &text, &length, NULL), BERTH_OK);
  assert_string_equal(text, expected);
  free(text);
}

/* A folder, and in it x: a file, pipe or link of somebody. Users: 0 root, who writes, 1 and 2. */
enum { NO_TARGET = S_IFLNK | 1 };
static const struct {
  const char *what;
  mode_t folder;
  uid_t folder_owner;
  mode_t type;
  uid_t owner, target_owner; /* of what a link leads to, which is in a folder of root's alone */
  bool chosen;
  const char *refused; /* NULL: it is written */
} owned_cases[] = {
    {"own file", 01777, 0, S_IFREG, 0, 0, false, NULL},
    {"another's file", 01777, 0, S_IFREG, 1, 0, false, "found a file of user 1"},
    {"another's file, not sticky", 0777, 0, S_IFREG, 1, 0, false, NULL},
    {"another's file, in their folder", 0755, 1, S_IFREG, 1, 0, false, NULL},
    {"another's file, in their sticky folder", 01777, 1, S_IFREG, 1, 0, false, NULL},
    {"a third one's file there", 01777, 1, S_IFREG, 2, 0, false, "found a file of user 2"},
    {"own link", 01777, 0, S_IFLNK, 0, 0, false, NULL},
    {"own link, chosen", 01777, 0, S_IFLNK, 0, 0, true, NULL},
    {"own link to another's file", 01777, 0, S_IFLNK, 0, 1, false, NULL},
    {"own link to nothing", 01777, 0, NO_TARGET, 0, 0, false, NULL},
    {"another's link", 01777, 0, S_IFLNK, 1, 0, false, "found a link of user 1"},
    {"another's link to nothing", 01777, 0, NO_TARGET, 1, 0, false, "found a link of user 1"},
    {"another's link, in their folder", 0755, 1, S_IFLNK, 1, 0, false, NULL},
    {"the same, chosen", 0755, 1, S_IFLNK, 1, 0, true, "found a link of user 1"},
    {"the same, to nothing", 0755, 1, NO_TARGET, 1, 0, true, "found a link of user 1"},
    {"another's link, in their sticky folder", 01777, 1, S_IFLNK, 1, 0, false, NULL},
    {"the same, chosen", 01777, 1, S_IFLNK, 1, 0, true, "found a link of user 1"},
    {"another's link, in one's own folder", 0755, 0, S_IFLNK, 1, 0, false, NULL},
    {"the same, chosen", 0755, 0, S_IFLNK, 1, 0, true, NULL},
    {"another's pipe", 01777, 0, S_IFIFO, 1, 0, false, "found a pipe (FIFO) of user 1"},
};

static void others_files_are_not_taken_where_all_can_write(void **state)
{
  (void)state;
  char folder[128], x[160], target[160];
  if (geteuid() != 0) skip(); /* makes files of others */
  strcpy(folder, in_dir("shared"));
  snprintf(x, sizeof x, "%s/x", folder);
  strcpy(target, in_dir("target"));
  for (size_t i = 0; i < COUNT(owned_cases); i++) {
    berth_error_t err = {0};
    struct stat st;
    mode_t type = owned_cases[i].type;
    assert_int_equal(mkdir(folder, 0700), 0);
    if (type != NO_TARGET) write_text(target, "old");
    assert_int_equal(chown(target, owned_cases[i].target_owner, 0), type == NO_TARGET ? -1 : 0);
    if (S_ISLNK(type)) assert_int_equal(symlink(target, x), 0);
    if (type == S_IFIFO) assert_int_equal(mkfifo(x, 0600), 0);
    if (type == S_IFREG) write_text(x, "old");
    assert_int_equal(lchown(x, owned_cases[i].owner, 0), 0);
    assert_int_equal(chown(folder, owned_cases[i].folder_owner, 0), 0);
    assert_int_equal(chmod(folder, owned_cases[i].folder), 0);
    out_choose_names(owned_cases[i].chosen);
    out_file_t *out = type == S_IFIFO ? NULL : out_open(x, &err);
    if (type == S_IFIFO) out_check(x, &err);
    out_choose_names(false);
    bool written = out != NULL;
    if (out) out_text(out, "new");
    if (out) assert_int_equal(out_commit(out, NULL), BERTH_OK);
    const char *refused = owned_cases[i].refused;
    if (written == !!refused || (refused && !strstr(err.text, refused)))
      FAIL_ROW(owned_cases[i].what, "found '%s', expected '%s'", err.text, refused ? refused : "");
    if (refused && (!text_starts(err.text, x) || !strstr(err.text, "expected one of user 0")))
      FAIL_ROW(owned_cases[i].what, "found '%s'", err.text);
    assert_int_equal(lstat(x, &st), 0);
    assert_int_equal(st.st_mode & S_IFMT, type & S_IFMT);
    if (type != NO_TARGET)
      assert_text(target, written && type == S_IFLNK ? "new" : "old");
    else if ((access(target, F_OK) == 0) != written)
      FAIL_ROW(owned_cases[i].what, "the link's target is %s", written ? "not there" : "there");
    unlink(x);
    unlink(target);
    assert_int_equal(rmdir(folder), 0);
  }
}

/* Links on the way to a file count as the last one does, and so do those that a link leads to. */
static void others_links_are_not_followed_on_the_way(void **state)
{
  (void)state;
  berth_error_t err = {0};
  char shared[128], own[128], link[160], file[200], first[160];
  if (geteuid() != 0) skip(); /* makes links of others */
  strcpy(shared, in_dir("shared"));
  strcpy(own, in_dir("own"));
  assert_int_equal(mkdir(shared, 0700), 0);
  assert_int_equal(chmod(shared, 01777), 0);
  assert_int_equal(mkdir(own, 0700), 0);
  snprintf(link, sizeof link, "%s/link", shared);
  snprintf(file, sizeof file, "%s/link/x", shared);
  strcpy(first, in_dir("first"));
  assert_int_equal(symlink("../own", link), 0);
  assert_int_equal(symlink("shared/link/x", first), 0);
  static const uid_t owners[] = {0, 1};
  for (size_t i = 0; i < COUNT(owners); i++) {
    const char *const paths[] = {file, first};
    assert_int_equal(lchown(link, owners[i], 0), 0);
    for (size_t k = 0; k < COUNT(paths); k++)
      if ((out_check(paths[k], &err) == BERTH_OK) != (owners[i] == 0))
        FAIL_ROW(paths[k], "link of user %u: found '%s'", (unsigned)owners[i], err.text);
  }
  assert_non_null(
      strstr(err.text, "/shared/link: found a link of user 1 in a folder that all can"));
  unlink(first);
  unlink(link);
  rmdir(own);
  assert_int_equal(rmdir(shared), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(others_files_are_not_taken_where_all_can_write),
      cmocka_unit_test(others_links_are_not_followed_on_the_way),
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
