/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion: in all ways that MPI has, with null and inactive requests among the others. */
#include "requests.h"

enum { LISTED = 40, ATTEMPTS = 3 };

op_t ops[OPS];
const char *const way_names[WAYS] = {"Wait",     "Test",     "Waitall",
                                     "Testall",  "Waitany",  "Testany",
                                     "Waitsome", "Testsome", "Request_get_status",
                                     "polls"};

/* Requests as a call gets them. ops is NULL where the request is null. */
typedef struct list {
  int n;
  op_t *ops[LISTED];
  MPI_Request requests[LISTED], before[LISTED];
  MPI_Status statuses[LISTED + 1];
} list_t;

static const char *way = "Init"; /* what is called now */

int active_ops(void)
{
  int n = 0;
  for (int i = 0; i < OPS; i++) n += ops[i].used && ops[i].active;
  return n;
}

/* --- what a call has done --- */

static void check_empty(const op_t *op, const MPI_Status *s)
{
  int count = -1, cancelled = 1;
  MPI_Get_count(s, MPI_BYTE, &count);
  MPI_Test_cancelled(s, &cancelled);
  if (s->MPI_SOURCE != MPI_ANY_SOURCE || s->MPI_TAG != MPI_ANY_TAG || count || cancelled)
    fail(op,
         "MPI_%s, a request that isn't active: found source %d, tag %d, %d bytes, cancelled %d, "
         "expected an empty status",
         way, s->MPI_SOURCE, s->MPI_TAG, count, cancelled);
}

static void check_message(const op_t *op, const MPI_Status *s)
{
  int count, tag = (int)(op->id % 30000);
  MPI_Get_count(s, op->out.layout->type, &count);
  if (s->MPI_SOURCE != op->peer || s->MPI_TAG != tag || count != op->out.counts[0])
    fail(op, "MPI_%s: found source %d, tag %d, count %d, expected %d, %d, %d", way, s->MPI_SOURCE,
         s->MPI_TAG, count, op->peer, tag, op->out.counts[0]);
}

static int is_active(const list_t *l, int i) { return l->ops[i] && l->ops[i]->active; }

/* MPICH 4.0.2: MPI_Testany doesn't set the status if no request is active and one is persistent. */
static int sets_status(const list_t *l)
{
#ifdef MPICH
  for (int i = 0; lenient && i < l->n; i++)
    if (l->requests[i] != MPI_REQUEST_NULL && !is_active(l, i)) return 0;
#endif
  return l != NULL;
}

static int is_persistent_collective(const op_t *op)
{
  return op && op->form == FORM_PERSISTENT && op->fn < FN_COLLECTIVES;
}

/* MPICH 4.0.2: calls take a persistent collective request that isn't active for one that is under
 * way (MPI_Test, if it has never been started), for a failed one (MPI_Testall) or for one that has
 * just become complete (MPI_Waitany). */
static int is_left_out(const op_t *op)
{
#ifdef MPICH
  return lenient && is_persistent_collective(op);
#else
  return 0 * is_persistent_collective(op);
#endif
}

/* MPICH 4.0.2: MPI_Testall returns MPI_ERR_IN_STATUS when a persistent collective is complete. */
static int is_without_testall(const list_t *l)
{
#ifdef MPICH
  for (int i = 0; lenient && i < l->n; i++)
    if (is_persistent_collective(l->ops[i])) return 1;
#endif
  return l == NULL;
}

/* The request at the index is said to be complete. */
static void settle(list_t *l, int i, const MPI_Status *status)
{
  op_t *op = l->ops[i];
  if (!is_active(l, i)) fail(op, "MPI_%s: completes what isn't active", way);
  if (op->form != FORM_PERSISTENT && l->requests[i] != MPI_REQUEST_NULL)
    fail(op, "MPI_%s: found a request, expected MPI_REQUEST_NULL", way);
  if (op->form == FORM_PERSISTENT && l->requests[i] != l->before[i])
    fail(op, "MPI_%s: found another request, expected the persistent one", way);
  if (status && op->fn == FN_RECV) check_message(op, status);
  op->request = l->before[i] = l->requests[i];
  op->active = 0;
  check_barrier(op);
  check_buffers(op);
  if (is_left_out(op)) {
    l->ops[i] = NULL;
    l->requests[i] = l->before[i] = MPI_REQUEST_NULL;
  }
  if (op->form != FORM_PERSISTENT) {
    free_op(op);
    l->ops[i] = NULL;
  }
}

static void settle_all(list_t *l, const MPI_Status *statuses)
{
  for (int i = 0; i < l->n; i++) {
    if (is_active(l, i))
      settle(l, i, statuses ? &statuses[i] : NULL);
    else if (statuses)
      check_empty(l->ops[i], &statuses[i]);
  }
}

/* Requests that aren't said to be complete are as before. */
static void check_kept(const list_t *l)
{
  for (int i = 0; i < l->n; i++)
    if (l->requests[i] != l->before[i])
      fail(l->ops[i], "MPI_%s: changes request %d of %d, which isn't complete", way, i, l->n);
}

static int any_active(const list_t *l)
{
  for (int i = 0; i < l->n; i++)
    if (is_active(l, i)) return 1;
  return 0;
}

/* --- the calls --- */

/* Between two polls: nothing, a short sleep, or work. */
static void pause_a_while(void)
{
  uint64_t way_of_it = draw(&local, 40);
  volatile double x = 1;
  if (way_of_it == 0) usleep((useconds_t)draw(&local, 300));
  if (way_of_it == 1)
    for (int i = 0; i < 20000; i++) x = x * 1.0001 + 1;
}

/* Some statuses, or none. */
static MPI_Status *status_of(list_t *l) { return draw(&local, 2) ? l->statuses : NULL; }
#define ONE(s)  ((s) ? (s) : MPI_STATUS_IGNORE)
#define MANY(s) ((s) ? (s) : MPI_STATUSES_IGNORE)

static void wait_each(list_t *l)
{
  for (int i = 0; i < l->n; i++) {
    MPI_Status *s = status_of(l);
    MPI_Wait(&l->requests[i], ONE(s));
    if (is_active(l, i))
      settle(l, i, s);
    else if (s)
      check_empty(l->ops[i], s);
  }
}

static void test_each(list_t *l, int attempts)
{
  for (int i = 0; i < l->n; i++) {
    MPI_Status *s = status_of(l);
    int done = 0;
    for (int k = 0; !done && k != attempts; k++) {
      MPI_Test(&l->requests[i], &done, ONE(s));
      if (!done && !is_active(l, i)) fail(NULL, "MPI_Test: found false, expected true");
      if (!done) check_kept(l);
      pause_a_while();
    }
    if (!done) continue;
    if (is_active(l, i))
      settle(l, i, s);
    else if (s)
      check_empty(l->ops[i], s);
  }
}

static void wait_all(list_t *l)
{
  MPI_Status *s = status_of(l);
  MPI_Waitall(l->n, l->requests, MANY(s));
  settle_all(l, s);
}

static void test_all(list_t *l, int attempts)
{
  MPI_Status *s = status_of(l);
  int done = 0;
  for (int k = 0; !done && k != attempts; k++) {
    MPI_Testall(l->n, l->requests, &done, MANY(s));
    if (!done && !any_active(l)) fail(NULL, "MPI_Testall: found false, expected true");
    if (!done) check_kept(l);
    pause_a_while();
  }
  if (done) settle_all(l, s);
}

/* The index of the one that has completed, or MPI_UNDEFINED: no request was active. */
static void settle_any(list_t *l, int index, int was_active, int waited, const MPI_Status *s)
{
  if ((index == MPI_UNDEFINED) == was_active ||
      (index != MPI_UNDEFINED && (index < 0 || index >= l->n)))
    fail(NULL, "MPI_%s: found index %d of %d, expected %s", way, index, l->n,
         was_active ? "one of them" : "MPI_UNDEFINED");
  if (was_active)
    settle(l, index, s);
  else if (s && (waited || sets_status(l)))
    check_empty(NULL, s);
  check_kept(l);
}

static void wait_any(list_t *l)
{
  int active, times = 1 + (int)draw(&local, 2 * l->n + 1);
  do {
    MPI_Status *s = status_of(l);
    int index = -9;
    active = any_active(l);
    MPI_Waitany(l->n, l->requests, &index, ONE(s));
    settle_any(l, index, active, 1, s);
  } while (active && --times);
}

static void test_any(list_t *l, int attempts)
{
  for (int k = 0; k != attempts; k++) {
    MPI_Status *s = status_of(l);
    int index = -9, done = 0, active = any_active(l);
    MPI_Testany(l->n, l->requests, &index, &done, ONE(s));
    if (done)
      settle_any(l, index, active, 0, s);
    else if (!active || index != MPI_UNDEFINED)
      fail(NULL, "MPI_Testany: found false and index %d, expected %s", index,
           active ? "MPI_UNDEFINED" : "true");
    else
      check_kept(l);
    if (!active || (done && draw(&local, 4) == 0)) return;
    pause_a_while();
  }
}

/* How many have completed. */
static int settle_some(list_t *l, int count, const int *indices, int was_active, int waited,
                       const MPI_Status *s)
{
  int right = was_active ? count >= waited && count <= l->n : count == MPI_UNDEFINED;
  if (!right)
    fail(NULL, "MPI_%s: found %d complete of %d, expected %s", way, count, l->n,
         was_active ? "a number" : "MPI_UNDEFINED");
  for (int k = 0; was_active && k < count; k++) {
    if (indices[k] < 0 || indices[k] >= l->n)
      fail(NULL, "MPI_%s: found index %d, expected one below %d", way, indices[k], l->n);
    settle(l, indices[k], s ? &s[k] : NULL);
  }
  check_kept(l);
  return was_active ? count : 0;
}

static void some(list_t *l, int waited, int attempts)
{
  int indices[LISTED], active;
  for (int k = 0; k != attempts; k++) {
    MPI_Status *s = status_of(l);
    int count = -9;
    active = any_active(l);
    if (waited)
      MPI_Waitsome(l->n, l->requests, &count, indices, MANY(s));
    else
      MPI_Testsome(l->n, l->requests, &count, indices, MANY(s));
    int done = settle_some(l, count, indices, active, waited, s);
    if (!active || (done && draw(&local, 4) == 0)) return;
    pause_a_while();
  }
}

static void get_status(list_t *l, int attempts)
{
  for (int i = 0; i < l->n; i++) {
    MPI_Status *s = status_of(l);
    int done = 0;
    for (int k = 0; !done && k != attempts; k++) {
      MPI_Request_get_status(l->requests[i], &done, ONE(s));
      if (!done && !is_active(l, i))
        fail(NULL, "MPI_Request_get_status: found false, expected true");
      check_kept(l);
      pause_a_while();
    }
    if (!done) continue;
    if (s && !is_active(l, i)) check_empty(l->ops[i], s);
    if (s && is_active(l, i) && l->ops[i]->fn == FN_RECV) check_message(l->ops[i], s);
    if (!is_active(l, i)) continue;
    s = status_of(l);
    if (draw(&local, 2)) {
      MPI_Wait(&l->requests[i], ONE(s));
    } else {
      MPI_Test(&l->requests[i], &done, ONE(s));
      if (!done)
        fail(l->ops[i], "MPI_Test after MPI_Request_get_status: found false, expected true");
    }
    settle(l, i, s);
  }
}

/* --- lists --- */

static void add(list_t *l, op_t *op)
{
  int i = l->n++;
  l->ops[i] = op;
  l->requests[i] = op ? op->request : MPI_REQUEST_NULL;
}

static void shuffle(list_t *l)
{
  for (int i = l->n - 1; i > 0; i--) {
    int other = (int)draw(&local, i + 1);
    op_t *op = l->ops[i];
    MPI_Request request = l->requests[i];
    l->ops[i] = l->ops[other];
    l->requests[i] = l->requests[other];
    l->ops[other] = op;
    l->requests[other] = request;
  }
}

/* Active operations, one in `rare` each, with some that aren't active between them. */
static void make_list(list_t *l, int rare)
{
  l->n = 0;
  for (int i = 0; i < OPS; i++)
    if (ops[i].used && ops[i].active && draw(&local, rare) == 0) add(l, &ops[i]);
  for (int i = 0; i < OPS && l->n < LISTED - 4; i++)
    if (ops[i].used && !ops[i].active && !is_left_out(&ops[i]) && draw(&local, 3) == 0)
      add(l, &ops[i]);
  for (uint64_t k = draw(&local, 4); k > 0 && l->n < LISTED; k--) add(l, NULL);
  shuffle(l);
  memcpy(l->before, l->requests, sizeof l->before);
  memset(l->statuses, 0x6b, sizeof l->statuses); /* what was there before */
}

void say_active(int signal)
{
  char text[8192];
  size_t n = snprintf(text, sizeof text,
                      "seed %llu, call %ld: rank %d waits, last completion by "
                      "MPI_%s; active, * complete:",
                      (unsigned long long)seed, step, world_rank, way);
  for (int i = 0; i < OPS && n < sizeof text - 200; i++) {
    const op_t *op = &ops[i];
    int done = 0;
    if (!op->used || !op->active) continue;
    if (signal) MPI_Request_get_status(op->request, &done, MPI_STATUS_IGNORE);
    n += snprintf(text + n, sizeof text - n, " %s%ld/%d %s MPI_%s on %s;", done ? "*" : "", op->id,
                  op->round, form_names[op->form], fn_names[op->fn], op->part->name);
  }
  fprintf(stderr, "%s\n", text);
  sleep(1); /* all say it */
  _exit(1);
}

void complete_some(void)
{
  static list_t list;
  make_list(&list, 1 + (int)draw(&local, 4));
  int chosen = (int)draw(&local, WAYS), attempts = draw(&local, 3) ? -1 : 1 + (int)draw(&local, 5);
  if (chosen == 3 && is_without_testall(&list)) chosen = 2;
  way = way_names[chosen];
  switch (chosen) {
  case 0:
    wait_each(&list);
    break;
  case 1:
    test_each(&list, attempts);
    break;
  case 2:
    wait_all(&list);
    break;
  case 3:
    test_all(&list, attempts);
    break;
  case 4:
    wait_any(&list);
    break;
  case 5:
    test_any(&list, attempts);
    break;
  case 6:
    some(&list, 1, attempts);
    break;
  case 7:
    some(&list, 0, attempts);
    break;
  case 8:
    get_status(&list, attempts);
    break;
  default:
    way = "Test";
    test_each(&list, 1);
  }
}

void complete_all(int (*chosen)(const op_t *op, const void *of), const void *of)
{
  static list_t list;
  list.n = 0;
  for (int i = 0; i < OPS; i++)
    if (ops[i].used && ops[i].active && chosen(&ops[i], of)) add(&list, &ops[i]);
  shuffle(&list);
  memcpy(list.before, list.requests, sizeof list.before);
  way = "Waitall";
  wait_all(&list);
}
