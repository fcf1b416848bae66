/* SPDX-License-Identifier: BSD-3-Clause */
/* All kernels. */
#include <string.h>

#include "copy/copy.h"

static size_t add(const copy_kernel_t *list, size_t n, const copy_kernel_t *out[COPY_KERNELS])
{
  for (const copy_kernel_t *k = list; k->name && n < COPY_KERNELS; k++)
    if (!k->runs_here || k->runs_here()) out[n++] = k;
  return n;
}

size_t copy_kernels(const copy_kernel_t *out[COPY_KERNELS])
{
  return add(copy_of_processor, add(copy_plain, 0, out), out);
}

const copy_kernel_t *copy_find(const char *name)
{
  const copy_kernel_t *all[COPY_KERNELS];
  size_t n = copy_kernels(all);
  for (size_t i = 0; i < n; i++)
    if (strcmp(all[i]->name, name) == 0) return all[i];
  return NULL;
}
