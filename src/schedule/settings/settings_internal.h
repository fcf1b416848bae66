/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of each MPI. */
#ifndef BERTH_SCHEDULE_SETTINGS_INTERNAL_H
#define BERTH_SCHEDULE_SETTINGS_INTERNAL_H

#include "schedule/settings/settings.h"

const schedule_setting_t *settings_openmpi(size_t *n);
const schedule_setting_t *settings_mpich(size_t *n);

#endif
