/* SPDX-License-Identifier: BSD-3-Clause */
/* What the command `strided` measures, for `berth calibrate node`: what messages take whose data
 * lie in blocks apart from each other, if the MPI packs them and if the program does. Ranks 0 and 1
 * each send to the other one, as in section 4 of R. Boyer and P. Chase, "Insomnia". Lines tell how
 * much is done, then come the values, then the end:
 *
 *   {…,"part":12,"parts":150}
 *   {…,"by":"type","side":"send","exchange":false,"gap":64,"block":8,"bytes":4096,
 *    "seconds":2.1e-6,"spread":0.01,"samples":3}
 *   {…,"done":true}
 *
 * `by` is who packs and how (strided.c); `side` is whose data are in blocks: those that a rank
 * sends, those that it receives, or both. */
#ifndef BERTH_MEASURE_STRIDED_H
#define BERTH_MEASURE_STRIDED_H

/* All ranks call it. A value has so many samples, from 1 on, at most 12. With fewer than 4,
 * messages have at most 32 KiB. Rank 0 tells `say` the members of each line. Returns 0 if memory is
 * out. */
int strided_run(int samples, void (*say)(const char *members));

#endif
