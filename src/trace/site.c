/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds call sites: the return addresses that lead to an MPI call, innermost first.
 *
 * Most calls only compare addresses with those of earlier calls (context.h). Otherwise libunwind
 * provides the addresses, and their hash finds the site. Only a new site asks which modules the
 * addresses are in.
 *
 * libunwind is loaded with its symbols hidden. If it was preloaded, it would also serve the
 * application's C++ exceptions, which then take thirteen times as long. */
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/context.h"
#include "trace/record.h"

enum {
  OWN_FRAMES = 5, /* maximum number of the tracer's own frames: three here, wait_ended, a wrapper */
};

typedef struct site {
  uint64_t hash; /* of the addresses and the function */
  uint64_t frames_hash;
  uint32_t id;
  uint16_t op, n;
  void *pc[MAX_DEPTH];
  spool_frame_t frames[MAX_DEPTH];
} site_t;

/* A hash table of sites. */
typedef struct site_table {
  site_t **slots;
  uint32_t n_slots, n;
} site_table_t;

typedef struct module {
  char *path;
  uint8_t build_id[39], build_id_bytes;
  struct module *next;
  uint32_t id;
} module_t;

_Atomic unsigned site_epoch;

static int (*backtrace_addresses)(void **addresses, int size); /* unw_backtrace */
static void (*flush_unwind_cache)(void *space, uintptr_t from, uintptr_t to);
static void *unwind_space;

/* Shared by all threads; access needs the lock. */
static site_table_t by_address, by_frames;
static unsigned by_address_epoch;
static uint32_t n_sites, n_modules;
static _Atomic bool full; /* no room for another site; not tried again */
static module_t *modules;
static spool_block_t *site_block, *module_block;

void site_setup(int depth)
{
  if (depth + (int)chain_before > 1) {
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    void *space = library ? dlsym(library, "_ULx86_64_local_addr_space") : NULL;
    if (library) {
      *(void **)&backtrace_addresses = dlsym(library, "unw_backtrace");
      *(void **)&flush_unwind_cache = dlsym(library, "_Ux86_64_flush_cache");
    }
    unwind_space = space ? *(void **)space : NULL;
  }
  tracer.depth = depth > 1 && !backtrace_addresses ? 1 : depth;
}

static void forget_addresses(void)
{
  if (tracer.state != TRACER_ON || !tracer.depth) return;
  if (flush_unwind_cache && unwind_space) flush_unwind_cache(unwind_space, 0, 0);
  atomic_fetch_add(&site_epoch, 1);
}

/* Addresses may have another meaning after a library is unloaded. They are forgotten before,
 * because another thread may load a library there before this one returns. They are forgotten
 * after, too, because the library's last functions may call MPI. */
EXPORT int dlclose(void *handle)
{
  static _Atomic(void *) found;
  void *address = atomic_load_explicit(&found, memory_order_relaxed);
  if (!address) address = dlsym(RTLD_NEXT, "dlclose");
  atomic_store_explicit(&found, address, memory_order_relaxed);
  forget_addresses();
  int rc = address ? ((int (*)(void *))address)(handle) : -1;
  forget_addresses();
  return rc;
}

static uint64_t mix(uint64_t h, uint64_t value)
{
  h = (h ^ value) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

static bool table_room(site_t ***slots, uint32_t *n_slots, uint32_t n, size_t hash_at)
{
  if (n * 2 < *n_slots) return true;
  uint32_t n_new = *n_slots ? *n_slots * 2 : 512;
  site_t **bigger = memory_alloc_counted(n_new * sizeof *bigger, false);
  if (!bigger) return false;
  for (uint32_t i = 0; i < *n_slots; i++) {
    if (!(*slots)[i]) continue;
    uint64_t hash = *(const uint64_t *)((const char *)(*slots)[i] + hash_at);
    uint32_t k = (uint32_t)hash & (n_new - 1);
    while (bigger[k]) k = (k + 1) & (n_new - 1);
    bigger[k] = (*slots)[i];
  }
  memory_free_counted(*slots, *n_slots * sizeof **slots);
  *slots = bigger;
  *n_slots = n_new;
  return true;
}

static inline bool same_pcs(const site_t *s, uint64_t hash, op_t op, int n, void *const *pc)
{
  if (s->hash != hash || s->op != op || s->n != n) return false;
  for (int i = 0; i < n; i++)
    if (s->pc[i] != pc[i]) return false;
  return true;
}

static bool same_addresses(const site_t *a, const site_t *b)
{
  return same_pcs(a, b->hash, (op_t)b->op, b->n, b->pc);
}

static bool same_frames(const site_t *a, const site_t *b)
{
  return a->frames_hash == b->frames_hash && a->op == b->op && a->n == b->n &&
         memcmp(a->frames, b->frames, a->n * sizeof *a->frames) == 0;
}

static site_t *table_find(const site_table_t *table, const site_t *key, uint64_t hash,
                          bool (*same)(const site_t *, const site_t *))
{
  if (!table->n_slots) return NULL;
  for (uint32_t i = (uint32_t)hash & (table->n_slots - 1);; i = (i + 1) & (table->n_slots - 1)) {
    site_t *s = table->slots[i];
    if (!s || same(s, key)) return s;
  }
}

static void table_put(site_table_t *table, site_t *site, uint64_t hash, size_t hash_at)
{
  if (!table_room(&table->slots, &table->n_slots, table->n, hash_at)) return;
  uint32_t i = (uint32_t)hash & (table->n_slots - 1);
  while (table->slots[i]) i = (i + 1) & (table->n_slots - 1);
  table->slots[i] = site;
  table->n++;
}

/* The module of an address, as dl_iterate_phdr finds it. */
typedef struct located {
  uintptr_t address, base;
  bool found;
  char path[PATH_MAX];
  uint8_t build_id[39], build_id_bytes;
} located_t;

static void read_build_id(located_t *l, const unsigned char *notes, size_t size)
{
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    const ElfW(Nhdr) *note = (const void *)(notes + at);
    size_t name = (note->n_namesz + 3u) / 4 * 4, text = (note->n_descsz + 3u) / 4 * 4;
    const unsigned char *body = notes + at + sizeof *note;
    if (name + text > size - at - sizeof *note) return;
    if (note->n_type == NT_GNU_BUILD_ID && name == 4 && memcmp(body, "GNU", 4) == 0 &&
        note->n_descsz <= sizeof l->build_id) {
      l->build_id_bytes = (uint8_t)note->n_descsz;
      memcpy(l->build_id, body + 4, note->n_descsz);
      return;
    }
    at += sizeof *note + name + text;
  }
}

static void describe_module(located_t *l, const struct dl_phdr_info *info)
{
  l->base = info->dlpi_addr;
  if (info->dlpi_name[0] == '\0') {
    ssize_t n = readlink("/proc/self/exe", l->path, sizeof l->path - 1);
    l->path[n > 0 ? n : 0] = '\0';
  } else if (info->dlpi_name[0] == '/' || !realpath(info->dlpi_name, l->path)) {
    snprintf(l->path, sizeof l->path, "%s", info->dlpi_name);
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_NOTE && !l->build_id_bytes)
      read_build_id(l, (const unsigned char *)(info->dlpi_addr + p->p_vaddr), p->p_memsz);
  }
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *context)
{
  (void)size;
  located_t *l = context;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + p->p_vaddr;
    if (p->p_type != PT_LOAD || l->address < from || l->address - from >= p->p_memsz) continue;
    l->found = true;
    describe_module(l, info);
    return 1;
  }
  return 0;
}

static bool write_module(const module_t *m)
{
  size_t bytes = (sizeof(spool_module_t) + strlen(m->path) + 1 + 7) / 8 * 8;
  spool_module_t *r = memory_room(&module_block, SPOOL_MODULES, bytes);
  if (!r) return false;
  r->id = m->id;
  r->bytes = (uint32_t)bytes;
  r->build_id_bytes = m->build_id_bytes;
  memcpy(r->build_id, m->build_id, sizeof r->build_id);
  strcpy(r->path, m->path);
  memory_publish(module_block, bytes);
  return true;
}

/* The identity of a module; 0 if there is no room for a new one. Needs the lock. */
static uint32_t module_id(const located_t *l)
{
  for (module_t *m = modules; m; m = m->next)
    if (strcmp(m->path, l->path) == 0 && m->build_id_bytes == l->build_id_bytes &&
        memcmp(m->build_id, l->build_id, sizeof m->build_id) == 0)
      return m->id;
  size_t path_size = strlen(l->path) + 1;
  module_t *m = memory_alloc(sizeof *m + path_size);
  if (!m) return 0;
  *m = (module_t){.path = (char *)(m + 1),
                  .build_id_bytes = l->build_id_bytes,
                  .next = modules,
                  .id = n_modules + 1};
  memcpy(m->path, l->path, path_size);
  memcpy(m->build_id, l->build_id, sizeof m->build_id);
  if (!write_module(m)) return 0;
  modules = m;
  return ++n_modules;
}

/* Fills the frames from the addresses. Asks the dynamic loader, so don't hold the lock: the
 * loader's own lock is held around initialisers of libraries, which may call MPI. */
static void locate(site_t *s)
{
  for (int i = 0; i < s->n; i++) {
    located_t l = {.address = (uintptr_t)s->pc[i] - 1}; /* in the call, not behind it */
    dl_iterate_phdr(look_at_module, &l);
    tracer_lock();
    uint32_t module = l.found ? module_id(&l) : 0;
    tracer_unlock();
    s->frames[i] =
        (spool_frame_t){.module = module, .offset = (uintptr_t)s->pc[i] - (module ? l.base : 0)};
    s->frames_hash = mix(mix(s->frames_hash, module), s->frames[i].offset);
  }
}

static bool write_site(const site_t *s)
{
  size_t bytes = sizeof(spool_site_t) + s->n * sizeof(spool_frame_t);
  spool_site_t *r = memory_room(&site_block, SPOOL_SITES, bytes);
  if (!r) return false;
  r->id = s->id;
  r->n_frames = s->n;
  snprintf(r->op, sizeof r->op, "MPI_%s", wrap_op_names[s->op]);
  memcpy(r->frames, s->frames, s->n * sizeof *s->frames);
  memory_publish(site_block, bytes);
  return true;
}

/* Gives the site its identity, a new one if needed. Needs the lock. */
static bool identify(site_t *s)
{
  const site_t *known = table_find(&by_frames, s, s->frames_hash, same_frames);
  if (known) {
    s->id = known->id;
    return true;
  }
  if (n_sites + 1 >= SPOOL_MAX_SITES) return false;
  s->id = n_sites + 1;
  if (!write_site(s)) return false;
  n_sites++;
  table_put(&by_frames, s, s->frames_hash, offsetof(site_t, frames_hash));
  return true;
}

/* Finds a site that this thread hasn't met since the last library was unloaded. */
static site_t *find_in_process(const site_t *key, unsigned epoch)
{
  tracer_lock();
  if ((int)(epoch - by_address_epoch) > 0) { /* another thread may have seen a later one */
    if (by_address.n) memset(by_address.slots, 0, by_address.n_slots * sizeof *by_address.slots);
    by_address.n = 0;
    by_address_epoch = epoch;
  }
  site_t *s = table_find(&by_address, key, key->hash, same_addresses);
  tracer_unlock();
  if (s) return s;
  if (atomic_load(&full)) return NULL;
  s = memory_alloc_counted(sizeof *s, false);
  if (!s) {
    atomic_store(&full, true);
    return NULL;
  }
  *s = *key;
  locate(s);
  tracer_lock();
  bool done = identify(s);
  if (done) table_put(&by_address, s, s->hash, offsetof(site_t, hash));
  tracer_unlock();
  if (done) return s;
  atomic_store(&full, true);
  memory_free_counted(s, sizeof *s);
  return NULL;
}

/* `pc` and `skipped` are for context_add. */
static __attribute__((noinline)) uint32_t find_slow(thread_t *t, const site_t *key, void *const *pc,
                                                    int skipped)
{
  unsigned epoch = atomic_load(&site_epoch);
  if (t->site_epoch != epoch) {
    if (t->n_sites) memset(t->sites, 0, t->site_slots * sizeof *t->sites);
    t->n_sites = 0;
    context_forget(t);
    t->site_epoch = epoch;
  }
  site_t *s = find_in_process(key, epoch);
  if (!s) return 0;
  context_add(t, (op_t)key->op, pc, skipped, key->n, s->id);
  if (!table_room(&t->sites, &t->site_slots, t->n_sites, offsetof(site_t, hash))) return s->id;
  uint32_t i = (uint32_t)key->hash & (t->site_slots - 1);
  while (t->sites[i]) i = (i + 1) & (t->site_slots - 1);
  t->sites[i] = s;
  t->n_sites++;
  return s->id;
}

enum { MAX_ADDRESSES = OWN_FRAMES + CHAIN_LONGEST + MAX_DEPTH };

/* Collects the addresses from the wrapper's caller on. They begin at pc[*from]; returns their
 * number. */
static int unwind(const thread_t *t, void *caller, void **pc, int *from)
{
  int n = 0, wanted = (int)chain_before + tracer.depth;
  if (wanted > 1 && backtrace_addresses) n = backtrace_addresses(pc, OWN_FRAMES + wanted);
  *from = 0;
  while (*from < n && pc[*from] != caller) ++*from;
  if (LIKELY(*from < n)) return n - *from;
  *from = 0;
  return chain_callers(t->inside, caller, pc);
}

static __attribute__((noinline)) uint32_t find_by_libunwind(thread_t *t, op_t op, void *caller)
{
  void *pc[MAX_ADDRESSES];
  int from, n = unwind(t, caller, pc, &from), skipped = 0;
  while (skipped + 1 < n && chain_holds(pc[from + skipped])) skipped++;
  void *const *site_pc = pc + from + skipped;
  n = n - skipped < tracer.depth ? n - skipped : tracer.depth;
  uint64_t hash = op;
  for (int i = 0; i < n; i++) hash = (hash << 13 | hash >> 51) ^ (uintptr_t)site_pc[i];
  hash = mix(hash, (uint64_t)n);
  if (LIKELY(t->site_epoch == atomic_load_explicit(&site_epoch, memory_order_acquire)))
    for (uint32_t i = (uint32_t)hash; t->site_slots; i++) {
      const site_t *s = t->sites[i & (t->site_slots - 1)];
      if (!s) break;
      if (UNLIKELY(!same_pcs(s, hash, op, n, site_pc))) continue;
      if (skipped)
        context_add(t, op, pc + from, skipped, n, s->id); /* there may be several paths to a site */
      return s->id;
    }
  site_t key = {.hash = hash, .op = (uint16_t)op, .n = (uint16_t)n};
  memcpy(key.pc, site_pc, (size_t)n * sizeof *pc);
  return find_slow(t, &key, pc + from, skipped);
}

__attribute__((noinline)) uint32_t site_find(thread_t *t, op_t op, void *caller)
{
  if (LIKELY(t->site_epoch == atomic_load_explicit(&site_epoch, memory_order_acquire))) {
    int32_t site = context_of_path(t, op, t->inside, caller);
    if (UNLIKELY(site == NO_SITE_KNOWN)) site = context_walk(t, op, t->inside, caller);
    if (LIKELY(site != NO_SITE_KNOWN)) return (uint32_t)site;
  }
  return find_by_libunwind(t, op, caller);
}
