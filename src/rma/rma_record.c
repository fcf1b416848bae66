/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/rma_record.h"

#include <string.h>

static bool is_reduction(operation_kind_t kind) { return kind >= OPERATION_ACCUMULATE; }

size_t record_sent(const record_t *r)
{
  if (r->kind == OPERATION_GET || r->flags & (RECORD_LONG | RECORD_READS)) return 0;
  return (size_t)record_bytes(r) * (r->kind == OPERATION_COMPARE ? 2 : 1);
}

size_t record_returned(const record_t *r)
{
  bool none = r->kind == OPERATION_PUT || r->kind == OPERATION_ACCUMULATE || r->flags & RECORD_LONG;
  return none ? 0 : (size_t)record_bytes(r);
}

static char *put_number(char *to, uint64_t value)
{
  while (value >= 128) {
    *to++ = (char)(value | 128);
    value >>= 7;
  }
  *to++ = (char)value;
  return to;
}

static uint64_t signed_number(int64_t value)
{
  return value < 0 ? ~((uint64_t)value << 1) : (uint64_t)value << 1;
}

static int64_t from_signed(uint64_t value)
{
  return (int64_t)(value & 1 ? ~(value >> 1) : value >> 1);
}

/* The place behind a record, from which the next one's place is counted. */
static uint64_t end_of(const record_t *r)
{
  return r->place + (r->count - 1) * (uint64_t)r->stride + r->length;
}

bool record_is_same(const record_t *r, const record_t *before)
{
  return before->count == 1 && r->count == 1 && r->kind == before->kind &&
         r->flags == before->flags && !(r->flags & (RECORD_RUN | RECORD_LONG)) &&
         r->op == before->op && r->element == before->element && r->length == before->length;
}

size_t record_write(const record_t *r, uint64_t *place, char *to, char **length)
{
  char *at = to;
  *at++ = (char)((int)r->kind | r->flags);
  if (r->flags & RECORD_SAME) {
    at = put_number(at, signed_number((int64_t)(r->place - *place)));
    *place = end_of(r);
    return (size_t)(at - to);
  }
  if (is_reduction(r->kind)) {
    *at++ = (char)r->op;
    *at++ = (char)(r->element + 1);
  }
  at = put_number(at, signed_number((int64_t)(r->place - *place)));
  if (r->flags & RECORD_RUN) {
    at = put_number(at, r->length);
    at = put_number(at, signed_number(r->stride));
    at = put_number(at, r->count);
  } else if (r->flags & RECORD_LONG) {
    at = put_number(at, r->length);
    at = put_number(at, r->tag);
  } else {
    uint32_t bytes = (uint32_t)r->length;
    *length = at;
    memcpy(at, &bytes, sizeof bytes);
    at += sizeof bytes;
  }
  *place = end_of(r);
  return (size_t)(at - to);
}

void record_lengthen(char *length, uint32_t bytes)
{
  uint32_t now;
  memcpy(&now, length, sizeof now);
  now += bytes;
  memcpy(length, &now, sizeof now);
}

/* Bytes that are read one after another; `bad`: there were too few. */
typedef struct reader {
  const char *at, *end;
  bool bad;
} reader_t;

static uint8_t get_byte(reader_t *r)
{
  if (r->at < r->end) return (uint8_t)*r->at++;
  r->bad = true;
  return 0;
}

static uint64_t get_number(reader_t *r)
{
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    uint8_t byte = get_byte(r);
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return value;
  }
  r->bad = true;
  return 0;
}

size_t record_read(record_t *r, uint64_t *place, const char *from, size_t most)
{
  reader_t in = {from, from + most, false};
  int head = get_byte(&in);
  if (head & RECORD_SAME) {
    record_t same = {.kind = (operation_kind_t)(head & RECORD_KIND),
                     .flags = head & ~(RECORD_KIND | RECORD_SAME),
                     .op = r->op,
                     .element = r->element,
                     .length = r->length,
                     .count = 1};
    if (!record_is_same(&same, r)) return 0;
    r->place = *place + (uint64_t)from_signed(get_number(&in));
    *place = end_of(r);
    return in.bad ? 0 : (size_t)(in.at - from);
  }
  *r = (record_t){.kind = (operation_kind_t)(head & RECORD_KIND),
                  .flags = head & ~RECORD_KIND,
                  .op = -1,
                  .element = -1,
                  .count = 1};
  if (r->kind > OPERATION_COMPARE) return 0;
  if (is_reduction(r->kind)) {
    r->op = (int8_t)get_byte(&in);
    r->element = (int)get_byte(&in) - 1;
  }
  r->place = *place + (uint64_t)from_signed(get_number(&in));
  if (r->flags & RECORD_RUN) {
    r->length = get_number(&in);
    r->stride = from_signed(get_number(&in));
    r->count = get_number(&in);
  } else if (r->flags & RECORD_LONG) {
    r->length = get_number(&in);
    r->tag = get_number(&in);
  } else {
    uint32_t bytes = 0;
    for (size_t i = 0; i < sizeof bytes; i++) bytes |= (uint32_t)get_byte(&in) << 8 * i;
    r->length = bytes;
  }
  if (in.bad) return 0;
  *place = end_of(r);
  return (size_t)(in.at - from);
}
