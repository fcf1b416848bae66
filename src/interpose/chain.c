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
static const void *base;
static ask_t *next;

static const void *base_of(const void *address)
{
  Dl_info info;
  return address && dladdr(address, &info) ? info.dli_fbase : NULL;
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
  if (e->begin < here.begin || e->begin >= here.end) return 0;
  *e = here;
  return 1;
}

/* Counts the libraries from the first one to this one. */
static void find_before(void)
{
  unsigned n = 0;
  ask_t *at = (ask_t *)dlsym(RTLD_DEFAULT, "berth_interposed");
  for (; at && base_of((void *)at) != base && n < CHAIN_LONGEST; at = (ask_t *)at(">")) {
    before[n] = (extent_t){(uintptr_t)at, 0};
    dl_iterate_phdr(look_at_library, &before[n++]);
  }
  chain_before = at && base_of((void *)at) == base ? n : 0;
}

/* The exported names, seen from here, are the first library's; `handle` gives this library's. */
static void find_next(void)
{
  Dl_info self;
  if (!dladdr(&handle, &self)) return;
  base = self.dli_fbase;
  handle = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
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
  return base_of(address) == base ? address : NULL;
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

bool chain_holds(const void *address)
{
  for (unsigned i = 0; i < chain_before; i++)
    if ((uintptr_t)address >= before[i].begin && (uintptr_t)address < before[i].end) return true;
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
