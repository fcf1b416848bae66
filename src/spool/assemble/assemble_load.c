/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads one rank's image into the assembly's form. */
#include "spool/assemble/assemble_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/text.h"
#include "spool/assemble/assemble_calls.h"
#include "spool/assemble/assemble_packed.h"
#include "spool/assemble/assemble_rma.h"
#include "spool/assemble/assemble_spent.h"
#include "spool/assemble/assemble_unmodelled.h"

static int broken(const rank_load_t *load, const char *what, uint64_t found, berth_error_t *err)
{
  return berth_fail(err, BERTH_BAD_INPUT,
                    "%s: found %s %llu, which isn't in the file or is too large", load->image->name,
                    what, (unsigned long long)found);
}

bool load_numbers_set(numbers_t *x, uint32_t id, uint32_t number)
{
  if (id >= x->n) {
    if (!array_reserve(&x->of, &x->cap, (size_t)id + 1, sizeof *x->of)) return false;
    memset(x->of + x->n, 0, ((size_t)id + 1 - x->n) * sizeof *x->of);
    x->n = (size_t)id + 1;
  }
  x->of[id] = number;
  return true;
}

static int visit_module(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  const spool_module_t *m = record;
  if (m->id != load->n_modules / 2 + 1) return broken(load, "module", m->id, err);
  if (!array_reserve(&load->module, &load->cap_modules, load->n_modules + 2, sizeof *load->module))
    return no_memory(err);
  char id[2 * sizeof m->build_id + 1] = "";
  for (int i = 0; i < m->build_id_bytes; i++) sprintf(id + 2 * i, "%02x", m->build_id[i]);
  char *path = strdup(m->path), *suffix = *id ? text_printf(" (%s)", id) : strdup("");
  load->module[load->n_modules++] = path;
  load->module[load->n_modules++] = suffix;
  if (!path || !suffix) return no_memory(err);
  text_clean(path);
  return BERTH_OK;
}

/* A frame as text: /path/module+0x1234 (build id). */
static int frame_text(const rank_load_t *load, const spool_frame_t *frame, char *buf, size_t size,
                      berth_error_t *err)
{
  if (frame->module > load->n_modules / 2) return broken(load, "module", frame->module, err);
  const char *path = "", *id = "";
  if (frame->module) {
    path = load->module[2 * frame->module - 2];
    id = load->module[2 * frame->module - 1];
  }
  snprintf(buf, size, "%.4000s+0x%llx%s", path, (unsigned long long)frame->offset, id);
  return BERTH_OK;
}

static int visit_site(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  const spool_site_t *s = record;
  char *text = NULL, frame[4200];
  size_t n = 0, cap = 0;
  int rc = s->id == 0 || s->id >= SPOOL_MAX_SITES ? broken(load, "site", s->id, err) : BERTH_OK;
  snprintf(frame, sizeof frame, "%s", s->op);
  text_clean(frame);
  for (uint32_t i = 0; !rc; i++) {
    size_t bytes = strlen(frame) + 1;
    if (!array_reserve(&text, &cap, n + bytes, 1)) rc = no_memory(err);
    if (rc) break;
    memcpy(text + n, frame, bytes);
    n += bytes;
    if (i == s->n_frames) break;
    rc = frame_text(load, &s->frames[i], frame, sizeof frame, err);
  }
  long number = rc ? -1 : intern(&load->a->sites, text, n);
  free(text);
  if (rc) return rc;
  return number < 0 || !load_numbers_set(&load->site, s->id, (uint32_t)number + 1) ? no_memory(err)
                                                                                   : BERTH_OK;
}

static int list_comm(rank_load_t *load, comm_entry_t *entry, const spool_comm_t *c,
                     berth_error_t *err)
{
  if (entry->ranks || c->n_listed == 0) return BERTH_OK;
  for (uint32_t i = 0; i < c->n_listed; i++)
    if (c->ranks[i] >= load->header->ranks) return broken(load, "rank", c->ranks[i], err);
  entry->ranks = malloc(c->n_listed * sizeof *entry->ranks);
  if (!entry->ranks) return no_memory(err);
  memcpy(entry->ranks, c->ranks, c->n_listed * sizeof *entry->ranks);
  entry->n = c->n_listed;
  return BERTH_OK;
}

long load_comms_intern(assembly_t *a, const uint64_t key[3])
{
  size_t before = a->comms.n;
  long number = intern(&a->comms, key, 3 * sizeof *key);
  if (number < 0 || !array_reserve(&a->comm, &a->cap_comm, a->comms.n, sizeof *a->comm)) return -1;
  if (a->comms.n > before) a->comm[number] = (comm_entry_t){0};
  return number;
}

/* The last word of a communicator's key: its ranks, and those of its first group. */
static uint64_t sizes_of(const assembly_t *a, uint32_t comm)
{
  uint64_t key[3];
  memcpy(key, a->comms.items[comm - 1].bytes, sizeof key);
  return key[2];
}

uint32_t load_comms_length(const assembly_t *a, uint32_t comm)
{
  return comm ? (uint32_t)sizes_of(a, comm) : a->ranks;
}

uint32_t load_comms_border(const assembly_t *a, uint32_t comm)
{
  return (uint32_t)(sizes_of(a, comm) >> 32);
}

/* Rank 0's. Those of an image that is given up stay: another one of the rank has the same. */
static int visit_parameter(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  const spool_parameter_t *p = record;
  size_t n = (size_t)p->name + p->value + p->text;
  return intern(&load->a->parameters, p->texts, n) < 0 ? no_memory(err) : BERTH_OK;
}

/* The same. One that no program can have made is left out when the pattern is made. */
static int visit_grid(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  return intern(&load->a->grids, record, sizeof(spool_grid_t)) < 0 ? no_memory(err) : BERTH_OK;
}

static int visit_comm(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  assembly_t *a = load->a;
  const spool_comm_t *c = record;
  uint64_t key[3] = {c->hash[0], c->hash[1], c->n_ranks | (uint64_t)c->border << 32};
  if (c->id == 0 || c->id > load->image->size) return broken(load, "communicator", c->id, err);
  if (c->border && c->border >= c->n_ranks) return broken(load, "group", c->border, err);
  long number = load_comms_intern(a, key);
  if (number < 0 || !load_numbers_set(&load->comm, c->id, (uint32_t)number + 1))
    return no_memory(err);
  return list_comm(load, &a->comm[number], c, err);
}

bool load_numbers_translate(const numbers_t *numbers, uint32_t id, uint32_t *number)
{
  *number = numbers_get(numbers, id);
  return id == 0 || *number != 0;
}

/* Phase 0 also has what a class has, and is where it counts. */
int load_rank_leave_out(rank_load_t *load)
{
  load->impossible += !load->classes;
  return BERTH_OK;
}

long load_op_intern(assembly_t *a, const char *name)
{
  char text[40];
  snprintf(text, sizeof text, "MPI_%s", name);
  text_clean(text);
  return intern(&a->ops, text, strlen(text));
}

/* Reads everything but the site. Returns false if no call can have made the record. */
static bool read_message(const rank_load_t *load, const spool_message_t *m, uint32_t phase,
                         sent_t *s)
{
  uint64_t excess = m->excess & ~SPOOL_TOUCHED;
  *s = (sent_t){.src = load->header->rank,
                .dst = spool_key_dst(m->key),
                .phase = phase,
                .bin = (m->key & SPOOL_BIN) != 0,
                .size = m->size,
                .count = m->count};
  return s->dst < load->header->ranks && s->size <= BERTH_MAX_AMOUNT &&
         s->count <= BERTH_MAX_AMOUNT && !__builtin_mul_overflow(s->size, s->count, &s->bytes) &&
         !__builtin_add_overflow(s->bytes, s->bin ? excess : 0, &s->bytes) &&
         s->bytes <= BERTH_MAX_AMOUNT;
}

/* Finds the phase of a record. In records of classes, the class is in its place. Returns false if
 * there is no such class. */
static bool find_phase(const rank_load_t *load, uint32_t in_record, uint32_t *phase)
{
  *phase = load->classes ? CLASS_0 + in_record : in_record;
  return !load->classes || (in_record >= 1 && in_record <= SPOOL_MAX_CLASSES);
}

static int visit_message(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  const spool_message_t *m = record;
  uint32_t phase;
  sent_t s;
  if (m->count == 0 || !find_phase(load, spool_key_phase(m->key), &phase)) return BERTH_OK;
  if (!read_message(load, m, phase, &s) ||
      !load_numbers_translate(&load->site, spool_key_site(m->key), &s.site))
    return load_rank_leave_out(load);
  return ARRAY_ADD(&load->sent, &load->n_sent, &load->cap_sent, s) ? BERTH_OK : no_memory(err);
}

static int visit_rest(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  size_t before = load->n_sent;
  int rc = visit_message(load, record, err);
  if (rc || load->n_sent == before) return rc;
  sent_t *s = &load->sent[before];
  s->rest = true;
  load->coarse += s->count;
  load->coarse_bytes += s->bytes;
  return BERTH_OK;
}

static int visit_coll(void *context, const void *record, berth_error_t *err)
{
  uint32_t phase;
  const spool_coll_t *c = record;
  return find_phase(context, c->phase, &phase) ? calls_load(context, c, phase, err) : BERTH_OK;
}

static int visit_row(void *context, const void *record, berth_error_t *err)
{
  uint32_t phase;
  const rank_load_t *load = context;
  const spool_message_t *m = record;
  if (!find_phase(load, spool_key_phase(m->key), &phase)) return BERTH_OK;
  return calls_load_row(context, m, load->classes ? phase : 0, err);
}

static int visit_thread(void *context, const void *record, berth_error_t *err)
{
  (void)err;
  rank_load_t *load = context;
  const spool_thread_t *t = record;
  uint64_t max = t->mpi_ticks + t->unsure_ticks;
  bool first = load->n_threads++ == 0;
  if (first || t->mpi_ticks > load->mpi_ticks) {
    load->mpi_ticks = t->mpi_ticks;
    load->core_wait_ns = t->core_wait_ns;
    load->thread = t->id;
  }
  if (max > load->max_ticks) load->max_ticks = max;
  if (t->last_tick > load->last_tick) load->last_tick = t->last_tick;
  return BERTH_OK;
}

static int visit_phase(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  const spool_phase_t *p = record;
  if (p->begun == 0) return BERTH_OK; /* it was about to begin */
  if (p->id >= SPOOL_MAX_PHASES || p->begun > BERTH_MAX_AMOUNT || p->order > SPOOL_ORDER_THREADS)
    return load_rank_leave_out(load);
  return ARRAY_ADD(&load->phase, &load->n_phases, &load->cap_phases, *p) ? BERTH_OK
                                                                         : no_memory(err);
}

/* Whether a call can have made the record. Numbers its communicator. */
static bool read_step(const rank_load_t *load, spool_step_t *s)
{
  uint32_t ranks = load->header->ranks;
  if (s->times < 1 || s->times > BERTH_MAX_AMOUNT) return false;
  switch (s->kind) {
  case SPOOL_STEP_SEND:
    return s->peer < ranks && s->size <= BERTH_MAX_AMOUNT && s->mode < SPOOL_SEND_MODES;
  case SPOOL_STEP_SENT:
    return s->peer < ranks;
  case SPOOL_STEP_RECEIVE:
    if (s->mode > SPOOL_RECEIVE_FIRST) return false;
    return s->peer < ranks || s->peer == SPOOL_ANY_RANK;
  case SPOOL_STEP_POSTED:
  case SPOOL_STEP_ARRIVED:
    return s->peer < ranks || s->peer == SPOOL_ANY_RANK;
  case SPOOL_STEP_MEET:
  case SPOOL_STEP_FROM_ROOT:
  case SPOOL_STEP_TO_ROOT:
    if (s->mode & SPOOL_CALL_BEGINS && s->mode & SPOOL_CALL_ENDS) return false;
    return s->root < ranks && s->size <= BERTH_MAX_AMOUNT &&
           load_numbers_translate(&load->comm, s->peer, &s->peer);
  case SPOOL_STEP_LOOP:
    return s->size >= 1 && s->size <= SPOOL_MAX_STEPS;
  default:
    return false;
  }
}

static int visit_step(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  taken_t taken = {load->n_taken, *(const spool_step_t *)record};
  if (taken.step.phase >= SPOOL_MAX_PHASES) return load_rank_leave_out(load);
  if (!read_step(load, &taken.step)) {
    taken.step.kind = SPOOL_STEP_KINDS;
    load_rank_leave_out(load);
  }
  return ARRAY_ADD(&load->taken, &load->n_taken, &load->cap_taken, taken) ? BERTH_OK
                                                                          : no_memory(err);
}

static int visit_window(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  const spool_window_t *w = record;
  uint32_t comm;
  if (w->id == 0 || w->id > load->image->size) return broken(load, "window", w->id, err);
  if (!load_numbers_translate(&load->comm, w->comm, &comm)) return load_rank_leave_out(load);
  return rmas_load_window(load, w, comm, err);
}

static int visit_rma(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  const spool_rma_t *r = record;
  uint32_t site;
  if (r->id == 0 || r->id >= SPOOL_MAX_LINES) return broken(load, "line", r->id, err);
  if (!numbers_get(&load->window, r->window) ||
      !load_numbers_translate(&load->site, r->site, &site) || r->phase >= SPOOL_MAX_PHASES ||
      r->sync > SPOOL_SYNC_LOCK_ALL || r->epochs > BERTH_MAX_AMOUNT)
    return load_rank_leave_out(load);
  return rmas_load_line(load, r, site, err);
}

static int visit_operation(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  const spool_message_t *m = record;
  sent_t s;
  if (m->count == 0) return BERTH_OK;
  if (!read_message(load, m, 0, &s)) return load_rank_leave_out(load);
  s.site = numbers_get(&load->line, spool_key_site(m->key));
  if (!s.site) return load_rank_leave_out(load);
  s.phase = rmas_phase(load->a, s.site);
  bool enough = ARRAY_ADD(&load->operation, &load->n_operations, &load->cap_operations, s);
  return enough ? BERTH_OK : no_memory(err);
}

static int visit_unmodelled(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  const spool_unmodelled_t *u = record;
  if (u->calls == 0) return BERTH_OK;
  return u->calls > BERTH_MAX_AMOUNT ? load_rank_leave_out(load) : unmodelled_load(load, u, err);
}

static int visit_spent(void *context, const void *record, berth_error_t *err)
{
  return spent_load(context, record, err);
}

static int visit_packed(void *context, const void *record, berth_error_t *err)
{
  return packed_load(context, record, err);
}

static int visit_segments(void *context, const void *record, berth_error_t *err)
{
  rank_load_t *load = context;
  const spool_segments_t *s = record;
  if (s->back > load->n_segments || s->back > SPOOL_SEGMENTS_BACK ||
      s->number > SPOOL_MAX_CLASSES || s->times < 1 ||
      s->times > SPOOL_MAX_SEGMENTS - load->n_segments)
    return load_rank_leave_out(load);
  load->n_segments += s->times;
  return ARRAY_ADD(&load->run, &load->n_runs, &load->cap_runs, *s) ? BERTH_OK : no_memory(err);
}

static int visit_class(void *context, const void *record, berth_error_t *err)
{
  (void)err;
  rank_load_t *load = context;
  const spool_class_t *c = record;
  if (c->number > SPOOL_MAX_CLASSES || c->times > BERTH_MAX_AMOUNT)
    return load_rank_leave_out(load);
  load->class_times[c->number] = (class_times_t){c->times, c->sum};
  return BERTH_OK;
}

static int visit_auto(void *context, const void *record, berth_error_t *err)
{
  (void)err;
  rank_load_t *load = context;
  const spool_auto_t *s = record;
  if (s->state > SPOOL_AUTO_NO_ROOM || s->counting > SPOOL_MAX_CLASSES)
    return load_rank_leave_out(load);
  load->automatic = true;
  load->auto_state = (spool_auto_state_t)s->state;
  load->counting = s->counting;
  return BERTH_OK;
}

int load_rank(rank_load_t *load, berth_error_t *err)
{
  static const struct {
    spool_kind_t kind;
    spool_visit_t *visit;
    bool classes;
  } steps[] = {/* records that others refer to come first */
               {SPOOL_MODULES, visit_module},
               {SPOOL_SITES, visit_site},
               {SPOOL_COMMS, visit_comm},
               {SPOOL_MESSAGES, visit_message},
               {SPOOL_REST, visit_rest},
               {SPOOL_COLLS, visit_coll},
               {SPOOL_THREADS, visit_thread},
               {SPOOL_PHASES, visit_phase},
               {SPOOL_STEPS, visit_step},
               {SPOOL_CLASSES, visit_class},
               {SPOOL_AUTO, visit_auto},
               {SPOOL_SEGMENTS, visit_segments},
               {SPOOL_CLASS_MESSAGES, visit_message, true},
               {SPOOL_CLASS_COLLS, visit_coll, true},
               {SPOOL_ROWS, visit_row},
               {SPOOL_CLASS_ROWS, visit_row, true},
               {SPOOL_WINDOWS, visit_window},
               {SPOOL_RMAS, visit_rma},
               {SPOOL_OPERATIONS, visit_operation},
               {SPOOL_UNMODELLED, visit_unmodelled},
               {SPOOL_SPENT, visit_spent},
               {SPOOL_PARAMETERS, visit_parameter},
               {SPOOL_GRIDS, visit_grid},
               {SPOOL_PACKED, visit_packed}};
  int rc = BERTH_OK;
  for (size_t i = 0; !rc && i < sizeof steps / sizeof *steps; i++) {
    load->classes = steps[i].classes;
    rc = spool_walk(load->image, steps[i].kind, steps[i].visit, load, err);
  }
  if (!rc) rc = calls_join_rows(load, err);
  if (!rc) class_take_away(load);
  return rc;
}

void load_rank_clear(rank_load_t *load)
{
  for (size_t i = 0; i < load->n_modules; i++) free(load->module[i]);
  void *const arrays[] = {load->module,     load->site.of,  load->comm.of,   load->window.of,
                          load->line.of,    load->op.of,    load->operation, load->epochs,
                          load->unmodelled, load->sent,     load->called,    load->row_line,
                          load->row_item,   load->phase,    load->taken,     load->run,
                          load->spent,      load->whole.of, load->packed};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}
