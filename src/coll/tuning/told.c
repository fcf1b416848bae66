/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/tuning/told.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/two_levels/chosen.h"

/* --- variables of the MPI --- */

static bool is_tool_open(void)
{
  static bool open;
  int provided;
  if (!open) open = mpi.T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
  return open;
}

/* A variable with one value; false: there is none, and nothing to free. */
static bool open_variable(const char *name, MPI_T_cvar_handle *out)
{
  int index, n = 0;
  if (!is_tool_open() || mpi.T_cvar_get_index(name, &index) != MPI_SUCCESS ||
      mpi.T_cvar_handle_alloc(index, NULL, out, &n) != MPI_SUCCESS)
    return false;
  if (n != 1) mpi.T_cvar_handle_free(out);
  return n == 1;
}

/* Swaps a variable's value and *value. */
static bool swap(const char *name, int *value)
{
  int before = 0;
  MPI_T_cvar_handle handle;
  if (!open_variable(name, &handle)) return false;
  bool done = mpi.T_cvar_read(handle, &before) == MPI_SUCCESS &&
              mpi.T_cvar_write(handle, value) == MPI_SUCCESS;
  mpi.T_cvar_handle_free(&handle);
  if (done) *value = before;
  return done;
}

static bool add(told_t *t, const char *name, int value)
{
  if (t->n == TOLD_VARIABLES) return false;
  snprintf(t->variable[t->n].name, sizeof t->variable->name, "%s", name);
  t->variable[t->n++].value = value;
  return true;
}

#ifdef OPEN_MPI

const char told_rules[] = "openmpi-4.1";

/* A flag has a byte; the variable can't be written. */
static bool uses_rules(void)
{
  char flag[sizeof(int)] = {0};
  MPI_T_cvar_handle handle;
  if (!open_variable("coll_tuned_use_dynamic_rules", &handle)) return false;
  bool read = mpi.T_cvar_read(handle, flag) == MPI_SUCCESS;
  mpi.T_cvar_handle_free(&handle);
  return read && flag[0];
}

bool told_possible(schedule_op_t op)
{
  return op != SCHEDULE_REDUCE_SCATTER && schedule_openmpi_number(op) >= 0 && uses_rules();
}

bool told_job(const char *operation)
{
  (void)operation; /* the file has all of them */
  const char *file = getenv("OMPI_MCA_coll_tuned_dynamic_rules_filename");
  return file && *file;
}

static bool list_variables(told_t *t, const schedule_setting_t *s, const berth_tuned_choice_t *c)
{
  char name[SCHEDULE_VARIABLE];
  const char *op = schedule_op_name(s->op);
  snprintf(name, sizeof name, "coll_tuned_%s_algorithm", op);
  bool added = add(t, name, atoi(s->number));
  snprintf(name, sizeof name, "coll_tuned_%s_algorithm_segmentsize", op);
  if (s->has_segment) added = added && add(t, name, (int)c->segment);
  snprintf(name, sizeof name, "coll_tuned_%s_algorithm_chain_fanout", op);
  if (s->has_degree) added = added && add(t, name, c->degree);
  return added;
}

#else

const char told_rules[] = "mpich-4.0";

bool told_possible(schedule_op_t op) { return op != SCHEDULE_REDUCE_SCATTER && is_tool_open(); }

bool told_job(const char *operation)
{
  char name[SCHEDULE_VARIABLE];
  schedule_mpich_variable(operation, name);
  const char *value = getenv(name);
  return value && *value && strcmp(value, "auto") != 0;
}

/* MPICH numbers the names in the order of the variable's description: "auto - Internal …binomial -
 * Force …", with spaces before each dash. -1: it isn't there. */
static int number_of(const char *variable, const char *name)
{
  int index, scope, binding, level, n_name = 0, number = 0;
  char text[4096];
  int length = sizeof text;
  MPI_Datatype type;
  if (!is_tool_open() || mpi.T_cvar_get_index(variable, &index) != MPI_SUCCESS ||
      mpi.T_cvar_get_info(index, NULL, &n_name, &level, &type, NULL, text, &length, &binding,
                          &scope) != MPI_SUCCESS)
    return -1;
  const size_t n = strlen(name);
  for (const char *dash = strstr(text, " - "); dash; dash = strstr(dash + 1, " - "), number++) {
    const char *end = dash;
    while (end > text && end[-1] == ' ') end--;
    if ((size_t)(end - text) >= n && strncmp(end - n, name, n) == 0) return number;
  }
  return -1;
}

static bool list_variables(told_t *t, const schedule_setting_t *s, const berth_tuned_choice_t *c)
{
  (void)c;
  char name[SCHEDULE_VARIABLE];
  schedule_mpich_variable(schedule_op_name(s->op), name);
  int number = number_of(name, s->name);
  return number > 0 && add(t, name, number);
}

#endif

/* --- an algorithm --- */

/* Swaps all variables, or none. */
static bool swap_all(told_t *t)
{
  int i = 0;
  while (i < t->n && swap(t->variable[i].name, &t->variable[i].value)) i++;
  if (i == t->n) return true;
  while (i-- > 0) swap(t->variable[i].name, &t->variable[i].value);
  return false;
}

void told_enter(told_t *t) { swap_all(t); }
void told_leave(told_t *t) { swap_all(t); }

bool told_begin(told_t *t, schedule_op_t op, const berth_tuned_choice_t *choice, MPI_Comm comm)
{
  const schedule_setting_t *s = chosen_setting(told_rules, op, choice->algorithm);
  *t = (told_t){.comm = mpi.comm_null};
  uint64_t able = s && list_variables(t, s, choice) && swap_all(t), all = 0;
  mpi.Allreduce(&able, &all, 1, mpi.uint64, mpi.min, comm);
  if (all && mpi.Comm_dup(comm, &t->comm) != MPI_SUCCESS) all = 0;
  if (able) swap_all(t);
  return all;
}

void told_end(told_t *t)
{
  if (t->comm != mpi.comm_null) mpi.Comm_free(&t->comm);
}
