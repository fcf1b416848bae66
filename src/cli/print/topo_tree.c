/* SPDX-License-Identifier: BSD-3-Clause */
/* A topology's tree as text; equal siblings are one line. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/print/topo_view.h"

enum { LINE = 8 * 256 };

typedef struct drawing {
  const berth_topo_t *t;
  /* Per element, hashes that are equal for subtrees that are equal but for names; and but for the
   * numbers of PUs, which always differ between parts of one host. */
  uint64_t *shape, *plain_shape;
  bool numbers;    /* whether lines of PUs show their numbers */
  char lead[LINE]; /* what stands before the elements of a level */
} drawing_t;

static uint64_t mix(uint64_t h, uint64_t x)
{
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

static bool is_host(const berth_topo_t *t, int element)
{
  int host = berth_topo_element(t, element)->host;
  return host >= 0 && berth_topo_host(t, host)->element == element;
}

/* Hashes of 64 bits: two of a million different subtrees agree once in 10^7 topologies. */
static uint64_t *find_shapes(const berth_topo_t *t, bool numbers)
{
  int n = berth_topo_n_elements(t);
  uint64_t *shape = cli_checked(malloc((size_t)n * sizeof *shape));
  for (int i = n; shape && i-- > 0;) {
    const berth_element_t *e = berth_topo_element(t, i);
    shape[i] = mix(mix(1, (uint64_t)e->type + 2), is_host(t, i));
    if (e->type < 0 && numbers) {
      const berth_pu_t *pu = berth_topo_pu(t, e->first_pu);
      shape[i] = mix(mix(shape[i], (uint64_t)pu->os_index), (uint64_t)pu->core);
    }
    for (int c = i + 1; c < i + e->size; c += berth_topo_element(t, c)->size)
      shape[i] = mix(shape[i], shape[c]);
  }
  return shape;
}

static int by_value(const void *a, const void *b)
{
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* Sorts n numbers and prints them as "0-3,8"; after a few ranges dots. */
static void print_numbers(int *value, int n)
{
  enum { MAX = 8 };
  qsort(value, (size_t)n, sizeof *value, by_value);
  for (int i = 0, j, ranges = 0; i < n; i = j) {
    for (j = i + 1; j < n && value[j] <= value[j - 1] + 1;) j++;
    if (ranges++ == MAX) {
      printf(",...");
      return;
    }
    printf("%s%d", i ? "," : "", value[i]);
    if (value[j - 1] > value[i]) printf("-%d", value[j - 1]);
  }
}

/* ": pu 0-3,64-67, core 0-3". */
static void print_places(const berth_topo_t *t, int first_pu, int n)
{
  int *value = cli_checked(malloc((size_t)n * sizeof *value));
  if (!value) return;
  for (int i = 0; i < n; i++) value[i] = berth_topo_pu(t, first_pu + i)->os_index;
  printf(": pu ");
  print_numbers(value, n);
  for (int i = 0; i < n; i++) value[i] = berth_topo_pu(t, first_pu + i)->core;
  printf(", core ");
  print_numbers(value, n);
  free(value);
}

/* Behind the name of a host: its host name where that is another, "(host)" where neither type nor
 * name says that it is one. */
static void print_host(const berth_topo_t *t, int first, int last, int n)
{
  const char *x = berth_topo_host(t, berth_topo_element(t, first)->host)->name;
  const char *y = berth_topo_host(t, berth_topo_element(t, last)->host)->name;
  const berth_type_t *type = berth_topo_type(t, berth_topo_element(t, first)->type);
  if (strcmp(x, berth_topo_element_name(t, first)) != 0 ||
      strcmp(y, berth_topo_element_name(t, last)) != 0)
    printf(n > 1 ? " (hosts %s ... %s)" : " (host %s)", x, y);
  else if (strncmp(type->name, "host", 4) != 0)
    printf(n > 1 ? " (hosts)" : " (host)");
}

/* "5 x host node0 ... node4"; a name that begins with its type's says both. */
static void print_switches(const berth_topo_t *t, int first, int last, int n)
{
  const berth_element_t *e = berth_topo_element(t, first);
  const char *a = berth_topo_element_name(t, first), *b = berth_topo_element_name(t, last);
  const char *type = berth_topo_type(t, e->type)->name;
  if (n > 1) printf("%d x ", n);
  if (strncmp(a, type, strlen(type)) != 0) printf("%s ", type);
  printf("%s", a);
  if (strcmp(a, b) != 0) printf(" ... %s", b);
  if (is_host(t, first)) print_host(t, first, last, n);
}

static int size_of(const berth_topo_t *t, int element)
{
  return berth_topo_element(t, element)->size;
}

/* Whether name b is a's again, or a's with the next number at its end: "n9" and "n10". */
static bool is_next_name(const char *a, const char *b)
{
  static const char digits[] = "0123456789";
  size_t n = strlen(a), m = strlen(b);
  if (strcmp(a, b) == 0) return true;
  while (n > 0 && strchr(digits, a[n - 1])) n--;
  while (m > 0 && strchr(digits, b[m - 1])) m--;
  if (n != m || strncmp(a, b, n) != 0 || !a[n] || !b[n]) return false;
  return strtoull(b + n, NULL, 10) == strtoull(a + n, NULL, 10) + 1;
}

/* Whether sibling b may stand on one line with a, its predecessor, so that nothing gets hidden:
 * names that don't go on by number are shown. */
static bool continues(const drawing_t *d, int a, int b)
{
  const berth_topo_t *t = d->t;
  if (berth_topo_element(t, a)->type < 0) return true;
  if (!is_next_name(berth_topo_element_name(t, a), berth_topo_element_name(t, b))) return false;
  return !is_host(t, a) || is_next_name(berth_topo_host(t, berth_topo_element(t, a)->host)->name,
                                        berth_topo_host(t, berth_topo_element(t, b)->host)->name);
}

/* The siblings from `first` on that are drawn as one: PUs, hosts or parts of hosts of one shape.
 * Switches above hosts are drawn one by one, unless there are very many. */
static int count_run(const drawing_t *d, int first, int end, int *last)
{
  enum { MANY = 64 };
  int n = 0;
  const berth_element_t *e = berth_topo_element(d->t, first);
  bool inside = e->host >= 0 && !is_host(d->t, first);
  const uint64_t *shape = inside ? d->plain_shape : d->shape;
  for (int c = first; c < end && shape[c] == shape[first]; c += size_of(d->t, c), n++) {
    if (c > first && !continues(d, *last, c)) break;
    *last = c;
  }
  if (e->host >= 0 || n > MANY) return n;
  *last = first;
  return 1;
}

static void draw_members(drawing_t *d, int element);

static void draw_run(drawing_t *d, int first, int last, int n, bool is_last)
{
  const berth_element_t *e = berth_topo_element(d->t, first);
  bool is_pu = e->type<0, several_inside = n> 1 && e->host >= 0 && !is_host(d->t, first);
  size_t length = strlen(d->lead);
  printf("%s%s", d->lead, is_last ? "`-- " : "|-- ");
  if (is_pu)
    printf("%d PU%s", n, n == 1 ? "" : "s");
  else
    print_switches(d->t, first, last, n);
  if (n > 1 && e->host < 0) printf(" (the first is shown)");
  if (d->numbers && (is_pu || several_inside)) print_places(d->t, e->first_pu, n * e->n_pus);
  putchar('\n');
  if (is_pu || length + 5 > sizeof d->lead) return;
  bool numbers = d->numbers;
  d->numbers = numbers && !several_inside;
  strcpy(d->lead + length, is_last ? "    " : "|   ");
  draw_members(d, first);
  d->lead[length] = '\0';
  d->numbers = numbers;
}

static void draw_members(drawing_t *d, int element)
{
  int end = element + size_of(d->t, element);
  for (int c = element + 1, last = c; c < end; c = last + size_of(d->t, last)) {
    int n = count_run(d, c, end, &last);
    draw_run(d, c, last, n, last + size_of(d->t, last) == end);
  }
}

void topo_show_tree(const berth_topo_t *t)
{
  drawing_t d = {t, find_shapes(t, true), find_shapes(t, false), true, ""};
  if (d.shape && d.plain_shape) {
    print_switches(t, 0, 0, 1);
    putchar('\n');
    draw_members(&d, 0);
  } else {
    puts("(no memory left to draw the tree)");
  }
  free(d.shape);
  free(d.plain_shape);
}
