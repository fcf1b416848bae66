/* SPDX-License-Identifier: BSD-3-Clause */
/* How much memory a file may take that is read: a small one can ask for much, packed or by repeats.
 */
#ifndef BERTH_MEMORY_H
#define BERTH_MEMORY_H

#include <berth/version.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BERTH_DEFAULT_MEMORY ((uint64_t)1 << 30)

/* Bytes that a pattern, topology, mapping or import may take while it is read and once it is there,
 * for all threads; from the next file on. What would take more is refused with BERTH_MISSING. A
 * file takes at most about 100 times its bytes as they are unpacked, and what its repeats stand
 * for. */
BERTH_API void berth_set_memory(uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
