/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws bar charts: costs, levels, sizes of messages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cost/cost_put.h"
#include "report/report_internal.h"
#include "report/svg.h"
#include "topo/topo_levels.h"

/* A bar is below its label and before its value, which is VALUE pixels wide. */
enum {
  LEFT = 2,
  VALUE = 186,
  BAR = SVG_WIDTH - LEFT - VALUE,
  ROW = 36,
  ABOVE = 18,
  THICK = 12,
  HEAD = 26,
  GAP = 8
};

typedef struct bar {
  size_t placement;
  const char *label, *title, *value, *class;
  double length, low, high; /* shares of the longest bar; low negative: no whisker */
} bar_t;

/* Values above 0 stay visible. */
static double length_of(double share, double max) { return share > 0 ? fmax(1, share * max) : 0; }

static void put_whisker(out_file_t *out, double y, const bar_t *b)
{
  double from = LEFT + BAR * b->low, to = LEFT + BAR * fmin(b->high, 1), middle = y + THICK / 2.0;
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
  out_printf(out, "<g data-placement=\"%zu\">",
             b->placement); /* the page shows other placements, too */
  svg_group(out, b->title);
  svg_label(out, "label", LEFT, y + 13, b->label, (SVG_WIDTH - LEFT) / SVG_LETTER);
  svg_rect(out, b->class, LEFT, y + ABOVE, length_of(b->length, BAR), THICK);
  if (has_whisker) put_whisker(out, y + ABOVE, b);
  svg_text(out, "value", LEFT + length_of(end, BAR) + 6, y + ABOVE + 11, b->value);
  svg_end_group(out);
  svg_end_group(out);
}

static const char *class_of(const berth_report_t *r, size_t i)
{
  return i == r->options.before ? "b0" : i == r->options.after ? "b1" : "b2";
}

/* --- blocks: parts of a chart; on the page each is a picture, so that they form columns --- */

typedef struct blocks {
  out_file_t *out;
  bool alone;
  int height; /* of one block */
  double y;   /* where the next block begins */
} blocks_t;

static blocks_t blocks_open(out_file_t *out, const char *what, int n, int height, bool alone)
{
  if (alone) svg_open(out, what, n * height, true);
  return (blocks_t){.out = out, .alone = alone, .height = height};
}

/* Begins a block. */
static double block_open(blocks_t *b, const char *head)
{
  double y = b->alone ? b->y : 0;
  if (!b->alone) svg_open(b->out, head, b->height, false);
  svg_label(b->out, "head", LEFT, y + 17, head, (SVG_WIDTH - LEFT) / SVG_BOLD);
  b->y += b->height;
  return y;
}

static void block_close(const blocks_t *b)
{
  if (!b->alone) svg_close(b->out);
}

static void blocks_close(const blocks_t *b)
{
  if (b->alone) svg_close(b->out);
}

/* --- costs --- */

static berth_interval_t interval_of(const berth_report_t *r, int model, size_t i)
{
  if (r->uncertainty[model]) return berth_uncertainty_cost(r->uncertainty[model], i);
  double cost = r->placement[i].estimate[model]->cost_s;
  return (berth_interval_t){cost, 1, cost, cost};
}

bool report_has_whiskers(const berth_report_t *r)
{
  bool any = false;
  for (int m = 0; m < BERTH_N_MODELS; m++)
    for (size_t i = 0; r->options.asked[m] && i < r->n && !any; i++)
      any = interval_of(r, m, i).factor > 1;
  return any;
}

/* The length of the longest bar with its whisker. */
static double longest_cost(const berth_report_t *r, int model)
{
  double max = 0;
  for (size_t i = 0; i < r->n; i++) {
    berth_interval_t cost = interval_of(r, model, i);
    max = fmax(max, isinf(cost.high) ? cost.value * 1.1 : cost.high);
  }
  return max > 0 ? max : 1;
}

/* The tooltip. NULL when memory is out. */
static char *cost_title(const berth_report_t *r, int model, size_t i, const berth_interval_t *cost)
{
  char seconds[TEXT_NUMBER], low[TEXT_NUMBER], high[TEXT_NUMBER];
  bool between = cost->factor > 1 && !isinf(cost->high);
  return text_printf("%s: %s by model %s%s%s%s%s", r->placement[i].is.name,
                     topo_text_cost(r->topo, cost->value, seconds),
                     berth_model_name((berth_model_t)model), between ? ", between " : "",
                     between ? topo_text_cost(r->topo, cost->low, low) : "", between ? " and " : "",
                     between ? topo_text_cost(r->topo, cost->high, high) : "");
}

static void put_cost(const berth_report_t *r, out_file_t *out, int model, size_t i, double y)
{
  char value[TEXT_NUMBER + COST_MARGIN], seconds[TEXT_NUMBER], margin[COST_MARGIN];
  berth_interval_t cost = interval_of(r, model, i);
  double max = longest_cost(r, model);
  char *label = report_role_label(r, i), *title = cost_title(r, model, i, &cost);
  snprintf(value, sizeof value, "%s%s", topo_text_cost(r->topo, cost.value, seconds),
           cost_margin_text(r->uncertainty[model], i, margin));
  put_bar(out, y,
          &(bar_t){i, label, title, value, class_of(r, i), cost.value / max,
                   cost.factor > 1 ? cost.low / max : -1, cost.high / max});
  free(label);
  free(title);
}

void report_chart_cost(const berth_report_t *r, out_file_t *out, bool alone)
{
  static const char *const meaning[BERTH_N_MODELS] = {
      "the busiest port, ranks one by one", "the slowest rank or the port's capacity",
      "time of all ports and ranks together", "messages as flows that share ports"};
  int models = 0;
  for (int m = 0; m < BERTH_N_MODELS; m++) models += r->options.asked[m] != 0;
  blocks_t blocks = blocks_open(out, "Predicted cost of each placement by each model", models,
                                HEAD + (int)r->n * ROW + GAP, alone);
  for (int m = 0; m < BERTH_N_MODELS; m++) {
    char head[128];
    if (!r->options.asked[m]) continue;
    snprintf(head, sizeof head, "model %s: %s", berth_model_name((berth_model_t)m), meaning[m]);
    double y = block_open(&blocks, head) + HEAD;
    for (size_t i = 0; i < r->n; i++) put_cost(r, out, m, i, y + (double)i * ROW);
    block_close(&blocks);
  }
  blocks_close(&blocks);
}

/* --- levels --- */

static void put_level(const berth_report_t *r, out_file_t *out, size_t depth, size_t i, double max,
                      double y)
{
  char value[128], seconds[TEXT_NUMBER], bytes[TEXT_NUMBER];
  const berth_level_cost_t *l = &r->placement[i].cost->levels[depth];
  char *where = l->has_busiest ? cost_resource_text(r->topo, l->busiest) : text_printf("nothing");
  snprintf(value, sizeof value, "%s, %s", topo_text_cost(r->topo, l->cost_s, seconds),
           text_bytes(l->bytes, bytes));
  char *label = report_role_label(r, i);
  char *title = where ? text_printf("%s: %s, %s in %.0f message%s cross it; busiest: %s",
                                    r->placement[i].is.name, seconds, bytes, l->messages,
                                    text_plural(l->messages), where)
                      : NULL;
  put_bar(out, y, &(bar_t){i, label, title, value, class_of(r, i), l->cost_s / max, -1, -1});
  free(where);
  free(label);
  free(title);
}

void report_chart_levels(const berth_report_t *r, out_file_t *out, bool alone)
{
  const berth_cost_result_t *first = r->placement[0].cost;
  double max = 0;
  for (size_t i = 0; i < r->n; i++)
    for (size_t d = 0; d < first->n_levels; d++)
      max = fmax(max, r->placement[i].cost->levels[d].cost_s);
  blocks_t blocks = blocks_open(out, "Cost per level of the machine", (int)first->n_levels,
                                HEAD + (int)r->n * ROW + GAP, alone);
  for (size_t d = 0; d < first->n_levels; d++) {
    char *types = cost_level_types(r->topo, (int)d);
    char *head = types ? text_printf("level %zu: %s%s", d, d ? "links to " : "", types) : NULL;
    double y = block_open(&blocks, head) + HEAD;
    free(types);
    free(head);
    for (size_t i = 0; i < r->n; i++)
      put_level(r, out, d, i, max > 0 ? max : 1, y + (double)i * ROW);
    block_close(&blocks);
  }
  blocks_close(&blocks);
}

/* --- sizes --- */

enum { SIZE_LABEL = 196, SIZE_BAR = 130, SIZE_ROW = 20 };

/* "2,304,000" */
static const char *name_count(double count, char buf[2 * TEXT_NUMBER])
{
  char digits[TEXT_NUMBER], *to = buf;
  text_count(count, digits);
  for (const char *s = digits; *s; s++) {
    *to++ = *s;
    if (s[1] && strlen(s + 1) % 3 == 0) *to++ = ',';
  }
  *to = '\0';
  return buf;
}

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
  char min[TEXT_NUMBER], above[TEXT_NUMBER];
  if (s->max == 0)
    snprintf(buf, size, "0 B");
  else
    snprintf(buf, size, "%s to below %s", name_power(s->min, min), name_power(s->max + 1, above));
}

/* Draws a size's share of the messages or bytes. */
static void put_size(const blocks_t *b, const char *name, const char *text, double share, double y)
{
  char title[320];
  snprintf(title, sizeof title, "%s: %s", name, text);
  svg_group(b->out, title);
  svg_text(b->out, "right", SIZE_LABEL - 6, y + 14, name);
  svg_rect(b->out, "b1", SIZE_LABEL, y + 3, length_of(share, SIZE_BAR), SIZE_ROW - 6);
  svg_text(b->out, "value", SIZE_LABEL + length_of(share, SIZE_BAR) + 6, y + 14, text);
  svg_end_group(b->out);
}

/* Draws sizes first to end - 1, by messages or bytes. */
static void put_sizes(blocks_t *blocks, const berth_report_t *r, int first, int end, bool bytes)
{
  double max = 0, all = bytes ? r->summary.all.bytes : r->summary.all.messages;
  double y = block_open(blocks, bytes ? "bytes, by the size of a message"
                                      : "messages, by the size of a message");
  if (first == end) svg_text(blocks->out, "soft", LEFT, y + HEAD + 14, "no messages");
  for (int i = first; i < end; i++) {
    const summary_amount_t *sum = &r->summary.sizes[i].sum;
    max = fmax(max, bytes ? sum->bytes : sum->messages);
  }
  for (int i = first; i < end; i++) {
    const summary_size_t *s = &r->summary.sizes[i];
    char name[96], text[96], amount[2 * TEXT_NUMBER];
    double value = bytes ? s->sum.bytes : s->sum.messages;
    name_size(s, name, sizeof name);
    snprintf(text, sizeof text, "%s (%.1f%%)",
             bytes ? text_bytes(value, amount) : name_count(value, amount),
             all > 0 ? 100 * value / all : 0);
    put_size(blocks, name, s->sum.messages > 0 ? text : "", max > 0 ? value / max : 0,
             y + HEAD + (double)(i - first) * SIZE_ROW);
  }
  block_close(blocks);
}

/* All sizes from the smallest to the largest one in use. */
void report_chart_sizes(const berth_report_t *r, out_file_t *out, bool alone)
{
  const summary_size_t *s = r->summary.sizes;
  int first = 0, end = SUMMARY_SIZES;
  while (first < end && s[first].sum.messages == 0) first++;
  while (end > first && s[end - 1].sum.messages == 0) end--;
  blocks_t blocks = blocks_open(out, "Sizes of messages", 2,
                                HEAD + (end > first ? end - first : 1) * SIZE_ROW + GAP, alone);
  put_sizes(&blocks, r, first, end, false);
  put_sizes(&blocks, r, first, end, true);
  blocks_close(&blocks);
}
