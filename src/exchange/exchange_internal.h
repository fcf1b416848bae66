/* SPDX-License-Identifier: BSD-3-Clause */
/* The formats, as their list names them. */
#ifndef BERTH_EXCHANGE_INTERNAL_H
#define BERTH_EXCHANGE_INTERNAL_H

#include <berth/exchange.h>

#include "base/array.h"
#include "base/file_out.h"
#include "exchange/scan.h"
#include "exchange/traffic.h"

/* The first lines of a file, as many as fit in `room`. */
int exchange_start(const char *path, char *text, size_t room, size_t *n, berth_error_t *err);

/* Fails unless there is one file. */
int one_file(const berth_import_t *in, berth_error_t *err);

int monitoring_recognises(const char *text, size_t n);
int monitoring_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);

int otf2_recognises(const char *text, size_t n);
int otf2_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);

int mpip_recognises(const char *text, size_t n);
int mpip_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);

int ipm_recognises(const char *text, size_t n);
int ipm_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);

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
int metis_export(const berth_pattern_t *p, const char *path, berth_error_t *err);

int scotch_import(const berth_import_t *in, traffic_t *into, berth_error_t *err);
int scotch_export(const berth_pattern_t *p, const char *path, berth_error_t *err);

/* Whether what stands in place of a file's name is the levels themselves: it looks like them, and
 * there is no such file. */
bool levels_is_text(const char *path);
berth_topo_t *levels_read(const char *path, const char *name, berth_error_t *err);
int levels_write(const berth_topo_t *t, const char *path, berth_error_t *err);

int tleaf_recognises(const char *text, size_t n);
berth_topo_t *tleaf_read(const char *path, const char *name, berth_error_t *err);
int tleaf_write(const berth_topo_t *t, const char *path, berth_error_t *err);

int simgrid_recognises(const char *text, size_t n);
berth_topo_t *simgrid_read(const char *path, const char *name, berth_error_t *err);
int simgrid_write(const berth_topo_t *t, const char *path, berth_error_t *err);

#endif
