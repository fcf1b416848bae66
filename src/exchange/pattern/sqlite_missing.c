/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for sqlite_import.c and sqlite_export.c in builds without SQLite. */
#include "exchange/exchange_internal.h"

const char sqlite_about[] =
    "an SQLite database: this berth was built without SQLite (BERTH_WITH_SQLITE)";

static int fail(const char *path, berth_error_t *err)
{
  return berth_fail(err, BERTH_MISSING,
                    "%s: this berth was built without SQLite (BERTH_WITH_SQLITE)", path);
}

int sqlite_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  (void)into;
  return fail(in->paths[0], err);
}

int sqlite_export(const berth_pattern_t *p, const char *path, berth_error_t *err)
{
  (void)p;
  return fail(path, err);
}
