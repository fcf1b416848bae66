/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory limit for reading files: a small file can need a lot, because it is compressed or has
 * repeats. */
#ifndef BERTH_MEMORY_H
#define BERTH_MEMORY_H

#include <berth/version.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BERTH_DEFAULT_MEMORY ((uint64_t)1 << 30)

/* Sets how many bytes a pattern, topology, mapping or import may take while berth reads it and
 * afterwards. It applies to all threads and to files that are opened after the call. A file that
 * needs more is refused with BERTH_MISSING. A file takes at most about 100 times its uncompressed
 * size, plus what its repeats expand to. */
BERTH_API void berth_set_memory(uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
