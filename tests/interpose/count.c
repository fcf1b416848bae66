/* SPDX-License-Identifier: BSD-3-Clause */
/* A library as others will be made with src/interpose: counts the application's calls of every
 * function of MPI by name, in C and Fortran. $COUNT_FILE.RANK has "NAME COUNT" lines once the
 * application calls MPI_Finalize. */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "interpose/inside.h"
#include "interpose/mpi_table.h"

typedef struct counter {
  const char *name;
  _Atomic long n;
  struct counter *next;
} counter_t;

static _Atomic(counter_t *) counters;

static void write_counts(void)
{
  char path[4096];
  int rank;
  mpi.Comm_rank(mpi.comm_world, &rank);
  snprintf(path, sizeof path, "%s.%d", getenv(COUNT_FILE), rank);
  FILE *file = fopen(path, "w");
  for (const counter_t *c = counters; file && c; c = c->next)
    fprintf(file, "%s %ld\n", c->name, c->n);
  if (file) fclose(file);
}

/* Calls that a library makes for itself, and what MPI calls inside of them, no library counts. */
static void call_much(void)
{
  MPI_File file;
  chain_own_begin();
  mpi.Barrier(mpi.comm_world);
  if (mpi.File_open(mpi.comm_self, "/dev/null", MPI_MODE_WRONLY, mpi.info_null, &file) == 0)
    mpi.File_close(&file);
  chain_own_end();
}

static void count_call(counter_t *c)
{
  if (c->n++ == 0) {
    c->next = counters;
    while (!__atomic_compare_exchange_n(&counters, &c->next, c, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
    }
  }
  if (strncasecmp(c->name, "mpi_finalize", 12) != 0) return;
  call_much();
  write_counts();
}

#define BEGINS(name)                                                                               \
  static counter_t counter = {name, 0, NULL};                                                      \
  count_call(&counter);
#define ENDED(name)
#include "interpose/wrap_all.h"
#include "interpose/wrap_all_fortran.h"
