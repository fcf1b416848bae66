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

/* The formats' functions: see berth_exchange_t and berth_topo_format_t. */
typedef int exchange_recognises_t(const char *text, size_t n);
typedef int exchange_import_t(const berth_import_t *in, traffic_t *into, berth_error_t *err);
typedef int exchange_export_t(const berth_pattern_t *p, const char *path, berth_error_t *err);
typedef int exchange_export_graph_t(const berth_pattern_t *p, uint64_t unit, const char *path,
                                    berth_error_t *err);
typedef berth_topo_t *exchange_read_topo_t(const char *path, const char *name, berth_error_t *err);
typedef int exchange_write_topo_t(const berth_topo_t *t, const char *path, berth_error_t *err);
exchange_recognises_t monitoring_recognises, otf2_recognises, mpip_recognises, ipm_recognises,
    tau_recognises, sqlite_recognises, csv_recognises, matrix_market_recognises, tleaf_recognises,
    simgrid_recognises;
exchange_import_t monitoring_import, otf2_import, mpip_import, ipm_import, tau_import,
    sqlite_import, csv_import, matrix_market_import, matrix_import, metis_import, scotch_import;
exchange_export_t sqlite_export, csv_export, matrix_market_export, matrix_market_export_messages,
    matrix_export;
exchange_export_graph_t metis_export, scotch_export;
exchange_read_topo_t levels_read, tleaf_read, simgrid_read;
exchange_write_topo_t levels_write, tleaf_write, simgrid_write;

/* What the lists say of formats that a build may leave out (…_missing.c). */
extern const char otf2_about[], sqlite_about[];

/* Whether `path` is a hierarchy instead of a file's name: it looks like one, and no such file
 * exists. */
bool levels_is_text(const char *path);

/* The largest distance that suits the weights of a Scotch graph; tleaf_write scales to it. */
enum { TARGET_DISTANCE = 1000 };

/* The name of links without cost in the platforms of simgrid_write. */
#define SIMGRID_FREE "#free"

#endif
