/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of MPI that others define: those don't come to berth's libraries. */
#ifndef BERTH_INTERPOSE_INTERPOSED_H
#define BERTH_INTERPOSE_INTERPOSED_H

typedef void interposed_say_t(const char *format, ...);
/* Says a line about those that the program or a library before berth's has, if there are any. */
void interposed_report(interposed_say_t *say);

#endif
