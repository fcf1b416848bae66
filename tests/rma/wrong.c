/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of one-sided communication with one error each: wrong CASE. Prints "CASE: CLASS: TEXT", the
 * class of the error that came back and the MPI's text; "CASE: no error" if none came. Without CASE
 * it lists the cases. Run with 2 ranks; rank 0 makes the error. Whatever came, the rank then leaves
 * without MPI_Finalize, because the state of the MPI is undefined. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 4096 };

static MPI_Win win;
static int rank, size, other;
static long memory[BYTES / sizeof(long)], value, result;

#define CLASS(C)                                                                                   \
  {                                                                                                \
    C, #C                                                                                          \
  }
static const struct {
  int class;
  const char *name;
} classes[] = {
    CLASS(MPI_ERR_WIN),     CLASS(MPI_ERR_BASE),     CLASS(MPI_ERR_LOCKTYPE),
    CLASS(MPI_ERR_DISP),    CLASS(MPI_ERR_SIZE),     CLASS(MPI_ERR_ASSERT),
    CLASS(MPI_ERR_RANK),    CLASS(MPI_ERR_ARG),      CLASS(MPI_ERR_RMA_CONFLICT),
    CLASS(MPI_ERR_OP),      CLASS(MPI_ERR_TYPE),     CLASS(MPI_ERR_RMA_SYNC),
    CLASS(MPI_ERR_COUNT),   CLASS(MPI_ERR_BUFFER),   CLASS(MPI_ERR_RMA_RANGE),
    CLASS(MPI_ERR_GROUP),   CLASS(MPI_ERR_OTHER),    CLASS(MPI_ERR_RMA_ATTACH),
    CLASS(MPI_ERR_UNKNOWN), CLASS(MPI_ERR_INTERN),   CLASS(MPI_ERR_RMA_FLAVOR),
    CLASS(MPI_ERR_COMM),    CLASS(MPI_ERR_TRUNCATE), CLASS(MPI_ERR_RMA_SHARED),
};

static int put(int target, MPI_Aint disp)
{
  return MPI_Put(&value, 1, MPI_LONG, target, disp, 1, MPI_LONG, win);
}

/* The first error of two calls. */
static int either(int first, int second) { return first != MPI_SUCCESS ? first : second; }

static int no_epoch(void) { return put(other, 0); }

static int outside_start(void)
{
  MPI_Group all, self;
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &rank, &self);
  MPI_Win_post(self, 0, win);
  MPI_Win_start(self, 0, win);
  return put(other, 0);
}

static int locked_put(int target, MPI_Aint disp)
{
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  int error = put(target, disp);
  return either(error, MPI_Win_unlock(other, win));
}
static int rank_out_of_range(void) { return locked_put(size, 0); }
static int rank_negative(void) { return locked_put(-7, 0); }
static int not_locked_rank(void) { return locked_put(rank, 0); }
static int disp_negative(void) { return locked_put(other, -1); }
static int disp_beyond(void) { return locked_put(other, 1 << 20); }

static int partly_beyond(void)
{
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  int error = MPI_Put(memory, 2, MPI_LONG, other, BYTES / sizeof(long) - 1, 2, MPI_LONG, win);
  return either(error, MPI_Win_unlock(other, win));
}

static int unlock_without_lock(void) { return MPI_Win_unlock(other, win); }
static int unlock_all_without_lock(void) { return MPI_Win_unlock_all(win); }
static int flush_without_lock(void) { return MPI_Win_flush(other, win); }
static int lock_twice(void)
{
  int first = MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  return either(first, MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win));
}
static int lock_in_lock_all(void)
{
  int first = MPI_Win_lock_all(0, win);
  return either(first, MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win));
}
static int lock_type(void) { return MPI_Win_lock(12345, other, 0, win); }
static int lock_assertion(void) { return MPI_Win_lock(MPI_LOCK_SHARED, other, 1 << 30, win); }
static int complete_without_start(void) { return MPI_Win_complete(win); }
static int wait_without_post(void) { return MPI_Win_wait(win); }
static int test_without_post(void)
{
  int flag;
  return MPI_Win_test(win, &flag);
}

static int fence_in_lock(void)
{
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  return MPI_Win_fence(0, win);
}
static int start_in_lock(void)
{
  MPI_Group all;
  MPI_Win_get_group(win, &all);
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  return MPI_Win_start(all, 0, win);
}

static int typed_put(MPI_Datatype from, MPI_Datatype to)
{
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  int error = MPI_Put(&value, 1, from, other, 0, 1, to, win);
  return either(error, MPI_Win_unlock(other, win));
}
static int origin_type_null(void) { return typed_put(MPI_DATATYPE_NULL, MPI_LONG); }
static int target_type_null(void) { return typed_put(MPI_LONG, MPI_DATATYPE_NULL); }
static int uncommitted(void)
{
  MPI_Datatype type;
  MPI_Type_contiguous(1, MPI_LONG, &type);
  return typed_put(MPI_LONG, type);
}
static int sizes_differ(void)
{
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  int error = MPI_Put(memory, 3, MPI_LONG, other, 0, 2, MPI_LONG, win);
  return either(error, MPI_Win_unlock(other, win));
}
static int negative_count(void)
{
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  int error = MPI_Put(memory, -1, MPI_LONG, other, 0, -1, MPI_LONG, win);
  return either(error, MPI_Win_unlock(other, win));
}

static int accumulate(MPI_Datatype type, MPI_Op op)
{
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  int error = MPI_Accumulate(memory, 1, type, other, 0, 1, type, op, win);
  return either(error, MPI_Win_unlock(other, win));
}
static void nothing(void *in, void *out, int *n, MPI_Datatype *type)
{
  (void)in, (void)out, (void)n, (void)type;
}
static int own_op(void)
{
  MPI_Op op;
  MPI_Op_create(nothing, 1, &op);
  return accumulate(MPI_LONG, op);
}
static int null_op(void) { return accumulate(MPI_LONG, MPI_OP_NULL); }
static int op_of_other_type(void) { return accumulate(MPI_DOUBLE, MPI_BAND); }
static int sum_of_bytes(void) { return accumulate(MPI_BYTE, MPI_SUM); }
static int no_op_accumulate(void) { return accumulate(MPI_LONG, MPI_NO_OP); }
static int replace_in_reduce(void)
{
  return MPI_Reduce_local(&value, &result, 1, MPI_LONG, MPI_REPLACE);
}
static int fetch_derived(void)
{
  MPI_Datatype type;
  MPI_Type_contiguous(1, MPI_LONG, &type);
  MPI_Type_commit(&type);
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  int error = MPI_Fetch_and_op(&value, &result, type, other, 0, MPI_SUM, win);
  return either(error, MPI_Win_unlock(other, win));
}
static int swap_double(void)
{
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  int error = MPI_Compare_and_swap(memory, &value, &result, MPI_DOUBLE, other, 0, win);
  return either(error, MPI_Win_unlock(other, win));
}
static int rput_in_fence(void)
{
  MPI_Request request;
  MPI_Win self;
  MPI_Win_create(memory, BYTES, 8, MPI_INFO_NULL, MPI_COMM_SELF, &self);
  MPI_Win_set_errhandler(self, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, self);
  return MPI_Rput(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, self, &request);
}

static int free_in_epoch(void)
{
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  return MPI_Win_free(&win);
}
static int null_window_put(void)
{
  return MPI_Put(&value, 1, MPI_LONG, other, 0, 1, MPI_LONG, MPI_WIN_NULL);
}
static int null_window_fence(void) { return MPI_Win_fence(0, MPI_WIN_NULL); }
static int null_window_free(void)
{
  MPI_Win null = MPI_WIN_NULL;
  return MPI_Win_free(&null);
}
static int create_disp_unit(void)
{
  MPI_Win w;
  return MPI_Win_create(memory, BYTES, 0, MPI_INFO_NULL, MPI_COMM_SELF, &w);
}
static int create_size(void)
{
  MPI_Win w;
  return MPI_Win_create(memory, -5, 1, MPI_INFO_NULL, MPI_COMM_SELF, &w);
}

/* Cases with a dynamic window, which all ranks make before. */
static int attach_twice(void)
{
  int first = MPI_Win_attach(win, memory, BYTES);
  return either(first, MPI_Win_attach(win, memory, BYTES));
}
static int detach_unknown(void) { return MPI_Win_detach(win, memory); }
static int unattached(void)
{
  MPI_Aint at;
  MPI_Get_address(memory, &at);
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  int error = MPI_Put(&value, 1, MPI_LONG, other, at, 1, MPI_LONG, win);
  return either(error, MPI_Win_unlock(other, win));
}
static int attach_to_created(void) { return MPI_Win_attach(win, memory, 8); }

#define CASE(F)                                                                                    \
  {                                                                                                \
#F, F, 0                                                                                       \
  }
#define DYNAMIC(F)                                                                                 \
  {                                                                                                \
#F, F, 1                                                                                       \
  }
static const struct {
  const char *name;
  int (*make)(void);
  int dynamic;
} cases[] = {
    CASE(no_epoch),
    CASE(outside_start),
    CASE(rank_out_of_range),
    CASE(rank_negative),
    CASE(not_locked_rank),
    CASE(disp_negative),
    CASE(disp_beyond),
    CASE(partly_beyond),
    CASE(unlock_without_lock),
    CASE(lock_twice),
    CASE(lock_in_lock_all),
    CASE(unlock_all_without_lock),
    CASE(flush_without_lock),
    CASE(lock_type),
    CASE(lock_assertion),
    CASE(wait_without_post),
    CASE(test_without_post),
    CASE(complete_without_start),
    CASE(fence_in_lock),
    CASE(start_in_lock),
    CASE(origin_type_null),
    CASE(target_type_null),
    CASE(uncommitted),
    CASE(sizes_differ),
    CASE(negative_count),
    CASE(own_op),
    CASE(null_op),
    CASE(op_of_other_type),
    CASE(sum_of_bytes),
    CASE(no_op_accumulate),
    CASE(replace_in_reduce),
    CASE(fetch_derived),
    CASE(swap_double),
    CASE(rput_in_fence),
    CASE(free_in_epoch),
    CASE(null_window_put),
    CASE(null_window_fence),
    CASE(null_window_free),
    CASE(create_disp_unit),
    CASE(create_size),
    CASE(attach_to_created),
    DYNAMIC(attach_twice),
    DYNAMIC(detach_unknown),
    DYNAMIC(unattached),
};
enum { CASES = sizeof cases / sizeof *cases };

static void tell(const char *name, int error)
{
  char text[MPI_MAX_ERROR_STRING];
  int class, length;
  const char *class_name = "another class";
  if (error == MPI_SUCCESS) {
    printf("%s: no error\n", name);
    return;
  }
  MPI_Error_class(error, &class);
  MPI_Error_string(error, text, &length);
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (classes[i].class == class) class_name = classes[i].name;
  for (char *c = text; *c; c++)
    if (*c == '\n') *c = ' ';
  printf("%s: %s: %s\n", name, class_name, text);
}

static void make_window(int dynamic)
{
  if (dynamic)
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  else
    MPI_Win_create(memory, BYTES, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  int k = 0;
  if (argc < 2) {
    for (int i = 0; i < CASES; i++) printf("%s\n", cases[i].name);
    return 0;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  other = (rank + 1) % size;
  while (k < CASES && strcmp(cases[k].name, argv[1]) != 0) k++;
  if (k == CASES) {
    if (rank == 0) printf("%s: unknown case\n", argv[1]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  make_window(cases[k].dynamic);
  if (rank == 0) {
    tell(argv[1], cases[k].make());
    fflush(stdout);
    usleep(200 * 1000); /* launchers drop what they have not passed on */
    MPI_Abort(MPI_COMM_WORLD, 0); /* the other rank waits below */
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}
