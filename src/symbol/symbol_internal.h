/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared parts of the resolution of call sites. */
#ifndef BERTH_SYMBOL_INTERNAL_H
#define BERTH_SYMBOL_INTERNAL_H

#include <stdbool.h>

#include "base/id_table.h"
#include "symbol/symbol.h"

/* An opened module. `found` is NULL if the file is missing or isn't the traced one. */
typedef struct module {
  char *path, *build_id; /* as in the frames; "": no build id */
  struct Dwfl *dwfl;     /* of libdw, as is the next */
  struct Dwfl_Module *found;
  bool given_up; /* the separate process failed on it */
} module_t;

/* Why modules weren't read: their number, and the first one's message. */
typedef struct unread {
  size_t n;
  char why[256];
} unread_t;
void symbol_unread_note(unread_t *u, const char *path, const char *why);

/* The process that reads modules (symbol_apart.c). */
typedef struct apart apart_t;
apart_t *apart_new(double seconds);
void apart_free(apart_t *a); /* takes NULL */
/* symbol_lookup in that process, which is started if needed. If it fails on a module, the module
 * is noted and not tried again. */
int apart_lookup(apart_t *a, symbols_t *s, module_t *m, uint64_t offset, frame_put_t *put,
                 void *context);

typedef char *demangle_t(const char *name, char *buffer, size_t *size, int *status);

struct symbols {
  module_t *modules;
  size_t n, cap;
  id_table_t module_of; /* by hash of path and build id; the first of equal hashes */
  demangle_t *demangle; /* from the C++ library; NULL if there is none */
  bool has_looked;      /* for the demangler */
  unread_t unread;
  apart_t *apart; /* NULL: modules are read in this process */
};

/* The module with that path and build id; *is_new if it wasn't known. NULL if memory is out. */
module_t *symbol_module(symbols_t *s, const char *path, const char *build_id, bool *is_new);

/* Opens a module. Tries similar file names if the name has characters that a trace can't hold. */
void symbol_open(symbols_t *s, module_t *m);
void symbol_close(module_t *m);

/* A function's name for people; C++ names lose return type and parameters. The caller frees it.
 * NULL if memory is out. */
char *symbol_name(const symbols_t *s, const char *linkage_name);

/* Whether a frame was resolved: tracers don't store such a text. */
bool symbol_is_named(const char *frame);

/* Puts the frames of the call that returns to that offset in the module. Returns their number; 0
 * if there are none, -1 on failure. */
int symbol_lookup(const symbols_t *s, const module_t *m, uint64_t offset, frame_put_t *put,
                  void *context);

/* Names for the phases of a pattern, one after another. A tracer calls automatic phases "phase
 * 1" and so on. They get the innermost frame of the site that sends most in them, preferably a
 * resolved one that no other phase has. `sites` is a pattern with the sites in the same order
 * and resolved frames. NULL if memory is out. */
typedef struct namer namer_t;
namer_t *phase_namer_new(const berth_pattern_t *p, const berth_pattern_t *sites);
void phase_namer_free(namer_t *f);
const char *phase_namer_next(namer_t *f, const berth_phase_t *phase);

#endif
