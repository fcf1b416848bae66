/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: lets one allocation of a program fail, the one of the number in FAIL_AT, counted from
 * the start of main; 0 or unset: none. Writes how many there were to the file that FAIL_COUNT
 * names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_ulong count;
static unsigned long fail_at;
static atomic_int counting;

static int fails(void)
{
  if (!atomic_load(&counting) || atomic_fetch_add(&count, 1) + 1 != fail_at) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }

__attribute__((destructor)) static void tell(void)
{
  const char *path = getenv("FAIL_COUNT");
  char text[32];
  atomic_store(&counting, 0);
  int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (fd < 0) return;
  int n = snprintf(text, sizeof text, "%lu\n", atomic_load(&count));
  if (write(fd, text, (size_t)n) != n) _exit(99);
  close(fd);
}

static int (*real_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **env)
{
  const char *at = getenv("FAIL_AT");
  fail_at = at ? strtoul(at, NULL, 10) : 0;
  atomic_store(&counting, 1);
  return real_main(argc, argv, env);
}

/* Allocations before main are the loader's and the libraries' own. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
  int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
               void (*)(void), void *) = dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = main;
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
