/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_BASE_DIVISOR_H
#define BERTH_BASE_DIVISOR_H

#include <stdint.h>

/* The largest number that divides both; each divides 0. */
static inline uint64_t common_divisor(uint64_t a, uint64_t b)
{
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

#endif
