/* SPDX-License-Identifier: BSD-3-Clause */
/* The readers of machines in other tools' formats: any bytes make a topology, or a network of
 * switches, or fail with one line. The first byte chooses the format. */
#include <berth/exchange.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static const char *const formats[] = {"levels", "tleaf", "simgrid"};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static void check(int holds)
{
  if (!holds) abort();
}

static void check_error(const berth_error_t *err)
{
  check(err->code != BERTH_OK && *err->text && !strchr(err->text, '\n'));
}

/* All hosts hang together, with one PU each. */
static void check_network(const char *path)
{
  berth_error_t err = {0};
  size_t n;
  berth_network_t *net = berth_network_load_fabric(path, &err);
  if (!net) {
    check_error(&err);
    return;
  }
  const char *const *names = berth_network_hosts(net, &n);
  berth_topo_t *model = berth_topo_from_description("model", "host(0:0)", NULL);
  berth_host_like_t *hosts = calloc(n + 1, sizeof *hosts);
  check(model && hosts && n > 0);
  for (size_t i = 0; i < n; i++) hosts[i] = (berth_host_like_t){names[i], model, 0};
  berth_topo_t *t = berth_topo_join("joined", n, hosts, net, &err);
  if (!t) check_error(&err);
  check(!t || berth_topo_n_hosts(t) == (int)n);
  berth_topo_free(t);
  berth_topo_free(model);
  berth_network_free(net);
  free(hosts);
}

/* What is read can be written in every format, or is refused with one line. */
static void check_topology(const char *path, const char *format)
{
  berth_error_t err = {0};
  berth_topo_t *t = berth_topo_import(path, berth_topo_format_find(format), NULL, &err);
  if (!t) check_error(&err);
  for (int i = 0; t && i < N_FORMATS && berth_topo_n_pus(t) < 4096; i++) {
    err = (berth_error_t){0};
    if (berth_topo_format_find(formats[i])->write(t, "/dev/null", &err)) check_error(&err);
  }
  berth_topo_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  if (n < 1) return 0;
  char path[64];
  int fd = memfd_create("f", 0);
  check(fd >= 0 && write(fd, data + 1, n - 1) == (ssize_t)n - 1);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (data[0] % (N_FORMATS + 1) == N_FORMATS)
    check_network(path);
  else
    check_topology(path, formats[data[0] % (N_FORMATS + 1)]);
  close(fd);
  return 0;
}
