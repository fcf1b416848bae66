/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/packing_view.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/cli.h"

enum { SHOWN_SITES = 5, FRAMES = 2 };

static berth_packing_site_t *sites_of(const berth_packing_t *k, const int *pu_of_rank, size_t *n)
{
  berth_packing_site_t *site;
  berth_packing_sites(k, pu_of_rank, &site, n, NULL);
  return cli_checked(site);
}

/* What the program can pack with. */
static const char *way(berth_packer_t by)
{
  static const char *const ways[BERTH_PACKERS] = {[BERTH_PACKER_HAND] = "by assignments",
                                                  [BERTH_PACKER_MEMCPY] = "by memcpy",
                                                  [BERTH_PACKER_TOUCH] = "by memcpy after a touch",
                                                  [BERTH_PACKER_PACK] = "by MPI_Pack"};
  return ways[by] ? ways[by] : "";
}

static void print_site(FILE *to, const berth_pattern_t *p, const berth_packing_site_t *s)
{
  char seconds[TEXT_NUMBER], by[TEXT_NUMBER], messages[TEXT_NUMBER], piece[TEXT_NUMBER];
  const berth_site_t *site = berth_pattern_site(p, s->site);
  fprintf(to, "    %10s %10s %-23s %9s %8s  %s", text_seconds(s->seconds, seconds),
          text_seconds(s->by_program_s, by), way(s->by), text_count(s->messages, messages),
          text_bytes(s->bytes / s->messages / s->pieces, piece), s->receives ? "received" : "sent");
  if (site) fprintf(to, " in %s", site->op);
  for (size_t i = 0; site && i < site->n_frames && i < FRAMES; i++) {
    fputs(i ? " < " : "  ", to);
    cli_print_frame(to, site->frames[i]);
  }
  fputc('\n', to);
}

void packing_view_print(FILE *to, const berth_packing_t *k, const berth_pattern_t *p,
                        const int *pu_of_rank)
{
  size_t n;
  char count[TEXT_NUMBER];
  berth_packing_site_t *site = sites_of(k, pu_of_rank, &n);
  double unknown = berth_packing_unknown(k, pu_of_rank);
  if (n > 0)
    fprintf(to,
            "  packing of derived datatypes, on the rank with the most of each call site; and if "
            "the program packed\n  (messages, and blocks of collective calls):\n"
            "    %10s %34s %9s %8s\n",
            "now", "then", "packed", "piece");
  for (size_t i = 0; i < n && i < SHOWN_SITES; i++) print_site(to, p, &site[i]);
  if (n > SHOWN_SITES)
    fprintf(to, "    ... and %zu more call site%s (--json has all)\n", n - SHOWN_SITES,
            text_plural((double)(n - SHOWN_SITES)));
  if (unknown > 0)
    fprintf(to,
            "  packing isn't included for %s message%s or block%s of collective calls: `berth "
            "calibrate node` hasn't measured it under %s\n",
            text_count(unknown, count), text_plural(unknown), text_plural(unknown),
            *berth_pattern_mpi(p) ? berth_pattern_mpi(p) : "the run's MPI");
  free(site);
}

static void put_site(json_out_t *j, const berth_pattern_t *p, const berth_packing_site_t *s)
{
  const berth_site_t *site = berth_pattern_site(p, s->site);
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_number(j, "site", site ? site->id : NAN);
  json_put_string(j, "op", site ? site->op : NULL);
  json_put_strings(j, "frames", site ? site->frames : NULL, site ? site->n_frames : 0);
  json_put_bool(j, "receives", s->receives);
  json_put_number(j, "messages", s->messages);
  json_put_number(j, "bytes", s->bytes);
  json_put_number(j, "block", s->bytes / s->messages / s->pieces);
  json_put_number(j, "seconds", s->seconds);
  json_put_number(j, "by_program_s", s->by_program_s);
  json_put_string(j, "by", berth_packer_name(s->by));
  json_close(j);
}

void packing_view_put(json_out_t *j, const berth_packing_t *k, const berth_pattern_t *p,
                      const int *pu_of_rank)
{
  size_t n;
  berth_packing_site_t *site = sites_of(k, pu_of_rank, &n);
  json_open(j, "packing", '{', JSON_LINES);
  json_put_number(j, "messages", berth_packing_messages(k));
  json_put_number(j, "unknown_messages", berth_packing_unknown(k, pu_of_rank));
  json_open(j, "sites", '[', JSON_LINES);
  for (size_t i = 0; i < n; i++) put_site(j, p, &site[i]);
  json_close(j);
  json_close(j);
  free(site);
}
