/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of hosts' descriptions: each line of the input comes once as it is, and once as a record
 * with a good checksum, which a fuzzer wouldn't find. */
#include <berth/probe.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void check(int holds)
{
  if (!holds) abort();
}

/* FNV-1a, 32 bits. */
static unsigned checksum(const char *s)
{
  unsigned h = 0x811c9dc5u;
  while (*s) h = (h ^ (unsigned char)*s++) * 0x01000193u;
  return h;
}

static void take_line(berth_probe_t *p, const char *line, size_t n)
{
  size_t room = n + 64;
  char *text = malloc(room);
  if (!text) return;
  snprintf(text, room, "%.*s\n", (int)n, line);
  berth_probe_take(p, text);
  snprintf(text, room, "berth-probe-2 secret %.*s", (int)n, line);
  size_t used = strlen(text);
  snprintf(text + used, room - used, " %08x\n", checksum(text));
  check(berth_probe_take(p, text) == 1);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
  const berth_probed_host_t *hosts;
  size_t n_hosts;
  berth_error_t err = {0};
  berth_probe_t *p = berth_probe_new("secret", &err);
  if (!p) return 0;
  const char *line = (const char *)data, *end = line + n;
  for (const char *next; line < end; line = next) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    take_line(p, line, (size_t)((newline ? newline : end) - line));
    next = newline ? newline + 1 : end;
  }
  int rc = berth_probe_hosts(p, &hosts, &n_hosts, &err);
  check(rc == BERTH_OK || (*err.text && !strchr(err.text, '\n')));
  for (size_t i = 0; i < n_hosts && !rc; i++)
    check(*hosts[i].name && *hosts[i].description &&
          (!i || strcmp(hosts[i - 1].name, hosts[i].name)));
  berth_probe_free(p);
  return 0;
}
