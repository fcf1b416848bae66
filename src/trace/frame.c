/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads from .eh_frame how to get from a function's frame to its caller's.
 *
 * Finds functions by .eh_frame_hdr (Linux Standard Base, core specification 5.0, section 10.6)
 * and runs the instructions of DWARF 5, section 6.4. Everything that compilers don't write for
 * ordinary functions gives FRAME_OTHER. */
#include "trace/frame.h"

#if defined(__x86_64__)

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { RBP = 6, RSP = 7, RETURN = 16 }; /* register numbers of the psABI */
enum { PCREL_SDATA4 = 0x1b, DATAREL_SDATA4 = 0x3b, UDATA4 = 0x03 };
enum { MAX_SAVED = 8 }; /* remembered states */

/* Where the caller's value of a register is. AT_RBP: where the base pointer points to. */
typedef enum where { SAME, AT_OFFSET, AT_RBP, UNDEFINED, ELSEWHERE } where_t;
typedef struct found {
  where_t where;
  int64_t offset; /* from the end of the frame */
} found_t;

typedef struct state {
  uint64_t base; /* a register, SLOT_BASE if `end` bytes above the base pointer is where the frame's
                    end is kept, or ELSEWHERE_BASE for another expression */
  int64_t end;
  found_t rbp, ret;
} state_t;
#define ELSEWHERE_BASE UINT64_MAX
#define SLOT_BASE      (UINT64_MAX - 1)

/* A position in a sequence of bytes. */
typedef struct reader {
  const uint8_t *at, *end;
  bool bad; /* past the end, or something unknown */
} reader_t;

static uint64_t read_bytes(reader_t *r, size_t n)
{
  uint64_t value = 0;
  if (r->bad || (size_t)(r->end - r->at) < n) {
    r->bad = true;
    return 0;
  }
  memcpy(&value, r->at, n);
  r->at += n;
  return value;
}

static int64_t read_sdata4(reader_t *r) { return (int32_t)read_bytes(r, 4); }

static uint64_t read_uleb(reader_t *r)
{
  uint64_t value = 0, byte = 0x80;
  for (unsigned shift = 0; byte & 0x80; shift += 7) {
    byte = read_bytes(r, 1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
  }
  return value;
}

static int64_t read_sleb(reader_t *r)
{
  uint64_t value = 0, byte = 0x80;
  unsigned shift = 0;
  for (; byte & 0x80; shift += 7) {
    byte = read_bytes(r, 1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
  }
  if (byte & 0x40 && shift < 64) value |= ~(uint64_t)0 << shift;
  return (int64_t)value;
}

static void skip(reader_t *r, uint64_t n)
{
  if (n > (uint64_t)(r->end - r->at)) r->bad = true;
  if (!r->bad) r->at += n;
}

/* An entry of .eh_frame begins with its length. */
static reader_t read_entry(const uint8_t *at)
{
  reader_t r = {at, at + 4, false};
  uint64_t length = read_bytes(&r, 4);
  r.end = r.at + length;
  r.bad = length == 0 || length >= 0xfffffff0;
  return r;
}

typedef struct common {
  uint64_t code_unit;
  int64_t data_unit;
  bool augmented;
  reader_t program;
} common_t;

/* Reads a CIE, the common part of functions. Returns false if pointers aren't 4 bytes relative
 * to their place, or the frame is a signal's. */
static bool read_common(const uint8_t *at, common_t *c)
{
  reader_t r = read_entry(at);
  bool known = read_bytes(&r, 4) == 0;
  uint64_t version = read_bytes(&r, 1), encoding = 0;
  const char *letters = (const char *)r.at;
  size_t n = strnlen(letters, (size_t)(r.end - r.at));
  skip(&r, n + 1);
  c->code_unit = read_uleb(&r);
  c->data_unit = read_sleb(&r);
  known &= (version == 1 ? read_bytes(&r, 1) : read_uleb(&r)) == RETURN;
  c->augmented = letters[0] == 'z';
  uint64_t augmentation = c->augmented ? read_uleb(&r) : 0;
  const uint8_t *program = r.at + augmentation;
  for (size_t i = 1; i < n && known; i++) {
    uint64_t is =
        letters[i] == 'P' || letters[i] == 'L' || letters[i] == 'R' ? read_bytes(&r, 1) : 0;
    if (letters[i] == 'P') skip(&r, (is & 7) == 3 ? 4 : (is & 7) == 2 ? 2 : 8);
    if (letters[i] == 'R') encoding = is;
    known = strchr("PLR", letters[i]) != NULL;
  }
  if (r.bad || !known || encoding != PCREL_SDATA4 || program > r.end) return false;
  c->program = (reader_t){program, r.end, false};
  return true;
}

/* Reads an expression. Returns whether it is the base pointer and an offset, and says whether that
 * is where the value is kept (DW_OP_deref). */
static bool read_expression(reader_t *r, int64_t *offset, bool *kept)
{
  enum { BREG6 = 0x76, DEREF = 0x06 };
  uint64_t n = read_uleb(r);
  reader_t x = *r;
  skip(r, n);
  if (r->bad) return false;
  x.end = r->at;
  bool known = read_bytes(&x, 1) == BREG6;
  *offset = known ? read_sleb(&x) : 0;
  *kept = known && x.at < x.end && read_bytes(&x, 1) == DEREF;
  return known && !x.bad && x.at == x.end;
}

/* These apply one instruction to the registers that matter. */
static void set_register(state_t *s, uint64_t reg, where_t where, int64_t offset)
{
  if (reg == RBP) s->rbp = (found_t){where, offset};
  if (reg == RETURN) s->ret = (found_t){where, offset};
}

static void restore_register(state_t *s, uint64_t reg, const state_t *initial)
{
  if (reg == RBP) s->rbp = initial->rbp;
  if (reg == RETURN) s->ret = initial->ret;
}

/* Runs an instruction about a register; false if it is another instruction. */
static bool do_register(reader_t *r, unsigned op, state_t *s, const common_t *c,
                        const state_t *initial)
{
  if (op < 0x05 || op > 0x16 || (op >= 0x0a && op <= 0x0f) || op == 0x12 || op == 0x13)
    return false;
  uint64_t reg = read_uleb(r);
  int64_t offset;
  bool kept, simple;
  switch (op) {
  case 0x05: /* offset_extended */
    set_register(s, reg, AT_OFFSET, (int64_t)read_uleb(r) * c->data_unit);
    break;
  case 0x06: /* restore_extended */
    restore_register(s, reg, initial);
    break;
  case 0x07: /* undefined */
    set_register(s, reg, UNDEFINED, 0);
    break;
  case 0x08: /* same_value */
    set_register(s, reg, SAME, 0);
    break;
  case 0x11: /* offset_extended_sf */
    set_register(s, reg, AT_OFFSET, read_sleb(r) * c->data_unit);
    break;
  case 0x10: /* expression */
    simple = read_expression(r, &offset, &kept) && offset == 0 && !kept;
    set_register(s, reg, simple ? AT_RBP : ELSEWHERE, 0);
    break;
  case 0x16: /* val_expression */
    skip(r, read_uleb(r));
    set_register(s, reg, ELSEWHERE, 0);
    break;
  default: /* register, val_offset, val_offset_sf */
    read_uleb(r);
    set_register(s, reg, ELSEWHERE, 0);
  }
  return true;
}

/* Runs an instruction about the end of the frame; false if it is another instruction. */
static bool do_end(reader_t *r, unsigned op, state_t *s, const common_t *c)
{
  enum { CFA = 0x0c, REGISTER, OFFSET, EXPRESSION, CFA_SF = 0x12, OFFSET_SF }; /* DW_CFA_def_… */
  if (op == CFA || op == REGISTER || op == CFA_SF) s->base = read_uleb(r);
  if (op == CFA || op == OFFSET) s->end = (int64_t)read_uleb(r);
  if (op == CFA_SF || op == OFFSET_SF) s->end = read_sleb(r) * c->data_unit;
  if (op == EXPRESSION) {
    bool kept = false, simple = read_expression(r, &s->end, &kept);
    s->base = simple && kept ? SLOT_BASE : ELSEWHERE_BASE;
  }
  return (op >= CFA && op <= EXPRESSION) || op == CFA_SF || op == OFFSET_SF;
}

/* Runs a program up to the place `distance` bytes into the function. */
static void run(reader_t *r, state_t *s, const common_t *c, const state_t *initial,
                uint64_t distance)
{
  state_t saved[MAX_SAVED];
  unsigned n_saved = 0;
  uint64_t at = 0;
  while (!r->bad && r->at < r->end && at <= distance) {
    unsigned op = (unsigned)read_bytes(r, 1), low = op & 0x3f;
    if (op >> 6 == 1)
      at += low * c->code_unit;
    else if (op >> 6 == 2)
      set_register(s, low, AT_OFFSET, (int64_t)read_uleb(r) * c->data_unit);
    else if (op >> 6 == 3)
      restore_register(s, low, initial);
    else if (op == 0x02 || op == 0x03 || op == 0x04) /* advance_loc1, 2, 4 */
      at += read_bytes(r, (size_t)1 << (op - 2)) * c->code_unit;
    else if (op == 0x0a && n_saved < MAX_SAVED) /* remember_state */
      saved[n_saved++] = *s;
    else if (op == 0x0b && n_saved) /* restore_state */
      *s = saved[--n_saved];
    else if (op == 0x2e) /* GNU_args_size */
      read_uleb(r);
    else if (op != 0 && !do_register(r, op, s, c, initial) && !do_end(r, op, s, c))
      r->bad = true;
  }
}

static frame_rule_t simplify(const state_t *s)
{
  frame_rule_t rule = {FRAME_OTHER, 0, 0};
  if (s->ret.where == UNDEFINED) return (frame_rule_t){FRAME_LAST, 0, 0};
  if (s->ret.where != AT_OFFSET || s->ret.offset != -8 || s->end > INT32_MAX || s->end < INT32_MIN)
    return rule;
  rule.end = (int32_t)s->end;
  if (s->base == SLOT_BASE) {
    if (s->rbp.where == AT_RBP) rule.kind = FRAME_BY_SLOT;
    return rule;
  }
  if (s->end <= 0) return rule;
  if (s->rbp.where == AT_OFFSET && s->rbp.offset < 0 && s->rbp.offset >= INT32_MIN)
    rule.base = (int32_t)s->rbp.offset;
  else if (s->rbp.where != SAME)
    return rule;
  if (s->base == RSP) rule.kind = FRAME_BY_SP;
  if (s->base == RBP) rule.kind = FRAME_BY_BP;
  return rule;
}

/* The rule of a function (FDE) at an address in it. */
static frame_rule_t read_function(const uint8_t *at, uintptr_t address)
{
  reader_t r = read_entry(at);
  const uint8_t *back_from = r.at;
  uint64_t back = read_bytes(&r, 4);
  common_t c;
  if (r.bad || back == 0 || !read_common(back_from - back, &c)) return (frame_rule_t){0};
  uintptr_t here = (uintptr_t)r.at, begin = here + (uintptr_t)read_sdata4(&r);
  uint64_t size = read_bytes(&r, 4);
  if (c.augmented) skip(&r, read_uleb(&r));
  if (r.bad || address - begin >= size) return (frame_rule_t){0};
  state_t s = {.base = ELSEWHERE_BASE};
  run(&c.program, &s, &c, &s, UINT64_MAX);
  state_t initial = s;
  run(&r, &s, &c, &initial, address - begin);
  return r.bad || c.program.bad ? (frame_rule_t){0} : simplify(&s);
}

/* Looks a function up in the sorted table of .eh_frame_hdr. NULL if it isn't there. */
static const uint8_t *find_function(const uint8_t *header, size_t size, uintptr_t address)
{
  if (size < 12 || header[0] != 1 || header[2] != UDATA4 || header[3] != DATAREL_SDATA4 ||
      (header[1] & 15) % 8 != 3)
    return NULL;
  uint32_t n;
  memcpy(&n, header + 8, sizeof n);
  if (n == 0 || n > (size - 12) / 8) return NULL;
  const uint8_t *table = header + 12;
  intptr_t distance = (intptr_t)(address - (uintptr_t)header);
  int32_t entry[2]; /* the function's begin and its FDE, relative to the header */
  uint32_t low = 0, high = n;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    memcpy(entry, table + (size_t)middle * 8, sizeof entry);
    if (entry[0] <= distance)
      low = middle;
    else
      high = middle;
  }
  memcpy(entry, table + (size_t)low * 8, sizeof entry);
  return entry[0] <= distance ? header + entry[1] : NULL;
}

typedef struct search {
  uintptr_t address;
  const uint8_t *header;
  size_t size;
} search_t;

static int look_at_module(struct dl_phdr_info *info, size_t size, void *context)
{
  (void)size;
  search_t *s = context;
  bool here = false;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + p->p_vaddr;
    here |= p->p_type == PT_LOAD && s->address - from < p->p_memsz;
    if (p->p_type != PT_GNU_EH_FRAME) continue;
    s->header = (const uint8_t *)from;
    s->size = p->p_memsz;
  }
  if (!here) s->header = NULL;
  return here;
}

frame_rule_t frame_rule(uintptr_t pc)
{
  search_t s = {.address = pc - 1}; /* in the call, not behind it */
  dl_iterate_phdr(look_at_module, &s);
  const uint8_t *function = s.header ? find_function(s.header, s.size, s.address) : NULL;
  return function ? read_function(function, s.address) : (frame_rule_t){0};
}

#else

frame_rule_t frame_rule(uintptr_t pc)
{
  (void)pc;
  return (frame_rule_t){FRAME_OTHER, 0, 0};
}

#endif
