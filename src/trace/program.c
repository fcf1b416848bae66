/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds loops at the end of a program, and follows the last loop. */
#include "trace/program.h"

#include <stddef.h>

enum {
  MAX_CANDIDATES = 512, /* earlier occurrences of the last element that may end a body */
  MAX_LOOPS_BACK = 16   /* loops that may go on after elements behind them */
};

static const uint64_t base = 0x9e3779b97f4a7c15u;

static uint64_t mix(uint64_t h, uint64_t x)
{
  h = (h ^ x) * 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

/* The hash of a record whose body, if it is a loop, has this hash. */
static uint64_t hash_of(const spool_step_t *s, uint64_t body)
{
  uint64_t h = mix(s->kind | (uint64_t)s->mode << 16 | (uint64_t)s->root << 32, s->peer);
  return mix(mix(h, s->kind == SPOOL_STEP_LOOP ? body : s->size), s->times);
}

static uint16_t *head_of(program_t *p, uint64_t hash)
{
  return &p->head[hash >> 20 & (PROGRAM_HEADS - 1)];
}

void program_begin(program_t *p, spool_step_t *step, uint32_t room, uint64_t *pending)
{
  memset(p->head, 0, sizeof p->head);
  if (!p->power[0]) {
    p->power[0] = 1;
    for (uint32_t i = 1; i <= SPOOL_MAX_STEPS; i++) p->power[i] = p->power[i - 1] * base;
  }
  p->step = step;
  p->room = room;
  p->pending = pending;
  p->place.at = NULL;
  p->open = false;
  p->n = p->n_elements = 0;
  p->sent = p->came = SPOOL_ANY_RANK;
}

static uint32_t records_of(const spool_step_t *s)
{
  return s->kind == SPOOL_STEP_LOOP ? 1 + (uint32_t)s->size : 1;
}

/* The element that begins at a record, with everything but its place in the stack. */
static program_element_t measure(const program_t *p, uint32_t at)
{
  const spool_step_t *s = &p->step[at];
  program_element_t e = {.at = at};
  if (s->kind == SPOOL_STEP_LOOP) {
    for (uint32_t i = at + 1; i < at + records_of(s); i += records_of(&p->step[i])) {
      program_element_t in = measure(p, i);
      e.body = e.body * base + in.hash;
      if (e.height < in.height) e.height = in.height;
      e.inside++;
    }
    e.height++;
  }
  e.hash = hash_of(s, e.body);
  return e;
}

/* Closes the last element: no step will change it. */
static void close_last(program_t *p)
{
  program_element_t *e = &p->element[p->n_elements - 1];
  e->hash = hash_of(&p->step[e->at], e->body);
  e[1].before = e->before * base + e->hash;
  uint16_t *head = head_of(p, e->hash);
  e->same = *head;
  *head = (uint16_t)p->n_elements;
  p->open = false;
}

/* Removes closed elements from the end. */
static void remove_elements(program_t *p, uint32_t n_left)
{
  while (p->n_elements > n_left) {
    const program_element_t *e = &p->element[--p->n_elements];
    *head_of(p, e->hash) = e->same;
  }
}

/* The hash of n elements from the first one on. */
static uint64_t hash_range(const program_t *p, uint32_t first, uint32_t n)
{
  return p->element[first + n].before - p->element[first].before * p->power[n];
}

static bool same_records(const program_t *p, uint32_t a, uint32_t b, uint32_t n)
{
  return memcmp(&p->step[a], &p->step[b], n * sizeof *p->step) == 0;
}

/* The step at a record of the innermost loop's body is expected. */
static void expect(program_t *p, uint32_t at)
{
  program_place_t *x = &p->place;
  const spool_step_t *loop = &p->step[x->in[x->depth].loop];
  x->first = loop + 1;
  x->end = loop + records_of(loop);
  x->at = &p->step[at];
}

void program_move(program_t *p, spool_step_t *step)
{
  ptrdiff_t at = p->place.at ? p->place.at - p->step : -1;
  p->step = step;
  if (at >= 0) expect(p, (uint32_t)at);
}

/* Moves to the first step at a record or inside of the loops there. */
static void go_to(program_t *p, uint32_t at)
{
  program_place_t *x = &p->place;
  for (; p->step[at].kind == SPOOL_STEP_LOOP; at++) {
    x->depth++;
    x->in[x->depth].loop = at;
    x->in[x->depth].left = p->step[at].times;
  }
  expect(p, at);
  x->left = p->step[at].times;
}

void program_next_slow(program_t *p)
{
  program_place_t *x = &p->place;
  for (uint32_t at = (uint32_t)(x->at - p->step) + 1;;) {
    uint32_t loop = x->in[x->depth].loop;
    if (at < loop + records_of(&p->step[loop])) {
      go_to(p, at);
      return;
    }
    if (x->depth == 0) {
      p->step[loop].times++;
      *p->pending = 0;
    }
    if (x->depth == 0 || --x->in[x->depth].left)
      at = loop + 1;
    else
      x->depth--;
  }
}

/* Makes the last element, which is a loop, the one that goes on. */
static void follow(program_t *p)
{
  uint32_t loop = p->element[p->n_elements - 1].at;
  p->open = true;
  p->place.depth = 0;
  p->place.in[0].loop = loop;
  *p->pending = 0;
  go_to(p, loop + 1);
}

/* If the elements behind a loop are its body, they become one more iteration of it. */
static bool fold_into_loop(program_t *p)
{
  int n_loops = 0;
  for (uint32_t i = p->n_elements - 1; i-- > 0 && n_loops < MAX_LOOPS_BACK;) {
    const program_element_t *e = &p->element[i];
    uint32_t behind = p->n_elements - 1 - i, body = e->at + 1;
    n_loops += e->inside > 0;
    if (e->inside != behind || hash_range(p, i + 1, behind) != e->body) continue;
    uint32_t end = e[1].at;
    if (end - body != p->n - end || !same_records(p, body, end, p->n - end)) continue;
    remove_elements(p, i); /* the loop's hash changes */
    p->n_elements++;
    p->n = end;
    p->step[e->at].times++;
    follow(p);
    return true;
  }
  return false;
}

static uint16_t height_of(const program_t *p, uint32_t first, uint32_t n)
{
  uint16_t height = 0;
  for (uint32_t i = first; i < first + n; i++)
    if (p->element[i].height > height) height = p->element[i].height;
  return height;
}

/* Makes a loop of the last n elements, which equal the n before them. */
static void make_loop(program_t *p, uint32_t n)
{
  uint32_t first = p->n_elements - 2 * n;
  program_element_t *e = &p->element[first];
  uint32_t at = e->at, records = p->n - p->element[first + n].at;
  uint16_t height = height_of(p, first, n);
  uint64_t body = hash_range(p, first, n);
  remove_elements(p, first);
  memmove(&p->step[at + 1], &p->step[at], records * sizeof *p->step);
  p->step[at] = (spool_step_t){
      .phase = p->step[at + 1].phase, .kind = SPOOL_STEP_LOOP, .size = records, .times = 2};
  p->n = at + 1 + records;
  p->n_elements++;
  e->body = body;
  e->inside = (uint16_t)n;
  e->height = height + 1;
  follow(p);
}

/* If the last elements equal those before them, makes a loop of both. */
static bool fold_equal(program_t *p)
{
  uint32_t m = p->n_elements;
  uint64_t hash = p->element[m - 1].hash;
  uint32_t same = p->element[m - 1].same;
  for (int i = 0; same && i < MAX_CANDIDATES; i++, same = p->element[same - 1].same) {
    uint32_t n = m - same, first = m - 2 * n;
    if (2 * n > m) return false;
    if (p->element[same - 1].hash != hash || hash_range(p, first, n) != hash_range(p, m - n, n))
      continue;
    uint32_t a = p->element[first].at, b = p->element[m - n].at;
    if (b - a != p->n - b || !same_records(p, a, b, b - a)) continue;
    if (height_of(p, first, n) == SPOOL_MAX_LOOPS) continue;
    make_loop(p, n);
    return true;
  }
  return false;
}

/* Folds the closed elements at the end. Returns whether it made a loop, which is open. */
static bool fold(program_t *p) { return fold_into_loop(p) || fold_equal(p); }

/* Appends an open element whose records are at the end already. */
static void append(program_t *p, program_element_t e)
{
  if (p->open) close_last(p);
  e.before = p->n_elements ? p->element[p->n_elements].before : 0;
  p->element[p->n_elements++] = e;
  p->n += records_of(&p->step[e.at]);
  p->open = true;
}

/* Appends a copy of the element at a record, `times` times; once: a loop's body. If `count` isn't
 * NULL, only adds up how many records that takes. */
static void append_copy(program_t *p, uint32_t from, uint64_t times, uint32_t *count);

static void append_body(program_t *p, uint32_t loop, uint32_t end, uint32_t *count)
{
  for (uint32_t i = loop + 1; i < end; i += records_of(&p->step[i]))
    append_copy(p, i, p->step[i].times, count);
}

static void append_copy(program_t *p, uint32_t from, uint64_t times, uint32_t *count)
{
  const spool_step_t *s = &p->step[from];
  uint32_t n = records_of(s);
  if (s->kind == SPOOL_STEP_LOOP && times == 1) {
    append_body(p, from, from + n, count);
  } else if (count) {
    *count += n;
  } else {
    memcpy(&p->step[p->n], s, n * sizeof *s);
    p->step[p->n].times = times;
    append(p, measure(p, p->n));
  }
}

/* Appends the steps of the iteration that was begun. */
static void append_pending(program_t *p, uint32_t *count)
{
  const program_place_t *x = &p->place;
  uint32_t here = (uint32_t)(x->at - p->step);
  for (int d = 0; d <= x->depth; d++) {
    uint32_t at = d < x->depth ? x->in[d + 1].loop : here;
    uint64_t left = d < x->depth ? x->in[d + 1].left : x->left, done = p->step[at].times - left;
    append_body(p, x->in[d].loop, at, count);
    if (done) append_copy(p, at, done, count);
  }
}

/* Another step than the expected one came. Returns false if there is no room. */
static bool leave_loop(program_t *p)
{
  uint32_t count = 0;
  append_pending(p, &count);
  if (count > p->room - p->n) return false;
  append_pending(p, NULL);
  p->place.at = NULL;
  *p->pending = 0;
  return true;
}

/* Counts the step in the last element if it is the same step. */
static bool repeat(program_t *p, const spool_step_t *s)
{
  if (!p->open) return false;
  spool_step_t *last = &p->step[p->element[p->n_elements - 1].at];
  if (!program_same(last, s)) return false;
  last->times++;
  return true;
}

/* Names the rank whose message came first if the step answers it: the trace then says whom the rank
 * answers because of what. Returns false if there is no room. */
static bool name_first(program_t *p, const spool_step_t *s)
{
  if (!p->open || s->kind != SPOOL_STEP_SEND || s->peer != p->came) return true;
  spool_step_t *last = &p->step[p->element[p->n_elements - 1].at];
  if (last->kind != SPOOL_STEP_RECEIVE || last->peer != SPOOL_ANY_RANK) return true;
  spool_step_t first = *last;
  first.mode = SPOOL_RECEIVE_FIRST;
  first.peer = s->peer;
  first.times = 1;
  if (last->times == 1) {
    *last = first;
    return true;
  }
  last->times--;
  bool added = program_add(p, &first);
  if (!added) last->times++;
  return added;
}

bool program_add(program_t *p, const spool_step_t *s)
{
  if (program_expects(p, s)) return true;
  bool sent = s->kind == SPOOL_STEP_SENT;
  if (sent && p->sent == s->peer) return true;
  if (p->place.at && !leave_loop(p)) return false;
  if (!name_first(p, s)) return false;
  p->came = SPOOL_ANY_RANK;
  while (!repeat(p, s)) {
    if (p->open) {
      close_last(p);
      if (fold(p)) {
        if (program_expects(p, s)) return true;
        p->place.at = NULL;
        continue;
      }
    }
    if (p->n == p->room) return false;
    p->step[p->n] = *s;
    append(p, (program_element_t){.at = p->n});
    break;
  }
  p->sent = sent ? s->peer : SPOOL_ANY_RANK;
  return true;
}

void program_end(program_t *p)
{
  if (p->place.at && *p->pending) return;
  p->place.at = NULL;
  while (p->open) {
    close_last(p);
    if (!fold(p)) return;
    p->place.at = NULL;
  }
}
