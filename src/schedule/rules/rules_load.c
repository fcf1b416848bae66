/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads rules. A condition or a choice that berth doesn't know is an error: without it, another
 * algorithm would be chosen. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/embedded.h"
#include "base/in_file.h"
#include "base/json.h"
#include "base/no_memory.h"
#include "schedule/rules/rule.h"
#include "schedule/two_levels/choose.h"
#include "tune/tuning_file.h"

extern const embedded_t collective_rules[];

enum { DEEPEST_RULE = 16 };

/* --- names --- */

static const struct {
  const char *key;
  rule_quantity_t quantity;
  rule_comparison_t comparison;
  bool is_flag;
} conditions[] = {{"ranks", RULE_RANKS, RULE_EQUAL, false},
                  {"ranks_below", RULE_RANKS, RULE_BELOW, false},
                  {"ranks_at_most", RULE_RANKS, RULE_AT_MOST, false},
                  {"elements", RULE_ELEMENTS, RULE_EQUAL, false},
                  {"elements_below", RULE_ELEMENTS, RULE_BELOW, false},
                  {"elements_at_most", RULE_ELEMENTS, RULE_AT_MOST, false},
                  {"bytes", RULE_BYTES, RULE_EQUAL, false},
                  {"bytes_below", RULE_BYTES, RULE_BELOW, false},
                  {"bytes_at_most", RULE_BYTES, RULE_AT_MOST, false},
                  {"total_elements", RULE_TOTAL_ELEMENTS, RULE_EQUAL, false},
                  {"total_elements_below", RULE_TOTAL_ELEMENTS, RULE_BELOW, false},
                  {"total_elements_at_most", RULE_TOTAL_ELEMENTS, RULE_AT_MOST, false},
                  {"total_bytes", RULE_TOTAL_BYTES, RULE_EQUAL, false},
                  {"total_bytes_below", RULE_TOTAL_BYTES, RULE_BELOW, false},
                  {"total_bytes_at_most", RULE_TOTAL_BYTES, RULE_AT_MOST, false},
                  {"commutative", RULE_COMMUTATIVE, RULE_EQUAL, true},
                  {"built_in", RULE_BUILT_IN, RULE_EQUAL, true},
                  {"in_place", RULE_IN_PLACE, RULE_EQUAL, true},
                  {"power_of_two", RULE_POWER_OF_TWO, RULE_EQUAL, true},
                  {"equal_blocks", RULE_EQUAL_BLOCKS, RULE_EQUAL, true},
                  {"persistent", RULE_PERSISTENT, RULE_EQUAL, true},
                  {"hosts", RULE_HOSTS, RULE_EQUAL, false},
                  {"hosts_below", RULE_HOSTS, RULE_BELOW, false},
                  {"hosts_at_most", RULE_HOSTS, RULE_AT_MOST, false},
                  {"apart", RULE_APART, RULE_EQUAL, true},
                  {"consecutive", RULE_CONSECUTIVE, RULE_EQUAL, true},
                  {"root_leads", RULE_ROOT_LEADS, RULE_EQUAL, true}};
enum { N_CONDITIONS = sizeof conditions / sizeof *conditions };

/* Fails unless the member's name is an operation's. */
static int read_op(const json_place_t *at, const char *name, schedule_op_t *op)
{
  if (schedule_op_find(name, op)) return BERTH_OK;
  return json_fail(at, "found the operation \"%.40s\", expected one such as \"%s\"", name,
                   schedule_op_name(SCHEDULE_BCAST));
}

/* --- choices --- */

typedef struct loader {
  schedule_rules_t *rules;
  json_place_t algorithms; /* what the file says of them; its node may be NULL */
  int depth;               /* choices that are being read, each for the one before */
} loader_t;

static int choice_of(loader_t *l, schedule_op_t op, const json_place_t *at, const choice_t **out);

static choice_t *choice_add(loader_t *l, schedule_op_t op, const char *name)
{
  arena_t *a = &l->rules->arena;
  choice_t *c = arena_alloc(a, sizeof *c);
  char *copy = arena_strdup(a, name);
  if (!c || !copy) return NULL;
  *c = (choice_t){.name = copy, .op = op, .next = l->rules->choices[op]};
  l->rules->choices[op] = c;
  return c;
}

/* Whether an operation can be a part of another one: it has one buffer, or the same blocks. */
static bool is_part_of(schedule_op_t whole, schedule_op_t part)
{
  schedule_block_kind_t kind = schedule_block_kind(part);
  return kind == SCHEDULE_ONE_BLOCK || kind == schedule_block_kind(whole) ||
         schedule_block_kind(whole) == SCHEDULE_ONE_BLOCK;
}

/* Reads whom a stage runs on, if it says so. */
static int read_among(schedule_op_t whole, const json_place_t *at, part_t *out)
{
  const char *name = schedule_among_name(SCHEDULE_ALL_RANKS);
  json_place_t among = json_member(at, "among");
  int rc = json_get_string(at, "among", JSON_OPTIONAL, &name);
  if (!rc) rc = json_get_u64(at, "bytes", JSON_OPTIONAL, 1, JSON_MAX_INT, &out->bytes);
  if (rc) return rc;
  while (out->among < SCHEDULE_OF_RULES && strcmp(schedule_among_name(out->among), name) != 0)
    out->among++;
  if (out->among == SCHEDULE_OF_RULES)
    return json_fail(&among, "found \"%.40s\", expected groups of ranks such as \"%s\"", name,
                     schedule_among_name(SCHEDULE_HOSTS));
  if (out->among == SCHEDULE_ALL_RANKS && out->bytes)
    return json_fail(at, "found \"bytes\" without \"among\", expected both");
  if (out->among == SCHEDULE_ALL_RANKS) return BERTH_OK;
  bool one_block = schedule_block_kind(whole) == SCHEDULE_ONE_BLOCK;
  if (one_block && schedule_block_kind(out->op) == SCHEDULE_ONE_BLOCK) return BERTH_OK;
  return json_fail(&among, "found groups of ranks for %s, expected an operation with one block",
                   schedule_op_name(one_block ? out->op : whole));
}

/* Fails if a place has other members than those of a list that ends with NULL. */
static int check_members(const json_place_t *at, const char *const *known, const char *expected)
{
  for (const cJSON *node = at->node->child; node; node = node->next) {
    json_place_t member = json_member(at, node->string);
    int i = 0;
    while (known[i] && strcmp(known[i], node->string) != 0) i++;
    if (!known[i])
      return json_fail(&member, "found the member \"%.40s\", expected %s", node->string, expected);
  }
  return BERTH_OK;
}

/* The algorithm of a stage. Groups of ranks don't have groups. */
static int read_part_choice(loader_t *l, const json_place_t *algorithm, part_t *out)
{
  int rc = choice_of(l, out->op, algorithm, &out->choice);
  if (rc || !out->choice->is_composed) return rc;
  return json_fail(
      algorithm, "found \"%.40s\", which has stages on groups of ranks, expected another algorithm",
      out->choice->name);
}

static int read_part(loader_t *l, schedule_op_t whole, const json_place_t *at, part_t *out)
{
  static const char *const known[] = {"op", "algorithm", "one_element", "among", "bytes", NULL};
  const char *name = NULL;
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  int rc = check_members(at, known, "one such as \"algorithm\"");
  if (!rc) rc = json_get_string(at, "op", JSON_NEEDED, &name);
  json_place_t op = json_member(at, "op"), algorithm = json_member(at, "algorithm");
  if (!rc) rc = read_op(&op, name, &out->op);
  if (!rc && !is_part_of(whole, out->op))
    rc = json_fail(&op,
                   "found \"%.40s\" as a stage of %s, expected an operation with as many blocks",
                   name, schedule_op_name(whole));
  if (!rc && algorithm.node) rc = read_part_choice(l, &algorithm, out);
  if (!rc) rc = json_get_bool(at, "one_element", JSON_OPTIONAL, &out->whole);
  if (!rc) rc = read_among(whole, at, out);
  return rc;
}

/* Reads the parts of a choice, if the place has any. */
static int read_parts(loader_t *l, const json_place_t *at, choice_t *c)
{
  json_place_t stages;
  int rc = json_get_array(at, "stages", JSON_NEEDED, &stages);
  if (rc) return rc;
  if (cJSON_GetArraySize(stages.node) > SCHEDULE_STAGES)
    return json_fail(&stages, "found %d stages, expected at most %d",
                     cJSON_GetArraySize(stages.node), SCHEDULE_STAGES);
  for (json_place_t item = json_first(&stages); item.node && !rc; json_step(&item))
    rc = read_part(l, c->op, &item, &c->part[c->n_parts++]);
  for (int i = 0; i < c->n_parts; i++) c->is_composed |= c->part[i].among != SCHEDULE_ALL_RANKS;
  return rc;
}

static int read_divides(const json_place_t *at, choice_t *c)
{
  static const char *const names[] = {[DIVIDES_ELEMENTS] = "elements",
                                      [DIVIDES_SINGLE_ELEMENTS] = "single_elements",
                                      [DIVIDES_BYTES] = "bytes"};
  const char *what = names[DIVIDES_ELEMENTS];
  json_place_t divides = json_member(at, "divides");
  int rc = json_get_string(at, "divides", JSON_OPTIONAL, &what);
  while (c->divides <= DIVIDES_BYTES && strcmp(what, names[c->divides]) != 0) c->divides++;
  if (!rc && c->divides > DIVIDES_BYTES)
    rc = json_unexpected(&divides, "\"elements\", \"single_elements\" or \"bytes\"");
  if (!rc && c->divides == DIVIDES_BYTES && schedule_block_kind(c->op) >= SCHEDULE_RANK_BLOCKS)
    rc = json_fail(&divides, "found \"bytes\" for %s, expected elements, which its blocks have",
                   schedule_op_name(c->op));
  return rc;
}

static int read_algorithm(const json_place_t *at, const char *name, choice_t *c)
{
  const char *as = name;
  uint64_t segment = 0;
  int rc = json_get_string(at, "as", JSON_OPTIONAL, &as);
  if (!rc) rc = json_get_int(at, "degree", JSON_OPTIONAL, 1, INT_MAX, &c->degree);
  if (!rc) rc = json_get_u64(at, "segment_bytes", JSON_OPTIONAL, 1, JSON_MAX_INT, &segment);
  if (!rc) rc = read_divides(at, c);
  c->segment = (int64_t)segment;
  c->algorithm = rc ? NULL : schedule_find(c->op, as);
  if (!rc && !c->algorithm)
    rc = json_fail(at, "found the algorithm \"%.40s\", expected one that berth knows for %s", as,
                   schedule_op_name(c->op));
  if (!rc && c->algorithm->needs & SCHEDULE_DEGREE && c->degree == 0)
    rc = json_fail(at, "found no degree for \"%.40s\", expected one", as);
  if (!rc && c->algorithm->needs & SCHEDULE_RADIX && c->degree < 2)
    rc = json_fail(at, "found degree %d for \"%.40s\", expected at least 2", c->degree, as);
  return rc;
}

/* Reads what the file says of an algorithm; `at` may have no node. */
static int read_choice(loader_t *l, const json_place_t *at, const char *name, choice_t *c)
{
  json_place_t stages = json_member(at, "stages"), otherwise = json_member(at, "otherwise");
  if (stages.node && cJSON_GetArraySize(at->node) == 1) return read_parts(l, at, c);
  static const char *const known[] = {"as",      "degree",    "segment_bytes",
                                      "divides", "otherwise", NULL};
  int rc = check_members(at, known, "\"stages\" alone or members such as \"degree\"");
  if (!rc) rc = read_algorithm(at, name, c);
  if (!rc && otherwise.node) rc = choice_of(l, c->op, &otherwise, &c->otherwise);
  return rc;
}

static int choice_new(loader_t *l, schedule_op_t op, const json_place_t *at, const char *name,
                      const choice_t **out)
{
  choice_t *c = choice_add(l, op, name);
  json_place_t of_op = json_member(&l->algorithms, schedule_op_name(op)),
               said = json_member(&of_op, name);
  if (!c) return no_memory(at->source->err);
  if (said.node && !cJSON_IsObject(said.node)) return json_unexpected(&said, "an object");
  if (l->depth == DEEPEST_CHOICE)
    return json_fail(at, "found more than %d algorithms that lead to each other, expected fewer",
                     DEEPEST_CHOICE);
  *out = c;
  c->is_open = true;
  l->depth++;
  int rc = read_choice(l, said.node ? &said : at, name, c);
  l->depth--;
  c->is_open = false;
  return rc;
}

/* The choice of that name, which stands at a place. */
static int choice_named(loader_t *l, schedule_op_t op, const json_place_t *at, const char *name,
                        const choice_t **out)
{
  for (choice_t *c = l->rules->choices[op]; c; c = c->next) {
    if (strcmp(c->name, name) != 0) continue;
    *out = c;
    if (!c->is_open) return BERTH_OK;
    return json_fail(at, "found \"%.40s\", which leads to itself, expected another algorithm",
                     name);
  }
  return choice_new(l, op, at, name, out);
}

/* The choice that the string at a place names. */
static int choice_of(loader_t *l, schedule_op_t op, const json_place_t *at, const choice_t **out)
{
  const char *name = NULL;
  int rc = json_as_string(at, &name);
  return rc ? rc : choice_named(l, op, at, name, out);
}

/* Reads all that the file says of an operation's algorithms, used or not. */
static int read_choices(loader_t *l, const json_place_t *of_op)
{
  schedule_op_t op = SCHEDULE_BARRIER;
  const choice_t *choice;
  int rc = read_op(of_op, of_op->key, &op);
  if (!rc && !cJSON_IsObject(of_op->node)) rc = json_unexpected(of_op, "an object");
  if (rc) return rc;
  for (const cJSON *node = of_op->node->child; node && !rc; node = node->next) {
    json_place_t at = json_member(of_op, node->string);
    rc = choice_named(l, op, &at, node->string, &choice);
  }
  return rc;
}

static int read_all_choices(loader_t *l)
{
  int rc = BERTH_OK;
  if (!l->algorithms.node) return BERTH_OK;
  for (const cJSON *node = l->algorithms.node->child; node && !rc; node = node->next) {
    json_place_t of_op = json_member(&l->algorithms, node->string);
    rc = read_choices(l, &of_op);
  }
  return rc;
}

/* --- rules --- */

static int read_condition(const json_place_t *at, const char *key, rule_t *rule)
{
  uint64_t value = 0;
  int i = 0;
  while (i < N_CONDITIONS && strcmp(conditions[i].key, key) != 0) i++;
  if (i == N_CONDITIONS)
    return json_fail(at, "found the condition \"%.40s\", expected one such as \"ranks_below\"",
                     key);
  if (conditions[i].is_flag && !cJSON_IsBool(at->node)) return json_unexpected(at, "true or false");
  if (rule->n_when == MOST_CONDITIONS)
    return json_fail(at, "found more than %d conditions, expected no more", MOST_CONDITIONS);
  int rc = conditions[i].is_flag ? BERTH_OK : json_as_u64(at, 0, JSON_MAX_INT, &value);
  if (conditions[i].is_flag) value = cJSON_IsTrue(at->node);
  rule->when[rule->n_when++] =
      (condition_t){conditions[i].quantity, conditions[i].comparison, value};
  return rc;
}

static int read_list(loader_t *l, schedule_op_t op, const json_place_t *list, int depth,
                     rule_t **out);

/* A member of a rule: what is done, or a condition. */
static int read_member(loader_t *l, schedule_op_t op, const json_place_t *rule,
                       const json_place_t *at, int depth, rule_t *out)
{
  const char *key = at->node->string;
  if (strcmp(key, "rules") == 0) return read_list(l, op, at, depth + 1, &out->below);
  if (strcmp(key, "algorithm") == 0) return choice_of(l, op, at, &out->choice);
  if (strcmp(key, "stages") != 0) return read_condition(at, key, out);
  choice_t *c = choice_add(l, op, "");
  if (!c) return no_memory(at->source->err);
  out->choice = c;
  return read_parts(l, rule, c);
}

static int read_rule(loader_t *l, schedule_op_t op, const json_place_t *at, int depth, rule_t *out)
{
  int rc = BERTH_OK, actions = 0;
  if (!cJSON_IsObject(at->node)) return json_unexpected(at, "an object");
  for (const cJSON *node = at->node->child; node && !rc; node = node->next) {
    json_place_t member = json_member(at, node->string);
    actions += strcmp(node->string, "rules") == 0 || strcmp(node->string, "algorithm") == 0 ||
               strcmp(node->string, "stages") == 0;
    rc = read_member(l, op, at, &member, depth, out);
  }
  if (!rc && actions != 1)
    rc =
        json_fail(at, "found %d of \"algorithm\", \"stages\" and \"rules\", expected one", actions);
  return rc;
}

static int read_list(loader_t *l, schedule_op_t op, const json_place_t *list, int depth,
                     rule_t **out)
{
  int rc = BERTH_OK;
  if (!cJSON_IsArray(list->node)) return json_unexpected(list, "an array of rules");
  if (depth > DEEPEST_RULE)
    return json_fail(list, "found rules within more than %d others, expected fewer", DEEPEST_RULE);
  for (json_place_t at = json_first(list); at.node && !rc; json_step(&at)) {
    rule_t *rule = arena_alloc(&l->rules->arena, sizeof *rule);
    if (!rule) return no_memory(list->source->err);
    *rule = (rule_t){0};
    rc = read_rule(l, op, &at, depth, rule);
    *out = rule;
    out = &rule->next;
  }
  return rc;
}

static int read_rules(const json_place_t *root, schedule_rules_t *r)
{
  loader_t l = {.rules = r};
  json_place_t rules;
  const char *name = NULL;
  int rc = json_check_header(root, "berth-collectives", 1);
  if (!rc) rc = json_get_string(root, "name", JSON_NEEDED, &name);
  if (!rc) rc = json_get_object(root, "algorithms", JSON_OPTIONAL, &l.algorithms);
  if (!rc) rc = json_get_object(root, "rules", JSON_NEEDED, &rules);
  if (!rc && !(r->name = arena_strdup(&r->arena, name))) rc = no_memory(root->source->err);
  if (!rc) rc = read_all_choices(&l);
  if (rc) return rc;
  for (const cJSON *node = rules.node->child; node && !rc; node = node->next) {
    schedule_op_t op = SCHEDULE_BARRIER;
    schedule_way_t way;
    json_place_t list = json_member(&rules, node->string);
    if (!schedule_op_find_call(node->string, &op, &way) || way == SCHEDULE_PERSISTENT)
      rc = read_op(&list, node->string, &op);
    if (!rc) rc = read_list(&l, op, &list, 0, &r->rules[way == SCHEDULE_NONBLOCKING][op]);
  }
  return rc;
}

int rules_parse(const char *text, size_t n, const char *name, schedule_rules_t **out,
                berth_error_t *err)
{
  json_source_t source = {name, 0, err, "a file of rules"};
  schedule_rules_t *r = calloc(1, sizeof *r);
  cJSON *doc = r ? json_parse(text, n, &source) : NULL;
  json_place_t root = json_root(&source, doc);
  int rc = !r ? no_memory(err) : !doc ? err->code : read_rules(&root, r);
  cJSON_Delete(doc);
  if (rc) schedule_rules_free(r);
  *out = rc ? NULL : r;
  return rc;
}

/* --- files --- */

static int parse_file(const char *path, schedule_rules_t **out, berth_error_t *err)
{
  char *text = NULL;
  size_t n;
  budget_t budget;
  budget_begin(&budget);
  int rc = in_read_all(path, &text, &n, err);
  if (!rc) rc = rules_parse(text, n, path, out, err);
  free(text);
  return budget_end(&budget, path, rc, err);
}

/* Writes the name of the file with berth's own rules. NULL: berth has none of that name. */
static const embedded_t *find_own(const char *name, char file[64])
{
  int n = snprintf(file, 64, "%s.json", name);
  return n < 64 ? embedded_find(collective_rules, file, (size_t)n) : NULL;
}

static bool is_library(const char *name)
{
  return strcmp(name, SCHEDULE_LIBRARY) == 0 || strcmp(name, SCHEDULE_AGENTS) == 0;
}

bool schedule_rules_known(const char *name)
{
  char file[64];
  return is_library(name) || find_own(name, file) != NULL;
}

void schedule_rules_list(char *out, size_t size)
{
  size_t used = (size_t)snprintf(out, size, "%s, %s", SCHEDULE_LIBRARY, SCHEDULE_AGENTS);
  for (const embedded_t *e = collective_rules; e->name && used < size; e++)
    used += (size_t)snprintf(out + used, size - used, ", %.*s",
                             (int)(strlen(e->name) - strlen(".json")), e->name);
}

bool schedule_rules_is_library(const char *name)
{
  if (schedule_rules_known(name)) return is_library(name);
  return tuning_is_file(name);
}

int schedule_rules_load(const char *name, schedule_rules_t **out, berth_error_t *err)
{
  berth_error_t local = {0};
  char file[64];
  if (!err) err = &local;
  *out = NULL;
  if (schedule_rules_is_library(name)) return schedule_rules_of_library(name, 0, NULL, out, err);
  const embedded_t *known = find_own(name, file);
  if (!known) return parse_file(name, out, err);
  return rules_parse((const char *)known->data, known->size, file, out, err);
}

/* What a tuning says of the library. */
static int take_tuning(const char *path, schedule_rules_t *r, berth_error_t *err)
{
  berth_tuning_t t;
  int rc = berth_tuning_load(path, 0, &t, err);
  if (!rc && !(r->name = arena_copy(&r->arena, path, strlen(path) + 1))) rc = no_memory(err);
  if (!rc && t.half > 0) r->library.half = t.half;
  if (!rc) rc = two_levels_take(&t, path, &r->library, err);
  berth_tuning_clear(&t);
  return rc;
}

int schedule_rules_of_library(const char *name, double half, schedule_rules_t *others,
                              schedule_rules_t **out, berth_error_t *err)
{
  schedule_rules_t *r = *out = calloc(1, sizeof *r);
  if (!r) {
    schedule_rules_free(others);
    return no_memory(err);
  }
  bool agents = strcmp(name, SCHEDULE_AGENTS) == 0;
  r->name = agents ? SCHEDULE_AGENTS : SCHEDULE_LIBRARY;
  r->library.agents = agents;
  r->library.half = half > 0 ? half : CHOOSE_USUAL_HALF;
  r->of_others = others;
  int rc = is_library(name) ? BERTH_OK : take_tuning(name, r, err);
  if (!rc) return BERTH_OK;
  schedule_rules_free(r);
  *out = NULL;
  return rc;
}

void schedule_rules_free(schedule_rules_t *r)
{
  if (!r) return;
  schedule_rules_free(r->of_others);
  free(r->library.cell);
  arena_free(&r->arena);
  free(r);
}

const char *schedule_rules_name(const schedule_rules_t *r) { return r->name; }
