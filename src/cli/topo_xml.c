/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads hwloc XML in a process of its own: hwloc 2.9 crashes on damaged files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/print/topo_view.h"

/* What the child sends: the error, then the description up to the end of the pipe. */
static void describe_and_exit(const char *path, int to)
{
  berth_error_t err = {0};
  int quiet = open("/dev/null", O_WRONLY);
  if (quiet >= 0) dup2(quiet, 2); /* what hwloc and XML parsers say */
  char *text = berth_host_describe_xml(path, &err);
  FILE *out = fdopen(to, "wb");
  if (out && fwrite(&err, sizeof err, 1, out) == 1 && text) fputs(text, out);
  _exit(out && fclose(out) == 0 ? 0 : 1);
}

static char *receive(int from, berth_error_t *answer)
{
  char *text = NULL;
  size_t cap = 0;
  FILE *in = fdopen(from, "rb");
  if (!in) {
    close(from);
    return NULL;
  }
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
  int fd[2], status = 0;
  pid_t pid = pipe(fd) ? -1 : fork();
  if (pid < 0) {
    berth_fail(err, BERTH_MISSING, "cannot start a process: %s", strerror(errno));
    return NULL;
  }
  if (pid == 0) {
    close(fd[0]);
    describe_and_exit(path, fd[1]);
  }
  close(fd[1]);
  berth_error_t answer = {0};
  char *text = receive(fd[0], &answer);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (text && status == 0) return text;
  free(text);
  if (status == 0 && answer.code != 0)
    *err = answer;
  else
    berth_fail(err, BERTH_BAD_INPUT, "%s: hwloc fails on it, expected hwloc XML", path);
  return NULL;
}
