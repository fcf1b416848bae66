/* SPDX-License-Identifier: BSD-3-Clause */
/* Places that all ranks use at a time: counters, compare-and-swap loops, and exclusive locks. */
#include "random.h"

void try_counter(window_t *w) { try_passive(w, true); }
void try_swap(window_t *w) { try_passive(w, true); }
void try_mutex(window_t *w) { try_passive(w, false); }
