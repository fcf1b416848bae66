/* SPDX-License-Identifier: BSD-3-Clause */
/* The Cartesian grids of all ranks that the program made, and the header's member that has them. */
#include "pattern/pattern_grid.h"

#include "base/array.h"
#include "base/no_memory.h"
#include "pattern/pattern_internal.h"

static bool same_grid(const berth_grid_t *a, const berth_grid_t *b)
{
  if (a->n_dims != b->n_dims) return false;
  for (int d = 0; d < a->n_dims; d++)
    if (a->dims[d] != b->dims[d] || !a->periodic[d] != !b->periodic[d]) return false;
  return true;
}

int berth_pattern_add_grid(berth_pattern_t *p, const berth_grid_t *grid, berth_error_t *err)
{
  int64_t places = 1;
  bool more = false;
  if (grid->n_dims < 1 || grid->n_dims > BERTH_GRID_DIMS)
    return berth_fail(err, BERTH_BAD_INPUT, "dims: found %d dimensions, expected 1 to %d",
                      grid->n_dims, BERTH_GRID_DIMS);
  for (int d = 0; d < grid->n_dims; d++) {
    if (grid->dims[d] < 1 || grid->dims[d] > p->ranks)
      return berth_fail(err, BERTH_BAD_INPUT, "dims[%d]: found %d, expected 1 to %d, the ranks", d,
                        grid->dims[d], p->ranks);
    if (places <= p->ranks)
      places *= grid->dims[d];
    else
      more |= grid->dims[d] > 1;
  }
  if (places != p->ranks)
    return berth_fail(err, BERTH_BAD_INPUT,
                      "dims: found a grid of %s%lld places, expected %d, one "
                      "for each rank",
                      more ? "more than " : "", (long long)places, p->ranks);
  for (size_t i = 0; i < p->grids.n; i++)
    if (same_grid(&p->grids.items[i], grid)) return BERTH_OK;
  return ARRAY_ADD(&p->grids.items, &p->grids.n, &p->grids.cap, *grid) ? BERTH_OK : no_memory(err);
}

static int read_grid(const json_place_t *at, berth_pattern_t *p)
{
  berth_grid_t grid = {0};
  berth_error_t why = {0};
  json_place_t dims, periodic;
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  int rc = json_get_array(at, "dims", JSON_NEEDED, &dims);
  if (!rc) rc = json_get_array(at, "periodic", JSON_NEEDED, &periodic);
  if (rc) return rc;
  int n = cJSON_GetArraySize(dims.node);
  if (n < 1 || n > BERTH_GRID_DIMS) return json_unexpected(&dims, "1 to 8 numbers");
  if (cJSON_GetArraySize(periodic.node) != n)
    return json_unexpected(&periodic, "a value for each dimension");
  for (json_place_t one = json_first(&dims); one.node && !rc; json_step(&one)) {
    uint64_t size = 0;
    rc = json_as_u64(&one, 1, (uint64_t)p->ranks, &size);
    grid.dims[grid.n_dims++] = (int)size;
  }
  n = 0;
  for (json_place_t one = json_first(&periodic); one.node && !rc; json_step(&one)) {
    if (!cJSON_IsBool(one.node)) return json_unexpected(&one, "true or false");
    grid.periodic[n++] = cJSON_IsTrue(one.node);
  }
  if (!rc) rc = berth_pattern_add_grid(p, &grid, &why);
  if (rc == BERTH_MISSING) return no_memory(at->source->err);
  return rc && *why.text ? json_fail(at, "%s", why.text) : rc;
}

int pattern_read_grids(const json_place_t *header, berth_pattern_t *p)
{
  json_place_t list;
  int rc = json_get_array(header, "grids", JSON_OPTIONAL, &list);
  if (rc || !list.node) return rc;
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) rc = read_grid(&at, p);
  return rc;
}

void pattern_put_grids(json_out_t *j, const berth_pattern_t *p)
{
  json_open(j, "grids", '[', JSON_COMPACT);
  for (size_t i = 0; i < p->grids.n; i++) {
    const berth_grid_t *grid = &p->grids.items[i];
    json_open(j, NULL, '{', JSON_COMPACT);
    json_put_ints(j, "dims", JSON_COMPACT, grid->dims, (size_t)grid->n_dims);
    json_open(j, "periodic", '[', JSON_COMPACT);
    for (int d = 0; d < grid->n_dims; d++) json_put_bool(j, NULL, grid->periodic[d]);
    json_close(j);
    json_close(j);
  }
  json_close(j);
}
