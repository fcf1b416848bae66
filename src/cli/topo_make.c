/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth topo make`: a machine described in a few words. */
#include <berth/sketch.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/load.h"
#include "cli/options/targets.h"
#include "cli/print/topo_view.h"

/* A word has a ':', a '=' or is a brace; anything else is a file of words. */
static bool is_file(const char *word)
{
  size_t n = strcspn(word, ":=");
  return strcmp(word, "{") != 0 && strcmp(word, "}") != 0 && (!word[n] || memchr(word, '/', n));
}

/* A file of words that is none, but one of berth's or hwloc's. */
static int refuse_other(const char *path, berth_error_t *err)
{
  int rc = load_refuse_known(path, err);
  return rc ? rc : load_refuse_hwloc(NULL, path, "a description of a machine", err);
}

static int add_words(berth_sketch_t *s, const make_options_t *o, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < o->n_words && !rc; i++) {
    const char *word = o->words[i];
    if (is_file(word) && !(rc = refuse_other(word, err)))
      rc = berth_sketch_load(s, word, err);
    else if (!rc)
      rc = berth_sketch_add(s, word, err);
  }
  for (size_t i = 0; i < o->n_links && !rc; i++) rc = berth_sketch_add(s, o->links[i], err);
  if (rc || !o->like) return rc;
  char *like = text_printf("like=%s", o->like);
  rc = like ? berth_sketch_add(s, like, err) : no_memory(err);
  free(like);
  return rc;
}

/* Loads the models that the words name. */
static int load_models(berth_sketch_t *s, berth_topo_t **models, berth_error_t *err)
{
  for (size_t i = 0; i < berth_sketch_n_models(s); i++) {
    models[i] = topo_load_model("like", berth_sketch_model(s, i), err);
    if (!models[i]) return err->code;
    berth_sketch_set_model(s, i, models[i]);
  }
  return BERTH_OK;
}

/* What is written must be nothing that is read. */
static int check_output(const make_options_t *o, const berth_sketch_t *s, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; o->output && i < o->n_words && !rc; i++)
    if (is_file(o->words[i])) rc = targets_check_input(o->output, o->words[i], err);
  for (size_t i = 0; o->output && i < berth_sketch_n_models(s) && !rc; i++)
    rc = targets_check_input(o->output, berth_sketch_model(s, i), err);
  return rc;
}

static int make(berth_sketch_t *s, berth_topo_t **models, const make_options_t *o,
                berth_error_t *err)
{
  int rc = load_models(s, models, err);
  berth_topo_t *t = rc ? NULL : berth_sketch_topo(s, o->name, err);
  if (!rc) rc = t ? berth_topo_save(t, o->output ? o->output : "-", err) : err->code;
  if (!rc && !o->quiet) {
    fprintf(stderr, "%s%s", o->output ? o->output : "", o->output ? ": " : "");
    topo_print_summary(stderr, t);
    topo_print_shared(stderr, "", "", t);
  }
  berth_topo_free(t);
  return rc;
}

int topo_make(const make_options_t *o, berth_error_t *err)
{
  berth_topo_t **models = NULL;
  berth_sketch_t *s = berth_sketch_new(err);
  int rc = s ? add_words(s, o, err) : err->code;
  if (!rc) rc = check_output(o, s, err);
  size_t n = rc ? 0 : berth_sketch_n_models(s);
  if (!rc && !(models = calloc(n + 1, sizeof *models))) rc = no_memory(err);
  if (!rc) rc = make(s, models, o, err);
  for (size_t i = 0; i < n && models; i++) berth_topo_free(models[i]);
  free(models);
  berth_sketch_free(s);
  return rc;
}
