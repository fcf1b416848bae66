/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates as data sheets state them. */
#include "topo/topo_rate.h"

#include <math.h>

#include "harness.h"

static void rates_are_bytes_per_second(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double cables, rate, latency_s;
  } cases[] = {
      {"100Gbit/s", 1, 12.5e9, -1},
      {"100Gb/s", 1, 12.5e9, -1},
      {"100gbit/s", 1, 12.5e9, -1},
      {"100GBIT/S", 1, 12.5e9, -1},
      {"100gb/S", 1, 12.5e9, -1},
      {"100gB/s", 1, 100e9, -1},
      {"100gbps", 1, 12.5e9, -1},
      {"1kib/s", 1, 128, -1},
      {"1kiB/s", 1, 1024, -1},
      {"25gbe,2US", 1, 3.125e9, 2e-6},
      {"HDR200", 1, 25e9, -1},
      {"100Gbps", 1, 12.5e9, -1},
      {"2.5GbE", 1, 312.5e6, -1},
      {"800Mbit/s", 1, 100e6, -1},
      {"64kbit/s", 1, 8e3, -1},
      {"12.5GB/s", 1, 12.5e9, -1},
      {"1GiB/s", 1, 1073741824, -1},
      {"8bit/s", 1, 1, -1},
      {"2x100Gbit/s", 2, 12.5e9, -1},
      {"18xHDR", 18, 25e9, -1},
      {"hdr100", 1, 12.5e9, -1},
      {"FDR", 1, 6.8175e9, -1},
      {"8xDDR4-3200", 8, 25.6e9, -1},
      {"ddr5-4800", 1, 38.4e9, -1},
      {"DDR", 1, 2e9, -1},
      {"100Gbit/s,1.5us", 1, 12.5e9, 1.5e-6},
      {"100Gbit/s,1.5\xc2\xb5s", 1, 12.5e9, 1.5e-6},
      {"2x10GbE,0.03ms", 2, 1.25e9, 30e-6},
      {"NDR,900ns", 1, 50e9, 900e-9},
      {"NDR,0s", 1, 50e9, 0},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    topo_stated_t s;
    const char *at, *expected = topo_rate_link(cases[i].text, &s, &at);
    if (expected) FAIL_ROW(cases[i].text, "expected %s at %s", expected, at);
    if (s.cables != cases[i].cables || fabs(s.rate - cases[i].rate) > 1e-6 * s.rate ||
        fabs(s.latency_s - cases[i].latency_s) > 1e-12 || s.ratio != 0)
      FAIL_ROW(cases[i].text, "found %g x %g B/s, %g s", s.cables, s.rate, s.latency_s);
  }
}

static void ratios_are_what_is_below_to_the_link(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double ratio, latency_s;
  } cases[] = {{"2:1", 2, -1}, {"22:18", 22.0 / 18, -1}, {"1:2", 0.5, -1}, {"5:1,2us", 5, 2e-6}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    topo_stated_t s;
    const char *at;
    if (topo_rate_link(cases[i].text, &s, &at) || s.rate != 0 || s.ratio != cases[i].ratio ||
        fabs(s.latency_s - cases[i].latency_s) > 1e-12)
      FAIL_ROW(cases[i].text, "found %g:1, %g s", s.ratio, s.latency_s);
  }
}

static void anything_else_is_refused_where_it_is_wrong(void **state)
{
  (void)state;
  static const struct {
    const char *text, *at, *expected;
  } cases[] = {
      {"", "", "a rate"},
      {"100", "100", "a rate"},
      {"100G", "100G", "a rate"},
      {"100Gb", "100Gb", "a rate"},
      {"100GBps", "100GBps", "a rate"},
      {"100 Gbit/s", "100 Gbit/s", "a rate"},
      {"-1Gbit/s", "-1Gbit/s", "a rate"},
      {".5Gbit/s", ".5Gbit/s", "a rate"},
      {"1.2.3Gbit/s", "1.2.3Gbit/s", "a rate"},
      {"1e9bit/s", "1e9bit/s", "a rate"},
      {"0Gbit/s", "0Gbit/s", "a rate"},
      {"4bit/s", "4bit/s", "a rate"},
      {"infbit/s", "infbit/s", "a rate"},
      {"9999999999999GB/s", "9999999999999GB/s", "a rate"},
      {"1000000x9999999TB/s", "9999999TB/s", "a rate"},
      {"kGbE", "kGbE", "a rate"},
      {"1kGbE", "1kGbE", "a rate"},
      {"DDR4-", "DDR4-", "a rate"},
      {"DDR9-3200", "DDR9-3200", "a rate"},
      {"0xHDR", "0xHDR", "a number of cables"},
      {"1.5xHDR", "1.5xHDR", "a number of cables"},
      {"2000000xHDR", "2000000xHDR", "a number of cables"},
      {"2x", "", "a rate"},
      {"2x2xHDR", "2xHDR", "a rate"},
      {"0:1", "0:1", "a rate"},
      {"1:0", "1:0", "a rate"},
      {"1:", "1:", "a rate"},
      {"1:2:3", "1:2:3", "a rate"},
      {"HDR,", "", "a latency"},
      {"HDR,5", "5", "a latency"},
      {"HDR,5m", "5m", "a latency"},
      {"HDR,1us,2us", "1us,2us", "a latency"},
      {"HDR,2000s", "2000s", "a latency"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    topo_stated_t s;
    const char *at, *expected = topo_rate_link(cases[i].text, &s, &at);
    if (!expected || strncmp(expected, cases[i].expected, strlen(cases[i].expected)) != 0 ||
        strcmp(at, cases[i].at) != 0)
      FAIL_ROW(cases[i].text, "found expected \"%s\" at \"%s\"", expected ? expected : "nothing",
               expected ? at : "");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_are_bytes_per_second),
      cmocka_unit_test(ratios_are_what_is_below_to_the_link),
      cmocka_unit_test(anything_else_is_refused_where_it_is_wrong),
  };
  return cmocka_run_group_tests_name("rates", tests, NULL, NULL);
}
