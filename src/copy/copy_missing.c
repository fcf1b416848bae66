/* SPDX-License-Identifier: BSD-3-Clause */
/* No kernels of its own for this processor. */
#include "copy/copy.h"

const copy_kernel_t copy_of_processor[] = {{0}};
