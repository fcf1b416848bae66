/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/targets.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"

bool target_is_stdout(const char *path)
{
  static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(path, names[i]) == 0) return true;
  return false;
}

/* The path of a file that isn't there yet, as links lead to it, with its folder's real name; NULL
 * where that isn't there either. */
static char *path_to_be(const char *path)
{
  struct stat st;
  char *led = NULL;
  if (own_resolve(path, false, &led, &st, NULL)) led = strdup(path); /* refused when it's written */
  char *folder = led ? strdup(led) : NULL, *found = NULL;
  char *real = folder ? realpath(dirname(folder), NULL) : NULL;
  if (real) found = text_printf("%s/%s", real, basename(led));
  free(real);
  free(folder);
  free(led);
  return found;
}

bool target_is_same(const char *a, const char *b)
{
  struct stat x, y;
  if (target_is_stdout(a) || target_is_stdout(b)) return target_is_stdout(a) && target_is_stdout(b);
  bool there = stat(a, &x) == 0, other_there = stat(b, &y) == 0;
  if (there != other_there) return false;
  if (there) return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
  char *p = path_to_be(a), *q = path_to_be(b);
  bool same = p && q ? strcmp(p, q) == 0 : strcmp(a, b) == 0;
  free(p);
  free(q);
  return same;
}

int targets_check_input(const char *output, const char *input, berth_error_t *err)
{
  if (!input || target_is_stdout(input) || access(input, F_OK) != 0) return BERTH_OK;
  if (!target_is_same(output, input)) return BERTH_OK;
  return berth_fail(err, BERTH_USAGE,
                    "found '%s' for an output and an input, expected different files", output);
}

int targets_check_command(const char *output, size_t n, const char *const *words,
                          berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < n && !rc; i++) {
    const char *equals = strchr(words[i], '=');
    rc = targets_check_input(output, words[i], err);
    if (!rc && equals) rc = targets_check_input(output, equals + 1, err);
  }
  return rc;
}

void targets_check(struct argp_state *state, size_t n_outputs, const char *const *outputs,
                   size_t n_inputs, const char *const *inputs)
{
  for (size_t i = 0; i < n_outputs; i++) {
    const char *path = outputs[i];
    if (!path) continue;
    for (size_t k = 0; k < i; k++)
      if (outputs[k] && target_is_same(path, outputs[k]))
        argp_error(state, "found '%s' for two outputs, expected different files", path);
    for (size_t k = 0; k < n_inputs; k++)
      if (inputs[k] && !target_is_stdout(inputs[k]) && target_is_same(path, inputs[k]))
        argp_error(state, "found '%s' for an output and an input, expected different files", path);
  }
}
