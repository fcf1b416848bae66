/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_SYMBOL_INTERNAL_H
#define BERTH_SYMBOL_INTERNAL_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "base/id_table.h"
#include "symbol/symbol.h"

/* A module that was opened; `found` is NULL where it isn't there or not the one that was traced. */
typedef struct module {
  char *path, *build_id; /* as in the frames; "" for no build id */
  Dwfl *dwfl;
  Dwfl_Module *found;
  bool given_up; /* a process of its own failed on it */
} module_t;

/* Why modules weren't read: how many, and the first one's line. */
typedef struct unread {
  size_t n;
  char why[256];
} unread_t;
void symbol_unread_note(unread_t *u, const char *path, const char *why);

/* The process that reads modules, see symbol_apart.c. */
typedef struct apart apart_t;
apart_t *apart_new(double seconds);
void apart_free(apart_t *a); /* takes NULL */
/* symbol_lookup in that process, which is started if there is none. A module that it fails on is
 * given up, and noted. */
int apart_lookup(apart_t *a, symbols_t *s, module_t *m, uint64_t offset,
                 int (*put)(void *context, const char *text), void *context);

typedef char *demangle_t(const char *name, char *buffer, size_t *size, int *status);

struct symbols {
  module_t *modules;
  size_t n, cap;
  id_table_t module_of; /* by hash of path and build id; of one hash the first */
  demangle_t *demangle; /* of the C++ library, NULL where there is none */
  bool has_looked;      /* for it */
  unread_t unread;
  apart_t *apart; /* NULL: modules are read in this process */
};

/* The module of that path and build id, *is_new where it wasn't known. NULL when memory is out. */
module_t *symbol_module(symbols_t *s, const char *path, const char *build_id, bool *is_new);

/* Opens a module and looks for it where its name has characters that a trace can't hold. */
void symbol_open(symbols_t *s, module_t *m);

/* A function's name for people, C++ ones without return type and parameters; NULL when memory is
 * out. */
char *symbol_name(const symbols_t *s, const char *linkage_name);

/* True for a frame that no tracer stores: it was resolved. */
bool symbol_is_named(const char *frame);

/* Puts the frames of the call whose return address is that offset in the module. Returns how many
 * there are, 0 for none, -1 on failure. */
int symbol_lookup(const symbols_t *s, const module_t *m, uint64_t offset,
                  int (*put)(void *context, const char *text), void *context);

/* Names for the phases of a pattern one after the other: those of automatic phases, which a tracer
 * calls "phase 1" and so on, are the innermost frame of the site that sends most in it, one with a
 * name if there is one, as far as that tells it from the others. `sites` is a pattern that has
 * the sites, in their order, with frames for people. NULL when memory is out. */
typedef struct namer namer_t;
namer_t *phase_namer_new(const berth_pattern_t *p, const berth_pattern_t *sites);
void phase_namer_free(namer_t *f);
const char *phase_namer_next(namer_t *f, const berth_phase_t *phase);

#endif
