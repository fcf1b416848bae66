/* SPDX-License-Identifier: BSD-3-Clause */
/* What a fuzz target defines; libFuzzer or driver.c calls it. */
#ifndef BERTH_TESTS_FUZZ_H
#define BERTH_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Runs the code under test on n bytes; returns 0. What is wrong shows as a crash. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#endif
