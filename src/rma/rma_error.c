/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/rma_error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "job/say.h"
#include "rma/rma.h"

enum { CLASSES = 128 };

__thread const char *error_function;

/* The last error of this thread, for whoever asks for its text. */
static __thread struct last_error {
  int code;
  char text[MPI_MAX_ERROR_STRING];
} last __attribute__((tls_model("initial-exec")));

/* A code of a class for berth's texts. MPICH 4.0 mixes up the texts of codes that are added to its
 * own classes, so there it is the class; berth says the text itself, or gives it to who asks. */
static int code_of(int error_class, const char *text)
{
#ifdef OPEN_MPI
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static int codes[CLASSES]; /* 0: none yet */
  int code = error_class;
  pthread_mutex_lock(&lock);
  if (error_class >= 0 && error_class < CLASSES) {
    if (codes[error_class] == 0 &&
        mpi.Add_error_code(error_class, &codes[error_class]) != MPI_SUCCESS)
      codes[error_class] = 0;
    if (codes[error_class] != 0 && mpi.Add_error_string(codes[error_class], text) == MPI_SUCCESS)
      code = codes[error_class];
  }
  pthread_mutex_unlock(&lock);
  return code;
#else
  (void)text;
  return error_class;
#endif
}

int error_code(int error_class, const char *format, ...)
{
  char reason[MPI_MAX_ERROR_STRING - 64];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  snprintf(last.text, sizeof last.text, "%.40s: %s", error_function ? error_function : "berth-rma",
           reason);
  chain_own_begin();
  last.code = code_of(error_class, last.text);
  chain_own_end();
  return last.code;
}

const char *error_text(int code)
{
  return code != MPI_SUCCESS && code == last.code ? last.text : NULL;
}

#ifndef OPEN_MPI
/* Whether the program's handler gets the code, and can ask for the text. */
static bool is_handled(MPI_Win win)
{
  MPI_Errhandler handler;
  if (mpi.Win_get_errhandler(win, &handler) != MPI_SUCCESS) return false;
  bool handled = handler != mpi.errors_are_fatal;
  mpi.Errhandler_free(&handler);
  return handled;
}
#endif

int error_raise(MPI_Win win, int code)
{
#ifndef OPEN_MPI
  if (!is_handled(win) && error_text(code)) say_line("rank %d: %s", rma_job.rank, last.text);
#endif
  mpi.Win_call_errhandler(win, code);
  return code;
}
