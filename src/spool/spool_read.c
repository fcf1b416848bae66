/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks the records of a rank's tables, and checks that they are whole. */
#include "spool/spool_read.h"

#include <berth/pattern.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "spool/spool_phase.h"
#include "spool/spool_record.h"

static int bad_header(const spool_image_t *image, const char *what, double found,
                      const char *expected, berth_error_t *err)
{
  return berth_fail(err, BERTH_BAD_INPUT, "%s: header: %s: found %.17g, expected %s", image->name,
                    what, found, expected);
}

static int check_command(const spool_image_t *image, const spool_header_t *h, berth_error_t *err)
{
  if (h->command_bytes > sizeof h->command)
    return bad_header(image, "bytes of the command", h->command_bytes, "3536 at most", err);
  if (h->command_bytes && h->command[h->command_bytes - 1])
    return berth_fail(err, BERTH_BAD_INPUT, "%s: header: the command doesn't end", image->name);
  return BERTH_OK;
}

#define TEXT_OF_(number) #number
#define TEXT_OF(number)  TEXT_OF_(number)
#define VERSION_TEXT     TEXT_OF(SPOOL_VERSION_NUMBER)

static int check_header(const spool_image_t *image, const spool_header_t *h, berth_error_t *err)
{
  if (h->version != SPOOL_VERSION)
    return bad_header(image, "version", h->version, VERSION_TEXT ", as this berth writes it", err);
  if (h->byte_order != SPOOL_BYTE_ORDER)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "%s: header: written on a machine of another byte order", image->name);
  if (h->ranks < 1 || h->ranks > BERTH_MAX_RANKS)
    return bad_header(image, "ranks", h->ranks, "1 to 16777216", err);
  if (h->rank >= h->ranks) return bad_header(image, "rank", h->rank, "less than ranks", err);
  if (h->state > SPOOL_FINISHED) return bad_header(image, "state", h->state, "0 to 2", err);
  if (h->pu < -1) return bad_header(image, "pu", h->pu, "-1 or a PU", err);
  if (!isfinite(h->ticks_per_s) || h->ticks_per_s < 0)
    return bad_header(image, "ticks a second", h->ticks_per_s, "a positive number", err);
  if (!memchr(h->host, 0, sizeof h->host) || !memchr(h->mpi, 0, sizeof h->mpi))
    return berth_fail(err, BERTH_BAD_INPUT, "%s: header: host or MPI doesn't end", image->name);
  return check_command(image, h, err);
}

const spool_header_t *spool_header(const spool_image_t *image, berth_error_t *err)
{
  const spool_header_t *h = (const void *)image->bytes;
  if (image->size < sizeof *h)
    berth_fail(err, BERTH_BAD_INPUT, "%s: found %zu bytes, expected at least a header of %zu",
               image->name, image->size, sizeof *h);
  else if (memcmp(h->magic, SPOOL_MAGIC, sizeof h->magic) != 0)
    berth_fail(err, BERTH_BAD_INPUT, "%s: found no table of berth's tracer", image->name);
  else if (check_header(image, h, err) == BERTH_OK)
    return h;
  return NULL;
}

/* The size of the record at r, which is at most `left` bytes; 0 if it is broken. */
static size_t site_bytes(const spool_site_t *s, size_t left)
{
  if (left < sizeof *s || s->n_frames > SPOOL_MAX_FRAMES) return 0;
  return memchr(s->op, 0, sizeof s->op) ? sizeof *s + s->n_frames * sizeof *s->frames : 0;
}

static size_t module_bytes(const spool_module_t *m, size_t left)
{
  if (left < sizeof *m || m->bytes > left || m->bytes <= sizeof *m || m->bytes % 8) return 0;
  if (m->build_id_bytes > sizeof m->build_id) return 0;
  return memchr(m->path, 0, m->bytes - sizeof *m) ? m->bytes : 0;
}

static size_t parameter_bytes(const spool_parameter_t *p, size_t left)
{
  if (left < sizeof *p || p->bytes > left || p->bytes % 8 || p->bytes < sizeof *p) return 0;
  const uint32_t part[] = {p->name, p->value, p->text};
  const char *at = p->texts;
  size_t room = p->bytes - sizeof *p;
  for (int i = 0; i < 3; i++) {
    if (part[i] > room || (part[i] ? strnlen(at, part[i]) + 1 != part[i] : i < 2)) return 0;
    at += part[i];
    room -= part[i];
  }
  return p->bytes;
}

static size_t comm_bytes(const spool_comm_t *c, size_t left)
{
  if (left < sizeof *c || c->bytes > left || c->bytes % 8 || c->bytes < sizeof *c) return 0;
  if (c->n_listed != 0 && c->n_listed != c->n_ranks) return 0;
  return c->n_listed <= (c->bytes - sizeof *c) / sizeof *c->ranks ? c->bytes : 0;
}

/* The size of a record of a kind with one size; 0 for other kinds. */
static size_t fixed_bytes(uint32_t kind)
{
  static const size_t bytes[] = {[SPOOL_MESSAGES] = sizeof(spool_message_t),
                                 [SPOOL_REST] = sizeof(spool_message_t),
                                 [SPOOL_CLASS_MESSAGES] = sizeof(spool_message_t),
                                 [SPOOL_OPERATIONS] = sizeof(spool_message_t),
                                 [SPOOL_COLLS] = sizeof(spool_coll_t),
                                 [SPOOL_CLASS_COLLS] = sizeof(spool_coll_t),
                                 [SPOOL_THREADS] = sizeof(spool_thread_t),
                                 [SPOOL_PHASES] = sizeof(spool_phase_t),
                                 [SPOOL_STEPS] = sizeof(spool_step_t),
                                 [SPOOL_SEGMENTS] = sizeof(spool_segments_t),
                                 [SPOOL_CLASSES] = sizeof(spool_class_t),
                                 [SPOOL_AUTO] = sizeof(spool_auto_t),
                                 [SPOOL_WINDOWS] = sizeof(spool_window_t),
                                 [SPOOL_RMAS] = sizeof(spool_rma_t),
                                 [SPOOL_UNMODELLED] = sizeof(spool_unmodelled_t),
                                 [SPOOL_ROWS] = sizeof(spool_message_t),
                                 [SPOOL_CLASS_ROWS] = sizeof(spool_message_t),
                                 [SPOOL_SPENT] = sizeof(spool_spent_t),
                                 [SPOOL_GRIDS] = sizeof(spool_grid_t),
                                 [SPOOL_PACKED] = sizeof(spool_packed_t)};
  return kind < sizeof bytes / sizeof *bytes ? bytes[kind] : 0;
}

/* Whether a record's name, if it has one, ends inside it. */
static bool name_ends(uint32_t kind, const void *record)
{
  const spool_coll_t *coll = record;
  const spool_rma_t *rma = record;
  const spool_unmodelled_t *unmodelled = record;
  const spool_spent_t *spent = record;
  if (kind == SPOOL_COLLS || kind == SPOOL_CLASS_COLLS)
    return memchr(coll->name, 0, sizeof coll->name) != NULL;
  if (kind == SPOOL_SPENT) return memchr(spent->name, 0, sizeof spent->name) != NULL;
  if (kind == SPOOL_RMAS) return memchr(rma->name, 0, sizeof rma->name) != NULL;
  return kind != SPOOL_UNMODELLED || memchr(unmodelled->name, 0, sizeof unmodelled->name) != NULL;
}

static size_t record_bytes(uint32_t kind, const void *r, size_t left)
{
  size_t n = fixed_bytes(kind);
  if (n) return n <= left && name_ends(kind, r) ? n : 0;
  if (kind == SPOOL_SITES) n = site_bytes(r, left);
  if (kind == SPOOL_MODULES) n = module_bytes(r, left);
  if (kind == SPOOL_COMMS) n = comm_bytes(r, left);
  if (kind == SPOOL_PARAMETERS) n = parameter_bytes(r, left);
  return n <= left ? n : 0;
}

static int walk_block(const spool_image_t *image, size_t at, const spool_block_t *b,
                      spool_visit_t *visit, void *context, berth_error_t *err)
{
  const unsigned char *records = (const unsigned char *)(b + 1);
  for (size_t i = 0; i < b->used;) {
    size_t n = record_bytes(b->kind, records + i, b->used - i);
    if (n == 0)
      return berth_fail(err, BERTH_BAD_INPUT, "%s: byte %zu: found a broken record of kind %u",
                        image->name, at + sizeof *b + i, b->kind);
    int rc = visit(context, records + i, err);
    if (rc) return rc;
    i += n;
  }
  return BERTH_OK;
}

int spool_walk(const spool_image_t *image, spool_kind_t kind, spool_visit_t *visit, void *context,
               berth_error_t *err)
{
  for (size_t at = sizeof(spool_header_t); image->size - at >= sizeof(spool_block_t);) {
    const spool_block_t *b = (const void *)(image->bytes + at);
    if (b->magic != SPOOL_BLOCK_MAGIC) break;
    if (b->bytes < sizeof *b || b->bytes % 8 || b->bytes > image->size - at)
      return berth_fail(err, BERTH_BAD_INPUT,
                        "%s: byte %zu: found a block of %llu bytes, which exceeds the file",
                        image->name, at, (unsigned long long)b->bytes);
    if (b->used > b->bytes - sizeof *b)
      return berth_fail(err, BERTH_BAD_INPUT, "%s: byte %zu: found a block whose records exceed it",
                        image->name, at);
    int rc = b->kind == (uint32_t)kind ? walk_block(image, at, b, visit, context, err) : BERTH_OK;
    if (rc) return rc;
    at += b->bytes;
  }
  return BERTH_OK;
}
