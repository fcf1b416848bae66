/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads modules in a process of its own.
 *
 * Files of others can be made so that libdw crashes, never ends or takes all memory. Requests and
 * answers have a head and that many bytes:
 *
 *   request   offset, path NUL build id NUL
 *   answer    number of frames (-1: out of memory), each frame's text NUL; then why a module wasn't
 *             read, NUL, if `unread` says so */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/process.h"
#include "symbol/symbol_internal.h"

/* MEMORY_GIB limits the process's memory, ANSWER the bytes of its answers. */
enum { ANSWER = 1 << 24, MEMORY_GIB = 4 };

struct apart {
  process_t process;
  double until; /* by clock_s() */
};

typedef struct head {
  uint64_t offset; /* of a request */
  int64_t frames;  /* of an answer */
  uint32_t bytes, unread;
} head_t;

/* A growing text of at most ANSWER bytes. */
typedef struct text {
  char *bytes;
  size_t n, cap;
} text_t;

static int add_text(void *context, const char *s)
{
  text_t *t = context;
  size_t n = strlen(s) + 1;
  if (t->n + n > ANSWER || !array_reserve(&t->bytes, &t->cap, t->n + n, 1)) return -1;
  memcpy(t->bytes + t->n, s, n);
  t->n += n;
  return 0;
}

apart_t *apart_new(double seconds)
{
  apart_t *a = calloc(1, sizeof *a);
  if (a) a->until = clock_s() + seconds;
  return a;
}

/* Ends the process by force: it has nothing to lose. */
static void stop(apart_t *a)
{
  if (!a->process.pid) return;
  kill(a->process.pid, SIGKILL);
  process_wait(&a->process);
}

void apart_free(apart_t *a)
{
  if (!a) return;
  stop(a);
  free(a);
}

/* --- the process that reads ------------------------------------------------------------------- */

static bool receive_all(int fd, void *data, size_t n)
{
  for (char *to = data; n > 0;) {
    ssize_t got = recv(fd, to, n, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    n -= (size_t)got;
  }
  return true;
}

static bool send_all(int fd, const void *data, size_t n)
{
  for (const char *from = data; n > 0;) {
    ssize_t sent = send(fd, from, n, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    from += sent;
    n -= (size_t)sent;
  }
  return true;
}

static bool answer(symbols_t *s, int fd, const head_t *request, const char *path)
{
  text_t text = {0};
  size_t before = s->unread.n;
  bool is_new;
  module_t *m = symbol_module(s, path, path + strlen(path) + 1, &is_new);
  if (m && is_new) symbol_open(s, m);
  head_t head = {.frames = m ? 0 : -1};
  if (m && m->found) head.frames = symbol_lookup(s, m, request->offset, add_text, &text);
  head.unread = s->unread.n > before;
  if (head.unread && add_text(&text, s->unread.why)) head.frames = -1;
  s->unread.n = 0; /* each answer has its own */
  head.bytes = (uint32_t)text.n;
  bool sent = send_all(fd, &head, sizeof head) && send_all(fd, text.bytes, text.n);
  free(text.bytes);
  return sent;
}

/* Answers requests until the connection ends. */
static void serve(int fd, void *context)
{
  (void)context;
  symbols_t s = {0};
  head_t request;
#ifndef __SANITIZE_ADDRESS__
  const rlim_t memory = (rlim_t)MEMORY_GIB << 30;
  setrlimit(RLIMIT_DATA, &(struct rlimit){memory, memory});
#endif
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  unsetenv("DEBUGINFOD_URLS"); /* libdw must not fetch files */
  while (receive_all(fd, &request, sizeof request)) {
    char *path = malloc(request.bytes);
    if (!path) {
      head_t failed = {.frames = -1};
      send_all(fd, &failed, sizeof failed);
      break;
    }
    if (!receive_all(fd, path, request.bytes) || !answer(&s, fd, &request, path)) break;
    free(path);
  }
}

/* --- the process that asks -------------------------------------------------------------------- */

/* Returns why an answer failed; NULL if it didn't. */
static const char *await(int fd, void *data, size_t n, double until)
{
  for (char *to = data; n > 0;) {
    double left = until - clock_s();
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int ready = left > 0 ? poll(&p, 1, (int)(left * 1e3) + 1) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return "reading it takes too long";
    ssize_t got = recv(fd, to, n, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return "reading it fails";
    to += got;
    n -= (size_t)got;
  }
  return NULL;
}

static bool request(const apart_t *a, const module_t *m, uint64_t offset)
{
  size_t path = strlen(m->path) + 1, id = strlen(m->build_id) + 1;
  head_t head = {.offset = offset, .bytes = (uint32_t)(path + id)};
  return send_all(a->process.to, &head, sizeof head) && send_all(a->process.to, m->path, path) &&
         send_all(a->process.to, m->build_id, id);
}

/* Passes on what an answer holds: its frames, then why a module wasn't read. */
static int take(symbols_t *s, const head_t *head, char *text, frame_put_t *put, void *context)
{
  char *end = text + head->bytes;
  for (int64_t i = 0; i < head->frames; i++, text += strlen(text) + 1)
    if (text >= end || put(context, text)) return -1;
  if (head->unread && text < end && s->unread.n++ == 0)
    snprintf(s->unread.why, sizeof s->unread.why, "%s", text);
  return head->frames > INT32_MAX ? -1 : (int)head->frames;
}

int apart_lookup(apart_t *a, symbols_t *s, module_t *m, uint64_t offset, frame_put_t *put,
                 void *context)
{
  double now = clock_s();
  head_t head = {0};
  char *text = NULL;
  const char *why = now >= a->until ? "no time is left to read it" : NULL;
  if (!why && !a->process.pid && process_start_part(&a->process, serve, NULL, NULL))
    why = "no process can be started to read it";
  double until = now + (a->until - now) / 2;
  if (!why && !request(a, m, offset)) why = "reading it fails";
  if (!why) why = await(a->process.to, &head, sizeof head, until);
  if (!why && (head.bytes > ANSWER || !(text = calloc(head.bytes + 1, 1)))) return -1;
  if (!why) why = await(a->process.to, text, head.bytes, until);
  int n = why ? 0 : take(s, &head, text, put, context);
  free(text);
  if (!why) return n;
  stop(a);
  m->given_up = true;
  symbol_unread_note(&s->unread, m->path, why);
  return 0;
}
