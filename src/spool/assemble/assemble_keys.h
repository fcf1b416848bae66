/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in the keys of a team's facts: communicators, calls, times and windows by their contents,
 * because members number them differently. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_KEYS_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_KEYS_H

#include "spool/assemble/assemble_internal.h"
#include "team/team_facts.h"

/* A communicator in facts. */
typedef struct comm_key {
  uint64_t key[3]; /* all 0 for MPI_COMM_WORLD */
} comm_key_t;

typedef struct window_key {
  comm_key_t comm;
  uint64_t number;
} window_key_t;

/* Keys, *n bytes, which the caller frees. NULL if memory is out. */
unsigned char *key_of_call(const assembly_t *a, const called_t *k, size_t *n);
unsigned char *key_of_spent(const assembly_t *a, const spent_t *x, size_t *n);
/* Finds the names in such a key, and adds those that this member doesn't know. The other members of
 * *k and *x stay, but for what calls' keys have. Returns false if memory is out. */
bool key_take_call(assembly_t *a, const fact_t *fact, called_t *k);
bool key_take_spent(assembly_t *a, const fact_t *fact, spent_t *x);

comm_key_t key_of_comm(const assembly_t *a, uint32_t comm);
/* The index of a communicator + 1; 0 is MPI_COMM_WORLD; -1 if memory is out. */
long key_take_comm(assembly_t *a, const comm_key_t *key);
/* The index of a site + 1; 0 is none (n is 0); -1 if memory is out. */
long key_take_site(assembly_t *a, const unsigned char *text, size_t n);
/* The index of a window; -1 if memory is out. */
long key_take_window(assembly_t *a, const fact_t *fact);

#endif
