/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws and takes keys, with ncurses. */
#include "view/view.h"

#include <curses.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/no_memory.h"
#include "view/view_text.h"

enum { CTRL_C = 3, ENTER = '\n', RETURN = '\r', ESCAPE = 27, BACKSPACE = 127, TAB = '\t' };
enum { ABOVE = 2, BELOW = 1, SIDEWAYS = 8, WORD = 80, ESCAPE_MS = 25 };

/* What is seen of a list. */
typedef struct pane {
  size_t selected, top;
  int left; /* columns that are scrolled away */
} pane_t;

/* Rows that were printed: details, or help. */
typedef struct lines {
  char *text, **line;
  size_t n;
} lines_t;

typedef struct view {
  const char *title;
  const view_screen_t *screens;
  size_t n, current;
  pane_t *panes; /* of the screens */
  bool opened;   /* `details` are shown in the place of the screen */
  lines_t details;
  pane_t opened_at; /* in the details */
  const char *name; /* of what was opened */
  char word[WORD];  /* that was searched */
  char note[WORD + 40];
} view_t;

static volatile sig_atomic_t ended_by;

static void on_end(int number) { ended_by = number; }

/* --- details --- */

static void lines_clear(lines_t *l)
{
  free(l->text);
  free(l->line);
  *l = (lines_t){0};
}

/* Takes over the text. False: no memory. */
static bool lines_split(lines_t *l, char *text)
{
  size_t n = 1, k = 0;
  lines_clear(l);
  l->text = text;
  for (const char *s = text; s && *s; s++) n += *s == '\n';
  l->line = text ? malloc(n * sizeof *l->line) : NULL;
  if (!l->line) return false;
  for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
    if (rest || *line) l->line[k++] = line;
  l->n = k;
  return true;
}

static void print_line(void *data, size_t row, FILE *to)
{
  fputs(((const lines_t *)data)->line[row], to);
}

/* --- what is shown --- */

static const view_screen_t *screen_of(const view_t *v) { return &v->screens[v->current]; }

/* The list that keys move in. */
static view_screen_t list_of(view_t *v)
{
  if (!v->opened) return *screen_of(v);
  return (view_screen_t){v->name, "", v->details.n, print_line, NULL, &v->details, NULL};
}

static pane_t *pane_of(view_t *v) { return v->opened ? &v->opened_at : &v->panes[v->current]; }

static int room(void) { return LINES - ABOVE - BELOW > 1 ? LINES - ABOVE - BELOW : 1; }

static void keep_in_sight(pane_t *p, size_t n)
{
  size_t rows = (size_t)room();
  if (p->selected >= n) p->selected = n ? n - 1 : 0;
  if (p->selected < p->top) p->top = p->selected;
  if (p->selected >= p->top + rows) p->top = p->selected - rows + 1;
  if (p->top + rows > n) p->top = n > rows ? n - rows : 0;
}

static void put(int y, const char *text, int left, attr_t attributes)
{
  size_t n;
  const char *part = view_text_part(text, left, COLS, &n);
  move(y, 0);
  clrtoeol();
  addnstr(part, (int)n);
  if (attributes != A_NORMAL) mvchgat(y, 0, -1, attributes, 0, NULL);
}

/* "1 pairs  2 machine  3 call sites   FILE" */
static void draw_title(const view_t *v)
{
  char text[512];
  int n = 0, begin = 0, end = 0;
  for (size_t i = 0; i < v->n && n < (int)sizeof text; i++) {
    if (i == v->current) begin = n;
    n += snprintf(text + n, sizeof text - (size_t)n, " %zu %s ", i + 1, v->screens[i].name);
    if (i == v->current) end = n;
  }
  if (n < (int)sizeof text)
    snprintf(text + n, sizeof text - (size_t)n, "  %s%s%s", v->opened ? v->name : "",
             v->opened ? ": " : "", v->title);
  put(0, text, 0, A_NORMAL);
  mvchgat(0, begin, end - begin, A_REVERSE, 0, NULL);
}

static void draw_status(const view_t *v, const pane_t *p, size_t n)
{
  char text[256];
  snprintf(text, sizeof text, "%zu of %zu   %s", n ? p->selected + 1 : 0, n,
           *v->note    ? v->note
           : v->opened ? "q back  / search  h help"
                       : "Enter details  Tab next screen  / search  h help  q quit");
  put(LINES - 1, text, 0, A_DIM);
}

/* Why a list has no rows, in the place of the rows. */
static void draw_reason(const char *text)
{
  for (int y = 0; y < room() && *text; y++) {
    size_t n = view_text_line(text, COLS > 0 ? COLS : 1);
    mvaddnstr(ABOVE + y, 0, text, (int)n);
    text += n;
    while (*text == ' ') text++;
  }
}

static bool draw(view_t *v)
{
  view_screen_t list = list_of(v);
  pane_t *p = pane_of(v);
  keep_in_sight(p, list.n);
  erase();
  draw_title(v);
  put(1, list.head, p->left, A_BOLD);
  for (int y = 0; y < room() && p->top + (size_t)y < list.n; y++) {
    size_t row = p->top + (size_t)y;
    char *text = view_text_row(list.row, list.data, row);
    if (!text) return false;
    put(ABOVE + y, text, p->left, row == p->selected ? A_REVERSE : A_NORMAL);
    free(text);
  }
  if (list.n == 0 && list.empty) draw_reason(list.empty);
  draw_status(v, p, list.n);
  refresh();
  return true;
}

/* --- keys --- */

static void close_details(view_t *v)
{
  v->opened = false;
  lines_clear(&v->details);
}

static bool open_lines(view_t *v, const char *name, char *text)
{
  v->opened = true;
  v->opened_at = (pane_t){0};
  v->name = name;
  return lines_split(&v->details, text);
}

static bool open_details(view_t *v)
{
  const view_screen_t *s = screen_of(v);
  if (v->opened || s->n == 0) return true;
  return open_lines(v, "details",
                    view_text_lines(s->details, s->data, v->panes[v->current].selected));
}

static void print_help(void *data, size_t row, FILE *to)
{
  static const char *const keys[][2] = {
      {"Up, Down, k, j", "move by a row"},
      {"PgUp, PgDn", "move by a page"},
      {"Home, End, g, G", "move to the first or last row"},
      {"Left, Right", "scroll sideways"},
      {"Tab, 1 to 9", "another screen"},
      {"Enter", "details of the row"},
      {"/", "search in rows, in upper or lower case"},
      {"n, N", "search again, downwards or upwards"},
      {"h, ?", "this help"},
      {"q, Escape", "back; on a screen, q ends"},
      {"Ctrl-C", "end"},
  };
  (void)data, (void)row;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    fprintf(to, "%-18s %s\n", keys[i][0], keys[i][1]);
}

/* Asks for a word in the last line. False: the user gave up. */
static bool ask_word(char word[WORD])
{
  char text[WORD + 2];
  size_t n = 0;
  word[0] = '\0';
  for (;;) {
    snprintf(text, sizeof text, "/%s", word);
    put(LINES - 1, text, 0, A_NORMAL);
    move(LINES - 1, view_text_columns(text) < COLS ? view_text_columns(text) : COLS - 1);
    refresh();
    int key = getch();
    if (key == ENTER || key == RETURN || key == KEY_ENTER) return n > 0;
    if (key == ESCAPE || key == CTRL_C || ended_by) return false;
    if (key == KEY_BACKSPACE || key == BACKSPACE || key == '\b') {
      while (n > 0 && ((unsigned char)word[n - 1] & 0xc0) == 0x80) n--;
      if (n > 0) n--;
    } else if (key >= ' ' && key <= 0xff && n + 1 < WORD) {
      word[n++] = (char)key;
    }
    word[n] = '\0';
  }
}

static void search(view_t *v, int step)
{
  view_screen_t list = list_of(v);
  pane_t *p = pane_of(v);
  if (!*v->word || list.n == 0) return;
  size_t from = step > 0 ? (p->selected + 1) % list.n : (p->selected + list.n - 1) % list.n;
  size_t found = view_text_find(&list, from, step, v->word);
  if (found < list.n)
    p->selected = found;
  else
    snprintf(v->note, sizeof v->note, "'%s' isn't found", v->word);
}

static void begin_search(view_t *v)
{
  char word[WORD];
  if (!ask_word(word)) return;
  memcpy(v->word, word, sizeof word);
  search(v, 1);
}

static void move_by(view_t *v, long rows)
{
  view_screen_t list = list_of(v);
  pane_t *p = pane_of(v);
  long at = (long)p->selected + rows, last = (long)list.n - 1;
  p->selected = (size_t)(at < 0 || last < 0 ? 0 : at > last ? last : at);
}

static void go_to_screen(view_t *v, size_t screen)
{
  if (screen >= v->n) return;
  close_details(v);
  v->current = screen;
}

static void move_left(view_t *v, int columns)
{
  pane_t *p = pane_of(v);
  p->left = p->left + columns > 0 ? p->left + columns : 0;
}

/* Takes a key. False: memory is out. *ends: the user has seen enough. */
static bool take_key(view_t *v, int key, bool *ends)
{
  v->note[0] = '\0';
  switch (key) {
  case KEY_UP:
  case 'k':
    move_by(v, -1);
    break;
  case KEY_DOWN:
  case 'j':
    move_by(v, 1);
    break;
  case KEY_PPAGE:
    move_by(v, -room());
    break;
  case KEY_NPAGE:
  case ' ':
    move_by(v, room());
    break;
  case KEY_HOME:
  case 'g':
    pane_of(v)->selected = 0;
    break;
  case KEY_END:
  case 'G':
    pane_of(v)->selected = SIZE_MAX;
    break;
  case KEY_LEFT:
    move_left(v, -SIDEWAYS);
    break;
  case KEY_RIGHT:
    move_left(v, SIDEWAYS);
    break;
  case TAB:
    go_to_screen(v, (v->current + 1) % v->n);
    break;
  case ENTER:
  case RETURN:
  case KEY_ENTER:
    return open_details(v);
  case '/':
    begin_search(v);
    break;
  case 'n':
    search(v, 1);
    break;
  case 'N':
    search(v, -1);
    break;
  case 'h':
  case '?':
    return open_lines(v, "help", view_text_lines(print_help, NULL, 0));
  case ESCAPE:
  case KEY_BACKSPACE:
  case BACKSPACE:
    close_details(v);
    break;
  case 'q':
    *ends = !v->opened;
    close_details(v);
    break;
  case CTRL_C:
    *ends = true;
    break;
  default:
    if (key >= '1' && key <= '9') go_to_screen(v, (size_t)(key - '1'));
  }
  return true;
}

/* --- the terminal --- */

/* Characters outside ASCII need a locale that has them; numbers stay as they are. */
static void choose_characters(void)
{
  if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
}

static SCREEN *begin(FILE *out, berth_error_t *err)
{
  const char *term = getenv("TERM");
  SCREEN *screen = newterm(NULL, out, stdin);
  if (!screen) {
    berth_fail(err, BERTH_MISSING, "TERM: found '%.60s', expected a terminal that ncurses knows",
               term ? term : "");
    return NULL;
  }
  raw();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  set_escdelay(ESCAPE_MS);
  curs_set(0);
  return screen;
}

static int browse(view_t *v, berth_error_t *err)
{
  bool ends = false, memory = true;
  while (!ends && memory && !ended_by) {
    memory = draw(v);
    int key = memory ? getch() : ERR;
    if (key == ERR) break; /* a signal, or the terminal is gone */
    if (memory) memory = take_key(v, key, &ends);
  }
  return memory ? BERTH_OK : no_memory(err);
}

/* Ends as a signal would have ended the program, once the terminal is as it was. */
static void end_by_signal(void)
{
  if (!ended_by) return;
  signal(ended_by, SIG_DFL);
  raise(ended_by);
}

int view_run(const char *title, const view_screen_t *screens, size_t n, berth_error_t *err)
{
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return berth_fail(err, BERTH_MISSING,
                      "found no terminal on standard input and output, expected one");
  const char *term = getenv("TERM");
  if (term && strcmp(term, "dumb") == 0)
    return berth_fail(err, BERTH_MISSING,
                      "found TERM=dumb, expected a terminal whose cursor can be moved");
  view_t v = {.title = title, .screens = screens, .n = n, .panes = calloc(n, sizeof *v.panes)};
  int copy = dup(STDOUT_FILENO);
  FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
  if (!v.panes || !out) {
    free(v.panes);
    if (!out && copy >= 0) close(copy);
    return no_memory(err);
  }
  choose_characters();
  SCREEN *screen = begin(out, err);
  int rc = screen ? BERTH_OK : BERTH_MISSING;
  if (screen) {
    struct sigaction ends = {.sa_handler = on_end};
    sigaction(SIGTERM, &ends, NULL);
    sigaction(SIGHUP, &ends, NULL);
    rc = browse(&v, err);
    endwin();
    delscreen(screen);
  }
  lines_clear(&v.details);
  free(v.panes);
  fclose(out);
  end_by_signal();
  return rc;
}
