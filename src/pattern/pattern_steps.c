/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes the steps of an order: sends, waits, and loops of them. */
#include "pattern/pattern_steps.h"

#include "base/array.h"
#include "base/no_memory.h"

int pattern_read_numbers(const json_place_t *at, const uint64_t max[4], const char *names,
                         uint64_t value[4])
{
  json_place_t part = json_first(at);
  for (; cJSON_IsArray(at->node) && part.node && part.index < 4; json_step(&part)) {
    int rc = json_as_u64(&part, value[part.index], max[part.index], &value[part.index]);
    if (rc) return rc;
  }
  if (part.index >= 3 && !part.node) return BERTH_OK;
  return json_fail(at, "found %s, expected %s as fourth",
                   !cJSON_IsArray(at->node) ? "no array"
                   : part.index < 3         ? "less"
                                            : "more",
                   names);
}

/* A send: [dst, size, mode] or [dst, size, mode, times]. */
static int read_send(const json_place_t *at, int ranks, berth_step_t *s)
{
  uint64_t value[4] = {0, 0, 0, 1};
  uint64_t max[4] = {(uint64_t)ranks - 1, JSON_MAX_INT, BERTH_SEND_MODES - 1, JSON_MAX_INT};
  int rc = pattern_read_numbers(at, max, "[destination, size, mode] or with times", value);
  if (!rc) *s = (berth_step_t){(int)value[0], (int)value[2], value[1], value[3]};
  return rc;
}

/* {"meet": communicator}, with "from" or "to" if it has a root, "begins" or "ends" if it is a part
 * of a non-blocking call, "op" and "bytes" of the call. */
static int read_meet(const json_place_t *at, int ranks, berth_step_t *s)
{
  bool from = json_member(at, "from").node, to = json_member(at, "to").node;
  bool begins = false, ends = false;
  int rc = json_get_int(at, "meet", JSON_NEEDED, 0, INT32_MAX, &s->peer);
  if (!rc && from && to) rc = json_fail(at, "found both \"from\" and \"to\", expected one of them");
  if (!rc && (from || to))
    rc = json_get_int(at, from ? "from" : "to", JSON_NEEDED, 0, ranks - 1, &s->root);
  if (!rc) rc = json_get_bool(at, "begins", JSON_OPTIONAL, &begins);
  if (!rc) rc = json_get_bool(at, "ends", JSON_OPTIONAL, &ends);
  if (!rc && begins && ends)
    rc = json_fail(at, "found both \"begins\" and \"ends\", expected one of them");
  s->mode = begins ? BERTH_MEET_BEGINS : ends ? BERTH_MEET_ENDS : 0;
  s->kind = from ? BERTH_STEP_FROM_ROOT : to ? BERTH_STEP_TO_ROOT : BERTH_STEP_MEET;
  if (!rc) rc = json_get_string(at, "op", JSON_OPTIONAL, &s->op);
  return rc ? rc : json_get_u64(at, "bytes", JSON_OPTIONAL, 0, JSON_MAX_INT, &s->size);
}

/* The names of steps with a rank, and of collective calls. */
static const char *const names[] = {
    [BERTH_STEP_SENT] = "sent",     [BERTH_STEP_RECEIVE] = "receive",
    [BERTH_STEP_POSTED] = "posted", [BERTH_STEP_ARRIVED] = "arrived",
    [BERTH_STEP_MEET] = "meet",     [BERTH_STEP_FROM_ROOT] = "meet",
    [BERTH_STEP_TO_ROOT] = "meet"};

/* The kind of step about receives that an object is; 0: another one. */
static berth_step_kind_t receive_kind(const json_place_t *at)
{
  for (berth_step_kind_t k = BERTH_STEP_RECEIVE; k <= BERTH_STEP_ARRIVED; k++)
    if (json_member(at, names[k]).node) return k;
  return 0;
}

/* {"receive": rank}, where null is any rank, with "first" if that rank's message came first. */
static int read_receive(const json_place_t *at, int ranks, berth_step_t *s)
{
  bool first = false;
  int rc = BERTH_OK;
  s->peer = BERTH_ANY_RANK;
  if (!cJSON_IsNull(json_member(at, names[s->kind]).node))
    rc = json_get_int(at, names[s->kind], JSON_NEEDED, 0, ranks - 1, &s->peer);
  if (!rc && s->kind == BERTH_STEP_RECEIVE) rc = json_get_bool(at, "first", JSON_OPTIONAL, &first);
  s->mode = first ? BERTH_RECEIVE_FIRST : 0;
  return rc;
}

/* A step that is neither a send nor a loop. */
static int read_other(const json_place_t *at, int ranks, berth_step_t *s)
{
  int rc;
  *s = (berth_step_t){.times = 1, .kind = receive_kind(at)};
  if (s->kind) {
    rc = read_receive(at, ranks, s);
  } else if (json_member(at, "sent").node) {
    s->kind = BERTH_STEP_SENT;
    rc = json_get_int(at, "sent", JSON_NEEDED, 0, ranks - 1, &s->peer);
  } else if (json_member(at, "meet").node) {
    rc = read_meet(at, ranks, s);
  } else {
    rc = json_fail(at, "found none of \"receive\", \"posted\", \"arrived\", \"sent\", \"meet\" and "
                       "\"loop\", expected one");
  }
  return rc ? rc : json_get_u64(at, "times", JSON_OPTIONAL, 1, JSON_MAX_INT, &s->times);
}

/* Adds the steps of the member "sends" of an order or a loop. */
static int read_steps(const json_place_t *of, int ranks, int depth, pattern_steps_t *to)
{
  json_place_t list = {0};
  int rc = json_get_array(of, "sends", JSON_NEEDED, &list);
  if (!rc && depth > BERTH_MAX_LOOPS)
    rc = json_fail(&list, "found loops of depth %d, expected at most %d", depth, BERTH_MAX_LOOPS);
  for (json_place_t at = json_first(&list); at.node && !rc; json_step(&at)) {
    if (!ARRAY_GROW(&to->items, to->n, &to->cap)) return no_memory(of->source->err);
    size_t here = to->n++;
    berth_step_t *s = &to->items[here];
    if (!cJSON_IsObject(at.node)) {
      rc = read_send(&at, ranks, s);
    } else if (!json_member(&at, "loop").node) {
      rc = read_other(&at, ranks, s);
    } else {
      *s = (berth_step_t){.kind = BERTH_STEP_LOOP};
      rc = json_get_u64(&at, "loop", JSON_NEEDED, 1, JSON_MAX_INT, &s->times);
      if (!rc) rc = read_steps(&at, ranks, depth + 1, to);
      to->items[here].steps = to->n - here - 1;
    }
  }
  return rc;
}

int pattern_read_steps(const json_place_t *of, int ranks, pattern_steps_t *to)
{
  to->n = 0;
  return read_steps(of, ranks, 0, to);
}

static void put_send(json_out_t *j, const berth_step_t *s)
{
  json_open(j, NULL, '[', JSON_COMPACT);
  json_put_u64(j, NULL, (uint64_t)s->peer);
  json_put_u64(j, NULL, s->size);
  json_put_u64(j, NULL, (uint64_t)s->mode);
  if (s->times != 1) json_put_u64(j, NULL, s->times);
  json_close(j);
}

/* The members of such a step. */
static void put_other(json_out_t *j, const berth_step_t *s)
{
  if (s->peer == BERTH_ANY_RANK)
    json_put_string(j, names[s->kind], NULL);
  else
    json_put_u64(j, names[s->kind], (uint64_t)s->peer);
  if (s->kind == BERTH_STEP_RECEIVE && s->mode == BERTH_RECEIVE_FIRST)
    json_put_bool(j, "first", true);
  if (s->kind == BERTH_STEP_FROM_ROOT) json_put_u64(j, "from", (uint64_t)s->root);
  if (s->kind == BERTH_STEP_TO_ROOT) json_put_u64(j, "to", (uint64_t)s->root);
  if (s->op) json_put_string(j, "op", s->op);
  if (s->op) json_put_u64(j, "bytes", s->size);
  if (s->kind >= BERTH_STEP_MEET && s->mode)
    json_put_bool(j, s->mode == BERTH_MEET_BEGINS ? "begins" : "ends", true);
  if (s->times != 1) json_put_u64(j, "times", s->times);
}

void pattern_put_steps(json_out_t *j, const berth_step_t *s, size_t n)
{
  json_open(j, "sends", '[', JSON_COMPACT);
  for (size_t i = 0; i < n; i++) {
    if (s[i].kind == BERTH_STEP_SEND) {
      put_send(j, &s[i]);
      continue;
    }
    json_open(j, NULL, '{', JSON_COMPACT);
    if (s[i].kind == BERTH_STEP_LOOP) {
      json_put_u64(j, "loop", s[i].times);
      pattern_put_steps(j, s + i + 1, s[i].steps);
      i += s[i].steps;
    } else {
      put_other(j, &s[i]);
    }
    json_close(j);
  }
  json_close(j);
}
