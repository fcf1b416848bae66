/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes and reads the keys of a team's facts. */
#include "spool/assemble/assemble_keys.h"

#include <stdlib.h>
#include <string.h>

#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_rma.h"

/* The key of a call. The operation and the site, which may be empty, follow it. */
typedef struct call_key {
  comm_key_t comm;
  uint64_t bytes; /* 0 if they vary */
  uint32_t phase, varies, op_bytes, parts;
  int32_t root, unused;
} call_key_t;

/* The key of a time. The function and the site, which may be empty, follow it. */
typedef struct spent_key {
  comm_key_t comm;
  uint32_t in_comm, op_bytes;
} spent_key_t;

comm_key_t key_of_comm(const assembly_t *a, uint32_t comm)
{
  comm_key_t key = {{0}};
  if (comm) memcpy(&key, a->comms.items[comm - 1].bytes, sizeof key);
  return key;
}

long key_take_comm(assembly_t *a, const comm_key_t *key)
{
  static const comm_key_t world;
  if (memcmp(key, &world, sizeof world) == 0) return 0;
  long number = load_comms_intern(a, key->key);
  return number < 0 ? -1 : number + 1;
}

/* A key of a head, an operation's name and a site's text (0: none), which the caller frees. NULL if
 * memory is out. */
static unsigned char *key_of(const assembly_t *a, const void *head, size_t head_bytes, uint32_t op,
                             uint32_t site, size_t *n)
{
  const intern_item_t *name = &a->ops.items[op], *text = site ? &a->sites.items[site - 1] : NULL;
  *n = head_bytes + name->n + (text ? text->n : 0);
  unsigned char *key = malloc(*n);
  if (!key) return NULL;
  memcpy(key, head, head_bytes);
  memcpy(key + head_bytes, name->bytes, name->n);
  if (text) memcpy(key + head_bytes + name->n, text->bytes, text->n);
  return key;
}

unsigned char *key_of_call(const assembly_t *a, const called_t *k, size_t *n)
{
  const call_key_t head = {.comm = key_of_comm(a, k->comm),
                           .bytes = k->bytes,
                           .phase = k->phase,
                           .varies = k->varies,
                           .op_bytes = (uint32_t)a->ops.items[k->op].n,
                           .parts = k->parts,
                           .root = k->root};
  return key_of(a, &head, sizeof head, k->op, k->site, n);
}

unsigned char *key_of_spent(const assembly_t *a, const spent_t *x, size_t *n)
{
  const spent_key_t head = {key_of_comm(a, x->comm), x->in_comm, (uint32_t)a->ops.items[x->op].n};
  return key_of(a, &head, sizeof head, x->op, x->site, n);
}

long key_take_site(assembly_t *a, const unsigned char *text, size_t n)
{
  long number = n ? intern(&a->sites, text, n) : -1;
  return !n ? 0 : number < 0 ? -1 : number + 1;
}

/* Where the names of a key are in this assembly. */
typedef struct taken_names {
  uint32_t comm, op, site;
} taken_names_t;

/* Reads the names behind the head of a key, as key_of put them. Returns false if memory is out. */
static bool take_names(assembly_t *a, const fact_t *fact, size_t head_bytes, const comm_key_t *comm,
                       uint32_t op_bytes, taken_names_t *names)
{
  const unsigned char *op = fact->key + head_bytes, *site = op + op_bytes;
  long comm_number = key_take_comm(a, comm), op_number = intern(&a->ops, op, op_bytes);
  long site_number = key_take_site(a, site, fact->key_bytes - head_bytes - op_bytes);
  *names = (taken_names_t){(uint32_t)comm_number, (uint32_t)op_number, (uint32_t)site_number};
  return comm_number >= 0 && op_number >= 0 && site_number >= 0;
}

bool key_take_call(assembly_t *a, const fact_t *fact, called_t *k)
{
  call_key_t head;
  taken_names_t names;
  memcpy(&head, fact->key, sizeof head);
  bool good = take_names(a, fact, sizeof head, &head.comm, head.op_bytes, &names);
  k->comm = names.comm;
  k->op = names.op;
  k->site = names.site;
  k->phase = head.phase;
  k->root = head.root;
  k->varies = head.varies;
  k->parts = head.parts;
  k->bytes = head.bytes;
  return good;
}

bool key_take_spent(assembly_t *a, const fact_t *fact, spent_t *x)
{
  spent_key_t head;
  taken_names_t names;
  memcpy(&head, fact->key, sizeof head);
  bool good = take_names(a, fact, sizeof head, &head.comm, head.op_bytes, &names);
  x->comm = names.comm;
  x->op = names.op;
  x->site = names.site;
  return good;
}

long key_take_window(assembly_t *a, const fact_t *fact)
{
  window_key_t key;
  memcpy(&key, fact->key, sizeof key);
  long comm = key_take_comm(a, &key.comm);
  return comm < 0 ? -1 : rma_windows_intern(a, (uint32_t)comm, (uint32_t)key.number);
}
