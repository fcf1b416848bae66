/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program asks of a window, and memory of dynamic ones. Functions return MPI codes, whose
 * error handler has been called. */
#ifndef BERTH_RMA_WINDOW_INFO_H
#define BERTH_RMA_WINDOW_INFO_H

#include "rma/rma_window.h"

/* MPI_Win_free. */
int window_end(rma_window_t *w, MPI_Win *handle);
int window_group(const rma_window_t *w, MPI_Group *group);
int window_attribute(rma_window_t *w, int key, void *value, int *flag);
/* The value of a predefined attribute; false: it isn't one of a window. */
bool window_number_attribute(const rma_window_t *w, int key, MPI_Aint *value);
int window_query(const rma_window_t *w, int rank, MPI_Aint *size, int64_t *unit, void *base);
int window_attach(rma_window_t *w, void *base, MPI_Aint size);
int window_detach(rma_window_t *w, const void *base);

#endif
