/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of links. */
#ifndef BERTH_CALIB_NETWORK_CALIB_KINDS_H
#define BERTH_CALIB_NETWORK_CALIB_KINDS_H

#include "calib/calib_internal.h"

void kinds_find(berth_calib_t *c);
void kinds_look(berth_calib_t *c); /* first look at each kind between hosts */
void kinds_add_lines(berth_calib_t *c);
int kind_of_link(const berth_calib_t *c, int element);

#endif
