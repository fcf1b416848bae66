/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads rates and times as data sheets state them. */
#include "topo/topo_rate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/numeric.h"
#include "topo/topo_internal.h"

#define BIT (1.0 / 8)

/* A piece of text. */
typedef struct piece {
  const char *at;
  size_t n;
} piece_t;

/* Data rates by name, in Gbit/s: four lanes of InfiniBand, and host adapters of other networks. */
static const struct {
  const char *name;
  double gbit_s;
} named[] = {{"SDR", 8},      {"DDR", 16},  {"QDR", 32},     {"FDR10", 40},     {"FDR", 54.54},
             {"EDR", 100},    {"HDR", 200}, {"HDR100", 100}, {"HDR200", 200},   {"NDR", 400},
             {"NDR200", 200}, {"XDR", 800}, {"OPA", 100},    {"Slingshot", 200}};

/* What a number of these means, in bytes per second. */
static const struct {
  const char *name;
  double bytes_s;
} units[] = {{"bit/s", BIT}, {"b/s", BIT}, {"bps", BIT}, {"B/s", 1}, {"GbE", 1e9 * BIT}};

static const struct {
  const char *name;
  double factor;
} prefixes[] = {{"Ki", 1024.0}, {"Mi", 1048576.0}, {"Gi", 1073741824.0}, {"Ti", 1099511627776.0},
                {"k", 1e3},     {"M", 1e6},        {"G", 1e9},           {"T", 1e12},
                {"", 1}};

static const struct {
  const char *name;
  double seconds;
} times[] = {{"ns", 1e-9},        {"us", 1e-6}, {"\xc2\xb5s", 1e-6},
             {"\xce\xbcs", 1e-6}, {"ms", 1e-3}, {"s", 1}};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Whether the text is that word, in letters of any case but for b and B: bits and bytes. */
static bool is(piece_t p, const char *word)
{
  if (strlen(word) != p.n || strncasecmp(p.at, word, p.n) != 0) return false;
  bool is_bit = strncasecmp(word, "bit", 3) == 0 || strncasecmp(word, "GbE", 3) == 0;
  return is_bit || p.n == 0 || (*word != 'b' && *word != 'B') || *word == *p.at;
}

/* Reads a decimal number with digits before its point, such as 2.5. Sets *rest to what follows. */
static bool read_number(piece_t p, double *value, piece_t *rest)
{
  char digits[32];
  size_t n = 0;
  while (n < p.n && n < sizeof digits - 1 && strchr("0123456789.", p.at[n])) n++;
  if (n == 0 || p.at[0] == '.' || n == sizeof digits - 1) return false;
  memcpy(digits, p.at, n);
  digits[n] = '\0';
  char *end;
  locale_t before = numeric_begin();
  *value = strtod(digits, &end);
  numeric_end(before);
  *rest = (piece_t){p.at + n, p.n - n};
  return !*end;
}

static bool read_unit(piece_t p, double *bytes_s)
{
  for (size_t i = 0; i < COUNT(prefixes); i++) {
    size_t n = strlen(prefixes[i].name);
    if (p.n < n || strncasecmp(p.at, prefixes[i].name, n) != 0) continue;
    for (size_t k = 0; k < COUNT(units); k++)
      if (is((piece_t){p.at + n, p.n - n}, units[k].name) && !(n && units[k].name[0] == 'G')) {
        *bytes_s = prefixes[i].factor * units[k].bytes_s;
        return true;
      }
  }
  return false;
}

/* "DDR4-3200": 8 bytes for each of so many million transfers. */
static bool read_memory(piece_t p, double *rate)
{
  piece_t number = {p.at + 5, p.n - 5}, rest;
  bool named_so =
      p.n > 5 && strncasecmp(p.at, "DDR", 3) == 0 && strchr("2345", p.at[3]) && p.at[4] == '-';
  if (!named_so || !read_number(number, rate, &rest) || rest.n > 0) return false;
  *rate *= 8e6;
  return true;
}

static bool read_rate(piece_t p, double *rate)
{
  piece_t rest;
  double unit;
  bool found = read_memory(p, rate);
  for (size_t i = 0; i < COUNT(named) && !found; i++) {
    found = strlen(named[i].name) == p.n && strncasecmp(p.at, named[i].name, p.n) == 0;
    if (found) *rate = named[i].gbit_s * 1e9 * BIT;
  }
  if (!found && read_number(p, rate, &rest) && read_unit(rest, &unit)) {
    *rate *= unit;
    found = true;
  }
  return found && *rate >= 1 && *rate <= TOPO_MAX_AMOUNT;
}

bool topo_rate_time(const char *text, double *seconds)
{
  piece_t unit;
  if (!read_number((piece_t){text, strlen(text)}, seconds, &unit)) return false;
  for (size_t i = 0; i < COUNT(times); i++)
    if (is(unit, times[i].name)) {
      *seconds *= times[i].seconds;
      return *seconds <= 1000;
    }
  return false;
}

bool topo_rate_factor(const char *text, double *factor)
{
  piece_t rest;
  bool is_number = read_number((piece_t){text, strlen(text)}, factor, &rest) && rest.n == 0;
  return is_number && *factor > 0 && *factor <= 1e6;
}

/* "5:1". */
static bool read_ratio(piece_t p, double *ratio)
{
  double below, above;
  piece_t rest;
  if (!read_number(p, &below, &rest) || rest.n == 0 || *rest.at != ':') return false;
  rest = (piece_t){rest.at + 1, rest.n - 1};
  if (!read_number(rest, &above, &rest) || rest.n > 0) return false;
  *ratio = below / above;
  return below > 0 && above > 0 && *ratio <= 1e6 && *ratio >= 1e-6;
}

/* Takes "2x" from the front of a text. False: a number of cables that can't be. */
static bool read_cables(piece_t *p, double *cables)
{
  piece_t rest;
  *cables = 1;
  double n;
  if (!read_number(*p, &n, &rest) || rest.n == 0 || *rest.at != 'x') return true;
  *cables = n;
  *p = (piece_t){rest.at + 1, rest.n - 1};
  return n >= 1 && n <= 1e6 && n == floor(n);
}

const char *topo_rate_link(const char *text, topo_stated_t *link, const char **at)
{
  size_t n = strcspn(text, ",");
  piece_t rate = {text, n};
  *link = (topo_stated_t){.cables = 1, .latency_s = -1};
  *at = text;
  if (!read_ratio(rate, &link->ratio)) {
    link->ratio = 0;
    if (!read_cables(&rate, &link->cables)) return "a number of cables from 1 to 1000000";
    *at = rate.at;
    if (!read_rate(rate, &link->rate) || link->cables * link->rate > TOPO_MAX_AMOUNT)
      return "a rate, such as 100Gbit/s, 2x12.5GB/s, 25GbE or HDR, or a ratio, such as 2:1";
  }
  if (!text[n]) return NULL;
  *at = text + n + 1;
  return topo_rate_time(*at, &link->latency_s) ? NULL : "a latency, such as 1.5us";
}

/* Slower networks than this are taken for TCP over Ethernet. */
#define FAST_RATE (40e9 * BIT)

static double latency_of(const topo_stated_t *s)
{
  if (s->latency_s >= 0) return s->latency_s;
  return s->rate < FAST_RATE ? topo_default_figures.link[LINK_NETWORK].latency_s
                             : TOPO_FABRIC_LATENCY_S;
}

void topo_rate_figure(const topo_stated_t *s, topo_figure_t *link)
{
  *link = (topo_figure_t){latency_of(s), s->rate, s->cables * s->rate, .stated = true};
}
