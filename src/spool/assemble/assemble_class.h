/* SPDX-License-Identifier: BSD-3-Clause */
/* Automatic phases: classes of segments of one rank. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_CLASS_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_CLASS_H

#include "spool/assemble/assemble_load.h"

/* Takes what belongs to classes away from phase 0. */
void class_take_away(rank_load_t *load);

#endif
