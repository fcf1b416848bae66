/* SPDX-License-Identifier: BSD-3-Clause */
/* Epochs: fences, post/start/complete/wait, and locks, with the plan's operations in them. */
#include "random.h"

enum { MOST_SESSIONS = 3, MOST_REQUESTS = 16, MOST_MESSAGE = 1 << 20 };

/* A large message to the next rank, which the MPI must bring to its end in the epoch's calls. */
static struct {
  bool on;
  char *data[2];
  size_t size;
  MPI_Request request[2];
} message;

void begin_messages(window_t *w)
{
  message.on = allowed(ON_MORE, MESSAGES) && chance(15);
  if (!message.on) return;
  message.size = draw(2) ? MOST_MESSAGE : 1 + draw(100000);
  message.data[0] = malloc(message.size);
  message.data[1] = calloc(message.size, 1);
  memset(message.data[0], w->rank + 1, message.size);
  int next = (w->rank + 1) % w->size, last = (w->rank + w->size - 1) % w->size;
  bool receive_first = draw(2);
  if (receive_first)
    MPI_Irecv(message.data[1], (int)message.size, MPI_BYTE, last, 5, w->comm, &message.request[1]);
  MPI_Isend(message.data[0], (int)message.size, MPI_BYTE, next, 5, w->comm, &message.request[0]);
  if (!receive_first)
    MPI_Irecv(message.data[1], (int)message.size, MPI_BYTE, last, 5, w->comm, &message.request[1]);
}

MPI_Request *message_requests(void) { return message.on ? message.request : NULL; }

void end_messages(window_t *w)
{
  if (!message.on) return;
  MPI_Waitall(2, message.request, MPI_STATUSES_IGNORE);
  int last = (w->rank + w->size - 1) % w->size;
  for (size_t i = 0; i < message.size; i++)
    if (message.data[1][i] != last + 1)
      wrong_byte(w, NULL, "a message", i, last + 1, message.data[1][i]);
  free(message.data[0]);
  free(message.data[1]);
  message.on = false;
}

static void check_results(plan_t *p)
{
  for (int i = 0; i < p->count; i++)
    if (p->op[i].origin == p->w->rank) check_result(p, &p->op[i]);
}

/* Issues the caller's operations of a sub-epoch; a collective call may be in the middle. */
static void run_active(plan_t *p, int sub, bool collective)
{
  int one = 1, sum = p->w->size, half = p->count / 2;
  for (int i = 0; i < p->count; i++) {
    operation_t *o = &p->op[i];
    if (collective && i == half) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, p->w->comm);
    if (o->origin != p->w->rank || o->sub != sub) continue;
    issue(p, o, NULL);
    if (o->after == SLEEP) compute();
  }
  if (sum != p->w->size) give_up("a collective call in the epoch is wrong");
}

static bool draw_collective(void) { return allowed(ON_MORE, COLLECTIVES) && chance(15); }

/* Operations of each rank to targets that `reaches` allows. */
static void draw_plain(plan_t *p, int sub, const bool *reaches)
{
  int n = p->w->size;
  for (int r = 0; r < n; r++) {
    int count = draw_operations();
    bool small = count > 40;
    int one = chance(30) ? (int)draw(n) : -1;
    for (int i = 0; i < count; i++) {
      int target = one >= 0 ? one : (int)draw(n);
      if (!reaches || reaches[r * n + target]) add_operation(p, r, target, sub, small);
    }
  }
}

void try_fence(window_t *w)
{
  plan_t p;
  int subs = 1 + (int)draw(3);
  begin_plan(&p, w, false);
  for (int s = 0; s < subs; s++, next_stamp(&p)) draw_plain(&p, s, NULL);
  bool stored = prepares(&p, w->rank), precede = draw(2), succeed = draw(8) == 0;
  lock_self(w);
  store_prepared(&p);
  unlock_self(w);
  simulate(&p);
  begin_messages(w);
  for (int s = 0; s <= subs; s++) {
    int assertion = 0;
    bool collective = draw_collective();
    uint64_t own = mix(draw(1000) + w->rank);
    if (s == 0 && !precede) assertion |= MPI_MODE_NOPRECEDE;
    if (s == subs && !succeed) assertion |= MPI_MODE_NOSUCCEED;
    if ((s > 0 || !stored) && own & 1) assertion |= MPI_MODE_NOSTORE;
    if (s < subs && !writes_to(&p, w->rank, s) && own & 2) assertion |= MPI_MODE_NOPUT;
    MPI_Win_fence(assertion, w->win);
    if (s < subs) run_active(&p, s, collective);
  }
  if (succeed) MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOPRECEDE, w->win);
  check_results(&p);
  end_messages(w);
  MPI_Barrier(w->comm);
  check_window(w);
  end_plan(&p);
}

/* The ranks r with link[from * r_step ...] set, in a drawn order. */
static MPI_Group group_of(const window_t *w, const bool *link, int first, int step, bool backward)
{
  MPI_Group all, some;
  int *ranks = malloc(w->size * sizeof *ranks), n = 0;
  for (int i = 0; i < w->size; i++) {
    int r = backward ? w->size - 1 - i : i;
    if (link[first + r * step]) ranks[n++] = r;
  }
  MPI_Win_get_group(w->win, &all);
  MPI_Group_incl(all, n, ranks, &some);
  MPI_Group_free(&all);
  free(ranks);
  return some;
}

static bool none(const bool *link, int first, int step, int n)
{
  for (int i = 0; i < n; i++)
    if (link[first + i * step]) return false;
  return true;
}

static void wait_exposure(window_t *w, bool test)
{
  int done = 0;
  if (!test) MPI_Win_wait(w->win);
  while (test && !done) MPI_Win_test(w->win, &done);
}

/* One exposure and access epoch: link[origin * size + target]. */
static void run_pscw(plan_t *p, int sub, const bool *link, bool nocheck, bool stored)
{
  window_t *w = p->w;
  int n = w->size, assertion = nocheck ? MPI_MODE_NOCHECK : 0;
  bool backward = draw(2), collective = draw_collective();
  uint64_t own = mix(draw(1000) + w->rank);
  bool post = !none(link, w->rank, n, n) || own & 1,
       start = !none(link, w->rank * n, 1, n) || own & 2;
  MPI_Group origins = group_of(w, link, w->rank, n, backward);
  MPI_Group targets = group_of(w, link, w->rank * n, 1, !backward);
  int exposure = assertion;
  if (!stored && own & 4) exposure |= MPI_MODE_NOSTORE;
  if (!writes_to(p, w->rank, sub) && own & 8) exposure |= MPI_MODE_NOPUT;
  if (post) MPI_Win_post(origins, exposure, w->win);
  if (nocheck) MPI_Barrier(w->comm);
  if (start) MPI_Win_start(targets, assertion, w->win);
  MPI_Group_free(&origins);
  MPI_Group_free(&targets);
  run_active(p, sub, collective);
  if (start) MPI_Win_complete(w->win);
  if (post) wait_exposure(w, own & 16);
  if (!allowed(ON_MORE, SUCCESSIVE)) MPI_Barrier(w->comm);
}

void try_pscw(window_t *w)
{
  plan_t p;
  int subs = 1 + (int)draw(3), n = w->size;
  bool *link = malloc((size_t)subs * n * n),
       nocheck = allowed(ON_MORE, PSCW_NOCHECK) && draw(4) == 0;
  begin_plan(&p, w, false);
  for (int s = 0; s < subs; s++, next_stamp(&p)) {
    int percent = (int)draw(101);
    for (int i = 0; i < n * n; i++) link[s * n * n + i] = chance(percent);
    draw_plain(&p, s, link + s * n * n);
  }
  for (int i = 0; i < p.count; i++) /* MPI_PROC_NULL needs an access epoch too */
    if (p.op[i].target < 0 && none(link + p.op[i].sub * n * n, p.op[i].origin * n, 1, n))
      p.op[i].sub = -1;
  bool stored = prepares(&p, w->rank);
  lock_self(w);
  store_prepared(&p);
  unlock_self(w);
  simulate(&p);
  begin_messages(w);
  for (int s = 0; s < subs; s++) run_pscw(&p, s, link + s * n * n, nocheck, stored && s == 0);
  check_results(&p);
  end_messages(w);
  MPI_Barrier(w->comm);
  check_window(w);
  end_plan(&p);
  free(link);
}

/* A session of one origin: the targets that it locks at a time. */
typedef struct {
  bool all;
  char *type; /* of each target: 0, 's', 'x' */
} session_t;

typedef struct {
  int count, first; /* the first operation that isn't known to be complete at the origin */
  MPI_Request request[MOST_REQUESTS + 2];
  operation_t *op[MOST_REQUESTS + 2];
} requests_t;

static void completed(plan_t *p, operation_t *o)
{
  if (!o) return;
  if (o->call != GET || !o->request || allowed(ON_MORE, RGET_RESULTS)) check_result(p, o);
  scribble(o);
}

/* Waits for all requests, the message's among them, in one of several ways. */
static void wait_requests(plan_t *p, requests_t *q, int how)
{
  MPI_Request *messages = message_requests();
  int n = q->count, done, index;
  if (messages && how % 2) {
    for (int i = 0; i < 2; i++, n++) {
      q->request[n] = messages[i];
      q->op[n] = NULL;
      messages[i] = MPI_REQUEST_NULL;
    }
  }
  if (how == 0)
    for (int i = 0; i < n; i++) MPI_Wait(&q->request[i], MPI_STATUS_IGNORE);
  if (how == 1) MPI_Waitall(n, q->request, MPI_STATUSES_IGNORE);
  for (int i = 0; how == 2 && i < n; i++)
    for (done = 0; !done;) MPI_Test(&q->request[i], &done, MPI_STATUS_IGNORE);
  for (int i = 0; how == 3 && i < n; i++) {
    MPI_Waitany(n, q->request, &index, MPI_STATUS_IGNORE);
    if (index != MPI_UNDEFINED) completed(p, q->op[index]);
  }
  for (int i = 0; i < n; i++) completed(p, q->op[i]);
  q->count = 0;
}

static bool has_request(const requests_t *q, const operation_t *o)
{
  for (int i = 0; i < q->count; i++)
    if (q->op[i] == o) return true;
  return false;
}

/* After a flush: what is complete may be looked at, and its buffers used again. */
static void flushed(plan_t *p, requests_t *q, int last, int target, bool locally)
{
  for (int i = 0; i <= last; i++) {
    operation_t *o = &p->op[i];
    if (o->origin != p->w->rank || !o->issued || (target >= 0 && o->target != target)) continue;
    if (!has_request(q, o) && (!locally || allowed(ON_MORE, LOCAL_RESULTS))) completed(p, o);
  }
}

static void do_after(plan_t *p, requests_t *q, int i)
{
  operation_t *o = &p->op[i];
  MPI_Win win = p->w->win;
  if (o->after == FLUSH) MPI_Win_flush(o->target, win);
  if (o->after == FLUSH_ALL) MPI_Win_flush_all(win);
  if (o->after == FLUSH_LOCAL) MPI_Win_flush_local(o->target, win);
  if (o->after == FLUSH_LOCAL_ALL) MPI_Win_flush_local_all(win);
  if (o->after == SYNC) MPI_Win_sync(win);
  if (o->after == SLEEP) compute();
  if (o->after == WAIT || q->count == MOST_REQUESTS) wait_requests(p, q, o->wait_how);
  if (o->after == FLUSH || o->after == FLUSH_LOCAL)
    flushed(p, q, i, o->target, o->after == FLUSH_LOCAL);
  if (o->after == FLUSH_ALL || o->after == FLUSH_LOCAL_ALL)
    flushed(p, q, i, -1, o->after == FLUSH_LOCAL_ALL);
}

static void run_session(plan_t *p, const session_t *s, int sub, int nocheck, bool collective)
{
  window_t *w = p->w;
  requests_t q = {0};
  int one = 1, sum, order = (int)draw(2);
  bool late = allowed(ON_MORE, LATE) && draw(2);
  if (s->all) MPI_Win_lock_all(nocheck, w->win);
  for (int t = 0; t < w->size && !s->all; t++)
    if (s->type[t])
      MPI_Win_lock(s->type[t] == 'x' ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, t, nocheck, w->win);
  for (int i = 0; i < p->count; i++) {
    operation_t *o = &p->op[i];
    if (o->origin != w->rank || o->sub != sub) continue;
    issue(p, o, &q.request[q.count]);
    if (o->request) q.op[q.count++] = o;
    do_after(p, &q, i);
  }
  if (collective) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, w->comm);
  if (!late) wait_requests(p, &q, order);
  if (s->all) MPI_Win_unlock_all(w->win);
  for (int i = 0; i < w->size && !s->all; i++) {
    int t = order ? i : w->size - 1 - i;
    if (s->type[t]) MPI_Win_unlock(t, w->win);
  }
  if (late) wait_requests(p, &q, order);
}

static void draw_session(plan_t *p, session_t *s, int origin, int sub, bool all, bool exclusive)
{
  int n = p->w->size, count = draw_operations(), targets = 0, *list = malloc(n * sizeof *list);
  *s = (session_t){all, calloc(n, 1)};
  int percent = chance(50) ? 100 / n : (int)draw(101);
  for (int t = 0; t < n; t++) {
    if (!all && !chance(percent)) continue;
    s->type[t] = exclusive && draw(2) ? 'x' : 's';
    list[targets++] = t;
  }
  for (int i = 0; i < count && targets; i++)
    add_operation(p, origin, list[draw(targets)], sub, count > 40);
  for (int t = 0; t < n; t++) p->phase[origin * n + t]++;
  free(list);
}

/* A rank that only waits in a call, while others use its window. */
static void sit(window_t *w, int busy, bool barrier)
{
  int token = 0;
  if (barrier || busy < 0) return;
  int sender = (busy + 1) % w->size;
  if (w->rank == sender) MPI_Send(&w->rank, 1, MPI_INT, busy, 6, w->comm);
  if (w->rank == busy) MPI_Recv(&token, 1, MPI_INT, sender, 6, w->comm, MPI_STATUS_IGNORE);
}

void try_passive(window_t *w, bool all)
{
  plan_t p;
  session_t sessions[MOST_SESSIONS];
  int busy = allowed(ON_MORE, BUSY) && w->size > 1 && chance(30) ? (int)draw(w->size) : -1,
      mine = 0;
  bool exclusive = !all && allowed(ON_MORE, EXCLUSIVE) && draw(2), barrier = draw(2);
  bool nocheck = !exclusive && allowed(ON_MORE, LOCK_NOCHECK) && draw(3) == 0;
  bool collective = !exclusive && busy < 0 && draw_collective();
  begin_plan(&p, w, true);
  for (int r = 0; r < w->size; r++) {
    int subs = r == busy ? 0 : 1 + (int)draw(MOST_SESSIONS);
    for (int s = 0; s < subs; s++) {
      session_t one;
      draw_session(&p, &one, r, s, all, exclusive);
      if (r == w->rank)
        sessions[mine++] = one;
      else
        free(one.type);
    }
  }
  if (prepares(&p, w->rank)) lock_self(w);
  store_prepared(&p);
  if (prepares(&p, w->rank)) unlock_self(w);
  simulate(&p);
  begin_messages(w);
  MPI_Barrier(w->comm);
  for (int s = 0; s < mine; s++) {
    run_session(&p, &sessions[s], s, nocheck ? MPI_MODE_NOCHECK : 0, collective && s == 0);
    free(sessions[s].type);
  }
  sit(w, busy, barrier);
  MPI_Barrier(w->comm);
  check_results(&p);
  end_messages(w);
  check_window(w);
  end_plan(&p);
}
