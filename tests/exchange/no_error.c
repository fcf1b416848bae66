/* SPDX-License-Identifier: BSD-3-Clause */
/* Who doesn't want to know why something failed gives NULL for the error, and it fails all the
 * same: everything that reads or writes files. */
#include <berth/check.h>
#include <berth/exchange.h>
#include <berth/map.h>
#include <berth/report.h>

#include "harness.h"

#define NOWHERE "/nonexistent/file"

/* What a reader may be given, each wrong for all or most of them. */
static const char *const texts[] = {
    "",
    "nonsense",
    "{",
    "{}",
    "{\"format\":\"berth-topology\",\"version\":1}",
    "<?xml version=\"1.0\"?><platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"></platform>",
    "<?xml version=\"1.0\"?><platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
    "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>"
    "<link id=\"l\" bandwidth=\"x\" latency=\"1us\"/></zone></platform>",
    "<?xml version=\"1.0\"?><platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
    "<host id=\"a\" speed=\"1Gf\"/><host id=\"a\" speed=\"1Gf\"/></zone></platform>",
    "tleaf 2 4 1",
    "8:8:8",
    "SwitchName=a Nodes=",
    "Switch 4 \"S-1\"\n[1] \"H-1\"[1]",
    "src,dst,bytes\n0,x,1\n",
    "1 2\n3\n",
};

typedef int reads_t(const char *path);

static const berth_exchange_t *exchange;
static const berth_topo_format_t *topo_format;

static int imports(const char *path)
{
  berth_import_t in = {.n_paths = 1, .paths = &path, .format = exchange};
  berth_pattern_t *p = berth_import(&in, NULL);
  berth_pattern_free(p);
  return p != NULL;
}

static int imports_topology(const char *path)
{
  berth_topo_t *t = topo_format->read ? topo_format->read(path, "t", NULL) : NULL;
  berth_topo_free(t);
  return t != NULL;
}

static int loads_topology(const char *path)
{
  berth_topo_t *t = berth_topo_load(path, NULL);
  berth_topo_free(t);
  return t != NULL;
}

static int loads_pattern(const char *path)
{
  berth_pattern_t *p = berth_pattern_load(path, BERTH_PATTERN_STRICT, NULL);
  berth_pattern_free(p);
  return p != NULL;
}

static int loads_mapping(const char *path)
{
  berth_mapping_t m;
  int rc = berth_mapping_load(path, -1, NULL, 0, &m, NULL);
  if (!rc) berth_mapping_clear(&m);
  return !rc;
}

static int loads_slurm(const char *path)
{
  berth_network_t *n = berth_network_load_slurm(path, NULL);
  berth_network_free(n);
  return n != NULL;
}

static int loads_fabric(const char *path)
{
  berth_network_t *n = berth_network_load_fabric(path, NULL);
  berth_network_free(n);
  return n != NULL;
}

static int is_of_a_format(const char *path) { return berth_exchange_of(path, NULL) != NULL; }

static void give_all(const char *name, reads_t *reads)
{
  if (reads(NOWHERE)) FAIL_ROW(name, "took a file that isn't there");
  for (size_t i = 0; i < COUNT(texts); i++) {
    const char *path = scratch_file("text", texts[i], strlen(texts[i]));
    reads(path); /* some are right for some */
    unlink(path);
  }
}

static void readers_fail(void **state)
{
  (void)state;
  size_t n;
  const berth_exchange_t *exchanges = berth_exchanges(&n);
  for (size_t i = 0; i < n; i++) {
    exchange = &exchanges[i];
    give_all(exchange->name, imports);
  }
  exchange = NULL;
  give_all("any exchange", imports);
  const berth_topo_format_t *formats = berth_topo_formats(&n);
  for (size_t i = 0; i < n; i++) {
    topo_format = &formats[i];
    give_all(topo_format->name, imports_topology);
  }
  give_all("topology", loads_topology);
  give_all("pattern", loads_pattern);
  give_all("mapping", loads_mapping);
  give_all("topology.conf", loads_slurm);
  give_all("fabric", loads_fabric);
  give_all("recognised", is_of_a_format);
}

static void writers_fail(void **state)
{
  (void)state;
  static int pus[] = {0, 1};
  size_t n;
  berth_topo_t *t = berth_topo_from_description("t", "host(0:0,1:1)", NULL);
  berth_pattern_t *p = berth_pattern_new(2, NULL);
  assert_non_null(t);
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  berth_mapping_t m = {2, pus, (char *)"linear", (char *)"", (char *)"", -1};
  const berth_exchange_t *exchanges = berth_exchanges(&n);
  for (size_t i = 0; i < n; i++) {
    const berth_exchange_t *e = &exchanges[i];
    if (e->write && !e->write(p, NOWHERE, NULL)) FAIL_ROW(e->name, "was written");
    if (e->write_graph && !e->write_graph(p, 1, NOWHERE, NULL)) FAIL_ROW(e->name, "was written");
  }
  const berth_topo_format_t *formats = berth_topo_formats(&n);
  for (size_t i = 0; i < n; i++)
    if (formats[i].write && !formats[i].write(t, NOWHERE, NULL))
      FAIL_ROW(formats[i].name, "was written");
  const berth_writer_t *writers = berth_writers(&n);
  for (size_t i = 0; i < n; i++)
    if (!writers[i].write(&m, t, NOWHERE, NULL)) FAIL_ROW(writers[i].name, "was written");
  assert_int_not_equal(berth_topo_save(t, NOWHERE, NULL), BERTH_OK);
  assert_int_not_equal(berth_pattern_save(p, NOWHERE, NULL), BERTH_OK);
  berth_pattern_free(p);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readers_fail),
      cmocka_unit_test(writers_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
