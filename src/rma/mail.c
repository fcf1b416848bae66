/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/mail.h"

#include <limits.h>
#include <stdlib.h>

#include "rma/rma.h"

enum {
  TAG_SHORT = 1,
  TAG_DATA = 16, /* and those behind it */
  TAGS = 16000,
  SLOTS = 16, /* receives that wait for short messages */
  KEPT = 256, /* messages that aren't given back to the system */
  BLOCK = 1 << 30
};

/* A request of the MPI's, and what comes behind it. */
typedef struct pending {
  mail_message_t *message; /* of a short one: to be freed */
  mail_done_t *done;
  void *context;
  size_t bytes; /* of long data */
} pending_t;

static mail_message_t *slot[SLOTS];
static MPI_Request slot_request[SLOTS];
static int next_slot; /* the one whose message comes first */
static bool open;

/* Requests that are under way, and before them that of the slot whose message comes first: one call
 * of the MPI looks at all of them. */
static MPI_Request *requests;
static pending_t *pending; /* of all but the first */
static int *finished;
static int n_pending, cap_pending, n_messages; /* n_messages of them are short */
static size_t under_way;

static mail_message_t *spare;
static int n_spare;

mail_message_t *mail_new(void)
{
  mail_message_t *m = spare;
  if (m) {
    spare = m->next;
    n_spare--;
    m->next = NULL;
  } else {
    m = malloc(sizeof *m);
  }
  if (m) m->head = (mail_head_t){0};
  if (m) m->next = NULL;
  return m;
}

void mail_free(mail_message_t *m)
{
  if (!m) return;
  if (n_spare == KEPT) {
    free(m);
    return;
  }
  m->next = spare;
  spare = m;
  n_spare++;
}

static bool make_room(void)
{
  if (n_pending < cap_pending) return true;
  int cap = cap_pending ? 2 * cap_pending : 64;
  MPI_Request *r = realloc(requests, (size_t)(cap + 1) * sizeof *r);
  if (r) requests = r;
  pending_t *p = realloc(pending, (size_t)cap * sizeof *p);
  if (p) pending = p;
  int *f = realloc(finished, (size_t)(cap + 1) * sizeof *f);
  if (f) finished = f;
  if (!r || !p || !f) return false;
  cap_pending = cap;
  return true;
}

static void add(MPI_Request request, pending_t p)
{
  requests[1 + n_pending] = request;
  pending[n_pending++] = p;
  under_way += p.bytes;
  n_messages += p.message != NULL;
}

void mail_send(mail_message_t *m, int to)
{
  MPI_Request request;
  int bytes = (int)(sizeof m->head + m->head.bytes);
  rma_count(RMA_MESSAGES);
  if (make_room() &&
      mpi.Isend(&m->head, bytes, mpi.byte, to, TAG_SHORT, rma_job.own, &request) == MPI_SUCCESS)
    add(request, (pending_t){.message = m});
  else
    mpi.Abort(mpi.comm_world, 1); /* an epoch would never end */
}

int mail_tag(void)
{
  static unsigned next;
  return TAG_DATA + (int)(next++ % TAGS);
}

/* Data longer than the MPI's counts go as elements of BLOCK bytes, and a rest. */
static bool start(char *data, size_t bytes, int other, int tag, bool sends, mail_done_t *done,
                  void *context)
{
  MPI_Request request;
  MPI_Datatype type = mpi.byte;
  int count = (int)bytes;
  if (!make_room()) return false;
  if (bytes > INT_MAX) {
    const int lengths[2] = {(int)(bytes / BLOCK), (int)(bytes % BLOCK)};
    const MPI_Aint places[2] = {0, (MPI_Aint)(bytes / BLOCK * BLOCK)};
    MPI_Datatype parts[2] = {mpi.byte, mpi.byte};
    if (mpi.Type_contiguous(BLOCK, mpi.byte, &parts[0]) != MPI_SUCCESS ||
        mpi.Type_create_struct(2, lengths, places, parts, &type) != MPI_SUCCESS ||
        mpi.Type_commit(&type) != MPI_SUCCESS)
      return false;
    mpi.Type_free(&parts[0]);
    count = 1;
  }
  int rc = sends ? mpi.Isend(data, count, type, other, tag, rma_job.own, &request)
                 : mpi.Irecv(data, count, type, other, tag, rma_job.own, &request);
  if (type != mpi.byte) mpi.Type_free(&type);
  if (rc == MPI_SUCCESS)
    add(request, (pending_t){.done = done, .context = context, .bytes = bytes});
  return rc == MPI_SUCCESS;
}

bool mail_send_data(const char *from, size_t bytes, int to, int tag, mail_done_t *done,
                    void *context)
{
  return start((char *)(uintptr_t)from, bytes, to, tag, true, done, context);
}

bool mail_receive_data(char *to, size_t bytes, int from, int tag, mail_done_t *done, void *context)
{
  return start(to, bytes, from, tag, false, done, context);
}

static bool listen_at(int i)
{
  if (!slot[i]) slot[i] = mail_new();
  return slot[i] &&
         mpi.Irecv(&slot[i]->head, sizeof(mail_head_t) + MAIL_ROOM, mpi.byte, MPI_ANY_SOURCE,
                   TAG_SHORT, rma_job.own, &slot_request[i]) == MPI_SUCCESS;
}

bool mail_open(void)
{
  if (!make_room()) return false;
  for (int i = 0; !open && i < SLOTS; i++)
    if (!listen_at(i)) return false;
  if (!open) requests[0] = slot_request[0];
  return open = true;
}

void mail_close(void)
{
  for (int i = 0; open && i < SLOTS; i++) {
    MPI_Request *r = i == next_slot ? &requests[0] : &slot_request[i];
    mpi.Cancel(r);
    mpi.Wait(r, MPI_STATUS_IGNORE);
    free(slot[i]);
    slot[i] = NULL;
  }
  open = false;
  while (spare) {
    mail_message_t *m = spare;
    spare = m->next;
    free(m);
  }
  n_spare = next_slot = 0;
  free(requests);
  free(pending);
  free(finished);
  requests = NULL;
  pending = NULL;
  finished = NULL;
  n_pending = cap_pending = n_messages = 0;
  under_way = 0;
}

bool mail_is_busy(void) { return n_pending > 0; }

size_t mail_under_way(void) { return under_way; }

mail_count_t mail_count(void) { return (mail_count_t){n_messages, n_pending - n_messages}; }

/* The message of the first slot has come: the next one is the first now. */
static void hear(void (*handle)(mail_message_t *m))
{
  mail_message_t *m = slot[next_slot];
  slot[next_slot] = NULL;
  if (!listen_at(next_slot)) mpi.Abort(mpi.comm_world, 1);
  next_slot = (next_slot + 1) % SLOTS;
  requests[0] = slot_request[next_slot];
  handle(m);
}

/* Takes what has finished off the list: up to MOST of finished[from] to finished[n - 1]. */
enum { MOST = 32 };
static int take_finished(int from, int n, pending_t *out)
{
  int taken = 0;
  for (int i = from; i < n && taken < MOST; i++) {
    pending_t *p = &pending[finished[i] - 1];
    out[taken++] = *p;
    under_way -= p->bytes;
    n_messages -= p->message != NULL;
    *p = (pending_t){0};
  }
  return taken;
}

/* What comes behind a request may start others. */
static void finish(int n, int rc)
{
  pending_t done[MOST];
  for (int i = 0, taken; i < n; i += taken) {
    taken = take_finished(i, n, done);
    for (int k = 0; k < taken; k++) {
      mail_free(done[k].message);
      if (done[k].done) done[k].done(done[k].context, rc);
    }
  }
  int kept = 0;
  for (int i = 0; i < n_pending; i++) {
    if (requests[1 + i] == mpi.request_null) continue;
    requests[1 + kept] = requests[1 + i];
    pending[kept++] = pending[i];
  }
  n_pending = kept;
}

bool mail_poll(void (*handle)(mail_message_t *m))
{
  bool came = false;
  while (open) {
    int n = 0;
    int rc = mpi.Testsome(1 + n_pending, requests, &n, finished, MPI_STATUSES_IGNORE);
    if (n == MPI_UNDEFINED || n <= 0) break;
    int first = 0;
    while (first < n && finished[first] != 0) first++;
    bool heard = first < n;
    if (heard) finished[first] = finished[--n];
    if (n > 0) finish(n, rc);
    if (heard) hear(handle);
    came = true;
    if (!heard) break;
  }
  return came;
}
