/* SPDX-License-Identifier: BSD-3-Clause */
/* The formats, as their list names them. */
#ifndef BERTH_EXCHANGE_INTERNAL_H
#define BERTH_EXCHANGE_INTERNAL_H

#include <berth/exchange.h>

#include "base/array.h"
#include "base/out_file.h"
#include "exchange/pattern/traffic.h"
#include "exchange/text/scan.h"

/* The first lines of a file, as many as fit in `room`. */
int exchange_start(const char *path, char *text, size_t room, size_t *n, berth_error_t *err);

/* Says that no format begins like the n bytes of text, which a file begins with. */
void exchange_refuse(const char *path, const char *text, size_t n, berth_error_t *err);

/* Fails unless there is one file. */
int formats_one_file(const berth_import_t *in, berth_error_t *err);

/* Tells who imports what he may not expect, in a line without a full stop. */
void formats_import_note(const berth_import_t *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reads the one text file by `read`, which finds it open. */
int formats_import_one(const berth_import_t *in,
                       int (*read)(scan_t *s, const berth_import_t *in, traffic_t *into,
                                   berth_error_t *err),
                       traffic_t *into, berth_error_t *err);

/* Writes a file of what pairs of ranks send in the whole run by `put`. */
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

/* Whether what stands in place of a file's name is the levels themselves: it looks like them, and
 * there is no such file. */
bool levels_is_text(const char *path);
berth_topo_t *levels_read(const char *path, const char *name, berth_error_t *err);
int levels_write(const berth_topo_t *t, const char *path, berth_error_t *err);

/* The largest distance that fits the weights of a Scotch graph; tleaf_write scales for it. */
enum { TARGET_DISTANCE = 1000 };

int tleaf_recognises(const char *text, size_t n);
berth_topo_t *tleaf_read(const char *path, const char *name, berth_error_t *err);
int tleaf_write(const berth_topo_t *t, const char *path, berth_error_t *err);

/* The link that stands in the platforms of simgrid_write for what costs nothing. */
#define SIMGRID_FREE "#free"
int simgrid_recognises(const char *text, size_t n);
berth_topo_t *simgrid_read(const char *path, const char *name, berth_error_t *err);
int simgrid_write(const berth_topo_t *t, const char *path, berth_error_t *err);

#endif
