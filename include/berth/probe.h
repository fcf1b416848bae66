/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of hosts that come through a launcher. A process on each host prints records of its
 * host's description; whoever reads the launcher's output puts the descriptions together
 * (berth_topo_join makes a topology of them). */
#ifndef BERTH_PROBE_H
#define BERTH_PROBE_H

#include <berth/error.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prints this host's records. `secret` (letters and digits, at most 64) is the run's: the reader
 * takes no other records. Fails with BERTH_MISSING if the host can't be described. */
BERTH_API int berth_probe_print(const char *secret, FILE *to, berth_error_t *err);

/* Reads the records of a run. */
typedef struct berth_probe berth_probe_t;

/* NULL when memory is out. Free with berth_probe_free. */
BERTH_API berth_probe_t *berth_probe_new(const char *secret, berth_error_t *err);
BERTH_API void berth_probe_free(berth_probe_t *p);

/* Takes a line of the launcher's output; its bytes may change. Returns 1 for a line of this run,
 * damaged or not, 0 for any other line. */
BERTH_API int berth_probe_take(berth_probe_t *p, char *line);

typedef struct berth_probed_host {
  const char *name, *description;
} berth_probed_host_t;

/* The hosts that answered, sorted by name, numbers in names by value; borrowed until
 * berth_probe_free. Fails with BERTH_MISSING if no host answered, an answer is incomplete or memory
 * is out; with BERTH_BAD_INPUT if a host gave two answers. */
BERTH_API int berth_probe_hosts(berth_probe_t *p, const berth_probed_host_t **hosts, size_t *n,
                                berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
