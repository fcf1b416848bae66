/* SPDX-License-Identifier: BSD-3-Clause */
/* The list that window_find looks in. */
#ifndef BERTH_RMA_WINDOW_LIST_H
#define BERTH_RMA_WINDOW_LIST_H

#include "rma/rma_window.h"

/* Gives a window its number. Messages for it are found from now on. False: there are too many. */
bool window_list_number(rma_window_t *w);
/* Its handle is known from now on. False: memory is out. */
bool window_list_add(rma_window_t *w);
void window_list_remove(rma_window_t *w);

#endif
