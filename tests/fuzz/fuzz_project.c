/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of project files: any bytes become values of known keys, or fail with one line. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "project/project.h"

static int is_whole(const char *text)
{
  text += *text == '-';
  return *text && !text[strspn(text, "0123456789")];
}

static void check(const project_value_t *v)
{
  const char *text = v->text;
  if (v->line < 1 || v->column < 1 || !*text) abort();
  if (v->key->type == PROJECT_NUMBER && !is_whole(text)) abort();
  if (v->key->type == PROJECT_FLAG && strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
    abort();
  if (v->key->type == PROJECT_PATH && *text != '/' && strncmp(text, "../", 3) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  berth_error_t err = {0};
  project_t p = {0};
  char *text = malloc(n + 1);
  if (n) memcpy(text, data, n);
  int rc = project_parse(text, n, "../f", &p, &err);
  free(text);
  if (rc && (rc != BERTH_BAD_INPUT || !*err.text || strchr(err.text, '\n'))) abort();
  for (size_t i = 0; !rc && i < p.n; i++) {
    check(&p.value[i]);
    if (project_find(&p, p.value[i].key->name) != &p.value[i]) abort();
  }
  project_clear(&p);
  return 0;
}
