/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of a team, by messages along binomial trees. */
#include "team/team.h"

#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"

uint64_t team_maximum(berth_team_t *team, uint64_t number)
{
  uint64_t largest = number, theirs;
  int step = 1;
  for (; step < team->size && !(team->rank & step) && !team->failed; step <<= 1)
    if (step < team->size - team->rank) {
      team->failed = team->receive(team->context, team->rank + step, &theirs, sizeof theirs) != 0;
      if (!team->failed && theirs > largest) largest = theirs;
    }
  if (team->rank && !team->failed)
    team->failed = team->send(team->context, team->rank - step, &largest, sizeof largest) != 0;
  team_broadcast(team, 0, &largest, sizeof largest);
  return team->failed ? number : largest;
}

void team_broadcast(berth_team_t *team, int from, void *data, size_t n)
{
  int size = team->size, number = (team->rank - from + size) % size, step = 1;
  while (step < size && !(number & step)) step <<= 1;
  if (number && !team->failed)
    team->failed = team->receive(team->context, (number - step + from) % size, data, n) != 0;
  for (step >>= 1; step && !team->failed; step >>= 1)
    if (step < size - number)
      team->failed = team->send(team->context, (number + step + from) % size, data, n) != 0;
}

int berth_team_agree(berth_team_t *team, int rc, berth_error_t *err)
{
  if (!team) return rc;
  if (team->failed)
    return rc ? rc : berth_fail(err, BERTH_MISSING, "another process failed before");
  uint64_t found = team_maximum(team, rc ? (uint64_t)(team->size - team->rank) : 0);
  if (team->failed)
    return rc ? rc : berth_fail(err, BERTH_MISSING, "the processes can't reach each other");
  if (!found) return BERTH_OK;
  int first = team->size - (int)found;
  berth_error_t told = {.code = rc};
  if (err && rc) memcpy(told.text, err->text, sizeof told.text);
  team_broadcast(team, first, &told, sizeof told);
  team->failed = 1;
  if (first == 0) return berth_fail(err, told.code, "%s", told.text);
  return berth_fail(err, told.code, "process %d: %s", first, told.text); /* process 0 didn't fail */
}

/* Precedes the bytes of a message, or the text of its error. */
typedef struct message_head {
  uint64_t bytes;
  int64_t rc;
} message_head_t;

static int out_of_reach(berth_error_t *err)
{
  return berth_fail(err, BERTH_MISSING, "ranks cannot send each other what they counted");
}

int team_send(const berth_team_t *team, int to, const void *bytes, size_t n, int rc,
              berth_error_t *err)
{
  const char *text = err ? err->text : "";
  message_head_t head = {rc ? strlen(text) : n, rc};
  int failed = team->send(team->context, to, &head, sizeof head);
  if (!failed && head.bytes) failed = team->send(team->context, to, rc ? text : bytes, head.bytes);
  return rc || !failed ? rc : out_of_reach(err);
}

int team_receive(const berth_team_t *team, int from, unsigned char **bytes, size_t *n,
                 berth_error_t *err)
{
  message_head_t head;
  *bytes = NULL;
  *n = 0;
  if (team->receive(team->context, from, &head, sizeof head)) return out_of_reach(err);
  if (!head.bytes && !head.rc) return BERTH_OK;
  unsigned char *room = malloc(head.bytes + 1);
  if (head.bytes && team->receive(team->context, from, room, head.bytes)) {
    free(room);
    return out_of_reach(err);
  }
  if (!room) return no_memory(err);
  room[head.bytes] = '\0';
  if (head.rc) {
    int rc = berth_fail(err, (int)head.rc, "%s", (char *)room);
    free(room);
    return rc;
  }
  *bytes = room;
  *n = head.bytes;
  return BERTH_OK;
}
