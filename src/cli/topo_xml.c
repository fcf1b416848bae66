/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads hwloc XML in a process of its own: hwloc 2.9 crashes on damaged files. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "cli/print/topo_view.h"

/* What the part sends: the error, then the description up to the end of the connection. */
static void describe(int to, void *path)
{
  berth_error_t err = {0};
  int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (quiet >= 0) dup2(quiet, STDERR_FILENO); /* what hwloc and XML parsers say */
  char *text = berth_host_describe_xml(path, &err);
  FILE *out = fdopen(to, "wb");
  if (out && fwrite(&err, sizeof err, 1, out) == 1 && text) fputs(text, out);
  if (!out || fclose(out)) _exit(1);
}

static char *receive(int from, berth_error_t *answer)
{
  char *text = NULL;
  size_t cap = 0;
  FILE *in = fdopen(dup(from), "rb");
  if (!in) return NULL;
  bool whole = fread(answer, sizeof *answer, 1, in) == 1;
  if (!whole || getdelim(&text, &cap, '\0', in) < 0) {
    free(text);
    text = NULL;
  }
  fclose(in);
  return text;
}

char *topo_describe_xml(const char *path, berth_error_t *err)
{
  process_t p;
  if (process_start_part(&p, describe, (void *)(uintptr_t)path, err)) return NULL;
  berth_error_t answer = {0};
  char *text = receive(p.to, &answer);
  process_end_t end = process_wait(&p);
  bool good = end.code == 0 && !end.signal;
  if (text && good) return text;
  free(text);
  if (good && answer.code != 0)
    *err = answer;
  else
    berth_fail(err, BERTH_BAD_INPUT, "%s: hwloc fails on it, expected hwloc XML", path);
  return NULL;
}
