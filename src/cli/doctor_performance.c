/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/doctor_performance.h"

#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "calib/node/node_faults.h"
#include "cli/cli.h"
#include "cli/print/screen.h"

static const char *const verdicts[] = {
    [NODE_FINE] = "ok", [NODE_SLOW] = "slow", [NODE_UNKNOWN] = "unknown"};

static size_t count_slow(const node_finding_t *f, size_t n)
{
  size_t slow = 0;
  for (size_t i = 0; i < n; i++) slow += f[i].verdict == NODE_SLOW;
  return slow;
}

static int print_json(const node_finding_t *f, size_t n, berth_error_t *err)
{
  json_out_t j;
  if (json_begin(&j, "-", "berth-doctor-performance", err)) return BERTH_MISSING;
  json_put_u64(&j, "slow", count_slow(f, n));
  json_open(&j, "findings", '[', JSON_LINES);
  for (size_t i = 0; i < n; i++) {
    json_open(&j, NULL, '{', JSON_ONE_LINE);
    json_put_string(&j, "state", verdicts[f[i].verdict]);
    json_put_string(&j, "what", f[i].what);
    json_put_string(&j, "text", f[i].text);
    json_close(&j);
  }
  json_close(&j);
  json_close(&j);
  return out_commit(j.out, err);
}

static void print_text(const node_finding_t *f, size_t n)
{
  static const screen_style_t styles[] = {
      [NODE_FINE] = SCREEN_GOOD, [NODE_SLOW] = SCREEN_BAD, [NODE_UNKNOWN] = SCREEN_DOUBTFUL};
  for (size_t i = 0; i < n; i++) {
    const char *verdict = verdicts[f[i].verdict];
    screen_print(stdout, styles[f[i].verdict], verdict);
    printf("%*s %-24s %s\n", 8 - (int)strlen(verdict), "", f[i].what, f[i].text);
  }
  size_t slow = count_slow(f, n);
  if (slow == 0) puts("nothing found that holds this node back");
  if (slow > 0)
    printf("%zu thing%s hold%s this node back\n", slow, slow == 1 ? "" : "s", slow == 1 ? "s" : "");
}

int doctor_performance(const char *program, bool json)
{
  node_finding_t found[NODE_FINDINGS];
  berth_error_t err = {0};
  size_t n = node_faults_find(found);
  if (!json) print_text(found, n);
  if (json && print_json(found, n, &err)) return cli_report(program, &err);
  return count_slow(found, n) ? BERTH_CHECK_FAILED : BERTH_OK;
}
