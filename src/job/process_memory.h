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

/* Copies between lists of pieces, as many bytes as both have: at most IOV_MAX pieces each. False:
 * the system refused, or some of the memory isn't there; some may have been copied. */
bool process_memory_gather(int process, const struct iovec *here, size_t n_here,
                           const struct iovec *there, size_t n_there);
bool process_memory_scatter(int process, const struct iovec *here, size_t n_here,
                            const struct iovec *there, size_t n_there);

#endif
