/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of another process of the same host, which the system copies from and to. */
#ifndef BERTH_JOB_PROCESS_MEMORY_H
#define BERTH_JOB_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* What a process tells others, so that they can try whether they may read its memory. */
typedef struct process_token {
  int process;
  const void *token; /* in that process */
} process_token_t;

process_token_t process_token(void);
bool process_memory_try(const process_token_t *other);

/* Copies bytes from another process's memory. False: the system refused. */
bool process_memory_read(int process, const void *from, void *to, size_t bytes);

/* Adds a piece to a list of at most so many. One behind the last one makes that longer. False:
 * there is no room. */
static inline bool process_memory_add(struct iovec *list, size_t *n, size_t most, char *at,
                                      size_t bytes)
{
  struct iovec *last = *n ? &list[*n - 1] : NULL;
  if (last && (char *)last->iov_base + last->iov_len == at) {
    last->iov_len += bytes;
    return true;
  }
  if (*n == most) return false;
  list[(*n)++] = (struct iovec){at, bytes};
  return true;
}

/* Copies between lists of pieces, as many bytes as both have: at most IOV_MAX pieces each. False:
 * the system refused, or some of the memory isn't there; some may have been copied. */
bool process_memory_gather(int process, const struct iovec *here, size_t n_here,
                           const struct iovec *there, size_t n_there);
bool process_memory_scatter(int process, const struct iovec *here, size_t n_here,
                            const struct iovec *there, size_t n_there);

#endif
