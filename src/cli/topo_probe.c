/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts `berth topo probe` in the place of a job's programs and reads the hosts' answers. */
#include <berth/probe.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/process.h"
#include "base/secret.h"
#include "cli/print/topo_view.h"
#include "launch/launch.h"

/* berth's own command that every process of the job becomes. */
enum { PROBE_WORDS = 4 };
typedef char *probe_words_t[PROBE_WORDS];

/* The words of a parsed command with the probe as the program of each of its contexts. NULL when
 * memory is out. */
static char **with_probe(const launch_t *launch, char *const *words, const probe_words_t probe)
{
  static char colon[] = ":";
  char **command =
      calloc(launch->argc + (PROBE_WORDS + 1) * launch->n_contexts + 1, sizeof *command);
  char **out = command;
  if (!command) return NULL;
  for (size_t i = 0; i <= launch->launcher; i++) *out++ = words[i];
  for (size_t c = 0; c < launch->n_contexts; c++) {
    const launch_context_t *context = &launch->contexts[c];
    if (c > 0) *out++ = colon;
    for (size_t i = context->begin; i < context->program; i++) *out++ = words[i];
    for (size_t i = 0; i < PROBE_WORDS; i++) *out++ = probe[i];
  }
  return command;
}

/* The probe takes the place of a program that the user gave, or of the one that is missing. */
static int build_command(char *const *words, const probe_words_t probe, char ***command,
                         berth_error_t *err)
{
  size_t n = 0;
  while (words[n]) n++;
  const char **given = calloc(n + PROBE_WORDS, sizeof *given);
  if (!given) return no_memory(err);
  for (size_t i = 0; i < n; i++) given[i] = words[i];
  for (size_t i = 0; i < PROBE_WORDS; i++) given[n + i] = probe[i];
  launch_t launch;
  int rc = launch_parse(n + PROBE_WORDS, given, &launch, err);
  if (!rc) {
    if (launch.kind == LAUNCHER_NONE)
      rc = berth_fail(err, BERTH_USAGE, "found '%s' behind --, expected mpirun, mpiexec or srun",
                      words[0]);
    else if (!(*command = with_probe(&launch, words, probe)))
      rc = no_memory(err);
    launch_clear(&launch);
  }
  free(given);
  return rc;
}

/* Longer lines of the job are read in parts. */
enum { MAX_LINE = 65536 };

/* Reads what the launcher prints, to its end: it isn't to be stopped. Other lines are for the user.
 */
static int read_answers(berth_probe_t *probe, FILE *from, berth_error_t *err)
{
  char *line = malloc(MAX_LINE);
  if (!line) return no_memory(err);
  while (fgets(line, MAX_LINE, from))
    if (!berth_probe_take(probe, line)) fputs(line, stderr);
  free(line);
  return BERTH_OK;
}

static int ask(char **command, berth_probe_t *probe, berth_error_t *err)
{
  process_t p;
  int rc = process_start(&p, command, PROCESS_FROM, err);
  if (rc) return rc;
  FILE *from = fdopen(p.from, "r");
  rc = from ? read_answers(probe, from, err) : no_memory(err);
  if (from) fclose(from);
  if (from) p.from = -1;
  process_end_t end = process_wait(&p);
  if (rc || (end.code == 0 && !end.signal)) return rc;
  char text[64];
  return berth_fail(err, BERTH_MISSING, "%s %s", command[0],
                    process_end_text(end, text, sizeof text));
}

berth_probe_t *topo_probe_hosts(char *const *launcher, berth_error_t *err)
{
  char secret[SECRET_LENGTH + 1], topo[] = "topo", word[] = "probe", **command = NULL;
  char *self = process_self();
  if (!self) {
    berth_fail(err, BERTH_MISSING, "cannot find berth's own file: %s", strerror(errno));
    return NULL;
  }
  berth_probe_t *probe = secret_make(secret, err) ? NULL : berth_probe_new(secret, err);
  int rc = probe ? build_command(launcher, (probe_words_t){self, topo, word, secret}, &command, err)
                 : BERTH_MISSING;
  if (!rc) rc = ask(command, probe, err);
  free(command);
  free(self);
  if (!rc) return probe;
  berth_probe_free(probe);
  return NULL;
}
