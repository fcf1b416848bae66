/* SPDX-License-Identifier: BSD-3-Clause */
/* What the members of a team (berth/team.h) tell each other: numbers, bytes, and how calls ended.
 * All of a team make the same of these calls, but for team_send and team_receive. */
#ifndef BERTH_TEAM_TEAM_H
#define BERTH_TEAM_TEAM_H

#include <berth/team.h>
#include <stdint.h>

/* The largest of all members' numbers. Where members can't reach each other, the team has failed
 * and the number is this member's own. */
uint64_t team_maximum(berth_team_t *team, uint64_t number);

/* Gives all members the n bytes that member `from` has in data. */
void team_broadcast(berth_team_t *team, int from, void *data, size_t n);

/* Sends a member bytes or, where rc isn't BERTH_OK, the error in *err. The other one receives
 * either, or an error of its own; *bytes is the caller's to free, and NULL with an error or without
 * bytes. Both return the error. */
int team_send(const berth_team_t *team, int to, const void *bytes, size_t n, int rc,
              berth_error_t *err);
int team_receive(const berth_team_t *team, int from, unsigned char **bytes, size_t *n,
                 berth_error_t *err);

#endif
