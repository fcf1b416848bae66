/* SPDX-License-Identifier: BSD-3-Clause */
/* A parser of TOML with an interface in C. */
#ifndef BERTH_PROJECT_TOML_H
#define BERTH_PROJECT_TOML_H

#include <berth/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum project_toml_type {
  PROJECT_TOML_STRING,
  PROJECT_TOML_INTEGER,
  PROJECT_TOML_FLAG,
  PROJECT_TOML_OTHER
} project_toml_type_t;

/* A key of the document's top level, with its value. All is borrowed for the call. */
typedef struct project_toml_entry {
  const char *key; /* NUL-terminated; what stands behind a NUL of its own is lost */
  project_toml_type_t type;
  const char *string; /* of a string, n bytes and a NUL */
  size_t n;
  int64_t integer;
  bool flag;
  const char *what;          /* "a table" and so on, for errors */
  long key_line, key_column; /* from 1 */
  long value_line, value_column;
} project_toml_entry_t;

/* Takes an entry; returns BERTH_OK, or a code that ends the reading. */
typedef int project_toml_take_t(void *to, const project_toml_entry_t *entry, berth_error_t *err);

/* Hands the entries of n bytes of TOML to `take`, in the order of the keys' names. `path` is for
 * errors, which have the place. BERTH_BAD_INPUT if the text isn't TOML, else what `take` returned.
 */
int project_toml_read(const char *text, size_t n, const char *path, project_toml_take_t *take,
                      void *to, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
