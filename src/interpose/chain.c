/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds berth's libraries in the process, and this library's place among them. */
#include "interpose/chain.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>

typedef void *ask_t(const char *question);

typedef struct extent {
  uintptr_t begin, end;
} extent_t;

__thread int berth_interpose_own;
unsigned chain_before;

static extent_t before[CHAIN_LONGEST];
static void *handle; /* of this library */
static extent_t self;
static ask_t *next;

static bool lies_in(const extent_t *e, const void *address)
{
  return (uintptr_t)address >= e->begin && (uintptr_t)address < e->end;
}

/* Where the library of the address that `context` begins with lies in memory. */
static int look_at_library(struct dl_phdr_info *info, size_t size, void *context)
{
  (void)size;
  extent_t *e = context, here = {UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD) continue;
    uintptr_t begin = info->dlpi_addr + p->p_vaddr;
    if (begin < here.begin) here.begin = begin;
    if (begin + p->p_memsz > here.end) here.end = begin + p->p_memsz;
  }
  if (!lies_in(&here, (const void *)e->begin)) return 0;
  *e = here;
  return 1;
}

/* Counts the libraries from the first one to this one. */
static void find_before(void)
{
  unsigned n = 0;
  ask_t *at = (ask_t *)dlsym(RTLD_DEFAULT, "berth_interposed");
  for (; at && !chain_is_own((void *)at) && n < CHAIN_LONGEST; at = (ask_t *)at(">")) {
    before[n] = (extent_t){(uintptr_t)at, 0};
    dl_iterate_phdr(look_at_library, &before[n++]);
  }
  chain_before = at && chain_is_own((void *)at) ? n : 0;
}

/* The exported names, seen from here, are the first library's; `handle` gives this library's.
 * Asking the dynamic loader for an address's symbol takes 20 us, so that is done once. */
static void find_next(void)
{
  Dl_info info;
  if (!dladdr(&handle, &info)) return;
  self.begin = (uintptr_t)&handle;
  dl_iterate_phdr(look_at_library, &self);
  handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  next = (ask_t *)dlsym(RTLD_NEXT, "berth_interposed");
}

static void find_next_once(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_next);
}

void chain_find(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  find_next_once();
  pthread_once(&once, find_before);
}

void *chain_next(const char *name)
{
  find_next_once();
  return next ? next(name) : NULL;
}

void *chain_behind(const char *name)
{
  char question[128];
  find_next_once();
  if (!next) return dlsym(RTLD_NEXT, name);
  int length = snprintf(question, sizeof question, ">%s", name);
  return length < (int)sizeof question ? next(question) : NULL;
}

void *chain_wrapper(const char *name)
{
  find_next_once();
  void *address = handle ? dlsym(handle, name) : NULL;
  return chain_is_own(address) ? address : NULL;
}

void *berth_interposed(const char *question)
{
  find_next_once();
  if (question[0] != '>') {
    void *own = chain_wrapper(question);
    return own ? own : next ? next(question) : NULL;
  }
  return question[1] ? chain_behind(question + 1) : (void *)next;
}

bool chain_is_own(const void *address) { return lies_in(&self, address); }

bool chain_holds(const void *address)
{
  for (unsigned i = 0; i < chain_before; i++)
    if (lies_in(&before[i], address)) return true;
  return false;
}

int chain_callers(uintptr_t frame, void *caller, void *pc[CHAIN_LONGEST + 1])
{
  int n = 1;
  for (pc[0] = caller; n <= (int)chain_before && chain_holds(pc[n - 1]); n++) {
    frame = *(const uintptr_t *)frame;
    pc[n] = ((void *const *)frame)[1];
  }
  return n;
}
