/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors: a class of MPI's, with a text that says what was found and expected. */
#ifndef BERTH_RMA_RMA_ERROR_H
#define BERTH_RMA_RMA_ERROR_H

#include "interpose/mpi_table.h"

/* The function that a thread is in, for the text: set by wrappers. */
extern __thread const char *error_function __attribute__((tls_model("initial-exec")));

/* A code of the class with the text, until the next error of the class. */
int error_code(int error_class, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text of a code that this thread got last; NULL: it is another one. */
const char *error_text(int code);
/* Calls the window's error handler with a code. Returns the code. */
int error_raise(MPI_Win win, int code);

#endif
