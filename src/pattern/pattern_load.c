/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads pattern files: JSON Lines, plain or compressed. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/field.h"
#include "base/json.h"
#include "base/no_memory.h"
#include "pattern/pattern_internal.h"
#include "pattern/pattern_packed.h"
#include "pattern/pattern_steps.h"

/* The line that is being read. Its place is put in front of the builder's errors. */
typedef struct line {
  berth_pattern_t *p;
  json_source_t source;
  json_place_t root;
  uint64_t good;                 /* valid lines so far */
  berth_error_t found;           /* of the builder */
  berth_error_t cut;             /* why reading stopped early; code 0: it reached the end line */
  bool is_json;                  /* the previous line was JSON */
  LIST(berth_message_t) scratch; /* messages of an rma line */
  pattern_steps_t steps;         /* of an order line */
  LIST(berth_share_t) shares;    /* of a coll or row line */
  LIST(int) ints;                /* ranks of a comm line */
  LIST(const char *) strings;    /* frames of a site line, words of the command */
} line_t;

/* Adds file and line to an error of the builder, which knows neither. */
static int located(const line_t *l, int rc)
{
  if (!rc) return BERTH_OK;
  if (rc != BERTH_BAD_INPUT) return berth_fail(l->source.err, rc, "%s", l->found.text);
  return berth_fail(l->source.err, rc, "%s:%ld: %s", l->source.file, l->source.line, l->found.text);
}

static int out_of_memory(const line_t *l) { return no_memory(l->source.err); }

static int get_ids(const line_t *l, int *phase, int *site)
{
  *phase = *site = 0;
  int rc = json_get_int(&l->root, "phase", JSON_OPTIONAL, 0, INT32_MAX, phase);
  return rc ? rc : json_get_int(&l->root, "site", JSON_OPTIONAL, 0, INT32_MAX, site);
}

static int get_rank(const line_t *l, const char *key, int *rank)
{
  return json_get_int(&l->root, key, JSON_NEEDED, 0, l->p->ranks - 1, rank);
}

static int read_strings(line_t *l, const char *key, json_need_t need)
{
  json_place_t list;
  int rc = json_get_array(&l->root, key, need, &list);
  l->strings.n = 0;
  if (rc) return rc;
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    if (!ARRAY_GROW(&l->strings.items, l->strings.n, &l->strings.cap)) return out_of_memory(l);
    rc = json_as_any_string(&at, &l->strings.items[l->strings.n++]);
  }
  return rc;
}

static int read_rank(line_t *l)
{
  int rank = 0;
  berth_rank_info_t info = {.host = "", .pu = -1, .wall_s = -1, .mpi_s = -1, .core_wait_s = -1};
  json_place_t pu = json_member(&l->root, "pu");
  int rc = get_rank(l, "rank", &rank);
  if (!rc) rc = json_get_string(&l->root, "host", JSON_OPTIONAL, &info.host);
  if (!rc && !(cJSON_IsNumber(pu.node) && pu.node->valuedouble == -1))
    rc = json_get_int(&l->root, "pu", JSON_OPTIONAL, 0, INT32_MAX, &info.pu);
  bool timed = json_member(&l->root, "wall_s").node || json_member(&l->root, "mpi_s").node;
  if (!rc && timed) rc = json_get_number(&l->root, "wall_s", JSON_NEEDED, 0, 0, &info.wall_s);
  if (!rc && timed) rc = json_get_number(&l->root, "mpi_s", JSON_NEEDED, 0, 0, &info.mpi_s);
  if (!rc && timed) rc = json_get_number(&l->root, "unsure_s", JSON_OPTIONAL, 0, 0, &info.unsure_s);
  if (!rc && timed)
    rc = json_get_number(&l->root, "core_wait_s", JSON_OPTIONAL, 0, 0, &info.core_wait_s);
  return rc ? rc : located(l, berth_pattern_set_rank(l->p, rank, &info, &l->found));
}

static int read_phase(line_t *l)
{
  berth_phase_t phase = {.name = "", .repeats = 1};
  int rc = json_get_int(&l->root, "id", JSON_NEEDED, 0, INT32_MAX, &phase.id);
  if (!rc) rc = json_get_string(&l->root, "name", JSON_OPTIONAL, &phase.name);
  if (!rc) rc = json_get_u64(&l->root, "repeats", JSON_OPTIONAL, 0, JSON_MAX_INT, &phase.repeats);
  return rc ? rc : located(l, berth_pattern_add_phase(l->p, &phase, &l->found));
}

static int read_site(line_t *l)
{
  berth_site_t site = {0};
  int rc = json_get_int(&l->root, "id", JSON_NEEDED, 0, INT32_MAX, &site.id);
  if (!rc) rc = json_get_string(&l->root, "op", JSON_NEEDED, &site.op);
  if (!rc) rc = read_strings(l, "frames", JSON_OPTIONAL);
  if (rc) return rc;
  site.n_frames = l->strings.n;
  site.frames = l->strings.items;
  return located(l, berth_pattern_add_site(l->p, &site, &l->found));
}

static int read_comm(line_t *l)
{
  int id = 0;
  json_place_t list = {0};
  int rc = json_get_int(&l->root, "id", JSON_NEEDED, 1, INT32_MAX, &id);
  if (!rc) rc = json_get_array(&l->root, "ranks", JSON_NEEDED, &list);
  l->ints.n = 0;
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    uint64_t v = 0;
    if (!ARRAY_GROW(&l->ints.items, l->ints.n, &l->ints.cap)) return out_of_memory(l);
    rc = json_as_u64(&at, 0, (uint64_t)l->p->ranks - 1, &v);
    l->ints.items[l->ints.n++] = (int)v;
  }
  uint64_t border = 0;
  if (!rc) rc = json_get_u64(&l->root, "border", JSON_OPTIONAL, 0, BERTH_MAX_RANKS, &border);
  berth_comm_t comm = {id, l->ints.n, l->ints.items, border};
  return rc ? rc : located(l, berth_pattern_add_comm(l->p, &comm, &l->found));
}

/* An item of "rank_bytes": a rank's bytes, or [bytes, ranks]. */
static int read_share(const json_place_t *at, uint64_t max_ranks, berth_share_t *s)
{
  s->ranks = 1;
  if (!cJSON_IsArray(at->node)) return json_as_u64(at, 0, JSON_MAX_INT, &s->bytes);
  const cJSON *bytes = at->node->child, *ranks = bytes ? bytes->next : NULL;
  if (!ranks || ranks->next)
    return json_fail(at, "found %s, expected bytes or [bytes, ranks]", ranks ? "more" : "less");
  json_place_t first = json_item(at, 0, bytes), second = json_item(at, 1, ranks);
  int rc = json_as_u64(&first, 0, JSON_MAX_INT, &s->bytes);
  return rc ? rc : json_as_u64(&second, 1, max_ranks, &s->ranks);
}

static int read_shares(line_t *l, json_need_t need)
{
  json_place_t list;
  int rc = json_get_array(&l->root, "rank_bytes", need, &list);
  l->shares.n = 0;
  if (rc) return rc;
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    if (!ARRAY_GROW(&l->shares.items, l->shares.n, &l->shares.cap)) return out_of_memory(l);
    rc = read_share(&at, (uint64_t)l->p->ranks, &l->shares.items[l->shares.n++]);
  }
  return rc;
}

/* What a call is besides its bytes. */
static int read_nature(const line_t *l, berth_coll_t *coll)
{
  bool in_place = false, commutative = true, built_in = true;
  int rc = json_get_u64(&l->root, "element", JSON_OPTIONAL, 0, JSON_MAX_INT, &coll->element);
  if (!rc) rc = json_get_bool(&l->root, "in_place", JSON_OPTIONAL, &in_place);
  if (!rc) rc = json_get_bool(&l->root, "commutative", JSON_OPTIONAL, &commutative);
  if (!rc) rc = json_get_bool(&l->root, "built_in", JSON_OPTIONAL, &built_in);
  coll->in_place = in_place;
  coll->uncommutative = !commutative;
  coll->user_operation = !built_in;
  return rc;
}

static int read_coll(line_t *l)
{
  berth_coll_t coll = {.root = -1};
  int rc = get_ids(l, &coll.phase, &coll.site);
  if (!rc) rc = json_get_int(&l->root, "comm", JSON_OPTIONAL, 0, INT32_MAX, &coll.comm);
  if (!rc) rc = json_get_string(&l->root, "op", JSON_NEEDED, &coll.op);
  if (!rc) rc = json_get_u64(&l->root, "bytes", JSON_NEEDED, 0, JSON_MAX_INT, &coll.bytes);
  if (!rc) rc = json_get_u64(&l->root, "count", JSON_NEEDED, 0, JSON_MAX_INT, &coll.count);
  if (!rc) rc = json_get_int(&l->root, "root", JSON_OPTIONAL, 0, l->p->ranks - 1, &coll.root);
  if (!rc) rc = read_nature(l, &coll);
  if (!rc) rc = read_shares(l, JSON_OPTIONAL);
  coll.n_shares = l->shares.n;
  coll.shares = l->shares.items;
  return rc ? rc : located(l, berth_pattern_add_coll(l->p, &coll, &l->found));
}

static int read_row(line_t *l)
{
  berth_row_t row = {0};
  int rc = get_ids(l, &row.phase, &row.site);
  if (!rc) rc = json_get_int(&l->root, "comm", JSON_OPTIONAL, 0, INT32_MAX, &row.comm);
  if (!rc) rc = json_get_string(&l->root, "op", JSON_NEEDED, &row.op);
  if (!rc) rc = get_rank(l, "src", &row.src);
  if (!rc) rc = read_shares(l, JSON_NEEDED);
  row.n_shares = l->shares.n;
  row.shares = l->shares.items;
  return rc ? rc : located(l, berth_pattern_add_row(l->p, &row, &l->found));
}

/* An item of "msgs": [dst, size, count] or [dst, size, count, bytes]. */
static int read_item(const line_t *l, const json_place_t *at, berth_message_t *m)
{
  uint64_t value[4] = {0};
  uint64_t max[4] = {(uint64_t)l->p->ranks - 1, JSON_MAX_INT, JSON_MAX_INT, JSON_MAX_INT};
  int rc = pattern_read_numbers(at, max, "[destination, size, count] or with bytes", value);
  if (rc) return rc;
  m->dst = (int)value[0];
  m->size = value[1];
  m->count = value[2];
  bool has_bytes = at->node->child->next->next->next;
  m->bytes = has_bytes ? value[3] : m->size * m->count; /* the builder checks for overflow */
  return BERTH_OK;
}

static int read_p2p(line_t *l)
{
  berth_message_t m = {0};
  json_place_t list = {0};
  int rc = get_ids(l, &m.phase, &m.site);
  if (!rc) rc = get_rank(l, "src", &m.src);
  if (!rc) rc = json_get_array(&l->root, "msgs", JSON_NEEDED, &list);
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    rc = read_item(l, &at, &m);
    if (!rc && (rc = berth_pattern_add_message(l->p, &m, &l->found))) {
      if (rc == BERTH_BAD_INPUT) return json_fail(&at, "%s", l->found.text);
      return located(l, rc);
    }
  }
  return rc;
}

static int read_rma(line_t *l)
{
  berth_rma_t rma = {.sync = "", .op = "", .epochs = 1};
  json_place_t list = {0};
  int rc = get_ids(l, &rma.phase, &rma.site);
  if (!rc) rc = get_rank(l, "src", &rma.src);
  if (!rc) rc = json_get_int(&l->root, "win", JSON_OPTIONAL, 0, INT32_MAX, &rma.win);
  if (!rc) rc = json_get_int(&l->root, "comm", JSON_OPTIONAL, 0, INT32_MAX, &rma.comm);
  if (!rc) rc = json_get_string(&l->root, "sync", JSON_OPTIONAL, &rma.sync);
  if (!rc) rc = json_get_string(&l->root, "op", JSON_NEEDED, &rma.op);
  if (!rc) rc = json_get_u64(&l->root, "epochs", JSON_OPTIONAL, 0, JSON_MAX_INT, &rma.epochs);
  if (!rc) rc = json_get_array(&l->root, "msgs", JSON_NEEDED, &list);
  l->scratch.n = 0;
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    if (!ARRAY_GROW(&l->scratch.items, l->scratch.n, &l->scratch.cap)) return out_of_memory(l);
    l->scratch.items[l->scratch.n] = (berth_message_t){0};
    rc = read_item(l, &at, &l->scratch.items[l->scratch.n++]);
  }
  rma.n_msgs = l->scratch.n;
  rma.msgs = l->scratch.items;
  return rc ? rc : located(l, berth_pattern_add_rma(l->p, &rma, &l->found));
}

static int read_order(line_t *l)
{
  berth_order_t order = {.rounds = 1};
  int rc = json_get_int(&l->root, "phase", JSON_OPTIONAL, 0, INT32_MAX, &order.phase);
  if (!rc) rc = get_rank(l, "src", &order.src);
  if (!rc) rc = json_get_u64(&l->root, "rounds", JSON_OPTIONAL, 1, JSON_MAX_INT, &order.rounds);
  l->steps.n = 0;
  if (!rc) rc = pattern_read_steps(&l->root, l->p->ranks, &l->steps);
  order.n_steps = l->steps.n;
  order.steps = l->steps.items;
  return rc ? rc : located(l, berth_pattern_add_order(l->p, &order, &l->found));
}

static int read_time(line_t *l)
{
  berth_time_t t = {.comm = -1};
  int rc = json_get_string(&l->root, "op", JSON_NEEDED, &t.op);
  if (!rc) rc = json_get_int(&l->root, "site", JSON_OPTIONAL, 0, INT32_MAX, &t.site);
  if (!rc) rc = json_get_int(&l->root, "comm", JSON_OPTIONAL, 0, INT32_MAX, &t.comm);
  if (!rc) rc = json_get_number(&l->root, "total_s", JSON_NEEDED, 0, 0, &t.total_s);
  if (!rc) rc = json_get_number(&l->root, "max_s", JSON_NEEDED, 0, 0, &t.max_s);
  if (!rc) rc = get_rank(l, "max_rank", &t.max_rank);
  return rc ? rc : located(l, berth_pattern_add_time(l->p, &t, &l->found));
}

static int read_packed(line_t *l) { return pattern_read_packed(&l->root, l->p); }

static const struct {
  const char *kind;
  int (*read)(line_t *l);
} kinds[] = {{"p2p", read_p2p},   {"coll", read_coll},    {"rma", read_rma},
             {"rank", read_rank}, {"phase", read_phase},  {"site", read_site},
             {"comm", read_comm}, {"order", read_order},  {"row", read_row},
             {"time", read_time}, {"packed", read_packed}};

/* Reads the header member: [{"op": …, "calls": …}, …]. */
static int read_unmodelled(line_t *l)
{
  json_place_t list;
  if (!cJSON_GetObjectItemCaseSensitive(l->root.node, "unmodelled")) return BERTH_OK;
  int rc = json_get_array(&l->root, "unmodelled", JSON_NEEDED, &list);
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    berth_unmodelled_t calls = {0};
    if (!cJSON_IsObject(at.node)) return json_unexpected(&at, "an object");
    rc = json_get_string(&at, "op", JSON_NEEDED, &calls.op);
    if (!rc) rc = json_get_u64(&at, "calls", JSON_NEEDED, 0, JSON_MAX_INT, &calls.calls);
    if (!rc) rc = located(l, berth_pattern_add_unmodelled(l->p, &calls, &l->found));
  }
  return rc;
}

static int read_header(line_t *l)
{
  int ranks = 0, rc = json_check_header(&l->root, "berth-pattern", 1);
  const char *mpi = "", *created = "";
  if (!rc) rc = json_get_int(&l->root, "ranks", JSON_NEEDED, 1, BERTH_MAX_RANKS, &ranks);
  if (!rc) rc = json_get_string(&l->root, "mpi", JSON_OPTIONAL, &mpi);
  if (!rc) rc = json_get_string(&l->root, "created", JSON_OPTIONAL, &created);
  if (!rc) rc = read_strings(l, "command", JSON_OPTIONAL);
  if (rc) return rc;
  l->p = berth_pattern_new(ranks, l->source.err);
  if (!l->p) return BERTH_MISSING;
  rc = berth_pattern_set_origin(l->p, mpi, created, &l->found);
  if (!rc) rc = berth_pattern_set_command(l->p, l->strings.n, l->strings.items, &l->found);
  rc = located(l, rc);
  if (!rc) rc = read_unmodelled(l);
  if (!rc) rc = pattern_read_parameters(&l->root, l->p);
  if (!rc) rc = pattern_read_grids(&l->root, l->p);
  return rc ? rc : pattern_read_baseline(&l->root, l->p);
}

/* Reads a line after the header. Sets *ended at the end line. */
static int read_record(line_t *l, uint64_t records, int *ended)
{
  const char *kind;
  if (!cJSON_IsObject(l->root.node)) return json_unexpected(&l->root, "an object");
  int rc = json_get_string(&l->root, "kind", JSON_NEEDED, &kind);
  if (rc) return rc;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kind, kinds[i].kind) == 0) return kinds[i].read(l);
  if (strcmp(kind, "end") != 0)
    return json_fail(&l->root,
                     "kind: found \"%.40s\", expected rank, phase, site, p2p, order, "
                     "comm, coll, row, rma, packed, time or end",
                     kind);
  *ended = 1;
  uint64_t n = 0;
  rc = json_get_u64(&l->root, "records", JSON_NEEDED, 0, JSON_MAX_INT, &n);
  if (!rc && n != records)
    return json_fail(&l->root,
                     "records: found %llu, expected %llu, the lines between header and end",
                     (unsigned long long)n, (unsigned long long)records);
  return rc;
}

/* Members of all kinds of lines. Files may have others, which are ignored. */
static const json_known_t members[] = {
    {"format", NULL},     {"version", NULL},    {"ranks", NULL},       {"command", NULL},
    {"mpi", NULL},        {"created", NULL},    {"baseline", NULL},    {"unmodelled", NULL},
    {"parameters", NULL}, {"kind", NULL},       {"rank", NULL},        {"host", NULL},
    {"pu", NULL},         {"wall_s", NULL},     {"mpi_s", NULL},       {"unsure_s", NULL},
    {"id", NULL},         {"name", NULL},       {"repeats", NULL},     {"op", NULL},
    {"frames", NULL},     {"phase", NULL},      {"site", NULL},        {"src", NULL},
    {"msgs", NULL},       {"comm", NULL},       {"bytes", NULL},       {"count", NULL},
    {"root", NULL},       {"element", NULL},    {"in_place", NULL},    {"commutative", NULL},
    {"built_in", NULL},   {"rank_bytes", NULL}, {"win", NULL},         {"sync", NULL},
    {"epochs", NULL},     {"rounds", NULL},     {"sends", NULL},       {"total_s", NULL},
    {"max_s", NULL},      {"max_rank", NULL},   {"records", NULL},     {"border", NULL},
    {"grids", NULL},      {"receives", NULL},   {"core_wait_s", NULL}, {NULL, NULL}};

static int parse_line(line_t *l, const char *text, size_t length, uint64_t records, int *ended)
{
  if (*ended)
    return berth_fail(l->source.err, BERTH_BAD_INPUT,
                      "%s:%ld: found a line after the end line, expected the end of the file",
                      l->source.file, l->source.line);
  if (!l->p && length == 1 && *text == '{')
    return berth_fail(l->source.err, BERTH_BAD_INPUT,
                      "%s: found a JSON document of several lines, expected a pattern, which has a "
                      "line for its header",
                      l->source.file);
  cJSON *doc = json_parse_known(text, length, members, &l->source);
  l->is_json = doc != NULL;
  if (!doc) return l->source.err->code;
  l->root = json_root(&l->source, doc);
  int rc = l->p ? read_record(l, records, ended) : read_header(l);
  cJSON_Delete(doc);
  return rc;
}

/* Tells the user how to load a truncated file, unless it was loaded so. */
static const char *advice(int flags, char *text, size_t size)
{
  if (flags & BERTH_PATTERN_TRUNCATED) return "";
  return field_text(" (`BERTH_PATTERN_TRUNCATED` takes what is there)", text, size);
}

static int no_end(const line_t *l, int flags)
{
  char text[80];
  if (!l->p)
    return berth_fail(l->source.err, BERTH_BAD_INPUT,
                      "%s: found an empty file, expected a header line", l->source.file);
  return berth_fail(
      l->source.err, BERTH_BAD_INPUT,
      "%s:%ld: found the end of the file, expected a line of kind \"end\": the file is truncated%s",
      l->source.file, l->source.line, advice(flags, text, sizeof text));
}

/* Decides whether an error is due to truncation: it is if it is in the last line or frame. The
 * lines before it are usable. A truncated header makes the whole file unusable. */
static int cut_off(const line_t *l, int flags, const char *in)
{
  const char *file = l->source.file;
  char text[80];
  if (!l->p)
    return berth_fail(
        l->source.err, BERTH_BAD_INPUT,
        "%s: found the end of the file in %s: the file is truncated, and nothing of it can be "
        "taken: its header is incomplete",
        file, in);
  return berth_fail(l->source.err, BERTH_BAD_INPUT,
                    "%s:%ld: found the end of the file in %s: the file is truncated%s", file,
                    l->source.line, in, advice(flags, text, sizeof text));
}

/* With BERTH_PATTERN_TRUNCATED, reading stops without failing at the first error after a good
 * header: truncation leaves half a line or half a compressed frame. */
static int read_lines(in_file_t *in, line_t *l, int flags)
{
  char *text;
  size_t length;
  int ended = 0, rc = BERTH_OK;
  uint64_t records = 0;
  for (;;) {
    rc = in_line(in, &text, &length, l->source.err);
    if (rc && in_is_cut(in)) rc = cut_off(l, flags, "a zstd frame");
    if (rc || !text) break;
    int had_header = l->p != NULL;
    l->source.line++;
    rc = parse_line(l, text, length, records, &ended);
    if (rc && l->p && !l->is_json && in_is_cut(in)) rc = cut_off(l, flags, "this line");
    if (rc) break;
    l->good++;
    records += had_header && !ended;
  }
  if (!rc && !ended) rc = no_end(l, flags);
  if (!l->p || !(flags & BERTH_PATTERN_TRUNCATED) || rc != BERTH_BAD_INPUT) return rc;
  l->cut = *l->source.err;
  *l->source.err = (berth_error_t){0};
  return BERTH_OK;
}

berth_pattern_t *pattern_read(in_file_t *in, const char *name, int flags, berth_error_t *err)
{
  berth_error_t local = {0}, finish = {0};
  line_t l = {.source = {name, 0, err ? err : &local}};
  int rc = read_lines(in, &l, flags);
  if (l.p) l.p->drop_orders = flags & BERTH_PATTERN_TRUNCATED;
  if (!rc && (rc = berth_pattern_finish(l.p, &finish)))
    berth_fail(err, rc, "%s: %s", name, finish.text);
  if (!rc && l.cut.code) rc = pattern_set_cut(l.p, l.good, l.cut.text, err);
  free(l.scratch.items);
  free(l.steps.items);
  free(l.shares.items);
  free(l.ints.items);
  free(l.strings.items);
  if (!rc) return l.p;
  berth_pattern_free(l.p);
  return NULL;
}

berth_pattern_t *berth_pattern_load(const char *path, int flags, berth_error_t *err)
{
  budget_t budget;
  budget_begin(&budget);
  in_file_t *in = in_open(path, err);
  berth_pattern_t *p = in ? pattern_read(in, path, flags, err) : NULL;
  in_close(in);
  budget_end(&budget, path, p ? BERTH_OK : BERTH_BAD_INPUT, err);
  return p;
}
