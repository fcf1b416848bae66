/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages whose data aren't contiguous. */
#include "spool/assemble/assemble_packed.h"

#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"

int packed_load(rank_load_t *load, const spool_packed_t *x, berth_error_t *err)
{
  packed_t copy = {load->header->rank, 0, x->receives, x->size, x->pieces, x->span, x->count};
  if (x->count == 0) return BERTH_OK;
  if (!load_numbers_translate(&load->site, x->site, &copy.site) || x->receives > 1 ||
      x->pieces < 2 || x->pieces > BERTH_MAX_AMOUNT || x->span < x->size ||
      x->span > BERTH_MAX_AMOUNT || x->count > BERTH_MAX_AMOUNT)
    return load_rank_leave_out(load);
  return ARRAY_ADD(&load->packed, &load->n_packed, &load->cap_packed, copy) ? BERTH_OK
                                                                            : no_memory(err);
}

bool packed_reserve(const rank_load_t *load)
{
  assembly_t *a = load->a;
  return array_reserve(&a->packed, &a->cap_packed, a->n_packed + load->n_packed, sizeof *a->packed);
}

void packed_take(const rank_load_t *load)
{
  assembly_t *a = load->a;
  if (load->n_packed)
    memcpy(a->packed + a->n_packed, load->packed, load->n_packed * sizeof *a->packed);
  a->n_packed += load->n_packed;
}

void packed_mark_sites(const assembly_t *a, uint32_t *sites)
{
  for (size_t i = 0; i < a->n_packed; i++)
    if (a->packed[i].site) sites[a->packed[i].site - 1] = SITE_USED;
}

int packed_add(const assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < a->n_packed && !rc; i++) {
    const packed_t *x = &a->packed[i];
    const berth_packed_t of_rank = {(int)x->src,      x->site ? (int)names->site[x->site - 1] : 0,
                                    (int)x->receives, x->size,
                                    x->pieces,        x->span,
                                    x->count};
    rc = berth_pattern_add_packed(to, &of_rank, err);
  }
  return rc;
}
