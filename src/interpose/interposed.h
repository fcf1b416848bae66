/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of MPI that others define, so that their calls don't reach berth's libraries. */
#ifndef BERTH_INTERPOSE_INTERPOSED_H
#define BERTH_INTERPOSE_INTERPOSED_H

typedef void interposed_say_t(const char *format, ...);
/* Prints a line about them, if there are any. */
void interposed_report(interposed_say_t *say);

#endif
