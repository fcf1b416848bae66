/* SPDX-License-Identifier: BSD-3-Clause */
/* Images of a rank's tables, made by hand as the tracer makes them. */
#ifndef BERTH_TESTS_SPOOL_IMAGE_H
#define BERTH_TESTS_SPOOL_IMAGE_H

#include <string.h>

#include "spool/spool_phase.h"
#include "spool/spool_record.h"

enum { IMAGE_ROOM = 1 << 16 };

typedef struct image {
  size_t size;
  _Alignas(64) unsigned char bytes[IMAGE_ROOM];
} image_t;

static inline spool_header_t *image_header(image_t *image)
{
  return (spool_header_t *)image->bytes;
}

static inline void image_begin(image_t *image, uint32_t rank, uint32_t ranks)
{
  memset(image, 0, sizeof *image);
  image->size = sizeof(spool_header_t);
  spool_header_t *h = image_header(image);
  memcpy(h->magic, SPOOL_MAGIC, sizeof h->magic);
  h->version = SPOOL_VERSION;
  h->byte_order = SPOOL_BYTE_ORDER;
  h->job = 77;
  h->rank = rank;
  h->ranks = ranks;
  h->state = SPOOL_FINISHED;
  h->pu = -1;
  h->ticks_per_s = 1000;
  h->begin_tick = 5000;
  h->end_tick = 7500;
  h->created = 86400;
  strcpy(h->host, "node0");
  strcpy(h->mpi, "Test MPI 1.0");
  memcpy(h->command, "app\0-x", 7);
  h->command_bytes = 7;
}

static inline spool_block_t *image_block(image_t *image, spool_kind_t kind)
{
  spool_block_t *b = (spool_block_t *)(image->bytes + image->size);
  b->magic = SPOOL_BLOCK_MAGIC;
  b->kind = kind;
  b->bytes = sizeof *b;
  image->size += sizeof *b;
  return b;
}

/* Adds a record to the last block, which is b. */
static inline void image_add(image_t *image, spool_block_t *b, const void *record, size_t size)
{
  memcpy(image->bytes + image->size, record, size);
  image->size += size;
  b->bytes += size;
  b->used += size;
}

static inline void image_message(image_t *image, spool_block_t *b, uint32_t dst, uint32_t site,
                                 uint64_t size, uint64_t count)
{
  const spool_message_t m = {spool_key(dst, 0, site), size, count, 0};
  image_add(image, b, &m, sizeof m);
}

/* The same in a phase, of no site. */
static inline void image_message_in(image_t *image, spool_block_t *b, uint32_t phase, uint32_t dst,
                                    uint64_t size, uint64_t count)
{
  const spool_message_t m = {spool_key(dst, phase, 0), size, count, 0};
  image_add(image, b, &m, sizeof m);
}

/* Returns the phase's record. */
static inline spool_phase_t *image_phase(image_t *image, uint32_t id, uint64_t begun,
                                         uint32_t order)
{
  const spool_phase_t phase = {.id = id, .order = order, .begun = begun};
  image_add(image, image_block(image, SPOOL_PHASES), &phase, sizeof phase);
  return (spool_phase_t *)(image->bytes + image->size) - 1;
}

static inline void image_automatic(image_t *image, uint32_t state, uint32_t counting)
{
  const spool_auto_t automatic = {state, counting};
  image_add(image, image_block(image, SPOOL_AUTO), &automatic, sizeof automatic);
}

/* Letters for classes: A is 1, 0 none. */
static inline uint32_t image_class(char class)
{
  return class == '0' ? 0 : (uint32_t)(class - 'A' + 1);
}

/* How often each class occurs, and which of the segments that is. */
static inline void image_classes(image_t *image, const char *classes)
{
  spool_block_t *b = image_block(image, SPOOL_CLASSES);
  for (uint32_t number = 0; number < 8; number++) {
    spool_class_t class = {.number = number};
    uint64_t at = 0;
    for (const char *c = classes; *c; c++) {
      if (*c == '|') continue;
      at++;
      if (image_class(*c) != number) continue;
      class.times++;
      class.sum += at * at * 0x9e3779b97f4a7c15u;
    }
    if (class.times) image_add(image, b, &class, sizeof class);
  }
}

/* Segments one after another, or as copies of those `back` before; of those after a | the order
 * isn't put down. */
static inline void image_segments(image_t *image, const char *classes, size_t back)
{
  image_classes(image, classes);
  spool_block_t *b = image_block(image, SPOOL_SEGMENTS);
  for (size_t i = 0; classes[i] && classes[i] != '|'; i++) {
    spool_segments_t run = {.number = image_class(classes[i]), .times = 1};
    if (back && i >= back && classes[i - back] == classes[i]) run = (spool_segments_t){back, 0, 1};
    image_add(image, b, &run, sizeof run);
  }
}

/* A module, and sites whose one frame is at the given offsets of it, from identity 1. */
static inline void image_sites(image_t *image, const char *op, const uint64_t *offsets, int n)
{
  struct {
    spool_module_t head;
    char path[16];
  } module = {.head = {.id = 1, .build_id_bytes = 2, .build_id = {0xab, 0xcd}}, .path = "/x/app"};
  module.head.bytes = sizeof module;
  image_add(image, image_block(image, SPOOL_MODULES), &module, sizeof module);
  spool_block_t *b = image_block(image, SPOOL_SITES);
  for (int i = 0; i < n; i++) {
    struct {
      spool_site_t head;
      spool_frame_t frame;
    } site = {.head = {.id = (uint32_t)i + 1, .n_frames = 1}, .frame = {1, 0, offsets[i]}};
    strcpy(site.head.op, op);
    image_add(image, b, &site, sizeof site);
  }
}

static inline void image_comm(image_t *image, uint32_t id, uint64_t hash, uint32_t first,
                              uint32_t second, int listed)
{
  struct {
    spool_comm_t head;
    uint32_t ranks[2];
  } comm = {.head = {.id = id, .n_ranks = 2, .hash = {hash, ~hash}, .border = hash % 2},
            .ranks = {first, second}};
  comm.head.bytes = sizeof comm;
  comm.head.n_listed = listed ? 2 : 0;
  image_add(image, image_block(image, SPOOL_COMMS), &comm, sizeof comm);
}

/* Windows 1 and 2, the first that ranks of the job and of communicator 1 made. */
static inline void image_windows(image_t *image)
{
  const spool_window_t windows[] = {{.id = 1}, {.id = 2, .comm = 1}};
  image_add(image, image_block(image, SPOOL_WINDOWS), windows, sizeof windows);
}

/* Operations on a window in a phase, and the line that they are of. */
static inline void image_rma(image_t *image, spool_rma_t line, uint32_t dst, uint64_t size,
                             uint64_t count)
{
  const spool_message_t m = {spool_key(dst, 0, line.id), size, count, 0};
  strcpy(line.name, "Put");
  image_add(image, image_block(image, SPOOL_RMAS), &line, sizeof line);
  image_add(image, image_block(image, SPOOL_OPERATIONS), &m, sizeof m);
}

static inline void image_unmodelled(image_t *image, const char *name, uint64_t calls)
{
  spool_unmodelled_t u = {.calls = calls};
  strcpy(u.name, name);
  image_add(image, image_block(image, SPOOL_UNMODELLED), &u, sizeof u);
}

/* A parameter; text: NULL for none. */
static inline void image_parameter(image_t *image, const char *name, const char *value,
                                   const char *text)
{
  unsigned char record[512] = {0};
  spool_parameter_t *p = (spool_parameter_t *)(void *)record;
  p->name = (uint32_t)strlen(name) + 1;
  p->value = (uint32_t)strlen(value) + 1;
  p->text = text ? (uint32_t)strlen(text) + 1 : 0;
  p->bytes = (uint32_t)((sizeof *p + p->name + p->value + p->text + 7) / 8 * 8);
  memcpy(p->texts, name, p->name);
  memcpy(p->texts + p->name, value, p->value);
  if (text) memcpy(p->texts + p->name + p->value, text, p->text);
  image_add(image, image_block(image, SPOOL_PARAMETERS), record, p->bytes);
}

/* Time of a thread in a function. */
static inline void image_spent(image_t *image, const char *name, spool_spent_t spent)
{
  strcpy(spent.name, name);
  image_add(image, image_block(image, SPOOL_SPENT), &spent, sizeof spent);
}

static inline void image_coll(image_t *image, spool_block_t *b, uint32_t comm, uint64_t bytes,
                              uint64_t count, int varies)
{
  spool_coll_t c = {.comm = comm,
                    .root = -1,
                    .bytes = varies ? 0 : bytes,
                    .count = count,
                    .given = varies ? bytes * count : 0,
                    .op = 3,
                    .flags = varies ? SPOOL_COLL_VARIES | SPOOL_COLL_PARTS : 0};
  strcpy(c.name, varies ? "Allgatherv" : "Allreduce");
  image_add(image, b, &c, sizeof c);
}

/* What calls of the record of this identity send to a place in the communicator's list; of a class
 * of segments, or 0. */
static inline void image_row(image_t *image, spool_block_t *b, uint32_t id, uint32_t class,
                             uint32_t place, uint64_t bytes)
{
  const spool_message_t m = {spool_key(place, class, id) | SPOOL_BIN, 0, 1, bytes};
  image_add(image, b, &m, sizeof m);
}

#endif
