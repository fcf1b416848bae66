/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for otf2.c in builds without OTF2. */
#include "exchange/exchange_internal.h"

const char otf2_about[] = "an OTF2 archive: this berth was built without OTF2 (BERTH_WITH_OTF2)";

int otf2_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  (void)into;
  return berth_fail(err, BERTH_MISSING, "%s: this berth was built without OTF2 (BERTH_WITH_OTF2)",
                    in->paths[0]);
}
