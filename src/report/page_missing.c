/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for page.c in builds without D3, which draws the page. Pictures need none. */
#include "report/report_internal.h"

int berth_report_page(const berth_report_t *r, const char *path, berth_error_t *err)
{
  (void)r;
  return berth_fail(err, BERTH_MISSING, "%s: this berth was built without D3 (BERTH_WITH_D3)",
                    path);
}
