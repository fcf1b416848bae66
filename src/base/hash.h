/* SPDX-License-Identifier: BSD-3-Clause */
/* FNV-1a (Fowler, Noll, Vo), 64 bits, for tables and file names. It doesn't resist adversaries. */
#ifndef BERTH_BASE_HASH_H
#define BERTH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325u

/* Continues the hash h with n bytes. Start with HASH_START. */
static inline uint64_t hash_bytes(uint64_t h, const void *data, size_t n)
{
  const unsigned char *s = data;
  for (size_t i = 0; i < n; i++) h = (h ^ s[i]) * 0x100000001b3u;
  return h;
}

#endif
