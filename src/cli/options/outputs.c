/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/out_file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options/option_names.h"
#include "cli/options/targets.h"
#include "cli/print/clean_stream.h"

/* Adds a file of the writer of that name, which is there; false when memory is out. */
static bool add_output(outputs_t *o, const char *writer, const char *path)
{
  if (!ARRAY_ADD(&o->list, &o->n, &o->cap, (output_t){berth_writer_find(writer), path}))
    return false;
  return true;
}

void outputs_take_named(struct argp_state *state, const option_t *option, char *path, void *outputs)
{
  if (!add_output(outputs, option->name + 2, path)) option_no_memory(state);
}

void outputs_take(struct argp_state *state, const option_t *option, char *arg, void *outputs)
{
  (void)option;
  char *equals = strchr(arg, '=');
  if (equals) *equals = '\0';
  if (!berth_writer_find(arg)) {
    size_t n, size;
    char *names = NULL;
    const berth_writer_t *writers = berth_writers(&n);
    FILE *f = open_memstream(&names, &size);
    for (size_t i = 0; f && i < n; i++) fprintf(f, "%s%s", text_or(i, n), writers[i].name);
    cli_checked(text_end(f, &names));
    argp_error(state, "found format '%s', expected %s", arg, names ? names : "another");
    free(names);
  }
  if (equals && !equals[1]) argp_error(state, "%s=: found no file, expected a name or -", arg);
  if (!add_output(outputs, arg, equals ? equals + 1 : "-")) option_no_memory(state);
}

/* The file of the first output of a format, NULL where there is none or it is standard output. */
static const char *path_of(const outputs_t *o, const char *format)
{
  for (size_t i = 0; i < o->n; i++)
    if (strcmp(o->list[i].writer->name, format) == 0 && !target_is_stdout(o->list[i].path))
      return o->list[i].path;
  return NULL;
}

void outputs_check(struct argp_state *state, const outputs_t *o, size_t n,
                   const char *const *inputs)
{
  const char **paths = calloc(o->n + 1, sizeof *paths);
  if (!paths) option_no_memory(state);
  for (size_t i = 0; paths && i < o->n; i++) paths[i] = o->list[i].path;
  if (paths) targets_check(state, o->n, paths, n, inputs);
  for (size_t i = 0; paths && i < o->n && !path_of(o, "pin"); i++) {
    if (!o->list[i].writer->needs_pin || target_is_stdout(paths[i])) continue;
    char *pin = text_printf("%s.pin", paths[i]); /* which outputs_complete may add */
    if (!pin) option_no_memory(state);
    paths[o->n] = pin;
    targets_check(state, o->n + 1, paths, n, inputs);
    free(pin);
  }
  free(paths);
}

bool outputs_to_stdout(const outputs_t *o)
{
  for (size_t i = 0; i < o->n; i++)
    if (target_is_stdout(o->list[i].path)) return true;
  return false;
}

int outputs_complete(outputs_t *o, const berth_mapping_t *m, const berth_topo_t *t,
                     berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < o->n && !rc && !path_of(o, "pin"); i++) {
    int needed = 0;
    const output_t *output = &o->list[i];
    if (!output->writer->needs_pin || target_is_stdout(output->path)) continue;
    berth_error_t why = {0};
    rc = output->writer->needs_pin(m, t, &needed, &why);
    if (rc) return berth_fail(err, rc, "%s=%s: %s", output->writer->name, output->path, why.text);
    if (!needed) continue;
    o->pin = text_printf("%s.pin", output->path);
    if (!o->pin || !add_output(o, "pin", o->pin)) rc = no_memory(err);
  }
  return rc;
}

int outputs_write(const outputs_t *o, const berth_mapping_t *m, const berth_topo_t *t,
                  berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < o->n && !rc; i++) {
    out_choose_names(o->list[i].path == o->pin);
    rc = out_check(o->list[i].path, err);
  }
  for (size_t i = 0; i < o->n && !rc; i++) {
    berth_error_t why = {0};
    const output_t *output = &o->list[i];
    out_choose_names(output->path == o->pin);
    rc = output->writer->write(m, t, output->path, &why);
    if (rc == BERTH_BAD_INPUT) /* the format can't express the mapping: no file is at fault */
      berth_fail(err, rc, "%s=%s: %s", output->writer->name, output->path, why.text);
    else if (rc)
      *err = why;
  }
  out_choose_names(false);
  return rc;
}

char *outputs_quoted(const char *path)
{
  char *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);
  if (f && *path == '-') fputs("./", f);
  if (f) cli_print_command(f, (const char *const[]){path, NULL});
  return text_end(f, &text);
}

static int print_commands(FILE *to, const output_t *o, const char *pin, const berth_mapping_t *m,
                          const berth_topo_t *t, berth_error_t *err)
{
  char *file = outputs_quoted(target_is_stdout(o->path) ? "FILE" : o->path);
  char *script = pin ? outputs_quoted(pin) : NULL;
  char *lines = file && (script || !pin) ? o->writer->command(m, t, file, script, err) : NULL;
  if (!lines && (!file || (pin && !script))) no_memory(err);
  free(file);
  free(script);
  if (!lines) return err->code;
  for (const char *line = lines, *end; *line; line = *end ? end + 1 : end) {
    end = strchrnul(line, '\n');
    clean_stream_keep_line(to);
    fprintf(to, "  %.*s\n", (int)(end - line), line);
  }
  free(lines);
  return BERTH_OK;
}

int outputs_print(FILE *to, const outputs_t *o, const berth_mapping_t *m, const berth_topo_t *t,
                  berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < o->n && !rc; i++) {
    const output_t *output = &o->list[i];
    fprintf(to, "%s written to %s%s\n", output->writer->name,
            target_is_stdout(output->path) ? "standard output" : output->path,
            output->writer->command ? ", for" : "");
    if (output->writer->command) rc = print_commands(to, output, path_of(o, "pin"), m, t, err);
  }
  return rc;
}

void outputs_list_formats(FILE *to)
{
  size_t n;
  const berth_writer_t *writers = berth_writers(&n);
  fputs("Formats:\n", to);
  for (size_t i = 0; i < n; i++) options_list_entry(to, 12, writers[i].name, writers[i].help);
}

void outputs_clear(outputs_t *o)
{
  free(o->list);
  free(o->pin);
  *o = (outputs_t){0};
}
