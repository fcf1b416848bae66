/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds laws. Simple ones come first: with two or three sizes, many would fit. */
#include "scale/scale_law.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXACT     0.005 /* a law fits, and no other one can fit better */
#define CLOSE     0.03  /* a law fits */
#define BETTER    3     /* a law with more terms must fit so many times better */
#define NEAR      0.12  /* it fits for want of a better one */
#define MEAN      0.25  /* the same, for numbers of messages that vary without a law */
#define TWO_TERMS 0.02
#define WIDEST    8.0

enum { COUNTS = 1, BYTES = 2 };

typedef enum form {
  SAME,
  BORDER,
  BLOCK,
  PART,
  SHARE,
  LINE,
  OTHERS,
  LOG_LINE,
  RANKS,
  LOG_RANKS,
  POWER_M2_3,
  POWER_M1_2,
  POWER_M1_3,
  POWER_1_3,
  POWER_1_2,
  POWER_2_3,
  POWER_M3_2,
  POWER_M2,
  POWER_3_2,
  POWER_2,
  POWER, /* any; for numbers that grow slowly, as those of iterations */
  FORMS
} form_t;

static const struct {
  const char *name;
  const char *whole; /* the name if a line is all ranks; NULL: the same */
  unsigned of;
  double power; /* of the number of ranks; 0: form_at knows it */
} forms[FORMS] = {
    [SAME] = {"the same", NULL, COUNTS | BYTES, 0},
    [BORDER] = {"as the border of a rank's block", NULL, BYTES, 0},
    [BLOCK] = {"as a rank's block", NULL, COUNTS | BYTES, -1},
    [PART] = {"as a rank's block, divided among its line",
              "as a rank's block, divided among all ranks", BYTES, 0},
    [SHARE] = {"divided among the line", "divided among all ranks", BYTES, 0},
    [LOG_LINE] = {"as the logarithm of the line's ranks", "as the logarithm of the number of ranks",
                  COUNTS | BYTES, 0},
    [LINE] = {"as the line's ranks", "as the number of ranks", COUNTS | BYTES, 0},
    [OTHERS] = {"as the line's other ranks", "as the number of other ranks", COUNTS | BYTES, 0},
    [RANKS] = {"as the number of ranks", NULL, COUNTS | BYTES, 1},
    [LOG_RANKS] = {"as the logarithm of the number of ranks", NULL, COUNTS | BYTES, 0},
    [POWER_M2_3] = {"as ranks^(-2/3)", NULL, BYTES, -2.0 / 3},
    [POWER_M1_2] = {"as ranks^(-1/2)", NULL, COUNTS | BYTES, -0.5},
    [POWER_M1_3] = {"as ranks^(-1/3)", NULL, COUNTS | BYTES, -1.0 / 3},
    [POWER_1_3] = {"as ranks^(1/3)", NULL, COUNTS | BYTES, 1.0 / 3},
    [POWER_1_2] = {"as ranks^(1/2)", NULL, COUNTS | BYTES, 0.5},
    [POWER_2_3] = {"as ranks^(2/3)", NULL, COUNTS | BYTES, 2.0 / 3},
    [POWER_M3_2] = {"as ranks^(-3/2)", NULL, BYTES, -1.5},
    [POWER_M2] = {"as ranks^(-2)", NULL, BYTES, -2},
    [POWER_3_2] = {"as ranks^(3/2)", NULL, COUNTS | BYTES, 1.5},
    [POWER_2] = {"as ranks^2", NULL, COUNTS | BYTES, 2},
};

/* A border's points: those of the dimensions in which a message doesn't move. */
static double border_at(const scale_place_t *p, unsigned before, double width)
{
  double points = 1;
  for (int d = 0; d < p->grid.n; d++)
    if (!(p->dims >> d & 1)) points *= 1.0 / p->grid.dims[d] + (before >> d & 1 ? width : 0);
  return points;
}

/* -1: the form says nothing there. */
static double form_at(int form, const scale_place_t *p)
{
  double line = p->line, ranks = p->ranks;
  if (forms[form].power) return pow(ranks, forms[form].power);
  switch ((form_t)form) {
  case BORDER:
    return p->dims ? border_at(p, 0, 0) : -1;
  case PART:
    return p->dims ? -1 : 1 / (ranks * line);
  case SHARE:
    return p->dims ? -1 : 1 / line;
  case LOG_LINE:
    return line < 2 ? -1 : log2(line);
  case LINE:
    return line;
  case OTHERS:
    return line < 2 ? -1 : line - 1;
  case LOG_RANKS:
    return ranks < 2 ? -1 : log2(ranks);
  default:
    return 1;
  }
}

static double law_form_at(const scale_law_t *law, const scale_place_t *p)
{
  if (law->form == POWER) return pow(p->ranks, law->power);
  return law->before || law->width > 0 ? border_at(p, law->before, law->width)
                                       : form_at(law->form, p);
}

double scale_law_at(const scale_law_t *law, const scale_place_t *place)
{
  double at = law->factor * law_form_at(law, place) + law->constant;
  return at > 0 ? at : 0;
}

static const char *form_name(const scale_law_t *law, char *buf, size_t size)
{
  if (law->form == POWER) {
    snprintf(buf, size, "as ranks^(%.2f)", law->power);
    return buf;
  }
  if (law->width > 0) return "as the border of a rank's block, halos included";
  return law->whole && forms[law->form].whole ? forms[law->form].whole : forms[law->form].name;
}

const char *scale_law_name(const scale_law_t *law, char buf[SCALE_LAW_NAME])
{
  static const char two[] = "partly the same, partly ";
  size_t begin = law->constant != 0 ? sizeof two - 1 : 0;
  char form[SCALE_LAW_NAME - sizeof two];
  memcpy(buf, two, begin);
  snprintf(buf + begin, SCALE_LAW_NAME - begin, "%s", form_name(law, form, sizeof form));
  return buf;
}

/* --- one factor --- */

static bool is_whole(const scale_series_t *s)
{
  for (size_t i = 0; i < s->n; i++)
    if (s->point[i].place.line != s->point[i].place.ranks) return false;
  return true;
}

/* Sets the factor with which the largest error is smallest; false if no factor can do. */
static bool fit_factor(scale_series_t *s)
{
  double least = DBL_MAX, most = 0;
  s->law.whole = is_whole(s);
  for (size_t i = 0; i < s->n; i++) {
    double at = law_form_at(&s->law, &s->point[i].place), ratio = s->point[i].value / at;
    if (at <= 0 || ratio <= 0) return false;
    least = fmin(least, ratio);
    most = fmax(most, ratio);
  }
  s->law.factor = sqrt(least * most);
  s->law.error = sqrt(most / least) - 1;
  return true;
}

/* The largest error of all series with that form; DBL_MAX if it isn't one for them. */
static double fit(scale_series_t *series, size_t n, int form)
{
  double error = 0;
  for (size_t i = 0; i < n; i++) {
    series[i].law = (scale_law_t){.form = form};
    if (!fit_factor(&series[i])) return DBL_MAX;
    error = fmax(error, series[i].law.error);
  }
  return error;
}

/* --- borders of blocks that have grown by what was received before --- */

/* A rank that exchanges along one dimension after the other sends, in each, also what it received
 * in those before. `order` is the sequence of dimensions. */
static double fit_width(scale_series_t *series, size_t n, const int *order, int dims, double width)
{
  double error = 0;
  for (size_t i = 0; i < n; i++) {
    unsigned before = 0, moves = series[i].point[0].place.dims;
    for (int d = 0; d < dims && !(moves >> order[d] & 1); d++) before |= 1u << order[d];
    series[i].law = (scale_law_t){.form = BORDER, .width = width, .before = before};
    if (!fit_factor(&series[i])) return DBL_MAX;
    error = fmax(error, series[i].law.error);
  }
  return error;
}

static double fit_order(scale_series_t *series, size_t n, const int *order, int dims, double *best)
{
  double error = DBL_MAX, step = 1.3;
  for (double width = WIDEST; width > 0.005; width /= step) {
    double e = fit_width(series, n, order, dims, width);
    if (e < error) error = e, *best = width;
  }
  for (; step > 1.002; step = sqrt(step)) {
    double wider = fit_width(series, n, order, dims, *best * step);
    double narrower = fit_width(series, n, order, dims, *best / step);
    if (fmin(wider, narrower) >= error) continue;
    error = fmin(wider, narrower);
    *best = wider < narrower ? *best * step : *best / step;
  }
  return error;
}

typedef struct order_search {
  scale_series_t *series;
  size_t n;
  int dims, best[GRID_DIMS];
  double error, width;
} order_search_t;

static void search_orders(order_search_t *s, int *order, int placed)
{
  double width = 0;
  if (placed < s->dims) {
    for (int d = 0; d < s->dims; d++) {
      bool used = false;
      for (int i = 0; i < placed; i++) used |= order[i] == d;
      if (used) continue;
      order[placed] = d;
      search_orders(s, order, placed + 1);
    }
    return;
  }
  double error = fit_order(s->series, s->n, order, s->dims, &width);
  if (error > 0.98 * s->error) return;
  s->error = error;
  s->width = width;
  for (int d = 0; d < s->dims; d++) s->best[d] = order[d];
}

static bool fit_wide(scale_series_t *series, size_t n, double most)
{
  size_t points = 0;
  int order[GRID_DIMS];
  for (size_t i = 0; i < n; i++) {
    if (!series[i].n || !series[i].point[0].place.dims) return false;
    points += series[i].n;
  }
  order_search_t s = {series, n, series[0].point[0].place.grid.n, {0}, DBL_MAX, 0};
  if (points < n + 2 || s.dims < 2) return false;
  search_orders(&s, order, 0);
  return s.error <= most && fit_width(series, n, s.best, s.dims, s.width) <= most;
}

/* --- two terms --- */

/* Sums over one series: of the form's values h, and of the amounts v. */
typedef struct sums {
  double n, h, v, hh, hv;
} sums_t;

static bool sum_series(const scale_series_t *s, int form, sums_t *out)
{
  *out = (sums_t){.n = (double)s->n};
  for (size_t i = 0; i < s->n; i++) {
    double h = form_at(form, &s->point[i].place), v = s->point[i].value;
    if (h < 0) return false;
    out->h += h, out->v += v, out->hh += h * h, out->hv += h * v;
  }
  return out->hh > 0;
}

/* The constant that all series have in common, by least squares: for each constant, the best factor
 * of a series is known. *points is how many say it. */
static bool find_constant(const scale_series_t *series, size_t n, int form, double *constant,
                          size_t *points)
{
  double left = 0, right = 0, all = 0;
  *points = 0;
  for (size_t k = 0; k < n; k++) {
    sums_t s;
    if (!sum_series(&series[k], form, &s)) return false;
    left += s.n - s.h * s.h / s.hh;
    right += s.v - s.hv * s.h / s.hh;
    all += s.n;
    *points += series[k].n;
  }
  *constant = left > 1e-9 * all ? right / left : 0;
  return left > 1e-9 * all;
}

static bool fit_two(scale_series_t *series, size_t n, int form, double most)
{
  double constant;
  size_t points;
  bool three = false; /* sizes, at least */
  for (size_t k = 0; k < n; k++) three |= series[k].n >= 3;
  if (!three || !find_constant(series, n, form, &constant, &points) || points < n + 2) return false;
  if (constant < 0 && (forms[form].power < 0 || form == BORDER)) return false;
  for (size_t k = 0; k < n; k++) {
    sums_t sum;
    scale_series_t *s = &series[k];
    sum_series(s, form, &sum);
    s->law = (scale_law_t){.form = form,
                           .factor = (sum.hv - constant * sum.h) / sum.hh,
                           .constant = constant,
                           .whole = is_whole(s)};
    for (size_t i = 0; i < s->n; i++) {
      double fitted = scale_law_at(&s->law, &s->point[i].place);
      if (fitted <= 0) return false;
      s->law.error = fmax(s->law.error, fabs(s->point[i].value / fitted - 1));
    }
    if (s->law.factor <= 0 || s->law.error > most) return false;
  }
  return true;
}

static bool fit_two_terms(scale_series_t *series, size_t n, unsigned of, double most)
{
  for (int form = SAME + 1; form < POWER; form++)
    if ((forms[form].of & of) && fit_two(series, n, form, most)) return true;
  return false;
}

/* --- any power --- */

/* The power of the number of ranks that all series have in common, by least squares of logarithms;
 * false if two sizes or fewer say it. */
static bool fit_power(scale_series_t *series, size_t n, double most)
{
  double xx = 0, xy = 0;
  for (size_t i = 0; i < n; i++) {
    double x = 0, y = 0, points = (double)series[i].n;
    if (points < 3) continue;
    for (size_t k = 0; k < series[i].n; k++) {
      if (series[i].point[k].value <= 0) return false;
      x += log(series[i].point[k].place.ranks) / points;
      y += log(series[i].point[k].value) / points;
    }
    for (size_t k = 0; k < series[i].n; k++) {
      double apart = log(series[i].point[k].place.ranks) - x;
      xx += apart * apart;
      xy += apart * (log(series[i].point[k].value) - y);
    }
  }
  if (xx <= 0) return false;
  for (size_t i = 0; i < n; i++) {
    series[i].law = (scale_law_t){.form = POWER, .power = xy / xx};
    if (!fit_factor(&series[i]) || series[i].law.error > most) return false;
  }
  return true;
}

/* --- the search --- */

static bool all_zero(scale_series_t *series, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    series[i].law = (scale_law_t){.form = SAME};
    for (size_t k = 0; k < series[i].n; k++)
      if (series[i].point[k].value > 0) return false;
  }
  return true;
}

static bool seen_once(const scale_series_t *series, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (series[i].n > 1) return false;
  return true;
}

bool scale_law_find(scale_series_t *series, size_t n, int of)
{
  unsigned wanted = of == SCALE_LAW_BYTES ? BYTES : COUNTS;
  double least = DBL_MAX;
  int best = SAME;
  if (all_zero(series, n)) return true;
  if (seen_once(series, n)) return false;
  for (int form = 0; form < POWER; form++) {
    if (!(forms[form].of & wanted)) continue;
    double error = fit(series, n, form);
    if (error <= EXACT) return true;
    if (error < (least <= CLOSE ? 1.0 / BETTER : 0.8) * least) least = error, best = form;
  }
  if (wanted == BYTES && fit_wide(series, n, fmin(CLOSE, least / BETTER))) return true;
  if (fit_two_terms(series, n, wanted, fmin(TWO_TERMS, least / BETTER))) return true;
  if (wanted == COUNTS && least > CLOSE && fit_power(series, n, fmin(NEAR, least / BETTER)))
    return true;
  if (wanted == COUNTS && least > CLOSE && fit(series, n, SAME) <= MEAN) return true;
  return fit(series, n, best) <= NEAR;
}

void scale_law_say(scale_series_t *series, berth_scaling_t scaling, bool divided, bool block)
{
  bool moves = series->n && series->point[0].place.dims;
  int form = SAME;
  if (scaling == BERTH_SCALING_WEAK && divided) form = SHARE;
  if (scaling == BERTH_SCALING_STRONG)
    form = moves ? BORDER : divided ? PART : block ? BLOCK : SAME;
  series->law = (scale_law_t){.form = form};
  if (!fit_factor(series)) series->law = (scale_law_t){.form = SAME};
}
