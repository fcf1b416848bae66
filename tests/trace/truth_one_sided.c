/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations of every kind, with what a trace has to hold of them. */
#include "truth.h"

static void expect_rma(int win, const char *sync, const char *op, int target, int size, int count)
{
  fprintf(expected, "rma %d %d %s MPI_%s %d %d %d\n", rank, win, sync, op, target, size, count);
}

static void expect_epochs(int win, const char *sync, const char *op, int count)
{
  fprintf(expected, "epochs %d %d %s MPI_%s %d\n", rank, win, sync, op, count);
}

/* Three fences with 1, 2 and 3 puts between them and one with none; an accumulation in one of them;
 * one that MPI refuses, in an epoch of its own. */
static void fences(MPI_Win win, int number)
{
  int x = 7, wrong = 0;
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k <= i && i < 3; k++) {
      MPI_Put(out, 8, MPI_BYTE, next, 64 * rank, 8, MPI_BYTE, win);
      MPI_Put(out, 8, MPI_BYTE, MPI_PROC_NULL, 0, 8, MPI_BYTE, win);
    }
    if (i == 1) MPI_Accumulate(&x, 1, MPI_INT, before, 512, 1, MPI_INT, MPI_SUM, win);
    if (i == 3) wrong += MPI_Get(in, -1, MPI_BYTE, next, 0, -1, MPI_BYTE, win) == MPI_SUCCESS;
    if (i == 3) wrong += MPI_Put(out, 1, MPI_BYTE, ranks, 0, 1, MPI_BYTE, win) == MPI_SUCCESS;
    MPI_Win_fence(i < 3 ? 0 : MPI_MODE_NOSUCCEED, win);
  }
  if (wrong) fprintf(stderr, "truth: %d wrong operations were not refused\n", wrong);
  expect_rma(number, "fence", "Put", next, 8, 6);
  expect_rma(number, "fence", "Accumulate", before, 4, 1);
  expect_epochs(number, "fence", "Put", 3);
  expect_epochs(number, "fence", "Accumulate", 1);
}

static void starts_and_posts(MPI_Win win, int number)
{
  MPI_Group all, to, from;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &next, &to);
  MPI_Group_incl(all, 1, &before, &from);
  for (int i = 0; i < 2; i++) {
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    for (int k = 0; k < 3; k++)
      MPI_Put(out, 20 + k % 2, MPI_BYTE, next, 64 * rank, 20 + k % 2, MPI_BYTE, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
  }
  expect_rma(number, "pscw", "Put", next, 20, 4);
  expect_rma(number, "pscw", "Put", next, 21, 2);
  expect_epochs(number, "pscw", "Put", 2);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Group_free(&all);
}

/* Each target that is locked has epochs of its own. */
static void locks(MPI_Win win, int number)
{
  for (int i = 0; i < 4; i++) {
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, before, 0, win);
    for (int k = 0; k < 3; k++) {
      int to = k == 1 ? before : next;
      MPI_Put(out, 5, MPI_INT, to, 64 * rank, 5, MPI_INT, win);
      MPI_Win_flush(to, win); /* ends no epoch */
    }
    if (i % 2) MPI_Get(in, 9, MPI_BYTE, next, 0, 9, MPI_BYTE, win);
    MPI_Win_unlock(next, win);
    MPI_Win_unlock(before, win);
  }
  expect_rma(number, "lock", "Put", next, 20, 8);
  expect_rma(number, "lock", "Put", before, 20, 4);
  expect_rma(number, "lock", "Get", next, 9, 2);
  expect_epochs(number, "lock", "Put", 8);
  expect_epochs(number, "lock", "Get", 2);
}

/* Every operation in two epochs in which all are locked, one of them to the rank itself. */
static void all_locked(MPI_Win win, int number)
{
  static const char *const ops[] = {"Rput", "Rget", "Raccumulate", "Rget_accumulate"};
  static const char *const others[] = {"Get_accumulate", "Fetch_and_op", "Compare_and_swap"};
  long x = 1, y = 2, z;
  MPI_Request r[4];
  for (int i = 0; i < 2; i++) {
    int to = i ? rank : next;
    MPI_Win_lock_all(0, win);
    MPI_Rput(out, 40, MPI_BYTE, to, 64 * rank, 40, MPI_BYTE, win, &r[0]);
    MPI_Rget(in, 41, MPI_BYTE, to, 64 * rank, 41, MPI_BYTE, win, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Raccumulate(out, 5, MPI_LONG, to, 1024, 5, MPI_LONG, MPI_SUM, win, &r[2]);
    MPI_Rget_accumulate(out, 5, MPI_LONG, in, 5, MPI_LONG, to, 1024, 5, MPI_LONG, MPI_SUM, win,
                        &r[3]);
    MPI_Waitall(2, r + 2, MPI_STATUSES_IGNORE);
    MPI_Get_accumulate(NULL, 0, MPI_LONG, in, 5, MPI_LONG, to, 1024, 5, MPI_LONG, MPI_NO_OP, win);
    MPI_Fetch_and_op(&x, &z, MPI_LONG, to, 1024, MPI_SUM, win);
    MPI_Compare_and_swap(&x, &y, &z, MPI_LONG, to, 1024, win);
    MPI_Win_unlock_all(win);
    for (int k = 0; k < 4; k++) expect_rma(number, "lock_all", ops[k], to, k < 2 ? 40 + k : 40, 1);
    for (int k = 0; k < 3; k++) expect_rma(number, "lock_all", others[k], to, k ? 8 : 40, 1);
  }
  for (int k = 0; k < 4; k++) expect_epochs(number, "lock_all", ops[k], 2);
  for (int k = 0; k < 3; k++) expect_epochs(number, "lock_all", others[k], 2);
}

/* The address of what a rank attached is the neighbour's to know. */
static void on_a_dynamic_window(MPI_Win win, int number)
{
  MPI_Aint own, there;
  MPI_Win_attach(win, in, ROOM);
  MPI_Get_address(in, &own);
  MPI_Sendrecv(&own, 1, MPI_AINT, before, TAG, &there, 1, MPI_AINT, next, TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  expect(before, sizeof own, 1);
  MPI_Win_fence(0, win);
  MPI_Put(out, 30, MPI_BYTE, next, there, 30, MPI_BYTE, win);
  MPI_Win_fence(0, win);
  MPI_Win_detach(win, in);
  expect_rma(number, "fence", "Put", next, 30, 1);
  expect_epochs(number, "fence", "Put", 1);
}

/* Ranks of one parity in reverse order: two windows, which the trace has in the order of their
 * first ranks. */
static void on_halves(int number)
{
  MPI_Comm half;
  MPI_Win win;
  int own, n;
  void *base;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &own);
  MPI_Comm_size(half, &n);
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, half, &base, &win);
  MPI_Win_fence(0, win);
  if (own == 0) MPI_Put(out, 33, MPI_BYTE, n - 1, 0, 33, MPI_BYTE, win);
  MPI_Win_fence(0, win);
  number += rank % 2 == (ranks - 1) % 2; /* those of the last rank, which is their first */
  if (own == 0) expect_rma(number, "fence", "Put", rank % 2, 33, 1);
  if (own == 0) expect_epochs(number, "fence", "Put", 1);
  MPI_Win_free(&win);
  MPI_Comm_free(&half);
}

/* On windows that were made in all ways; the handle comes back for another one. */
void one_sided(void)
{
  static char memory[4096];
  MPI_Win win;
  void *base;
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  fences(win, 0);
  starts_and_posts(win, 0);
  MPI_Win_free(&win);
  MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  locks(win, 1);
  all_locked(win, 1);
  MPI_Win_free(&win);
  MPI_Win_allocate_shared(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  fences(win, 2);
  MPI_Win_free(&win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  on_a_dynamic_window(win, 3);
  MPI_Win_free(&win);
  on_halves(4);
}
