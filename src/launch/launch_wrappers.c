/* SPDX-License-Identifier: BSD-3-Clause */
/* Knows programs that start another one with the rest of their arguments (env, timeout, nice). */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "launch/launch.h"

typedef struct wrapper {
  const char *name;
  const char *valued;      /* letters of short options with a value */
  const char *long_valued; /* long options whose value is the next word, unless =VALUE is there */
  int operands;            /* words before the program */
  bool assignments;        /* NAME=VALUE words before the program */
} wrapper_t;

static const wrapper_t wrappers[] = {
    {"env", "uC", " unset chdir ", 0, true},
    {"timeout", "ks", " kill-after signal ", 1, false},
    {"nice", "n", " adjustment ", 0, false},
    {"ionice", "cn", " class classdata ", 0, false},
    {"nohup", "", "", 0, false},
    {"setsid", "", "", 0, false},
    {"stdbuf", "ioe", " input output error ", 0, false},
    {"time", "fo", " format output ", 0, false},
    {"taskset", "", "", 1, false},
    {"numactl", "imNCpP", " interleave membind cpunodebind physcpubind preferred localalloc ", 0,
     false},
    {"valgrind", "", "", 0, false},
};

static const wrapper_t *find(const char *word)
{
  const char *slash = strrchr(word, '/');
  const char *name = slash ? slash + 1 : word;
  for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
    if (strcmp(wrappers[i].name, name) == 0) return &wrappers[i];
  return NULL;
}

/* Number of words of the option. */
static size_t option_words(const wrapper_t *w, const char *option)
{
  if (option[1] != '-') {
    const char *letter = option + 1;
    while (*letter && !strchr(w->valued, *letter)) letter++;
    return *letter && !letter[1] ? 2 : 1; /* -k 5, not -k5 */
  }
  char key[64];
  snprintf(key, sizeof key, " %s ", option + 2);
  return strstr(w->long_valued, key) ? 2 : 1;
}

static size_t skip_one(const wrapper_t *w, size_t argc, const char *const *argv, size_t i)
{
  for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
    if (strcmp(argv[i], "--") == 0) {
      i++;
      break;
    }
    i += option_words(w, argv[i]) - 1;
  }
  while (w->assignments && i < argc && strchr(argv[i], '=')) i++;
  return i + (size_t)w->operands;
}

int launch_skip_wrappers(size_t argc, const char *const *argv, size_t *program, berth_error_t *err)
{
  size_t i = 0;
  for (const wrapper_t *w; i < argc && (w = find(argv[i]));) {
    size_t at = i;
    if (w->assignments && i + 1 < argc &&
        (text_starts(argv[i + 1], "-S") || text_starts(argv[i + 1], "--split-string")))
      return berth_fail(err, BERTH_USAGE, "found '%s %s', expected the command as separate words",
                        argv[i], argv[i + 1]);
    i = skip_one(w, argc, argv, i + 1);
    if (i >= argc)
      return berth_fail(err, BERTH_USAGE, "found nothing for '%s' to start, expected a command",
                        argv[at]);
  }
  *program = i;
  if (argc == 0) return berth_fail(err, BERTH_USAGE, "found no command, expected one behind --");
  return BERTH_OK;
}
