/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/together.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#include "base/out_file.h"

void together_begin(void) { out_hold(); }

/* Said here, and by nobody again at the program's end. */
static int flush_stdout(berth_error_t *err)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return BERTH_OK;
  int error = errno;
  __fpurge(stdout);
  clearerr(stdout);
  return berth_fail(err, BERTH_MISSING, "standard output: cannot write: %s", strerror(error));
}

int together_name(int rc, berth_error_t *err)
{
  if (!rc) rc = flush_stdout(err);
  return rc ? rc : out_name(err);
}

int together_end(int rc, berth_error_t *err)
{
  berth_error_t why = {0};
  if (rc) __fpurge(stdout); /* what hasn't been written yet isn't */
  if (!rc) rc = flush_stdout(err);
  int named = out_release(!rc, &why);
  return rc || !named ? rc : berth_fail(err, named, "%s", why.text);
}
