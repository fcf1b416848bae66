/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of fft2d. */
#ifndef FFT2D_OPTIONS_H
#define FFT2D_OPTIONS_H

#include "threads.h"

enum { OPTIONS_VARIANTS = 5 };

typedef enum {
  OPTIONS_PLAIN,
  OPTIONS_GRANULES,
  OPTIONS_NONBLOCKING,
  OPTIONS_PERSISTENT,
  OPTIONS_THREADS
} options_variant_t;

extern const char *const options_variants[OPTIONS_VARIANTS + 1]; /* their names, NULL at the end */
extern const char *const options_work[], *const options_locks[], *const options_communicator[];
extern const char options_usage[];

typedef struct {
  int n, granules, groups, repeat, block, slower, nap, window;
  int n_variants, variant[OPTIONS_VARIANTS]; /* in the order in which they are run */
  bool no_exchange, sleep, json, help;
  threads_options_t threads;
} options_t;

/* Writes into `why` what is wrong. */
bool options_read(options_t *o, int argc, char **argv, char *why, size_t size);

/* Whether the options suit this number of ranks. */
bool options_suit(const options_t *o, int ranks, char *why, size_t size);

#endif
