/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of MPI that an error handler leaves: in C by a jump, in C++ by an exception. What is called
 * later lies further down the stack, and what the call left there is still in it. Sends to itself
 * afterwards, and prints each as acp.py does. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { SHALLOW = 4096, DEEP = 65536 }; /* bytes of frames */

static MPI_Comm comm; /* with the handler */
static int size = 1;  /* of the next message */
static char out[64], in[64];

#ifdef __cplusplus
#define LEAVE(how) throw 1
#define TRY(how)   try
#define CATCH      catch (int)
#else
static sigjmp_buf back;
typedef enum how { LONGJMP, UNDERSCORE, SIGLONGJMP } how_t;
static how_t how;

static void leave(void)
{
  if (how == LONGJMP) longjmp(back, 1);
  if (how == UNDERSCORE) _longjmp(back, 1);
  siglongjmp(back, 1);
}
#define LEAVE(how) leave()
#define TRY(how)   if (sigsetjmp(back, 0) == 0)
#define CATCH      else
#endif

static void handle(MPI_Comm *of, int *code, ...)
{
  (void)of, (void)code;
  LEAVE(how);
}

/* Nothing of it may be worked out before, nor its frame left out. */
static void keep(void *frame) { __asm__ volatile("" : : "r"(frame) : "memory"); }

__attribute__((noinline)) static void wrong_call(int which)
{
  char frame[SHALLOW];
  MPI_Request request;
  keep(frame);
  if (which == 0) MPI_Send(out, 1, MPI_BYTE, 1000, 0, comm);
  if (which == 1) MPI_Isend(out, 1, MPI_BYTE, 1000, 0, comm, &request);
  if (which == 2) MPI_Recv(in, 1, MPI_BYTE, 1000, 0, comm, MPI_STATUS_IGNORE);
  if (which == 3) MPI_Bcast(out, 1, MPI_BYTE, 1000, comm);
  if (which == 4) MPI_Probe(1000, 0, comm, MPI_STATUS_IGNORE);
  keep(frame);
}
enum { WRONG_CALLS = 5 };

__attribute__((noinline)) static void send_from_below(void)
{
  char frame[DEEP];
  keep(frame);
  for (int i = 0; i < 2; i++) {
    MPI_Request request;
    MPI_Irecv(in, sizeof in, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
    if (i == 0) MPI_Send(out, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    if (i == 1) MPI_Ssend(out, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  keep(frame);
  printf("p2p 0 0 %d 2\n", size++);
}

#ifdef __cplusplus
/* Sends while the exception is on its way. */
struct guard {
  ~guard() { send_from_below(); }
};
#define GUARD guard on_the_way
#else
#define GUARD
#endif

__attribute__((noinline)) static void leave_and_send(int which)
{
  TRY(how)
  {
    GUARD;
    wrong_call(which);
  }
  CATCH { send_from_below(); }
  send_from_below();
}

int main(int argc, char **argv)
{
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  for (int which = 0; which < WRONG_CALLS; which++) {
#ifndef __cplusplus
    for (how = LONGJMP; how <= SIGLONGJMP; how++)
#endif
      leave_and_send(which);
  }
  MPI_Finalize();
  return 0;
}
