/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/times_json.h"

#include <stdio.h>
#include <stdlib.h>

/* In as many digits as a measured time has. */
static void put_time(json_out_t *j, const char *key, double seconds)
{
  char text[32];
  snprintf(text, sizeof text, "%.5g", seconds);
  json_put_number(j, key, strtod(text, NULL));
}

void times_put(json_out_t *j, const char *key, const berth_histogram_t *h)
{
  json_open(j, key, '{', JSON_ONE_LINE);
  put_time(j, "from_s", h->least_s);
  put_time(j, "factor", h->factor);
  json_open(j, "counts", '[', JSON_ONE_LINE);
  for (int b = 0; b < BERTH_TIME_BINS; b++) json_put_u64(j, NULL, h->count[b]);
  json_close(j);
  json_put_u64(j, "above", h->above);
  put_time(j, "most_s", h->most_s);
  json_close(j);
}

static int get_counts(const json_place_t *object, berth_histogram_t *h)
{
  json_place_t list;
  int rc = json_get_array(object, "counts", JSON_NEEDED, &list);
  if (rc) return rc;
  if (cJSON_GetArraySize(list.node) != BERTH_TIME_BINS)
    return json_fail(&list, "found %d counts, expected %d", cJSON_GetArraySize(list.node),
                     BERTH_TIME_BINS);
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    uint64_t count = 0;
    rc = json_as_u64(&at, 0, UINT32_MAX / (BERTH_TIME_BINS + 1), &count);
    h->count[at.index] = (uint32_t)count;
  }
  return rc;
}

int times_get(const json_place_t *object, const char *key, berth_histogram_t *out)
{
  json_place_t h;
  uint64_t above = 0;
  *out = (berth_histogram_t){0};
  int rc = json_get_object(object, key, JSON_OPTIONAL, &h);
  if (rc || !h.node) return rc;
  rc = json_get_number(&h, "from_s", JSON_NEEDED, 0, 0, &out->least_s);
  if (!rc) rc = json_get_number(&h, "factor", JSON_NEEDED, 1, 0, &out->factor);
  if (!rc) rc = get_counts(&h, out);
  if (!rc)
    rc = json_get_u64(&h, "above", JSON_OPTIONAL, 0, UINT32_MAX / (BERTH_TIME_BINS + 1), &above);
  if (!rc) rc = json_get_number(&h, "most_s", JSON_OPTIONAL, 0, 0, &out->most_s);
  out->above = (uint32_t)above;
  return rc;
}
