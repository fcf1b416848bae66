/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/terminal.h"

static int columns_of_stderr(void)
{
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool hushed;

void progress_hush(void) { hushed = true; }

bool progress_is_shown(void) { return !hushed && isatty(STDERR_FILENO); }

/* Takes the line away that stands there, and shows another one. */
static void replace_line(const char *line)
{
  static bool shown; /* something stands on the line now */
  if (!line && !shown) return;
  fflush(stderr);
  dprintf(STDERR_FILENO, "\r\033[K"); /* ECMA-48: to the line's start, erase to its end */
  /* One that is longer than the terminal is wide can't be taken away. */
  int columns = columns_of_stderr();
  if (line) fprintf(stderr, "%.*s...", columns > 4 ? columns - 4 : (int)strlen(line), line);
  fflush(stderr);
  shown = line != NULL;
}

/* Where a line can't be taken away, one is added, if the last one stands there for a while. */
static void add_line(const char *line)
{
  enum { EVERY_S = 5 };
  static double last_s = -1;
  double now_s = clock_s();
  if (last_s < 0) last_s = now_s;
  if (!line || now_s - last_s < EVERY_S) return;
  fprintf(stderr, "%s\n", line);
  last_s = now_s;
}

void progress(const char *what, const char *name)
{
  char line[512];
  if (!progress_is_shown()) return;
  if (what) snprintf(line, sizeof line, "berth: %s%s%s", what, name ? " " : "", name ? name : "");
  if (terminal_takes_escapes(STDERR_FILENO))
    replace_line(what ? line : NULL);
  else
    add_line(what ? line : NULL);
}

void progress_parts(const char *what, size_t done, size_t of, const char *name)
{
  char text[512];
  double share = of > 0 ? 100 * (double)done / (double)of : 100;
  snprintf(text, sizeof text, "%s, %.0f%% (%zu of %zu)", what, share, done, of);
  progress(text, name);
}
