/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands with several outputs: all of them appear, or none does. Files are written under other
 * names and get their own when everything else went well, what is printed included. What says that
 * they are written is printed after together_name. If standard output doesn't take that, they lose
 * their names again. */
#ifndef BERTH_CLI_OPTIONS_TOGETHER_H
#define BERTH_CLI_OPTIONS_TOGETHER_H

#include <berth/error.h>

/* Files that are written from here on wait. */
void together_begin(void);

/* Names them, before something is printed that says so, if rc is BERTH_OK and standard output took
 * what was printed until now. Returns rc, or a failure of its own. */
int together_name(int rc, berth_error_t *err);

/* Names them if rc is BERTH_OK and standard output took what was printed; else none is there, and
 * those that were there are as they were. Returns rc, or a failure of its own. */
int together_end(int rc, berth_error_t *err);

#endif
