/* SPDX-License-Identifier: BSD-3-Clause */
/* Segment classes of one rank, of which automatic phases are made. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_CLASS_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_CLASS_H

#include "spool/assemble/assemble_load.h"

/* Subtracts the messages and calls of classes from phase 0. */
void class_take_away(rank_load_t *load);

#endif
