/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws operations that don't conflict, and computes what they do. Every byte of a window knows who
 * uses it in the current epoch, and how. */
#include "random.h"

enum { READ, WRITE, GATHER, TRIES = 6, MIXED_BASIC = 255 };
enum { ALONE = -1 }; /* a claim's op: nobody else's accumulates may come */

void begin_plan(plan_t *p, window_t *w, bool passive)
{
  static uint32_t stamps;
  memset(p, 0, sizeof *p);
  p->w = w;
  p->passive = passive;
  p->op = calloc(w->size * MOST_OPS, sizeof *p->op);
  p->phase = calloc((size_t)w->size * w->size, sizeof *p->phase);
  stamps += 1000;
  p->first_stamp = p->stamp = stamps;
  current_plan = p;
}

/* Everything before is over at all ranks. */
void next_stamp(plan_t *p) { p->stamp++; }

static bool reads_only(const operation_t *o) { return o->call == GET; }

static claim_t claim_of(const plan_t *p, const operation_t *o)
{
  bool commutes = o->call == ACC && o->op < REPLACE;
  claim_t c = {.stamp = p->stamp, .origin = (int16_t)o->origin};
  if (o->target >= 0) c.phase = p->phase[o->origin * p->w->size + o->target];
  c.basic = o->basic < 0 ? MIXED_BASIC : (uint8_t)o->basic;
  c.kind = o->call == PUT ? WRITE : o->call == GET ? READ : GATHER;
  c.op = commutes || (o->call != COMPARE && o->op == NO_OP) ? (int8_t)o->op : ALONE;
  return c;
}

/* May `c` come to a byte with claim `old`? Then *old becomes what both are. */
static bool agrees(const plan_t *p, const operation_t *o, const claim_t *c, claim_t *old)
{
  bool now = old->stamp == p->stamp, same = old->origin == c->origin;
  bool later = now && same && old->phase < c->phase, sole = old->sole;
  if (now && !same && sole) return false;
  if (old->stamp >= p->first_stamp && o->prepared) return false; /* prepared before all others */
  bool alike = now && old->kind == c->kind && c->kind != WRITE && old->basic == c->basic &&
               (c->kind == READ || (old->place == c->place && old->op == c->op && c->op != ALONE));
  if (now && old->kind == READ && c->kind == READ) alike = true;
  if (alike) {
    if (same)
      old->phase = c->phase;
    else
      old->origin = -1;
    return true;
  }
  if (!now || later) {
    *old = *c;
    old->sole = later;
    return true;
  }
  if (old->kind != GATHER || c->kind != GATHER || old->basic != c->basic || old->place != c->place)
    return false;
  if (!same || !o->ordered || p->w->unordered) return false;
  old->op = ALONE;
  old->phase = c->phase;
  return true;
}

/* o->prepared of a first operation: all its bytes are fresh. A later one finds what it needs. */
static bool claim(plan_t *p, const operation_t *o, bool joined)
{
  claim_t *claims = p->w->region[o->target][o->region].claim, c = claim_of(p, o);
  for (int commit = 0; commit < 2; commit++)
    for (size_t i = 0; i < o->to.blocks; i++) {
      const block_t *b = &o->to.block[i];
      ptrdiff_t at = o->at + b->at, end = at + (ptrdiff_t)b->n * o->to.stride;
      for (ptrdiff_t k = 0; at < end; at++, k++) {
        claim_t trial = claims[at], *old = commit ? &claims[at] : &trial;
        c.place = (uint8_t)(k % o->to.stride);
        if (joined && (trial.stamp != p->stamp || trial.kind != GATHER || trial.basic != c.basic))
          return false;
        if (!agrees(p, o, &c, old)) return false;
      }
    }
  return true;
}

/* Finds a displacement for o->to; 0 B of data may be anywhere. */
static bool find_place(plan_t *p, operation_t *o, int align, bool near)
{
  const region_t *r = &p->w->region[o->target][o->region];
  ptrdiff_t unit = p->w->unit[o->target], room = (ptrdiff_t)r->size - o->to.high;
  uint64_t random = draw(UINT32_MAX), step = draw(3);
  if (room < 0 || o->to.low < 0) return false;
  ptrdiff_t places = room / unit + 1;
  ptrdiff_t disp =
      near ? (p->last + (ptrdiff_t)step * unit) / unit % places : (ptrdiff_t)(random % places);
  for (int i = 0; i < 16; i++, disp = (disp + 1) % places) {
    o->at = disp * unit;
    if ((r->align + o->at) % align) continue;
    o->disp = p->w->flavor == DYNAMIC ? MPI_Aint_add(r->address, o->at) : (MPI_Aint)disp;
    p->last = o->at + o->to.high;
    return true;
  }
  return false;
}

static size_t draw_bytes(size_t most, bool small)
{
  if (small) return 1 + draw(draw(4) ? 16 : 256);
  size_t bytes = (size_t)1 << draw(21);
  if (bytes > most) bytes = most;
  return bytes / 2 + draw(bytes / 2 + 1) + 1;
}

static const unsigned without_no_op = (1u << NO_OP) - 1;

static int basic_for(const operation_t *o)
{
  for (;;) {
    int b = (int)draw(basic_count);
    bool gaps = basics[b].class == 'p' && basics[b].size != basics[b].extent;
    if (gaps && o->call != PUT && o->call != GET && !allowed(ON_MORE, PAIRS)) continue;
    if (o->call == ACC || o->call == GET_ACC || o->call == FETCH_OP) return b;
    if (o->call != COMPARE || strchr("iaulb", basics[b].class)) return b;
  }
}

static form_t form_for(const operation_t *o, bool small)
{
  if (o->call == FETCH_OP || o->call == COMPARE) return PLAIN;
  if (small && chance(80)) return pick(ON_TYPE, 1 << PLAIN);
  int form = pick(ON_TYPE, 1 << PLAIN | 1 << DERIVED | (o->call == PUT || o->call == GET) << MIXED);
  return form < 0 ? PLAIN : form;
}

static bool draw_region(plan_t *p, operation_t *o)
{
  for (int i = 0; i < TRIES; i++) {
    o->region = (int)draw(p->w->regions);
    if (p->w->region[o->target][o->region].size) return true;
  }
  return false;
}

static int own(const plan_t *p, const operation_t *o) { return p->w->rank == o->origin ? REAL : 0; }

static const basic_t *basic_of(const operation_t *o)
{
  return o->basic < 0 ? NULL : &basics[o->basic];
}

/* A first use of a place. */
static bool draw_fresh(plan_t *p, operation_t *o, bool small)
{
  o->basic = basic_for(o);
  form_t form = form_for(o, small);
  if (o->call == GET_ACC && !allowed(ON_MORE, DERIVED_FETCH)) form = PLAIN;
  if (form == MIXED) o->basic = -1;
  const basic_t *b = basic_of(o);
  if (b && o->call == ACC) o->op = draw_op(b, without_no_op);
  if (b && (o->call == GET_ACC || o->call == FETCH_OP)) o->op = draw_op(b, ~0u);
  bool accumulates = o->call != PUT && o->call != GET;
  if (accumulates) o->prepared = o->call == COMPARE || !any_content(b, o->op) || chance(50);
  o->typed = o->prepared;
  o->to_form = form;
  o->to_seed = o->seed;
  if (o->target >= 0 && !draw_region(p, o)) return false;
  size_t most = o->target < 0 ? 1000 : p->w->region[o->target][o->region].size;
  size_t n = (draw_bytes(most, small) + (b ? b->extent : 32) - 1) / (b ? b->extent : 32);
  if (o->call == FETCH_OP || o->call == COMPARE)
    n = 1;
  else if (chance(4))
    n = 0;
  for (int i = 0; i < TRIES; i++) {
    make_layout(&o->to, b, o->seed, n, form, own(p, o));
    if (o->target < 0) return true;
    if (find_place(p, o, b ? b->align : 8, small && p->count % 40 > 10) && claim(p, o, false))
      return true;
    free_layout(&o->to);
    if (n > 1) n = (n + 1) / 2;
  }
  return false;
}

/* Accumulates once more where operation q did. */
static bool draw_joined(plan_t *p, operation_t *o)
{
  if (p->count == 0) return false;
  const operation_t *q = &p->op[p->count - 1 - draw(p->count < 40 ? p->count : 40)];
  if (q->target != o->target || q->target < 0 || q->call == PUT || q->call == GET || q->to.n == 0)
    return false;
  if (q->call == COMPARE && !allowed(ON_MORE, ORDERED_SWAP)) return false;
  const basic_t *b = &basics[q->basic];
  o->basic = q->basic;
  o->region = q->region;
  o->at = q->at;
  o->disp = q->disp;
  o->typed = q->typed;
  o->op = q->op;
  o->call = q->call == COMPARE ? FETCH_OP : q->call;
  if (q->call == FETCH_OP || q->call == COMPARE) o->call = chance(50) ? FETCH_OP : GET_ACC;
  if (q->origin == o->origin && q->typed && allowed(ON_MORE, ORDERED) && q->op != PROD) {
    unsigned ops = 1u << SUM | 1u << MAX | 1u << MIN | 1u << REPLACE | 1u << NO_OP;
    if (!strchr("iau", b->class)) ops |= 1u << LAND | 1u << LOR | 1u << LXOR;
    if (strchr("ua", b->class) && !allowed(ON_MORE, HIGH)) ops &= ~(1u << MAX | 1u << MIN);
    o->ordered = true;
    o->op = draw_op(b, ops | 1u << MAXLOC | 1u << MINLOC | 1u << BAND | 1u << BOR | 1u << BXOR);
    o->call = chance(50) ? ACC : GET_ACC;
    if (q->to.n == 1 && chance(50)) o->call = FETCH_OP;
    if (q->to.n == 1 && strchr("iaulb", b->class) && chance(30) && allowed(ON_MORE, ORDERED_SWAP))
      o->call = COMPARE;
  }
  if (o->call == ACC && o->op == NO_OP) o->call = GET_ACC;
  bool atomic = o->call == FETCH_OP || o->call == COMPARE;
  if (!allowed(ON_CALL, o->call)) return false;
  bool derived = o->call == GET_ACC && q->to_form != PLAIN;
  if (derived && !allowed(ON_MORE, DERIVED_FETCH)) return false;
  if (atomic && o->origin == o->target && !allowed(ON_MORE, SELF_ATOMIC)) return false;
  if ((o->call == FETCH_OP || o->call == COMPARE) && q->to.block[0].at) return false;
  o->to_form = o->call == FETCH_OP || o->call == COMPARE ? PLAIN : q->to_form;
  o->to_seed = q->to_seed;
  make_layout(&o->to, b, o->to_seed, q->to.n, o->to_form, own(p, o));
  if (claim(p, o, true)) return true;
  free_layout(&o->to);
  return false;
}

static void draw_sides(plan_t *p, operation_t *o, bool small)
{
  const basic_t *b = basic_of(o);
  int flags = AT_ORIGIN | own(p, o);
  bool single = o->call == FETCH_OP || o->call == COMPARE;
  form_t from = b ? single ? PLAIN : form_for(o, small) : MIXED, back = from;
  if (from == MIXED && b) from = back = DERIVED;
  uint64_t seed = b ? mix(o->seed) : o->seed; /* a mixed signature must be the same */
  make_layout(&o->from, b, seed, o->to.n, from, flags);
  if (b && !single && chance(50)) back = PLAIN;
  make_layout(&o->back, b, b ? mix(seed) : seed, o->to.n, back, flags);
  o->bottom = !single && o->to.n && allowed(ON_TYPE, BOTTOM) && chance(15);
  o->null_origin = (o->call == GET_ACC || o->call == FETCH_OP) && o->op == NO_OP &&
                   allowed(ON_MORE, NULL_ORIGIN) && chance(40);
}

/* What the origin does after the call; in lock epochs only. */
static void draw_after(plan_t *p, operation_t *o)
{
  o->after = NOTHING;
  o->wait_how = (int)draw(4);
  if (allowed(ON_MORE, COMPUTE) && chance(1)) o->after = SLEEP;
  if (!p->passive) return;
  o->request = o->call < FETCH_OP && allowed(ON_MORE, REQUESTS) && chance(30);
  if (allowed(ON_MORE, FLUSHES) && chance(20)) {
    o->after = FLUSH + (after_t)draw(5);
    if (o->target < 0 && (o->after == FLUSH || o->after == FLUSH_LOCAL)) o->after = FLUSH_ALL;
  } else if (allowed(ON_MORE, REQUESTS) && chance(15)) {
    o->after = WAIT;
  }
  for (int t = 0; t < p->w->size; t++)
    if (o->after == FLUSH_ALL || (o->after == FLUSH && t == o->target))
      p->phase[o->origin * p->w->size + t]++;
}

bool add_operation(plan_t *p, int origin, int target, int sub, bool small)
{
  if (p->count == p->w->size * MOST_OPS) return false;
  operation_t *o = &p->op[p->count];
  memset(o, 0, sizeof *o);
  o->origin = origin;
  o->target = chance(2) ? -1 : target;
  o->sub = sub;
  o->seed = draw(UINT64_MAX);
  o->call = (call_t)pick(ON_CALL, ~0u);
  bool join = allowed(ON_MORE, JOINED) && chance(35);
  if (!(join && draw_joined(p, o))) {
    call_t call = (call_t)pick(ON_CALL, ~0u);
    int to = o->target;
    memset(o, 0, sizeof *o);
    *o = (operation_t){.call = call, .origin = origin, .target = to, .sub = sub};
    o->seed = draw(UINT64_MAX);
    bool atomic = o->call == FETCH_OP || o->call == COMPARE;
    if (atomic && origin == to && !allowed(ON_MORE, SELF_ATOMIC)) return false;
    if (!draw_fresh(p, o, small)) return false;
  }
  draw_sides(p, o, small);
  draw_after(p, o);
  p->count++;
  if (origin == p->w->rank) operations++;
  return true;
}

int draw_operations(void)
{
  uint64_t d = draw(100);
  if (d < 12) return 0;
  if (d < 50) return 1 + (int)draw(4);
  if (d < 98 || !allowed(ON_MORE, MANY)) return 5 + (int)draw(25);
  return 100 + (int)draw(MOST_OPS - 100);
}

bool prepares(const plan_t *p, int target)
{
  for (int i = 0; i < p->count; i++)
    if (p->op[i].target == target && p->op[i].prepared) return true;
  return false;
}

bool writes_to(const plan_t *p, int target, int sub)
{
  for (int i = 0; i < p->count; i++)
    if (p->op[i].target == target && p->op[i].sub == sub && !reads_only(&p->op[i])) return true;
  return false;
}

void end_plan(plan_t *p)
{
  for (int i = 0; i < p->count; i++) {
    operation_t *o = &p->op[i];
    free_layout(&o->from);
    free_layout(&o->to);
    free_layout(&o->back);
    free(o->expected);
    free(o->unknown);
    free(o->origin_block);
    free(o->back_block);
  }
  free(p->op);
  free(p->phase);
  current_plan = NULL;
}
