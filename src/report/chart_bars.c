/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts of bars: costs, levels, sizes of messages. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "report/report_internal.h"
#include "report/svg.h"
#include "topo/topo_levels.h"

/* A bar stands between the labels on its left and its value on its right. */
enum { WIDTH = 760, LABEL = 230, BAR = 330, ROW = 24, HEAD = 28, GAP = 10, LETTERS = 30 };

typedef struct bar {
  size_t placement;
  const char *label, *title, *value, *class;
  double length, low, high; /* shares of the longest; low negative: no whisker */
} bar_t;

static void put_whisker(out_file_t *out, double y, const bar_t *b)
{
  double from = LABEL + BAR * b->low, to = LABEL + BAR * fmin(b->high, 1), middle = y + ROW / 2.0;
  out_printf(out, "<path class=\"whisker\" d=\"M%.6g %.6gv8M%.6g %.6gH%.6g", from, middle - 4, from,
             middle, to);
  if (isinf(b->high))
    out_printf(out, "m-5 -4l5 4l-5 4\"/>\n");
  else
    out_printf(out, "M%.6g %.6gv8\"/>\n", to, middle - 4);
}

static void put_bar(out_file_t *out, double y, const bar_t *b)
{
  bool has_whisker = b->low >= 0 && b->high > b->low;
  double end = has_whisker ? fmax(fmin(b->high, 1), b->length) : b->length;
  out_printf(out, "<g data-placement=\"%zu\">", b->placement); /* the page names others, too */
  svg_group(out, b->title);
  svg_label(out, "right label", LABEL - 8, y + 16, b->label, LETTERS);
  svg_rect(out, b->class, LABEL, y + 4, BAR * b->length, ROW - 8);
  if (has_whisker) put_whisker(out, y, b);
  svg_text(out, "value", LABEL + BAR * end + 8, y + 16, b->value);
  svg_end_group(out);
  svg_end_group(out);
}

static const char *class_of(const berth_report_t *r, size_t i)
{
  return i == r->options.before ? "b0" : i == r->options.after ? "b1" : "b2";
}

static const char *label_of(const berth_report_t *r, size_t i, char *buf, size_t size)
{
  const char *what = r->options.before == r->options.after ? ""
                     : i == r->options.before              ? "before: "
                     : i == r->options.after               ? "after: "
                                                           : "";
  snprintf(buf, size, "%s%s", what, report_short_name(&r->placement[i]));
  return buf;
}

/* --- costs --- */

static berth_interval_t interval_of(const berth_report_t *r, int model, size_t i)
{
  if (r->uncertainty[model]) return berth_uncertainty_cost(r->uncertainty[model], i);
  double cost = r->placement[i].cost_s[model];
  return (berth_interval_t){cost, 1, cost, cost};
}

/* The longest bar, with its whisker. */
static double longest_cost(const berth_report_t *r, int model)
{
  double most = 0;
  for (size_t i = 0; i < r->n; i++) {
    berth_interval_t cost = interval_of(r, model, i);
    most = fmax(most, isinf(cost.high) ? cost.value * 1.1 : cost.high);
  }
  return most > 0 ? most : 1;
}

static void put_cost(const berth_report_t *r, out_file_t *out, int model, size_t i, double y)
{
  char label[512], value[96], title[640], seconds[TEXT_NUMBER], low[TEXT_NUMBER], high[TEXT_NUMBER];
  berth_interval_t cost = interval_of(r, model, i);
  double most = longest_cost(r, model), percent = 100 * (cost.factor - 1);
  text_seconds(cost.value, seconds);
  if (cost.factor <= 1)
    snprintf(value, sizeof value, "%s", seconds);
  else if (isinf(cost.high))
    snprintf(value, sizeof value, "%s ± unknown", seconds);
  else
    snprintf(value, sizeof value, percent < 10 ? "%s ± %.2g%%" : "%s ± %.0f%%", seconds, percent);
  int used = snprintf(title, sizeof title, "%s: %s by model %s", r->placement[i].is.name, seconds,
                      berth_model_name((berth_model_t)model));
  if (cost.factor > 1 && !isinf(cost.high) && used > 0 && (size_t)used < sizeof title)
    snprintf(title + used, sizeof title - (size_t)used, ", between %s and %s",
             text_seconds(cost.low, low), text_seconds(cost.high, high));
  put_bar(out, y,
          &(bar_t){i, label_of(r, i, label, sizeof label), title, value, class_of(r, i),
                   cost.value / most, cost.factor > 1 ? cost.low / most : -1, cost.high / most});
}

void report_chart_cost(const berth_report_t *r, out_file_t *out, bool alone)
{
  static const char *const meaning[BERTH_N_MODELS] = {
      "the busiest port, ranks one by one", "no rank and no port takes less",
      "time of all ports and ranks together", "messages as flows that share ports"};
  int models = 0;
  for (int m = 0; m < BERTH_N_MODELS; m++) models += r->options.asked[m] != 0;
  double y = GAP;
  svg_open(out, "Predicted cost of each placement by each model", WIDTH,
           models * (HEAD + (int)r->n * ROW + GAP) + 2 * GAP, alone);
  for (int m = 0; m < BERTH_N_MODELS; m++) {
    char head[128];
    if (!r->options.asked[m]) continue;
    snprintf(head, sizeof head, "model %s: %s", berth_model_name((berth_model_t)m), meaning[m]);
    svg_text(out, "head", 12, y + 18, head);
    y += HEAD;
    svg_line(out, "axis", LABEL, y, LABEL, y + (double)r->n * ROW);
    for (size_t i = 0; i < r->n; i++, y += ROW) put_cost(r, out, m, i, y);
    y += GAP;
  }
  svg_close(out);
}

/* --- levels --- */

static void put_level(const berth_report_t *r, out_file_t *out, size_t depth, size_t i, double most,
                      double y)
{
  char label[512], value[128], title[1024], where[256] = "nothing", seconds[TEXT_NUMBER],
                                            bytes[TEXT_NUMBER];
  const berth_level_cost_t *l = &r->placement[i].cost.levels[depth];
  if (l->has_busiest) berth_resource_text(r->topo, l->busiest, where, sizeof where);
  snprintf(value, sizeof value, "%s, %s", text_seconds(l->cost_s, seconds),
           text_bytes(l->bytes, bytes));
  snprintf(title, sizeof title, "%s: %s, %s in %.0f message%s cross it; busiest: %s",
           r->placement[i].is.name, seconds, bytes, l->messages, text_plural(l->messages), where);
  put_bar(out, y,
          &(bar_t){i, label_of(r, i, label, sizeof label), title, value, class_of(r, i),
                   l->cost_s / most, -1, -1});
}

void report_chart_levels(const berth_report_t *r, out_file_t *out, bool alone)
{
  char types[256], head[320];
  const berth_cost_result_t *first = &r->placement[0].cost;
  double most = 0, y = GAP;
  for (size_t i = 0; i < r->n; i++)
    for (size_t d = 0; d < first->n_levels; d++)
      most = fmax(most, r->placement[i].cost.levels[d].cost_s);
  svg_open(out, "Cost per level of the machine", WIDTH,
           (int)first->n_levels * (HEAD + (int)r->n * ROW + GAP) + 2 * GAP, alone);
  for (size_t d = 0; d < first->n_levels; d++) {
    topo_level_types(r->topo, (int)d, types, sizeof types);
    snprintf(head, sizeof head, d ? "level %zu: links to %s" : "level %zu: %s", d, types);
    svg_label(out, "head", 12, y + 18, head, 90);
    y += HEAD;
    svg_line(out, "axis", LABEL, y, LABEL, y + (double)r->n * ROW);
    for (size_t i = 0; i < r->n; i++, y += ROW) put_level(r, out, d, i, most > 0 ? most : 1, y);
    y += GAP;
  }
  svg_close(out);
}

/* --- sizes --- */

enum {
  SIZES_WIDTH = 880,
  SIZE_LABEL = 220,
  SIZE_BAR = 170,
  SIZE_COLUMN = 320,
  SIZE_ROW = 20,
  SIZE_TOP = 34
};

/* A power of two: "512 B", "4 KiB". */
static const char *name_power(uint64_t bytes, char buf[TEXT_NUMBER])
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  int i = 0;
  for (; i < 5 && bytes >= 1024; i++) bytes /= 1024;
  snprintf(buf, TEXT_NUMBER, "%llu %s", (unsigned long long)bytes, units[i]);
  return buf;
}

static void name_size(const summary_size_t *s, char *buf, size_t size)
{
  char least[TEXT_NUMBER], above[TEXT_NUMBER];
  if (s->most == 0)
    snprintf(buf, size, "0 B");
  else
    snprintf(buf, size, "%s to below %s", name_power(s->least, least),
             name_power(s->most + 1, above));
}

static void put_size(out_file_t *out, const berth_report_t *r, const summary_size_t *s,
                     summary_amount_t most, double y)
{
  char name[96], title[320], messages[96], bytes[96], amount[TEXT_NUMBER];
  const summary_amount_t *all = &r->summary.all;
  name_size(s, name, sizeof name);
  snprintf(messages, sizeof messages, "%.0f (%.1f%%)", s->sum.messages,
           100 * s->sum.messages / all->messages);
  snprintf(bytes, sizeof bytes, "%s (%.1f%%)", text_bytes(s->sum.bytes, amount),
           all->bytes > 0 ? 100 * s->sum.bytes / all->bytes : 0);
  snprintf(title, sizeof title, "%s: %s messages, %s", name, messages, bytes);
  svg_group(out, title);
  svg_text(out, "right", SIZE_LABEL - 8, y + 14, name);
  double x = SIZE_LABEL, length = SIZE_BAR * s->sum.messages / most.messages;
  svg_rect(out, "b1", x, y + 3, length, SIZE_ROW - 6);
  if (s->sum.messages > 0) svg_text(out, "value", x + length + 6, y + 14, messages);
  x += SIZE_COLUMN;
  length = most.bytes > 0 ? SIZE_BAR * s->sum.bytes / most.bytes : 0;
  svg_rect(out, "b1", x, y + 3, length, SIZE_ROW - 6);
  if (s->sum.messages > 0) svg_text(out, "value", x + length + 6, y + 14, bytes);
  svg_end_group(out);
}

/* From the smallest to the largest size that occurs. */
void report_chart_sizes(const berth_report_t *r, out_file_t *out, bool alone)
{
  const summary_size_t *s = r->summary.sizes;
  int first = 0, end = SUMMARY_SIZES;
  summary_amount_t most = {0};
  while (first < end && s[first].sum.messages == 0) first++;
  while (end > first && s[end - 1].sum.messages == 0) end--;
  for (int i = first; i < end; i++) {
    most.messages = fmax(most.messages, s[i].sum.messages);
    most.bytes = fmax(most.bytes, s[i].sum.bytes);
  }
  svg_open(out, "Sizes of messages", SIZES_WIDTH, SIZE_TOP + (end - first) * SIZE_ROW + GAP, alone);
  svg_text(out, "head right", SIZE_LABEL - 8, 22, "size of a message");
  svg_text(out, "head", SIZE_LABEL, 22, "messages");
  svg_text(out, "head", SIZE_LABEL + SIZE_COLUMN, 22, "bytes");
  for (int x = 0; x < 2; x++)
    svg_line(out, "axis", SIZE_LABEL + x * SIZE_COLUMN, SIZE_TOP - 4, SIZE_LABEL + x * SIZE_COLUMN,
             SIZE_TOP + (end - first) * SIZE_ROW);
  for (int i = first; i < end; i++)
    put_size(out, r, &s[i], most, SIZE_TOP + (double)(i - first) * SIZE_ROW);
  svg_close(out);
}
