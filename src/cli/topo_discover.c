/* SPDX-License-Identifier: BSD-3-Clause */
/* `berth topo discover`: which hosts there are, and what each looks like inside. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/in_file.h"
#include "base/no_memory.h"
#include "base/out_file.h"
#include "cli/cli.h"
#include "cli/options/load.h"
#include "cli/options/targets.h"
#include "cli/print/progress.h"
#include "cli/print/topo_view.h"
#include "topo/topo_names.h"

/* What is found: the hosts, and the topologies that they are like. */
typedef struct finding {
  berth_host_like_t *hosts;
  size_t n;
  berth_topo_t **models;
  size_t n_models, cap_models;
  name_table_t model_of_description;
  berth_probe_t *probe;
  char *name, *description; /* of this machine */
  const char **listed;      /* names of --hosts */
  berth_network_t *net;
} finding_t;

/* Takes over a topology to be freed with the finding. */
static int keep_model(finding_t *f, berth_topo_t *model, berth_error_t *err)
{
  if (!model) return err->code;
  if (!ARRAY_GROW(&f->models, f->n_models, &f->cap_models)) {
    berth_topo_free(model);
    return no_memory(err);
  }
  f->models[f->n_models++] = model;
  return BERTH_OK;
}

/* One model for each different description. */
static int add_described(finding_t *f, const char *name, const char *description,
                         berth_error_t *err)
{
  int number = name_table_find(&f->model_of_description, description);
  if (number < 0) {
    int rc = keep_model(f, berth_topo_from_description("host", description, err), err);
    if (rc) return rc;
    number = (int)f->n_models - 1;
    if (!name_table_add(&f->model_of_description, description, number)) return no_memory(err);
  }
  f->hosts[f->n++] = (berth_host_like_t){name, f->models[number], 0};
  return BERTH_OK;
}

static int find_this_machine(finding_t *f, berth_error_t *err)
{
  char host[256] = "";
  f->hosts = calloc(1, sizeof *f->hosts);
  if (gethostname(host, sizeof host - 1))
    return berth_fail(err, BERTH_MISSING, "cannot tell this host's name: %s", strerror(errno));
  f->name = strdup(host);
  if (!f->hosts || !f->name) return no_memory(err);
  f->description = berth_host_describe(0, err);
  return f->description ? add_described(f, f->name, f->description, err) : err->code;
}

static int find_by_launcher(finding_t *f, char *const *launcher, berth_error_t *err)
{
  progress("asking the hosts by", launcher[0]);
  f->probe = topo_probe_hosts(launcher, err);
  progress(NULL, NULL);
  size_t n;
  const berth_probed_host_t *probed;
  int rc = f->probe ? berth_probe_hosts(f->probe, &probed, &n, err) : err->code;
  if (rc) return rc;
  f->hosts = calloc(n, sizeof *f->hosts);
  if (!f->hosts) return no_memory(err);
  for (size_t i = 0; i < n && !rc; i++)
    rc = add_described(f, probed[i].name, probed[i].description, err);
  return rc;
}

/* Whether a file begins as XML does. */
static int is_xml(const char *path, bool *xml, berth_error_t *err)
{
  in_file_t *in = in_open(path, err);
  if (!in) return err->code;
  char *line;
  size_t n;
  int rc = in_line(in, &line, &n, err);
  *xml = !rc && line && line[strspn(line, " \t\r\xef\xbb\xbf")] == '<';
  in_close(in);
  return rc;
}

berth_topo_t *topo_load_model(const char *option, const char *like, berth_error_t *err)
{
  bool is_this = strcmp(like, "this") == 0, xml = false;
  if (!is_this && is_xml(like, &xml, err)) return NULL;
  if (!is_this && !xml) return load_topology(option, like, err);
  char *description = is_this ? berth_host_describe(0, err) : topo_describe_xml(like, err);
  berth_topo_t *t = description ? berth_topo_from_description("host", description, err) : NULL;
  free(description);
  return t;
}

static int find_alike(finding_t *f, const discover_options_t *o, berth_error_t *err)
{
  size_t n;
  const char *const *names;
  if (o->hosts) {
    berth_error_t why;
    names = f->listed = berth_hostlist(o->hosts, &n, &why);
    if (!names) return berth_fail(err, BERTH_USAGE, "--hosts: %s", why.text);
  } else {
    names = berth_network_hosts(f->net, &n);
  }
  f->hosts = calloc(n + 1, sizeof *f->hosts);
  if (!f->hosts) return no_memory(err);
  int rc = keep_model(f, topo_load_model("--like", o->like, err), err);
  for (size_t i = 0; i < n && !rc; i++)
    f->hosts[f->n++] = (berth_host_like_t){names[i], f->models[0], 0};
  return rc;
}

static int find_hosts(finding_t *f, const discover_options_t *o, berth_error_t *err)
{
  if (o->slurm) f->net = berth_network_load_slurm(o->slurm, err);
  if (o->fabric) f->net = berth_network_load_fabric(o->fabric, err);
  if ((o->slurm || o->fabric) && !f->net) return err->code;
  if (f->net && berth_network_note(f->net))
    fprintf(stderr, "berth topo: note: %s\n", berth_network_note(f->net));
  if (o->launcher) return find_by_launcher(f, o->launcher, err);
  return o->like ? find_alike(f, o, err) : find_this_machine(f, err);
}

static void clear(finding_t *f)
{
  for (size_t i = 0; i < f->n_models; i++) berth_topo_free(f->models[i]);
  free(f->models);
  name_table_clear(&f->model_of_description);
  berth_probe_free(f->probe);
  free(f->name);
  free(f->description);
  berth_network_free(f->net);
  free(f->listed);
  free(f->hosts);
}

/* What people do on a login node first: it is in no file. */
static int join_failed(const discover_options_t *o, berth_error_t *err)
{
  if ((o->slurm || o->fabric) && !o->like && !o->launcher) {
    berth_error_t why = *err;
    berth_fail(err, why.code,
               "%s; --like FILE describes the file's hosts, `-- mpirun ...` looks "
               "at those of a job",
               why.text);
  }
  return err->code;
}

/* What is written must be nothing that is read, nor a file that the launcher is told. */
static int check_output(const discover_options_t *o, berth_error_t *err)
{
  const char *const inputs[] = {o->slurm, o->fabric, o->like};
  size_t n = 0;
  int rc = BERTH_OK;
  if (!o->output) return rc;
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs && !rc; i++)
    rc = targets_check_input(o->output, inputs[i], err);
  while (o->launcher && o->launcher[n]) n++;
  return rc ? rc : targets_check_command(o->output, n, (const char *const *)o->launcher, err);
}

static int write_xml(const char *path, berth_error_t *err)
{
  char *xml = berth_host_xml(err);
  out_file_t *out = xml ? out_open(path, err) : NULL;
  if (out) out_text(out, xml);
  free(xml);
  return out ? out_commit(out, err) : err->code;
}

int topo_discover(const discover_options_t *o, berth_error_t *err)
{
  if (o->xml) return write_xml(o->output ? o->output : "-", err);
  finding_t f = {0};
  berth_topo_t *t = NULL;
  int rc = check_output(o, err);
  if (!rc) rc = find_hosts(&f, o, err);
  if (!rc) {
    const char *made = f.n == 1 ? f.hosts[0].name : o->launcher ? "job" : "cluster";
    t = berth_topo_join(o->name ? o->name : made, f.n, f.hosts, f.net, err);
    rc = t ? berth_topo_save(t, o->output ? o->output : "-", err) : join_failed(o, err);
  }
  if (!rc && !o->quiet) {
    fprintf(stderr, "%s%s", o->output ? o->output : "", o->output ? ": " : "");
    topo_print_summary(stderr, t);
    topo_print_shared(stderr, "", "", t);
  }
  berth_topo_free(t);
  clear(&f);
  return rc;
}
