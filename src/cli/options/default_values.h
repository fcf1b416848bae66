/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether values of the project file can be used: with a topology, and with the files that they
 * name. What is wrong is BERTH_BAD_INPUT and names the file, the line, the key and the value. */
#ifndef BERTH_CLI_OPTIONS_DEFAULT_VALUES_H
#define BERTH_CLI_OPTIONS_DEFAULT_VALUES_H

#include <berth/topo.h>

#include "project/project.h"

/* What errors call a value: ".berth.toml:2:12: topology". The caller frees it; NULL if memory is
 * out. */
char *default_value_name(const project_t *p, const project_value_t *v);

/* What the value of `collectives` stands for: a name of rules, or a file, seen from the working
 * folder. The caller frees it; NULL if memory is out. */
char *default_value_rules(const project_t *p, const project_value_t *v);

/* Whether there are rules of that name or such a file. `text` is the value as it stands in the
 * project file, `rules` what default_value_rules made of it. */
int default_rules_check(const char *name, const char *text, const char *rules, berth_error_t *err);

/* Whether the topology has the hosts (NULL: all), and a host of them has a core that `reserve`
 * leaves, where the project file gave these values. */
int default_values_fit(const berth_topo_t *t, const char *hosts, int reserve, berth_error_t *err);

/* Tries all values, each as the commands that take it would, and hands what is wrong with one to
 * `wrong`. Reads the files that values name. */
typedef void default_value_wrong_t(void *to, const char *text);
void default_values_try(const project_t *p, default_value_wrong_t *wrong, void *to);

#endif
