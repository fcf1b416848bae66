/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/screen.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/terminal.h"
#include "base/text.h"
#include "cli/print/clean_stream.h"

enum { LEAST = 40, MOST = 1000 };

int screen_columns(void)
{
  struct winsize size;
  uint64_t said;
  const char *columns = getenv("COLUMNS");
  if (!isatty(STDOUT_FILENO)) return 0;
  if (columns && text_to_u64(columns, LEAST, MOST, &said)) return (int)said;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 0;
  return size.ws_col < LEAST ? LEAST : size.ws_col;
}

int screen_rows(void)
{
  struct winsize size;
  return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

void screen_clear(void)
{
  static const char home_and_erase[] = "\033[H\033[J"; /* ECMA-48 */
  if (!terminal_takes_escapes(STDOUT_FILENO)) return;
  fflush(stdout);
  dprintf(STDOUT_FILENO, "%s", home_and_erase);
}

int screen_extra(void)
{
  int columns = screen_columns();
  return columns > SCREEN_USUAL ? columns - SCREEN_USUAL : 0;
}

int screen_bar(int used, int usual)
{
  enum { SHORTEST = 8 };
  int columns = screen_columns();
  if (columns == 0) return usual;
  return columns - used > SHORTEST ? columns - used : SHORTEST;
}

bool screen_has_colours(void)
{
  const char *no = getenv("NO_COLOR");
  return !(no && *no) && terminal_takes_escapes(STDOUT_FILENO);
}

void screen_set_style(FILE *to, screen_style_t style)
{
  /* ECMA-48, select graphic rendition */
  static const char *const marks[] = {"\033[0m", "\033[1m", "\033[32m", "\033[33m", "\033[31m"};
  if (to == stdout && screen_has_colours()) clean_stream_mark(marks[style]);
}

void screen_print(FILE *to, screen_style_t style, const char *text)
{
  screen_set_style(to, style);
  fputs(text, to);
  screen_set_style(to, SCREEN_PLAIN);
}
