/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads pins: on which PUs users want which ranks. */
#include <berth/mapping.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/in_file.h"
#include "base/no_memory.h"
#include "base/text.h"

typedef struct pins {
  const berth_topo_t *topo;
  int ranks;
  int *pu_of_rank;
  int *on_pu;        /* ranks pinned to each PU */
  const char *name;  /* what errors call the wishes */
  const char *where; /* what errors name: `name`, or a file and its line */
  int code;          /* the error code for that place */
  berth_error_t *err;
} pins_t;

/* Of a core's threads, the one with the fewest pinned ranks; the first of these. */
static int pu_of_core(const pins_t *p, const char *host, const char *core, int *pu)
{
  uint64_t number = UINT64_MAX;
  int h = berth_topo_find_host(p->topo, host);
  if (h < 0)
    return berth_fail(p->err, p->code, "%s: found host '%s', expected one of topology '%s'",
                      p->where, host, berth_topo_name(p->topo));
  const berth_element_t *e = berth_topo_element(p->topo, berth_topo_host(p->topo, h)->element);
  *pu = -1;
  for (int i = e->first_pu; i < e->first_pu + e->n_pus; i++) {
    bool is_it =
        text_to_u64(core, 0, INT32_MAX, &number) && berth_topo_pu(p->topo, i)->core == (int)number;
    if (is_it && (*pu < 0 || p->on_pu[i] < p->on_pu[*pu])) *pu = i;
  }
  if (*pu >= 0) return BERTH_OK;
  return berth_fail(p->err, p->code, "%s: found core '%s', expected one of host %s", p->where, core,
                    host);
}

/* Reads the text behind "=", and changes it. */
static int find_place(const pins_t *p, char *place, int *pu)
{
  uint64_t number;
  char *colon = strrchr(place, ':');
  int max = berth_topo_n_pus(p->topo) - 1;
  if (colon) {
    *colon = '\0';
    return pu_of_core(p, place, colon + 1, pu);
  }
  if (!text_to_u64(place, 0, (uint64_t)max, &number))
    return berth_fail(p->err, p->code,
                      "%s: found PU '%s', expected HOST:CORE or one from 0 "
                      "to %d of topology '%s'",
                      p->where, place, max, berth_topo_name(p->topo));
  *pu = (int)number;
  return BERTH_OK;
}

/* Reads RANK=PLACE, and changes it. */
static int take(pins_t *p, char *wish)
{
  uint64_t rank;
  int pu = -1;
  char *equals = strchr(wish, '=');
  if (!equals)
    return berth_fail(p->err, p->code, "%s: found '%s', expected RANK=HOST:CORE or RANK=PU",
                      p->where, wish);
  *equals = '\0';
  if (!text_to_u64(wish, 0, (uint64_t)p->ranks - 1, &rank))
    return berth_fail(p->err, p->code,
                      "%s: found rank '%s', expected one from 0 to %d, the ranks of the pattern",
                      p->where, wish, p->ranks - 1);
  if (p->pu_of_rank[rank] >= 0)
    return berth_fail(p->err, p->code, "%s: found rank %d twice, expected it once", p->where,
                      (int)rank);
  int rc = find_place(p, equals + 1, &pu);
  if (rc) return rc;
  p->pu_of_rank[rank] = pu;
  p->on_pu[pu]++;
  return BERTH_OK;
}

/* Cuts off a comment and blanks. */
static char *trim(char *line)
{
  static const char blanks[] = " \t\r";
  line[strcspn(line, "#")] = '\0';
  line += strspn(line, blanks);
  size_t n = strlen(line);
  while (n && strchr(blanks, line[n - 1])) line[--n] = '\0';
  return line;
}

static int take_lines(pins_t *p, const char *path)
{
  char *line, where[512];
  size_t length;
  in_file_t *in = in_open(path, p->err);
  if (!in) return p->err->code;
  int rc = in_line(in, &line, &length, p->err);
  for (int i = 1; !rc && line; i++) {
    bool nul = memchr(line, '\0', length) != NULL;
    char *wish = trim(line);
    snprintf(where, sizeof where, "%.400s:%d", path, i);
    p->where = where;
    p->code = BERTH_BAD_INPUT;
    if (nul) rc = berth_fail(p->err, p->code, "%s: found a NUL byte, expected text", where);
    if (!rc && *wish) rc = take(p, wish);
    if (!rc) rc = in_line(in, &line, &length, p->err);
  }
  in_close(in);
  p->where = p->name;
  p->code = BERTH_USAGE;
  return rc;
}

static int take_file(pins_t *p, const char *path)
{
  budget_t budget;
  budget_begin(&budget);
  int rc = budget_end(&budget, path, take_lines(p, path), p->err);
  if (!rc || strncmp(p->err->text, path, strlen(path)) != 0) return rc;
  berth_error_t why = *p->err;
  return berth_fail(p->err, rc, "%s %s", p->name, why.text);
}

/* A wish that begins with a number and "=" is a pin. Any other is the name of a file. */
static int take_wish(pins_t *p, const char *wish)
{
  size_t digits = strspn(wish, "0123456789");
  bool is_wish = digits > 0 && wish[digits] == '=';
  if (!is_wish && (!*wish || (strchr(wish, '=') && access(wish, F_OK) != 0)))
    return berth_fail(p->err, p->code,
                      "%s: found '%s', expected RANK=HOST:CORE, RANK=PU or the name of a file",
                      p->name, wish);
  if (!is_wish) return take_file(p, wish);
  char *copy = strdup(wish);
  int rc = copy ? take(p, copy) : no_memory(p->err);
  free(copy);
  return rc;
}

int berth_pins_read(const char *name, const char *const *wish, size_t n_wishes,
                    const berth_topo_t *t, int ranks, int **pinned, berth_error_t *err)
{
  berth_error_t own;
  if (!err) err = &own;
  *pinned = NULL;
  if (n_wishes == 0) return BERTH_OK;
  pins_t p = {
      .topo = t, .ranks = ranks, .name = name, .where = name, .code = BERTH_USAGE, .err = err};
  p.pu_of_rank = malloc((size_t)ranks * sizeof *p.pu_of_rank);
  p.on_pu = calloc((size_t)berth_topo_n_pus(t), sizeof *p.on_pu);
  int rc = p.pu_of_rank && p.on_pu ? BERTH_OK : no_memory(err);
  for (int r = 0; !rc && r < ranks; r++) p.pu_of_rank[r] = -1;
  for (size_t i = 0; !rc && i < n_wishes; i++) rc = take_wish(&p, wish[i]);
  free(p.on_pu);
  if (rc) free(p.pu_of_rank);
  if (!rc) *pinned = p.pu_of_rank;
  return rc;
}
