/* SPDX-License-Identifier: BSD-3-Clause */
/* This process as one of an MPI job's. */
#ifndef BERTH_CLI_SEARCH_TEAM_H
#define BERTH_CLI_SEARCH_TEAM_H

#include <berth/team.h>

/* Joins the processes that this one was started with, by mpirun, mpiexec or srun, as the
 * environment tells; a team of one where there is no launcher. *team is this process's until it
 * ends, by exit or by return from main, which leaves the team: none ends before all do. */
int search_team_join(berth_team_t **team, berth_error_t *err);

/* What is printed between both is lost in all processes of the team but the first. NULL for the
 * team: nothing is. */
void search_team_hush(const berth_team_t *team);
void search_team_unhush(const berth_team_t *team);

/* Agrees with the others on how the work ended (berth_team_agree), as the last thing that can fail.
 */
int search_team_end(berth_team_t *team, int rc, berth_error_t *err);

#endif
