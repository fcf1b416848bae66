/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of berth, and BERTH_API, which marks public functions. */
#ifndef BERTH_VERSION_H
#define BERTH_VERSION_H

#define BERTH_VERSION "0.1.0"

/* The shared library exports only what is marked so. */
#if defined(__GNUC__)
#define BERTH_API __attribute__((visibility("default")))
#else
#define BERTH_API
#endif

#endif
