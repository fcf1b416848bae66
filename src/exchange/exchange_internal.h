/* SPDX-License-Identifier: BSD-3-Clause */
/* The readers and writers of all formats, for their lists, and what they share. */
#ifndef BERTH_EXCHANGE_INTERNAL_H
#define BERTH_EXCHANGE_INTERNAL_H

#include <berth/exchange.h>

#include "base/array.h"
#include "base/out_file.h"
#include "exchange/pattern/traffic.h"
#include "exchange/text/scan.h"

/* Reads the first lines of a file, as many as fit in `room`. */
int exchange_start(const char *path, char *text, size_t room, size_t *n, berth_error_t *err);

/* Fails because no format matches the n bytes of text at the beginning of a file. */
void exchange_refuse(const char *path, const char *text, size_t n, berth_error_t *err);

/* Fails unless there is one file. */
int formats_one_file(const berth_import_t *in, berth_error_t *err);

/* Tells the importing user something unexpected, in a line without a full stop. */
void formats_import_note(const berth_import_t *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Opens the single text file and calls `read`. */
int formats_import_one(const berth_import_t *in,
                       int (*read)(scan_t *s, const berth_import_t *in, traffic_t *into,
                                   berth_error_t *err),
                       traffic_t *into, berth_error_t *err);

/* Writes a file by `put`, with what pairs of ranks send in the whole run. */
typedef void exchange_put_t(out_file_t *out, int ranks, const flow_total_t *total, size_t n);
int formats_export_totals(const berth_pattern_t *p, const char *path, exchange_put_t *put,
                          berth_error_t *err);

int monitoring_recognises(const char *text, size_t n);
int monitoring_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);

int otf2_recognises(const char *text, size_t n);
int otf2_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);

int mpip_recognises(const char *text, size_t n);
int mpip_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);

int ipm_recognises(const char *text, size_t n);
int ipm_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);

int tau_recognises(const char *text, size_t n);
int tau_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);

int sqlite_recognises(const char *text, size_t n);
int sqlite_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);
int sqlite_export(const berth_pattern_t *p, const char *path, berth_error_t *err);

int csv_recognises(const char *text, size_t n);
int csv_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);
int csv_export(const berth_pattern_t *p, const char *path, berth_error_t *err);

int matrix_market_recognises(const char *text, size_t n);
int matrix_market_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);
int matrix_market_export(const berth_pattern_t *p, const char *path, berth_error_t *err);
int matrix_market_export_messages(const berth_pattern_t *p, const char *path, berth_error_t *err);

int matrix_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);
int matrix_export(const berth_pattern_t *p, const char *path, berth_error_t *err);

int metis_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);
int metis_export(const berth_pattern_t *p, uint64_t unit, const char *path, berth_error_t *err);

int scotch_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);
int scotch_export(const berth_pattern_t *p, uint64_t unit, const char *path, berth_error_t *err);

/* Whether `path` is a hierarchy instead of a file's name: it looks like one, and no such file
 * exists. */
bool levels_is_text(const char *path);
berth_topo_t *levels_read(const char *path, const char *name, berth_error_t *err);
int levels_write(const berth_topo_t *t, const char *path, berth_error_t *err);

/* The largest distance that suits the weights of a Scotch graph; tleaf_write scales to it. */
enum { TARGET_DISTANCE = 1000 };

int tleaf_recognises(const char *text, size_t n);
berth_topo_t *tleaf_read(const char *path, const char *name, berth_error_t *err);
int tleaf_write(const berth_topo_t *t, const char *path, berth_error_t *err);

/* The name of links without cost in the platforms of simgrid_write. */
#define SIMGRID_FREE "#free"
int simgrid_recognises(const char *text, size_t n);
berth_topo_t *simgrid_read(const char *path, const char *name, berth_error_t *err);
int simgrid_write(const berth_topo_t *t, const char *path, berth_error_t *err);

#endif
