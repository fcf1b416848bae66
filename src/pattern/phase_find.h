/* SPDX-License-Identifier: BSD-3-Clause */
/* The phase that a user asks for; how results say that a pattern comes from a truncated file. */
#ifndef BERTH_PATTERN_PHASE_FIND_H
#define BERTH_PATTERN_PHASE_FIND_H

#include <berth/pattern.h>

#include "base/json_out.h"

/* The phase, or the communicator, of that number. NULL if there is none. */
const berth_phase_t *pattern_phase(const berth_pattern_t *p, int id);
const berth_comm_t *pattern_comm(const berth_pattern_t *p, int id);

/* The end of the phases from `first` on, of n, that are rounds of one collective call, or of one
 * stage of it. A phase of the program's own is alone. */
size_t pattern_call_end(const berth_phase_t *phase, size_t first, size_t n);
size_t pattern_stage_end(const berth_phase_t *phase, size_t first, size_t n);
/* The length of the part of a round's name that all rounds of its call, or of its stage, have. Of
 * other phases it is that of the name. */
int pattern_call_name(const berth_phase_t *phase);
int pattern_stage_name(const berth_phase_t *phase);

/* berth_pattern_of_phase for the phases from `first` to before `end`. */
const berth_pattern_t *pattern_of_phases(const berth_pattern_t *p, size_t first, size_t end,
                                         berth_error_t *err);

/* The number of messages of all phases. */
size_t pattern_n_messages(const berth_pattern_t *p);

/* Returns the index (in berth_pattern_phases) of the phase with that number, else with that name.
 * The number or name is the first n bytes of `asked`. Fails with `code`; the error begins with
 * `option` and lists the phases as far as they fit. */
int pattern_find_phase(const berth_pattern_t *p, const char *asked, size_t n, const char *option,
                       int code, size_t *place, berth_error_t *err);

/* One line for people: how much of the file was read, and why reading stopped. The caller frees it.
 * NULL if the pattern is whole or memory is out. */
char *pattern_cut_text(const berth_pattern_t *p);

/* Writes the member "pattern_cut_off" into the open object, unless the pattern is whole. */
void pattern_put_cut(json_out_t *j, const berth_pattern_t *p);

#endif
