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

#ifdef __cplusplus
extern "C" {
#endif

/* The library's version. BERTH_VERSION is that of the headers that the caller was compiled with. */
BERTH_API const char *berth_version(void);

#ifdef __cplusplus
}
#endif

#endif
