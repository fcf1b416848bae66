/* SPDX-License-Identifier: BSD-3-Clause */
/* The project file: defaults for the commands that are started in a folder or below it. */
#ifndef BERTH_PROJECT_H
#define BERTH_PROJECT_H

#include <berth/error.h>
#include <stddef.h>

#define PROJECT_FILE ".berth.toml"

/* The variable of the environment that names another file, or says that there is none. */
#define PROJECT_VARIABLE "BERTH_PROJECT"

enum { PROJECT_MAX_BYTES = 64 << 10 };

typedef enum project_type {
  PROJECT_TEXT,   /* a string that isn't empty */
  PROJECT_PATH,   /* the same: a file, seen from the project file's folder */
  PROJECT_NUMBER, /* an integer */
  PROJECT_FLAG,   /* true or false */
  PROJECT_SIZE    /* an integer, or a string as in "64MiB" */
} project_type_t;

/* A key is the long name of the options that it gives a default for. */
typedef struct project_key {
  const char *name;
  project_type_t type;
} project_key_t;

/* All keys; the list ends with one without a name. */
extern const project_key_t project_keys[];

typedef struct project_value {
  const project_key_t *key;
  char *
      text; /* numbers in decimal, flags as "true" or "false", paths seen from the working folder */
  long line, column;
} project_value_t;

typedef struct project {
  char *path; /* the file, seen from the working folder; NULL: there is none */
  project_value_t *value;
  size_t n, cap;
  char *foreign; /* a nearer file that isn't used, because of its owner or its rights; or NULL */
} project_t;

/* Finds and reads the project file: what PROJECT_VARIABLE names or, without it, the first
 * PROJECT_FILE in the working folder and its parents, up to the home folder or the root. A file of
 * another user (root's apart), and one that all may write, counts only if the variable names it.
 * *out has no path if there is none. Fails with BERTH_BAD_INPUT and the place where the file breaks
 * its format. Free with project_clear, also after a failure. */
int project_open(project_t *out, berth_error_t *err);

/* Reads n bytes of text, which it may change, as the file `path`, into an empty *out. Free as
 * above.
 */
int project_parse(char *text, size_t n, const char *path, project_t *out, berth_error_t *err);

/* A file as the project file `path` names it, seen from the working folder: in the same folder,
 * unless it begins with a slash. The caller frees it; NULL if memory is out. */
char *project_beside(const char *path, const char *name);

/* The value of a key; NULL if the file doesn't have it. */
const project_value_t *project_find(const project_t *p, const char *key);

void project_clear(project_t *p);

#endif
