/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of one process that others of its host read and write, too: data of calls under way. Its
 * owner alone takes pieces of it and gives them back. It grows as it is used; large pieces go back
 * to the system. */
#ifndef BERTH_AGENT_STORE_H
#define BERTH_AGENT_STORE_H

#include "base/shared_file.h"

enum { STORE_CLASSES = 40 };

/* What others need to map it. */
typedef struct store_name {
  shared_file_t file;
  uint64_t span; /* bytes of addresses */
} store_name_t;

typedef struct store {
  store_name_t name;
  char *base;
  uint64_t size, used;           /* bytes of the file; of it, from its beginning on */
  uint64_t *free[STORE_CLASSES]; /* pieces of 2^class bytes that were given back */
  size_t n_free[STORE_CLASSES], cap_free[STORE_CLASSES];
} store_t;

/* False: errno says why. */
bool store_new(const char *name, store_t *out);
void store_free(store_t *s);

/* A piece of so many bytes, aligned to 64: its place. 0: there is no memory. */
uint64_t store_take(store_t *s, uint64_t bytes);
/* Gives back a piece that was taken with so many bytes. */
void store_give(store_t *s, uint64_t at, uint64_t bytes);

/* Another process's store. NULL: errno says why. */
char *store_map(const store_name_t *name);
void store_unmap(char *base, const store_name_t *name);

#endif
