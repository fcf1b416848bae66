/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/process_memory.h"

#include <stdint.h>
#include <unistd.h>

static const uint64_t token = 0x6265727468636f6c;

process_token_t process_token(void) { return (process_token_t){(int)getpid(), &token}; }

bool process_memory_read(int process, const void *from, void *to, size_t bytes)
{
  for (size_t at = 0; at < bytes;) {
    const struct iovec there = {(char *)(uintptr_t)from + at, bytes - at};
    const struct iovec here = {(char *)to + at, bytes - at};
    ssize_t got = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (got <= 0) return false;
    at += (size_t)got;
  }
  return true;
}

bool process_memory_try(const process_token_t *other)
{
  uint64_t found = 0;
  return process_memory_read(other->process, other->token, &found, sizeof found) && found == token;
}

typedef ssize_t move_t(pid_t, const struct iovec *, unsigned long, const struct iovec *,
                       unsigned long, unsigned long);

/* Skips bytes that have been copied. */
static void skip(struct iovec *first, const struct iovec **list, size_t *n, size_t bytes)
{
  while (*n > 0 && bytes >= first->iov_len) {
    bytes -= first->iov_len;
    ++*list;
    if (--*n > 0) *first = **list;
  }
  if (*n > 0) *first = (struct iovec){(char *)first->iov_base + bytes, first->iov_len - bytes};
}

static size_t bytes_of(const struct iovec *list, size_t n)
{
  size_t bytes = 0;
  for (size_t i = 0; i < n; i++) bytes += list[i].iov_len;
  return bytes;
}

/* A call copies at most 2^31 - 4096 bytes; what is left goes piece by piece. */
static bool move(move_t *does, int process, const struct iovec *here, size_t n_here,
                 const struct iovec *there, size_t n_there)
{
  size_t left = bytes_of(there, n_there);
  if (left == 0) return true;
  ssize_t got = does(process, here, n_here, there, n_there, 0);
  if (got < 0) return false;
  if ((size_t)got == left) return true;
  struct iovec a = *here, b = *there;
  for (size_t done = (size_t)got;;) {
    skip(&a, &here, &n_here, done);
    skip(&b, &there, &n_there, done);
    if (n_here == 0 || n_there == 0) return true;
    got = does(process, &a, 1, &b, 1, 0);
    if (got <= 0) return false;
    done = (size_t)got;
  }
}

bool process_memory_gather(int process, const struct iovec *here, size_t n_here,
                           const struct iovec *there, size_t n_there)
{
  return move(process_vm_readv, process, here, n_here, there, n_there);
}

bool process_memory_scatter(int process, const struct iovec *here, size_t n_here,
                            const struct iovec *there, size_t n_there)
{
  return move(process_vm_writev, process, here, n_here, there, n_there);
}
