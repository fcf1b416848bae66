/* SPDX-License-Identifier: BSD-3-Clause */
#include "project/project.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/nearest.h"
#include "base/no_memory.h"
#include "base/own.h"
#include "base/text.h"
#include "project/project_text.h"
#include "project/project_toml.h"

enum { MAX_PARENTS = 1000 };

const project_key_t project_keys[] = {
    {"topology", PROJECT_PATH},  {"model", PROJECT_TEXT},
    {"mpi", PROJECT_TEXT},       {"collectives", PROJECT_TEXT},
    {"one-sided", PROJECT_TEXT}, {"hosts", PROJECT_TEXT},
    {"reserve", PROJECT_NUMBER}, {"any-thread", PROJECT_FLAG},
    {"quality", PROJECT_TEXT},   {"ranks-per-pu", PROJECT_NUMBER},
    {"threads", PROJECT_NUMBER}, {"memory", PROJECT_SIZE},
    {NULL, PROJECT_TEXT},
};

/* --- the file's text --- */

/* What a file's entries go to. */
typedef struct reading {
  project_t *project;
  const char *path;
} reading_t;

static int refuse_key(const reading_t *r, const project_toml_entry_t *e, berth_error_t *err)
{
  nearest_t best = {0};
  for (const project_key_t *k = project_keys; k->name; k++) nearest_compare(&best, e->key, k->name);
  return berth_fail(
      err, BERTH_BAD_INPUT,
      "%s:%ld:%ld: found key \"%.60s\", expected %s%s that `berth help project` lists", r->path,
      e->key_line, e->key_column, e->key, best.name ? best.name : "",
      best.name ? " or another" : "one");
}

static int refuse_value(const reading_t *r, const project_key_t *k, const project_toml_entry_t *e,
                        berth_error_t *err)
{
  static const char *const expected[] = {[PROJECT_TEXT] = "a string",
                                         [PROJECT_PATH] = "a string with a file's name",
                                         [PROJECT_NUMBER] = "an integer",
                                         [PROJECT_FLAG] = "true or false",
                                         [PROJECT_SIZE] =
                                             "a string such as \"64MiB\", or an integer"};
  char found[80];
  switch (e->type) {
  case PROJECT_TOML_STRING:
    snprintf(found, sizeof found, "\"%.60s\"", e->string);
    break;
  case PROJECT_TOML_INTEGER:
    snprintf(found, sizeof found, "%" PRId64, e->integer);
    break;
  case PROJECT_TOML_FLAG:
    snprintf(found, sizeof found, "%s", e->flag ? "true" : "false");
    break;
  default:
    snprintf(found, sizeof found, "%s", e->what);
  }
  return berth_fail(err, BERTH_BAD_INPUT, "%s:%ld:%ld: %s: found %s, expected %s", r->path,
                    e->value_line, e->value_column, k->name, found, expected[k->type]);
}

static bool is_allowed(const project_key_t *k, const project_toml_entry_t *e)
{
  switch (e->type) {
  case PROJECT_TOML_STRING:
    return (k->type == PROJECT_TEXT || k->type == PROJECT_PATH || k->type == PROJECT_SIZE) &&
           e->n > 0 && !memchr(e->string, '\0', e->n);
  case PROJECT_TOML_INTEGER:
    return k->type == PROJECT_NUMBER || k->type == PROJECT_SIZE;
  case PROJECT_TOML_FLAG:
    return k->type == PROJECT_FLAG;
  default:
    return false;
  }
}

char *project_beside(const char *path, const char *name)
{
  const char *slash = *name == '/' ? NULL : strrchr(path, '/');
  return text_printf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
}

/* The text of an entry that is_allowed; the caller frees it. */
static char *text_of(const reading_t *r, const project_key_t *k, const project_toml_entry_t *e)
{
  if (e->type == PROJECT_TOML_INTEGER) return text_printf("%" PRId64, e->integer);
  if (e->type == PROJECT_TOML_FLAG) return text_printf("%s", e->flag ? "true" : "false");
  return k->type == PROJECT_PATH ? project_beside(r->path, e->string) : strdup(e->string);
}

static int take_entry(void *to, const project_toml_entry_t *e, berth_error_t *err)
{
  reading_t *r = to;
  project_t *p = r->project;
  const project_key_t *k = project_keys;
  while (k->name && strcmp(k->name, e->key) != 0) k++;
  if (!k->name) return refuse_key(r, e, err);
  if (!is_allowed(k, e)) return refuse_value(r, k, e, err);
  char *text = text_of(r, k, e);
  if (text && ARRAY_ADD(&p->value, &p->n, &p->cap,
                        (project_value_t){k, text, e->value_line, e->value_column}))
    return BERTH_OK;
  free(text);
  return no_memory(err);
}

int project_parse(char *text, size_t n, const char *path, project_t *out, berth_error_t *err)
{
  reading_t r = {out, path};
  int rc = project_text_make_ascii(text, n, path, err);
  return rc ? rc : project_toml_read(text, n, path, take_entry, &r, err);
}

/* --- the file --- */

/* Reads an open file to its end. */
static int read_file(int fd, const char *path, project_t *out, berth_error_t *err)
{
  char *text = malloc(PROJECT_MAX_BYTES + 1);
  size_t n = 0;
  ssize_t more = text ? 1 : 0;
  while (more > 0 && n <= PROJECT_MAX_BYTES) {
    more = read(fd, text + n, PROJECT_MAX_BYTES + 1 - n);
    if (more > 0) n += (size_t)more;
  }
  int rc = !text      ? no_memory(err)
           : more < 0 ? berth_fail(err, BERTH_MISSING, "%s: cannot read: %s", path, strerror(errno))
           : n > PROJECT_MAX_BYTES
               ? berth_fail(err, BERTH_BAD_INPUT, "%s: found more than %d bytes, expected at most",
                            path, PROJECT_MAX_BYTES)
               : project_parse(text, n, path, out, err);
  free(text);
  return rc;
}

/* What a folder's PROJECT_FILE is. */
typedef enum { NO_FILE, FOREIGN_FILE, OWN_FILE, FAILED } found_t;

/* Opens a file that has to be the user's own or root's, if it was found and not named. */
static found_t open_file(const char *path, bool named, int *fd, berth_error_t *err)
{
  struct stat st;
  *fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (*fd < 0 && !named && stat(path, &st) != 0) return NO_FILE;
  if (*fd < 0) {
    berth_fail(err, BERTH_MISSING, "%s: cannot open: %s", path, strerror(errno));
    return FAILED;
  }
  bool known = fstat(*fd, &st) == 0;
  if (known && !named && ((st.st_uid != geteuid() && st.st_uid != 0) || (st.st_mode & S_IWOTH))) {
    close(*fd);
    return FOREIGN_FILE;
  }
  if (known && S_ISREG(st.st_mode)) return OWN_FILE;
  berth_fail(err, BERTH_BAD_INPUT, "%s: found %s, expected a file", path,
             known ? own_type_name(st.st_mode) : "nothing");
  close(*fd);
  return FAILED;
}

/* Reads one file into *out. found_t tells the caller whether to look further. */
static found_t try_file(const char *path, bool named, project_t *out, int *rc, berth_error_t *err)
{
  int fd;
  berth_error_t why = {0};
  found_t found = open_file(path, named, &fd, &why);
  *rc = BERTH_OK;
  if (found == FAILED) *rc = berth_fail(err, why.code, "%s", why.text);
  if (found == FOREIGN_FILE && !out->foreign && !(out->foreign = strdup(path)))
    *rc = no_memory(err);
  if (found != OWN_FILE) return *rc ? FAILED : found;
  out->path = strdup(path);
  *rc = out->path ? read_file(fd, path, out, err) : no_memory(err);
  close(fd);
  return *rc ? FAILED : OWN_FILE;
}

static bool is_same_folder(const char *a, const char *b)
{
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Whether no parent of a folder (its path ends in a slash, or is "") is to be looked at. */
static bool is_last_folder(const char *folder)
{
  const char *home = getenv("HOME"), *path = *folder ? folder : "./";
  char *parent = text_printf("%s..", folder);
  bool last = !parent || (home && *home == '/' && is_same_folder(path, home)) ||
              is_same_folder(path, parent) || access(parent, X_OK) != 0;
  free(parent);
  return last;
}

static int look_upwards(project_t *out, berth_error_t *err)
{
  char folder[3 * MAX_PARENTS + 1] = "";
  int rc = BERTH_OK;
  found_t found = NO_FILE;
  for (int i = 0; i < MAX_PARENTS; i++) {
    char *path = text_printf("%s" PROJECT_FILE, folder);
    if (!path) return no_memory(err);
    found = try_file(path, false, out, &rc, err);
    free(path);
    if (found == OWN_FILE || found == FAILED || is_last_folder(folder)) return rc;
    memcpy(folder + 3 * (size_t)i, "../", sizeof "../");
  }
  return rc;
}

int project_open(project_t *out, berth_error_t *err)
{
  const char *named = getenv(PROJECT_VARIABLE);
  int rc;
  *out = (project_t){0};
  if (!named || !*named) return look_upwards(out, err);
  if (strcmp(named, "none") == 0) return BERTH_OK;
  try_file(named, true, out, &rc, err);
  return rc;
}

const project_value_t *project_find(const project_t *p, const char *key)
{
  for (size_t i = 0; i < p->n; i++)
    if (strcmp(p->value[i].key->name, key) == 0) return &p->value[i];
  return NULL;
}

void project_clear(project_t *p)
{
  for (size_t i = 0; i < p->n; i++) free(p->value[i].text);
  free(p->value);
  free(p->path);
  free(p->foreign);
  *p = (project_t){0};
}
