/* SPDX-License-Identifier: BSD-3-Clause */
/* What the evaluation's three applications share: arguments, checksums and the line they print. */
#ifndef EVALUATION_COMMON_H
#define EVALUATION_COMMON_H

#include <stddef.h>
#include <stdint.h>

/* Ends the whole job with a message from this task. */
_Noreturn void app_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory for n values of `size` bytes, zeroed; the job ends when there is none. */
void *app_alloc(size_t n, size_t size);

/* argv[i] as a whole number from low to high, or `value` when there are fewer arguments. The job
 * ends when the argument is something else. */
int app_argument(int argc, char **argv, int i, int value, int low, int high);

/* A random-looking number in [0, 1) that depends on `key` alone. */
double app_random(uint64_t key);

/* A term of a checksum that doesn't depend on the order or place in which terms are added: the bits
 * of `value`, mixed with the global number of the unknown. */
uint64_t app_term(uint64_t number, double value);

/* Adds the tasks' checksums, and rank 0 prints the application's line, which
 * bench/evaluation/evaluate reads: "NAME: P tasks, WHAT, checksum 0123456789abcdef, 1.234 s", with
 * the seconds since `began` (MPI_Wtime) on the slowest task. Collective. */
void app_print(const char *name, uint64_t checksum, double began, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
