/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between the members of a team (berth/team.h): numbers, bytes and outcomes. All calls
 * but team_send and team_receive are collective. */
#ifndef BERTH_TEAM_TEAM_H
#define BERTH_TEAM_TEAM_H

#include <berth/team.h>
#include <stdint.h>

/* The maximum of all members' numbers. If members can't reach each other, the team has failed
 * and the result is this member's number. */
uint64_t team_maximum(berth_team_t *team, uint64_t number);

/* Copies the n bytes at `data` from member `from` to all members. */
void team_broadcast(berth_team_t *team, int from, void *data, size_t n);

/* Sends bytes to a member, or the error in *err if rc isn't BERTH_OK. The receiver gets either,
 * or an error of its own. It frees *bytes, which is NULL with an error or without bytes. Both
 * return the error. */
int team_send(const berth_team_t *team, int to, const void *bytes, size_t n, int rc,
              berth_error_t *err);
int team_receive(const berth_team_t *team, int from, unsigned char **bytes, size_t *n,
                 berth_error_t *err);

#endif
