/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for symbol_file.c and symbol_lookup.c in builds without libdw: no module is read. */
#include "symbol/symbol_internal.h"

void symbol_open(symbols_t *s, module_t *m)
{
  symbol_unread_note(&s->unread, m->path, "this berth was built without libdw (BERTH_WITH_LIBDW)");
}

void symbol_close(module_t *m) { (void)m; }

int symbol_lookup(const symbols_t *s, const module_t *m, uint64_t offset, frame_put_t *put,
                  void *context)
{
  (void)s;
  (void)m;
  (void)offset;
  (void)put;
  (void)context;
  return 0;
}
