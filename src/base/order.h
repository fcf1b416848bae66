/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison functions for qsort and bsearch, made from lists of members. */
#ifndef BERTH_BASE_ORDER_H
#define BERTH_BASE_ORDER_H

#include <string.h>

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Defines a function that compares structs by one member after another, such as
 * ORDER_BY(by_size, file_t, FALLING(bytes) RISING(number)) */
#define ORDER_BY(name, type, members)                                                              \
  static int name(const void *a, const void *b)                                                    \
  {                                                                                                \
    const type *x = a, *y = b;                                                                     \
    members return 0;                                                                              \
  }
/* The same for an array of pointers to structs. */
#define ORDER_POINTERS_BY(name, type, members)                                                     \
  static int name(const void *a, const void *b)                                                    \
  {                                                                                                \
    const type *x = *(const type *const *)a, *y = *(const type *const *)b;                         \
    members return 0;                                                                              \
  }
#define RISING(member)                                                                             \
  if (x->member != y->member) return x->member < y->member ? -1 : 1;
#define FALLING(member)                                                                            \
  if (x->member != y->member) return x->member < y->member ? 1 : -1;
/* By the value of a function. */
#define FALLING_BY(value)                                                                          \
  if (value(x) != value(y)) return value(x) < value(y) ? 1 : -1;
/* As another such function says. */
#define BY(order_of)                                                                               \
  {                                                                                                \
    int order = order_of(a, b);                                                                    \
    if (order) return order;                                                                       \
  }
/* Of text. */
#define RISING_TEXT(member)                                                                        \
  {                                                                                                \
    int order = strcmp(x->member, y->member);                                                      \
    if (order) return order;                                                                       \
  }

/* Defines a function that compares numbers. */
#define ORDER_VALUES(name, type)                                                                   \
  static int name(const void *a, const void *b)                                                    \
  {                                                                                                \
    return ORDER(*(const type *)a, *(const type *)b);                                              \
  }

/* Declares `at`: the first of the sorted indices from `begin` to `end` - 1 for which `before`, an
 * expression of `middle`, is false; else `end`. */
#define LOWER_BOUND(at, begin, end, before)                                                        \
  size_t at = (begin);                                                                             \
  for (size_t beyond = (end), middle; at < beyond;) {                                              \
    middle = at + (beyond - at) / 2;                                                               \
    if (before)                                                                                    \
      at = middle + 1;                                                                             \
    else                                                                                           \
      beyond = middle;                                                                             \
  }

#endif
