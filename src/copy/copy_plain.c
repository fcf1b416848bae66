/* SPDX-License-Identifier: BSD-3-Clause */
/* memcpy, and loops in C: the kernels of Boyer and Chase, "Insomnia", section 3. The build keeps
 * the compiler from making calls of memcpy of them. */
#include <stdint.h>
#include <string.h>

#include "copy/copy.h"

/* A word at any address, of memory of any type. */
typedef uint64_t __attribute__((may_alias, aligned(1))) word_t;

enum { WORD = sizeof(word_t), LINE = 64 };

static void copy_library(void *restrict to, const void *restrict from, size_t n)
{
  memcpy(to, from, n);
}

/* What is left of n bytes behind the first `done`. */
static void copy_rest(void *to, const void *from, size_t done, size_t n)
{
  memcpy((char *)to + done, (const char *)from + done, n - done);
}

static void copy_loop(void *restrict to, const void *restrict from, size_t n)
{
  word_t *restrict out = to;
  const word_t *restrict in = from;
  for (size_t i = 0; i < n / WORD; i++) out[i] = in[i];
  copy_rest(to, from, n / WORD * WORD, n);
}

/* Reads a word of each line before it writes the line: a cache that allocates lines only for reads
 * then has the line. */
static void copy_touch(void *restrict to, const void *restrict from, size_t n)
{
  word_t *restrict out = to;
  const word_t *restrict in = from;
  for (size_t i = 0; i < n / LINE * (LINE / WORD); i += LINE / WORD) {
    (void)*(volatile word_t *)&out[i];
    for (size_t k = 0; k < LINE / WORD; k++) out[i + k] = in[i + k];
  }
  copy_rest(to, from, n / LINE * LINE, n);
}

/* Two parts of the area side by side: two streams of loads and two of stores. */
static void copy_halves(void *restrict to, const void *restrict from, size_t n)
{
  word_t *restrict out = to;
  const word_t *restrict in = from;
  size_t part = n / WORD / 2;
  for (size_t i = 0; i < part; i++) {
    out[i] = in[i];
    out[part + i] = in[part + i];
  }
  copy_rest(to, from, 2 * part * WORD, n);
}

static void copy_quarters(void *restrict to, const void *restrict from, size_t n)
{
  word_t *restrict out = to;
  const word_t *restrict in = from;
  size_t part = n / WORD / 4;
  for (size_t i = 0; i < part; i++) {
    out[i] = in[i];
    out[part + i] = in[part + i];
    out[2 * part + i] = in[2 * part + i];
    out[3 * part + i] = in[3 * part + i];
  }
  copy_rest(to, from, 4 * part * WORD, n);
}

const copy_kernel_t copy_plain[] = {
    {"memcpy", "the C library's memcpy", copy_library, NULL},
    {"loop", "a loop over words", copy_loop, NULL},
    {"touch", "a loop that reads each line of the destination first", copy_touch, NULL},
    {"two-streams", "two parts side by side", copy_halves, NULL},
    {"four-streams", "four parts side by side", copy_quarters, NULL},
    {0}};
