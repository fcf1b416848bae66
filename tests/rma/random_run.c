/* SPDX-License-Identifier: BSD-3-Clause */
/* What operations do to the model, the calls that do it, and the comparison of their results. */
#include "random.h"

#include <unistd.h>

plan_t *current_plan;
static int wrong;
static const char *const calls[] = {
    "Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap"};

bool is_wrong(void) { return wrong > 0; }

void compute(void)
{
  usleep((useconds_t)(mix((uint64_t)operations + (uint64_t)epoch_number) % 2000));
}

static const char *type_text(const operation_t *o)
{
  return o->basic < 0 ? "mixed" : basics[o->basic].name;
}

void wrong_byte(window_t *w, const operation_t *o, const char *what, size_t at, int wanted, int got)
{
  if (wrong++ > 5) return;
  printf("epoch %ld, rank %d of %d, window kind %d, %s: byte %zu is %02x, expected %02x\n",
         epoch_number, w->rank, w->size, w->flavor, what, at, got, wanted);
  if (!o) return;
  printf("  call: %s%s %d of the plan, %s, origin %d (%s%s%s), target %d (%s) region %d at %td, "
         "%zu elements of %s, then %d, sub-epoch %d\n",
         o->request ? "R" : "", calls[o->call], (int)(o - current_plan->op), op_text(o->op),
         o->origin, o->from.text, o->bottom ? ", MPI_BOTTOM" : "", o->null_origin ? ", null" : "",
         o->target, o->to.text, o->region, o->at, o->to.n, type_text(o), o->after, o->sub);
}

const operation_t *last_at(const window_t *w, const region_t *r, ptrdiff_t at)
{
  const operation_t *found = NULL;
  for (int i = 0; current_plan && i < current_plan->count; i++) {
    const operation_t *o = &current_plan->op[i];
    if (current_plan->w != w || o->target < 0 || &w->region[o->target][o->region] != r) continue;
    if (o->call == GET && found) continue;
    for (size_t k = 0; k < o->to.blocks; k++) {
      ptrdiff_t begin = o->at + o->to.block[k].at;
      if (at >= begin && at < begin + (ptrdiff_t)o->to.block[k].n * o->to.stride) found = o;
    }
  }
  return found;
}

static unsigned char *operand(const operation_t *o, uint64_t seed, bool first)
{
  unsigned char *packed = malloc(o->to.n * o->to.size + 16);
  for (size_t i = 0; i < o->to.n; i++) {
    unsigned char *at = packed + i * o->to.size;
    if (o->basic >= 0 && o->call == PUT)
      any_value(&basics[o->basic], seed + i, at);
    else if (o->basic >= 0)
      nice_value(&basics[o->basic], o->call == COMPARE ? REPLACE : o->op, first, seed + i, at);
    else
      for (size_t k = 0; k < o->to.size; k++) at[k] = (unsigned char)mix(seed + i * 64 + k);
  }
  return packed;
}

static unsigned char *model_at(const window_t *w, const operation_t *o)
{
  return w->region[o->target][o->region].model + o->at;
}
static unsigned char *unknown_at(const window_t *w, const operation_t *o)
{
  return w->region[o->target][o->region].unknown + o->at;
}

static void keep_compare(const window_t *w, operation_t *o, const unsigned char *now)
{
  if (o->target >= 0) memcpy(o->compare, now, o->to.size);
  if (o->seed >> 20 & 1) o->compare[0] ^= 1;
  (void)w;
}

/* The new values for the place, from the old ones; `unknown` likewise. */
static void apply(const operation_t *o, unsigned char *now, unsigned char *unknown)
{
  unsigned char *from = operand(o, o->seed, false);
  size_t size = o->to.size;
  if (o->call == PUT) {
    memcpy(now, from, o->to.n * size);
    memset(unknown, 0, o->to.n * size);
  } else if (o->call == COMPARE) {
    if (memcmp(now, o->compare, size) == 0) memcpy(now, from, size);
  } else {
    for (size_t i = 0; i < o->to.n; i++) {
      bool doubtful = memchr(unknown + i * size, 1, size) != NULL;
      combine(&basics[o->basic], o->op, now + i * size, from + i * size);
      if (o->op == REPLACE || (doubtful && o->op != NO_OP))
        memset(unknown + i * size, o->op != REPLACE, size);
    }
  }
  free(from);
}

static void simulate_one(plan_t *p, operation_t *o)
{
  window_t *w = p->w;
  size_t bytes = o->to.n * o->to.size;
  unsigned char *now = malloc(bytes + 1), *unknown = calloc(bytes + 1, 1);
  if (o->target >= 0) {
    pack(&o->to, model_at(w, o), now);
    pack(&o->to, unknown_at(w, o), unknown);
  }
  if (o->call == COMPARE) keep_compare(w, o, now);
  if (o->origin == w->rank && o->call != PUT && o->call != ACC) {
    o->expected = memcpy(malloc(bytes + 1), now, bytes);
    o->unknown = memcpy(malloc(bytes + 1), unknown, bytes);
  }
  if (o->target >= 0 && o->call != GET) {
    apply(o, now, unknown);
    unpack(&o->to, model_at(w, o), now);
    unpack(&o->to, unknown_at(w, o), unknown);
    mark_gaps(&o->to, unknown_at(w, o), o->call != PUT && o->to.pieces > 1);
  }
  free(now);
  free(unknown);
}

void simulate(plan_t *p)
{
  for (int i = 0; i < p->count; i++) simulate_one(p, &p->op[i]);
}

void store_prepared(plan_t *p)
{
  window_t *w = p->w;
  for (int i = 0; i < p->count; i++) {
    operation_t *o = &p->op[i];
    if (!o->prepared || o->target < 0) continue;
    unsigned char *values = operand(o, mix(o->seed + 9), true);
    unsigned char *known = calloc(o->to.n * o->to.size + 1, 1);
    unpack(&o->to, model_at(w, o), values);
    unpack(&o->to, unknown_at(w, o), known);
    if (o->target == w->rank) unpack(&o->to, w->base[o->region] + o->at, values);
    free(values);
    free(known);
  }
}

/* Memory for a buffer of this layout; *at is where its displacements count from. */
static unsigned char *buffer(const layout_t *l, unsigned char **at, int fill, size_t *size)
{
  ptrdiff_t before = l->low < 0 ? (-l->low + ALIGN - 1) / ALIGN * ALIGN : 0;
  *size = ((size_t)(before + (l->high > 0 ? l->high : 0)) + 2 * ALIGN) / ALIGN * ALIGN;
  unsigned char *all = aligned_alloc(ALIGN, *size);
  memset(all, fill, *size);
  *at = all + before;
  return all;
}

static MPI_Datatype at_bottom(const layout_t *l, void *at)
{
  MPI_Datatype type;
  int count = l->count;
  MPI_Aint address;
  MPI_Get_address(at, &address);
  if (l->n % 2)
    MPI_Type_create_struct(1, &count, &address, &l->type, &type);
  else
    MPI_Type_create_hindexed(1, &count, &address, l->type, &type);
  MPI_Type_commit(&type);
  return type;
}

typedef struct {
  void *at;
  int count;
  MPI_Datatype type;
  bool made;
} side_t;

static side_t side(const operation_t *o, const layout_t *l, void *at)
{
  if (o->bottom && at) return (side_t){MPI_BOTTOM, 1, at_bottom(l, at), true};
  return (side_t){at, l->count, l->type, false};
}

static void call_plain(const operation_t *o, side_t f, side_t b, int target, MPI_Win win)
{
  int n = o->to.count;
  MPI_Op op = mpi_op(o->op);
  MPI_Datatype t = o->to.type;
  if (o->call == PUT) MPI_Put(f.at, f.count, f.type, target, o->disp, n, t, win);
  if (o->call == GET) MPI_Get(b.at, b.count, b.type, target, o->disp, n, t, win);
  if (o->call == ACC) MPI_Accumulate(f.at, f.count, f.type, target, o->disp, n, t, op, win);
  if (o->call == GET_ACC)
    MPI_Get_accumulate(f.at, f.count, f.type, b.at, b.count, b.type, target, o->disp, n, t, op,
                       win);
  if (o->call == FETCH_OP) MPI_Fetch_and_op(f.at, b.at, t, target, o->disp, op, win);
}

static void call_request(const operation_t *o, side_t f, side_t b, int target, MPI_Win win,
                         MPI_Request *r)
{
  int n = o->to.count;
  MPI_Op op = mpi_op(o->op);
  MPI_Datatype t = o->to.type;
  if (o->call == PUT) MPI_Rput(f.at, f.count, f.type, target, o->disp, n, t, win, r);
  if (o->call == GET) MPI_Rget(b.at, b.count, b.type, target, o->disp, n, t, win, r);
  if (o->call == ACC) MPI_Raccumulate(f.at, f.count, f.type, target, o->disp, n, t, op, win, r);
  if (o->call == GET_ACC)
    MPI_Rget_accumulate(f.at, f.count, f.type, b.at, b.count, b.type, target, o->disp, n, t, op,
                        win, r);
}

static void fill_origin(operation_t *o, unsigned char *at)
{
  unsigned char *values = operand(o, o->seed, false);
  unpack(&o->from, at, values);
  free(values);
}

void issue(plan_t *p, operation_t *o, MPI_Request *request)
{
  size_t size;
  int target = o->target < 0 ? MPI_PROC_NULL : o->target;
  MPI_Win win = p->w->win;
  if (o->call != GET && !o->null_origin) {
    o->origin_block = buffer(&o->from, &o->origin_at, 0xb7, &size);
    fill_origin(o, o->origin_at);
  }
  if (o->call != PUT && o->call != ACC) o->back_block = buffer(&o->back, &o->back_at, 0x5a, &size);
  side_t f = side(o, &o->from, o->origin_at), b = side(o, &o->back, o->back_at);
  if (o->null_origin) f = (side_t){NULL, 0, o->seed & 1 ? MPI_BYTE : o->to.type, false};
  if (o->call == COMPARE)
    MPI_Compare_and_swap(o->origin_at, o->compare, o->back_at, o->to.type, target, o->disp, win);
  else if (o->request)
    call_request(o, f, b, target, win, request);
  else
    call_plain(o, f, b, target, win);
  if (f.made) MPI_Type_free(&f.type);
  if (b.made) MPI_Type_free(&b.type);
  o->issued = true;
  if (!allowed(ON_MORE, EARLY_FREE) || o->seed % 4 == 0) return;
  free_type(&o->from);
  free_type(&o->to);
  free_type(&o->back);
}

void scribble(operation_t *o)
{
  if (o->origin_block && !o->scribbled && o->from.high > 0)
    memset(o->origin_at, 0xee, o->from.high);
  o->scribbled = true;
}

static void check_back(plan_t *p, operation_t *o)
{
  size_t size;
  unsigned char *at, *unknown_from, *all = buffer(&o->back, &at, 0x5a, &size);
  unsigned char *unknown = buffer(&o->back, &unknown_from, 0, &size);
  if (o->target >= 0) {
    unpack(&o->back, at, o->expected);
    unpack(&o->back, unknown_from, o->unknown);
    mark_gaps(&o->back, unknown_from, o->call != GET && o->back.pieces > 1);
  }
  for (size_t i = 0; i < size; i++)
    if (all[i] != o->back_block[i] && !unknown[i])
      wrong_byte(p->w, o, "the result", i, all[i], o->back_block[i]);
  free(all);
  free(unknown);
}

static void check_origin(plan_t *p, operation_t *o)
{
  size_t size;
  unsigned char *at, *all = buffer(&o->from, &at, 0xb7, &size);
  fill_origin(o, at);
  for (size_t i = 0; i < size; i++)
    if (all[i] != o->origin_block[i])
      wrong_byte(p->w, o, "the origin's buffer", i, all[i], o->origin_block[i]);
  free(all);
}

/* The operation is complete at its origin. */
void check_result(plan_t *p, operation_t *o)
{
  if (o->checked || !o->issued) return;
  o->checked = true;
  if (o->back_block) check_back(p, o);
  if (o->origin_block && !o->scribbled) check_origin(p, o);
}
