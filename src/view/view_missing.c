/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for view.c in builds without ncurses. */
#include "view/view.h"

int view_run(const char *title, const view_screen_t *screens, size_t n, berth_error_t *err)
{
  (void)title, (void)screens, (void)n;
  return berth_fail(err, BERTH_MISSING,
                    "this berth was built without ncurses (BERTH_WITH_NCURSES)");
}
