/* SPDX-License-Identifier: BSD-3-Clause */
/* Wishes of pins: what berth_pins_read makes of them; tests/cli/map_options.sh has files. */
#include <berth/mapping.h>

#include "harness.h"

enum { RANKS = 4 };

typedef struct row {
  const char *name;
  const char *wish[3];
  int pinned[RANKS];
  const char *error; /* NULL: none */
} row_t;

/* Of a host with two cores of two hardware threads, whose PUs are 0 to 3. */
static const row_t rows[] = {
    {"by PU", {"2=1"}, {-1, -1, 1, -1}, NULL},
    {"by core", {"0=h:1"}, {2, -1, -1, -1}, NULL},
    {"a core's threads in turn", {"0=h:0", "1=h:0", "2=h:0"}, {0, 1, 0, -1}, NULL},
    {"a thread that a PU was given", {"3=0", "0=h:0"}, {1, -1, -1, 0}, NULL},
    {"a rank too many",
     {"4=0"},
     {0},
     "wishes: found rank '4', expected one from 0 to 3, the ranks "
     "of the pattern"},
    {"twice", {"0=0", "0=1"}, {0}, "wishes: found rank 0 twice, expected it once"},
    {"no PU",
     {"0=4"},
     {0},
     "wishes: found PU '4', expected HOST:CORE or one from 0 to 3 of topology "
     "'h'"},
    {"no host", {"0=g:0"}, {0}, "wishes: found host 'g', expected one of topology 'h'"},
    {"no core", {"0=h:2"}, {0}, "wishes: found core '2', expected one of host h"},
    {"no wish",
     {""},
     {0},
     "wishes: found '', expected RANK=HOST:CORE, RANK=PU or the name of a "
     "file"},
};

static void wishes_are_pus_or_errors_under_their_name(void **state)
{
  (void)state;
  berth_error_t err = {0};
  berth_topo_t *t = berth_topo_from_description("h", "host(core(0:0,2:0)*2+1+1)", &err);
  if (!t) fail_msg("%s", err.text);
  for (size_t i = 0; i < COUNT(rows); i++) {
    const row_t *row = &rows[i];
    size_t n = 0;
    int *pinned;
    while (n < COUNT(row->wish) && row->wish[n]) n++;
    int rc = berth_pins_read("wishes", row->wish, n, t, RANKS, &pinned, &err);
    if (row->error && (rc != BERTH_USAGE || pinned || strcmp(err.text, row->error) != 0))
      FAIL_ROW(row->name, "found %d: %s", rc, err.text);
    if (!row->error && (rc || memcmp(pinned, row->pinned, sizeof row->pinned) != 0))
      FAIL_ROW(row->name, "found %d: %s", rc, rc ? err.text : "other PUs");
    free(pinned);
  }
  int *pinned;
  assert_int_equal(berth_pins_read("wishes", NULL, 0, t, RANKS, &pinned, &err), BERTH_OK);
  assert_null(pinned);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(wishes_are_pus_or_errors_under_their_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
