/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/rma_error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

enum { CLASSES = 128 };

__thread const char *error_function;

int error_code(int error_class, const char *format, ...)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static int codes[CLASSES]; /* 0: none yet */
  char text[MPI_MAX_ERROR_STRING], reason[MPI_MAX_ERROR_STRING - 64];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  snprintf(text, sizeof text, "%.40s: %s", error_function ? error_function : "berth-rma", reason);
  int code = error_class;
  chain_own_begin();
  pthread_mutex_lock(&lock);
  if (error_class >= 0 && error_class < CLASSES) {
    if (codes[error_class] == 0 &&
        mpi.Add_error_code(error_class, &codes[error_class]) != MPI_SUCCESS)
      codes[error_class] = 0;
    if (codes[error_class] != 0 && mpi.Add_error_string(codes[error_class], text) == MPI_SUCCESS)
      code = codes[error_class];
  }
  pthread_mutex_unlock(&lock);
  chain_own_end();
  return code;
}

int error_raise(MPI_Win win, int code)
{
  mpi.Win_call_errhandler(win, code);
  return code;
}
