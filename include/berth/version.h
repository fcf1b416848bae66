/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BERTH_VERSION_H
#define BERTH_VERSION_H

#define BERTH_VERSION "0.1.0"

/* What the shared library shows; everything else in it is hidden. */
#if defined(__GNUC__)
#define BERTH_API __attribute__((visibility("default")))
#else
#define BERTH_API
#endif

#endif
