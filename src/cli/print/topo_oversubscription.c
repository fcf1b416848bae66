/* SPDX-License-Identifier: BSD-3-Clause */
/* How much a network is oversubscribed, in words: "a rack's 10 hosts share 2 x 100 Gbit/s: 5:1". */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/print/topo_view.h"
#include "topo/topo_levels.h"

static const char *text_bit_rate(double bytes_per_second, char buf[TEXT_NUMBER])
{
  static const char *const units[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};
  char number[TEXT_NUMBER];
  double rate = 8 * bytes_per_second;
  int i = 0;
  for (; i < 3 && rate >= 1000; i++) rate /= 1000;
  if (rate >= 10000) rate /= 1000, i++;
  snprintf(buf, TEXT_NUMBER, "%.20s %s", text_number(rate, 4, number), units[i]);
  return buf;
}

/* "hosts", "switches", "leaves". */
static void print_plural(FILE *to, const char *type)
{
  int n = (int)topo_type_length(type);
  const char *end = n > 0 && strchr("sx", type[n - 1])                         ? "es"
                    : n > 1 && type[n - 1] == 'h' && strchr("cs", type[n - 2]) ? "es"
                                                                               : "s";
  if (n == 4 && strncmp(type, "leaf", 4) == 0)
    fputs("leaves", to);
  else
    fprintf(to, "%.*s%s", n, type, end);
}

/* Whether no other element's type has the name that is printed. */
static bool is_only(const berth_topo_t *t, const char *type)
{
  int count = 0;
  size_t n = topo_type_length(type);
  for (int e = 0; e < berth_topo_n_elements(t) && count < 2; e++) {
    int number = berth_topo_element(t, e)->type; /* PUs have none */
    const char *other = number < 0 ? "" : berth_topo_type(t, number)->name;
    count += topo_type_length(other) == n && strncmp(other, type, n) == 0;
  }
  return count == 1;
}

static void print_link(FILE *to, const berth_topo_t *t, const berth_shared_link_t *s)
{
  char rate[TEXT_NUMBER], ratio[TEXT_NUMBER];
  const char *type = berth_topo_type(t, berth_topo_element(t, s->element)->type)->name;
  bool as_you = text_starts(type, "uni") || text_starts(type, "eu");
  const char *article = is_only(t, type)                         ? "the"
                        : strchr("aeiouAEIOU", *type) && !as_you ? "an"
                                                                 : "a";
  int n = (int)topo_type_length(type);
  bool ends_in_s = n > 0 && type[n - 1] == 's';
  fprintf(to, "%s %.*s'%s %d ", article, n, type, ends_in_s ? "" : "s", s->children);
  const char *child = s->child_type < 0 ? NULL : berth_topo_type(t, s->child_type)->name;
  if (!child)
    fputs("members", to);
  else if (s->children == 1)
    fprintf(to, "%.*s", (int)topo_type_length(child), child);
  else
    print_plural(to, child);
  fprintf(to, " share%s ", s->children == 1 ? "s" : "");
  if (s->cable > 0) fprintf(to, "%.0f x ", s->own / s->cable);
  fputs(text_bit_rate(s->cable > 0 ? s->cable : s->own, rate), to);
  fprintf(to, ": %s:1\n", text_number(s->below / s->own, 3, ratio));
}

void topo_print_shared(FILE *to, const char *before, const char *title, const berth_topo_t *t)
{
  berth_shared_link_t *list;
  size_t n;
  if (berth_topo_has_distances(t) || berth_topo_shared_links(t, &list, &n, NULL)) return;
  if (n > 0) fputs(title, to);
  for (size_t i = 0; i < n; i++) {
    fputs(before, to);
    print_link(to, t, &list[i]);
  }
  free(list);
}

int topo_show_shared(json_out_t *j, const berth_topo_t *t, berth_error_t *err)
{
  berth_shared_link_t *list;
  size_t n;
  int rc = berth_topo_shared_links(t, &list, &n, err);
  if (rc) return rc;
  json_open(j, "shared_links", '[', JSON_LINES);
  for (size_t i = 0; i < n; i++) {
    const berth_shared_link_t *s = &list[i];
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_string(j, "type", berth_topo_type(t, berth_topo_element(t, s->element)->type)->name);
    json_put_string(j, "first", berth_topo_element_name(t, s->element));
    json_put_u64(j, "elements", (uint64_t)s->n);
    json_put_u64(j, "children", (uint64_t)s->children);
    json_put_string(j, "child_type",
                    s->child_type < 0 ? NULL : berth_topo_type(t, s->child_type)->name);
    json_put_number(j, "children_bandwidth", s->below);
    json_put_number(j, "bandwidth", s->own);
    json_put_number(j, "oversubscription", s->below / s->own);
    json_close(j);
  }
  json_close(j);
  free(list);
  return BERTH_OK;
}
