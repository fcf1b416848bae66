/* SPDX-License-Identifier: BSD-3-Clause */
/* The uses. Rates count what is read, written or copied once: a copy of n bytes is n. */
#include "calib/node/node_uses.h"

#include <string.h>

enum { WORDS = NODE_PIECE / 8, ROWS = 128, COLUMNS = WORDS / ROWS, BLOCK = 8 };

static size_t next_piece(node_area_t *a)
{
  size_t at = a->at;
  a->at = at + 2 * NODE_PIECE <= a->bytes ? at + NODE_PIECE : 0;
  return at;
}

static double read_piece(void *own)
{
  node_area_t *a = own;
  const uint64_t *in = (const void *)(a->from + next_piece(a));
  uint64_t sum[8] = {0};
  for (size_t i = 0; i < WORDS; i += 8)
    for (size_t k = 0; k < 8; k++) sum[k] += in[i + k];
  for (size_t k = 0; k < 8; k++) *a->sink += sum[k];
  return NODE_PIECE;
}

static double write_piece(void *own)
{
  node_area_t *a = own;
  uint64_t *out = (void *)(a->to + next_piece(a)), value = ++*a->sink;
  for (size_t i = 0; i < WORDS; i++) out[i] = value + i;
  return NODE_PIECE;
}

static double copy_piece(void *own)
{
  node_area_t *a = own;
  size_t at = next_piece(a);
  memcpy(a->to + at, a->from + at, NODE_PIECE);
  return NODE_PIECE;
}

/* A matrix of doubles, in blocks that have whole lines in both directions. */
static double transpose_piece(void *own)
{
  node_area_t *a = own;
  size_t at = next_piece(a);
  const double *in = (const void *)(a->from + at);
  double *out = (void *)(a->to + at);
  for (size_t r = 0; r < ROWS; r += BLOCK)
    for (size_t c = 0; c < COLUMNS; c += BLOCK)
      for (size_t i = r; i < r + BLOCK; i++)
        for (size_t k = c; k < c + BLOCK; k++) out[k * ROWS + i] = in[i * COLUMNS + k];
  return NODE_PIECE;
}

static double send_piece(void *own)
{
  node_area_t *a = own;
  size_t at = next_piece(a);
  memcpy(a->segment + at % NODE_SEGMENT, a->from + at, NODE_PIECE);
  return NODE_PIECE;
}

const node_use_t node_uses[NODE_USES] = {{"read", read_piece},
                                         {"write", write_piece},
                                         {"copy", copy_piece},
                                         {"transpose", transpose_piece}};
const node_use_t node_sending = {"send", send_piece};
