/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms by one thread. Their times are added to `times`. */
#ifndef FFT2D_SERIAL_H
#define FFT2D_SERIAL_H

#include "exchange.h"

/* One step after the other, granule by granule: nothing overlaps. `scratch` has room for a row. */
void serial_steps(exchange_t *e, fftw_complex *scratch, transform_times_t *times);

/* Granules are under way while the next one is transformed. */
void serial_overlapped(exchange_t *e, fftw_complex *scratch, transform_times_t *times);

#endif
