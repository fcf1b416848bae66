/* SPDX-License-Identifier: BSD-3-Clause */
/* A member announces what it gives to whom. Few bytes are in the line or the room that announces
 * them. Others read more where it is, or it goes through the rooms in pieces if they can't. */
#include "coll/host/host_exchange.h"

#include "job/large_copy.h"

enum { DIRECT = 16 * 1024 }; /* bytes of a block of host_alltoall that is read where it is */

/* Few bytes of few members are in the line that announces them: where each member's block begins,
 * and the blocks. Else the line says that the room has a head. */
enum { FEW = 15, FEW_BYTES = 32 };
typedef struct line {
  uint8_t in_room, at[FEW];
  char data[FEW_BYTES];
} line_t;
_Static_assert(sizeof(line_t) == HOST_SMALL, "a line");

/* In a member's room. */
typedef struct head {
  size_t longest; /* bytes of the longest block that isn't in the room */
  struct entry {
    const char *data; /* NULL: the block is in the room */
    size_t bytes, at;
  } entry[];
} head_t;

_Static_assert(sizeof(head_t) + HOST_EXCHANGERS * sizeof(struct entry) <= HOST_ROOM, "too many");

static void copy_own(const host_block_t *from, const host_block_t *to)
{
  if (to->bytes && to->data != from->data) job_copy(to->data, from->data, to->bytes);
}

/* The member before that gets the same block; -1: there is none. */
static int same_before(const host_t *h, const host_block_t *give, int member)
{
  int before = member - 1 - (member - 1 == h->me);
  bool same = before >= 0 && give[before].data == give[member].data &&
              give[before].bytes == give[member].bytes;
  return same ? before : -1;
}

/* How many bytes the others get. A block for several of them counts once. */
static size_t given(const host_t *h, const host_block_t *give)
{
  size_t sum = 0;
  for (int i = 0; i < h->n; i++)
    if (i != h->me && same_before(h, give, i) < 0) sum += give[i].bytes;
  return sum;
}

static line_t *line_of(const host_t *h, int member, uint32_t step)
{
  return (line_t *)(void *)host_place(h, member, step)->small;
}

static void announce_in_line(host_t *h, uint32_t step, const host_block_t *give)
{
  host_free_bytes(h, step, HOST_SMALL);
  line_t *line = line_of(h, h->me, step);
  size_t at = 0;
  line->in_room = 0;
  for (int i = 0; i < h->n; i++) {
    if (i == h->me || give[i].bytes == 0) continue;
    int before = same_before(h, give, i);
    line->at[i] = before >= 0 ? line->at[before] : (uint8_t)at;
    if (before >= 0) continue;
    memcpy(line->data + at, give[i].data, give[i].bytes);
    at += give[i].bytes;
  }
}

/* Returns whether the blocks are in the room. */
static bool announce_in_room(host_t *h, uint32_t step, const host_block_t *give, size_t all)
{
  host_free_bytes(h, step, HOST_ROOM);
  line_of(h, h->me, step)->in_room = 1;
  head_t *head = (head_t *)(void *)host_room(h, h->me, step);
  size_t at = sizeof *head + (size_t)h->n * sizeof head->entry[0];
  bool inside = all <= HOST_ROOM - at;
  head->longest = 0;
  for (int i = 0; i < h->n; i++) {
    int before = same_before(h, give, i);
    if (i == h->me) continue;
    head->entry[i] = before >= 0 ? head->entry[before]
                                 : (struct entry){inside ? NULL : give[i].data, give[i].bytes, at};
    if (!inside && give[i].bytes > head->longest) head->longest = give[i].bytes;
    if (!inside || before >= 0 || give[i].bytes == 0) continue;
    memcpy((char *)head + at, give[i].data, give[i].bytes);
    at += give[i].bytes;
  }
  return inside;
}

/* Announces the blocks. Returns whether they are in the line or the room. */
static bool announce(host_t *h, uint32_t step, const host_block_t *give)
{
  size_t all = given(h, give);
  bool inside = true;
  if (h->n <= FEW && all <= FEW_BYTES)
    announce_in_line(h, step, give);
  else
    inside = announce_in_room(h, step, give, all);
  host_told(h, step);
  return inside;
}

/* What a member has announced in its room; NULL: it is in its line. */
static const head_t *announced(const host_t *h, int member, uint32_t step)
{
  host_hear(h, member, step);
  if (!line_of(h, member, step)->in_room) return NULL;
  return (const head_t *)(const void *)host_room(h, member, step);
}

/* Gets what a member has announced, if it can be read. */
static bool get_announced(const host_t *h, int member, uint32_t step, const host_block_t *to)
{
  const head_t *head = announced(h, member, step);
  if (!head) {
    const line_t *line = line_of(h, member, step);
    memcpy(to->data, line->data + line->at[h->me], to->bytes < FEW_BYTES ? to->bytes : FEW_BYTES);
    return true;
  }
  const struct entry *e = &head->entry[h->me];
  size_t bytes = e->bytes < to->bytes ? e->bytes : to->bytes;
  if (e->data && h->one_copy) return host_read(h, member, e->data, to->data, bytes);
  if (!e->data && bytes) memcpy(to->data, (const char *)head + e->at, bytes);
  return true;
}

/* How many steps it takes until all blocks have gone through the rooms. */
static size_t pieces(const host_t *h, uint32_t step, size_t most)
{
  size_t longest = 0;
  for (int i = 0; i < h->n; i++) {
    const head_t *head = announced(h, i, step);
    if (head && head->longest > longest) longest = head->longest;
  }
  return (longest + most - 1) / most;
}

static size_t piece_of(size_t bytes, size_t at, size_t most)
{
  if (at >= bytes) return 0;
  return bytes - at < most ? bytes - at : most;
}

/* A room has a piece of each block. Who has announced blocks in its room has none to put. */
static void exchange_pieces(host_t *h, uint32_t first, bool inside, const host_block_t *give,
                            const host_block_t *get)
{
  size_t most = HOST_ROOM / (size_t)h->n / 16 * 16, n = pieces(h, first, most), at = 0;
  bool *read = (bool *)space_take(&h->work, (size_t)h->n);
  for (int i = 0; i < h->n; i++) {
    const head_t *head = i != h->me && get[i].bytes ? announced(h, i, first) : NULL;
    read[i] = head && head->entry[h->me].data;
  }
  for (size_t k = 0; k < n; k++, at += most) {
    uint32_t step = host_begin(h);
    host_free_bytes(h, step, HOST_ROOM);
    for (int i = 0; i < h->n && !inside; i++) {
      size_t piece = piece_of(give[i].bytes, at, most);
      if (piece && i != h->me)
        memcpy(host_room(h, h->me, step) + (size_t)i * most, give[i].data + at, piece);
    }
    host_told(h, step);
    for (int i = 0; i < h->n; i++) {
      size_t piece = read[i] ? piece_of(get[i].bytes, at, most) : 0;
      if (!piece) continue;
      host_hear(h, i, step);
      memcpy(get[i].data + at, host_room(h, i, step) + (size_t)h->me * most, piece);
    }
    host_end(h);
  }
}

bool host_lists(host_t *h, host_lists_t *out)
{
  size_t n = (size_t)h->n, bytes = 2 * n * sizeof *out->give;
  *out = (host_lists_t){(host_block_t *)(void *)space_take(&h->blocks, bytes), NULL};
  if (!out->give) return false;
  memset(out->give, 0, bytes);
  out->get = out->give + n;
  return true;
}

int host_exchange(host_t *h, const host_lists_t *l)
{
  const host_block_t *give = l->give, *get = l->get;
  if (h->n == 1) {
    copy_own(&give[h->me], &get[h->me]);
    return MPI_SUCCESS;
  }
  uint32_t step = host_begin(h);
  bool inside = announce(h, step, give), read = true;
  for (int k = 1; k < h->n; k++) {
    int i = (h->me + k) % h->n;
    if (get[i].bytes) read &= get_announced(h, i, step, &get[i]);
  }
  if (!h->one_copy) exchange_pieces(h, step, inside, give, get);
  host_end(h);
  copy_own(&give[h->me], &get[h->me]);
  for (int i = 0; i < h->n && !inside && h->one_copy; i++)
    if (i != h->me && give[i].bytes) wait_for(&h->member[i].done, step, i);
  return read ? MPI_SUCCESS : MPI_ERR_INTERN;
}

static int alltoall_direct(host_t *h, const char *in, char *out, size_t bytes)
{
  uint32_t step = host_begin(h);
  bool read = true;
  host_put(h, step, &in, sizeof in);
  for (int k = 1; k < h->n; k++) {
    int i = (h->me + k) % h->n;
    const char *from;
    host_get(h, i, step, &from, sizeof from);
    read &= host_read(h, i, from + (size_t)h->me * bytes, out + (size_t)i * bytes, bytes);
  }
  host_end(h);
  host_all_done(h, step);
  return read ? MPI_SUCCESS : MPI_ERR_INTERN;
}

/* A place or a room has a piece of each block. */
static void alltoall_pieces(host_t *h, const char *in, char *out, size_t bytes)
{
  size_t n = (size_t)h->n, me = (size_t)h->me, most = HOST_ROOM / n;
  for (size_t at = 0; at < bytes; at += most) {
    size_t piece = bytes - at < most ? bytes - at : most;
    uint32_t step = host_begin(h);
    char *own = host_bytes(h, h->me, step, n * piece);
    host_free_bytes(h, step, n * piece);
    if (piece == bytes)
      memcpy(own, in, n * piece);
    else
      for (size_t i = 0; i < n; i++) memcpy(own + i * piece, in + i * bytes + at, piece);
    host_told(h, step);
    for (size_t k = 1; k < n; k++) {
      size_t i = (me + k) % n;
      host_hear(h, (int)i, step);
      memcpy(out + i * bytes + at, host_bytes(h, (int)i, step, n * piece) + me * piece, piece);
    }
    host_end(h);
  }
}

int host_alltoall(host_t *h, const char *in, char *out, size_t bytes)
{
  int rc = MPI_SUCCESS;
  size_t own = (size_t)h->me * bytes;
  if (h->n > 1 && h->one_copy && bytes >= DIRECT)
    rc = alltoall_direct(h, in, out, bytes);
  else if (h->n > 1)
    alltoall_pieces(h, in, out, bytes);
  memcpy(out + own, in + own, bytes);
  return rc;
}
