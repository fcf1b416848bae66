/* SPDX-License-Identifier: BSD-3-Clause */
/* What a generalisation found. */
#include "cli/print/scale_view.h"

#include <stdbool.h>
#include <string.h>

#include "base/json_out.h"
#include "base/text.h"
#include "cli/cli.h"

enum { MOST_PARTS = 10 };
#define SMALL 0.001 /* call sites with a smaller share are added up */
#define MANY  0.05  /* of the messages and calls: it is shown, however few bytes they have */

/* --- text --- */

static void print_ranks(FILE *to, const scale_view_t *v)
{
  for (size_t i = 0; i < v->n_traces; i++)
    fprintf(to, "%s%d", i == 0 ? "" : i + 1 < v->n_traces ? ", " : " and ", v->traced[i]);
}

static void print_grid(FILE *to, const berth_scale_grid_t *g)
{
  for (int d = 0; d < g->n_dims; d++) fprintf(to, d ? "x%d" : "%d", g->dims[d]);
}

static void print_grids(FILE *to, const berth_scaled_t *s)
{
  size_t n, others;
  const berth_scale_grid_t *g = berth_scaled_grids(s, &n);
  const berth_scale_grid_t *other = berth_scaled_other_grids(s, &others);
  if (!n) return;
  fputs("grid of ranks: ", to);
  print_grid(to, &g[n - 1]);
  fprintf(to, ", %s\n  in the traces%s: ", berth_scaled_rule(s),
          berth_scaled_grid_recorded(s) ? ", as the program made them (MPI_Cart_create)" : "");
  for (size_t i = 0; i + 1 < n; i++) {
    fputs(i ? ", " : "", to);
    print_grid(to, &g[i]);
  }
  fputc('\n', to);
  if (!others) return;
  fputs("  other rules for these give ", to);
  for (size_t i = 0; i < others; i++) {
    fputs(text_or(i, others), to);
    print_grid(to, &other[i]);
  }
  fputs(" (--grid)\n", to);
}

static void print_site(FILE *to, const berth_scale_part_t *p)
{
  fprintf(to, "%s", *p->op ? p->op : "unknown call site");
  if (!p->n_frames) return;
  fputs("  ", to);
  cli_print_frame(to, p->frames[0]);
}

/* Whether parts are of different phases, which then are named. */
static bool has_phases(const berth_scale_part_t *p, size_t n)
{
  for (size_t i = 1; i < n; i++)
    if (strcmp(p[i].phase, p[0].phase) != 0) return true;
  return false;
}

static void print_part(FILE *to, const berth_scale_part_t *p, bool phases)
{
  fprintf(to, "%6.1f%%  ", 100 * p->share);
  print_site(to, p);
  if (phases && *p->phase) fprintf(to, ", phase \"%s\"", p->phase);
  fprintf(to, "\n         %s", p->what);
  if (p->kept) fprintf(to, "\n         bytes %s", p->bytes);
  if (p->kept && p->error >= 0.0005) fprintf(to, " (within %.1f%%)", 100 * p->error);
  if (*p->unsure) fprintf(to, "\n         unsure: %s", p->unsure);
  fputc('\n', to);
}

static void print_parts(FILE *to, const berth_scale_part_t *p, size_t n, int kept)
{
  size_t shown = 0, rest = 0;
  double share = 0, messages = 0;
  const bool phases = has_phases(p, n);
  for (size_t i = 0; i < n; i++) {
    if (p[i].kept != kept) continue;
    if (shown < MOST_PARTS && (p[i].share >= SMALL || p[i].messages >= MANY)) {
      if (shown++ == 0) fputs(kept ? "\n  share  kept\n" : "\n  share  left out\n", to);
      print_part(to, &p[i], phases);
    } else {
      rest++;
      share += p[i].share;
      messages += p[i].messages;
    }
  }
  if (rest && !shown) fputs(kept ? "\n  share  kept\n" : "\n  share  left out\n", to);
  if (rest)
    fprintf(to, "%6.1f%%  %zu %scall site%s, %.1f%% of the messages and calls\n", 100 * share, rest,
            shown ? "more " : "", text_plural((double)rest), 100 * messages);
}

static void print_trial(FILE *to, const scale_view_t *v, const scale_trial_t *t, const char *what,
                        const char *who)
{
  const berth_scale_agreement_t *a = &t->agreement;
  const char *verb = v->n_traces == 1 ? "gives" : "give";
  if (!t->file) return;
  fprintf(to, "%s: %s\n  ", what, t->file);
  if (t->failed) {
    fprintf(to, "%s: %s\n", who, t->failed);
    return;
  }
  if (a->pairs == 0) {
    fputs("no pair of ranks has bytes in either of them\n", to);
    return;
  }
  fprintf(to, "%s %s %.1f%% of its bytes within %.0f%% (%zu of %zu pairs)\n", who, verb,
          100 * a->within, 100 * v->tolerance, a->agree, a->pairs);
  if (a->made < 0.99 * a->bytes || a->made > 1.01 * a->bytes)
    fprintf(to, "  and %.1f%% as many bytes in all\n", 100 * a->made / a->bytes);
}

void scale_print(FILE *to, const scale_view_t *v)
{
  size_t n, n_notes;
  const berth_scale_part_t *p = berth_scaled_parts(v->scaled, &n);
  const char *const *note = berth_scaled_notes(v->scaled, &n_notes);
  fprintf(to, "%d rank%s from the trace%s of ", v->ranks, text_plural(v->ranks),
          v->n_traces == 1 ? "" : "s");
  print_ranks(to, v);
  fprintf(to, "\ngeneralised: %.1f%% of the bytes, %.1f%% of the messages and calls\n",
          100 * berth_scaled_kept(v->scaled), 100 * berth_scaled_kept_messages(v->scaled));
  if (berth_scaled_unsure(v->scaled) > 0)
    fprintf(to,
            "of that unsure: %.1f%% of the bytes, because the traces are too few or too small\n",
            100 * berth_scaled_unsure(v->scaled));
  print_grids(to, v->scaled);
  print_parts(to, p, n, 1);
  print_parts(to, p, n, 0);
  if (n_notes || v->kept_back.file || v->against.file) fputc('\n', to);
  for (size_t i = 0; i < n_notes; i++) fprintf(to, "note: %s\n", note[i]);
  print_trial(to, v, &v->kept_back, "kept back", "the smaller traces");
  print_trial(to, v, &v->against, "compared", v->n_traces == 1 ? "the trace" : "the traces");
  if (v->output) fprintf(to, "wrote %s\n", v->output);
}

/* --- JSON --- */

static void put_grid(json_out_t *j, const char *key, const berth_scale_grid_t *g)
{
  json_open(j, key, '{', JSON_ONE_LINE);
  json_put_u64(j, "ranks", (uint64_t)g->ranks);
  json_put_ints(j, "grid", JSON_ONE_LINE, g->dims, (size_t)g->n_dims);
  json_close(j);
}

static void put_grids(json_out_t *j, const berth_scaled_t *s)
{
  size_t n, others;
  const berth_scale_grid_t *g = berth_scaled_grids(s, &n);
  const berth_scale_grid_t *other = berth_scaled_other_grids(s, &others);
  if (!n) return;
  json_put_ints(j, "grid", JSON_ONE_LINE, g[n - 1].dims, (size_t)g[n - 1].n_dims);
  json_put_string(j, "rule", berth_scaled_rule(s));
  json_put_bool(j, "recorded", berth_scaled_grid_recorded(s));
  json_open(j, "traced_grids", '[', JSON_LINES);
  for (size_t i = 0; i + 1 < n; i++) put_grid(j, NULL, &g[i]);
  json_close(j);
  json_open(j, "other_grids", '[', JSON_LINES);
  for (size_t i = 0; i < others; i++) put_grid(j, NULL, &other[i]);
  json_close(j);
}

static void put_part(json_out_t *j, const berth_scale_part_t *p)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_string(j, "op", p->op);
  json_put_strings(j, "frames", p->frames, p->n_frames);
  json_put_string(j, "phase", p->phase);
  json_put_number(j, "share", p->share);
  json_put_number(j, "share_of_messages", p->messages);
  json_put_bool(j, "kept", p->kept);
  json_put_string(j, p->kept ? "what" : "why", p->what);
  if (p->kept) json_put_string(j, "bytes", p->bytes);
  if (p->kept) json_put_number(j, "error", p->error);
  if (*p->unsure) json_put_string(j, "unsure", p->unsure);
  json_close(j);
}

static void put_trial(json_out_t *j, const char *key, const scale_trial_t *t)
{
  if (!t->file) return;
  json_open(j, key, '{', JSON_ONE_LINE);
  json_put_string(j, "file", t->file);
  json_put_u64(j, "ranks", (uint64_t)t->ranks);
  if (t->failed) {
    json_put_string(j, "failed", t->failed);
  } else {
    json_put_number(j, "within", t->agreement.within);
    json_put_number(j, "bytes", t->agreement.bytes);
    json_put_number(j, "made_bytes", t->agreement.made);
    json_put_u64(j, "pairs", t->agreement.pairs);
    json_put_u64(j, "agree", t->agreement.agree);
  }
  json_close(j);
}

int scale_json(const scale_view_t *v, const char *path, berth_error_t *err)
{
  json_out_t j;
  size_t n, n_notes;
  const berth_scale_part_t *p = berth_scaled_parts(v->scaled, &n);
  const char *const *note = berth_scaled_notes(v->scaled, &n_notes);
  if (json_begin(&j, path, "berth-scale", err)) return err->code;
  json_put_u64(&j, "ranks", (uint64_t)v->ranks);
  json_put_ints(&j, "traced", JSON_ONE_LINE, v->traced, v->n_traces);
  json_put_number(&j, "kept", berth_scaled_kept(v->scaled));
  json_put_number(&j, "kept_messages", berth_scaled_kept_messages(v->scaled));
  json_put_number(&j, "unsure", berth_scaled_unsure(v->scaled));
  put_grids(&j, v->scaled);
  json_open(&j, "sites", '[', JSON_LINES);
  for (size_t i = 0; i < n; i++) put_part(&j, &p[i]);
  json_close(&j);
  json_put_strings(&j, "notes", note, n_notes);
  json_put_number(&j, "tolerance", v->tolerance);
  put_trial(&j, "kept_back", &v->kept_back);
  put_trial(&j, "against", &v->against);
  json_close(&j);
  return out_commit(j.out, err);
}
