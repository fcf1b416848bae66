/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of a resource by the number of equal messages that cross it. */
#ifndef BERTH_COST_DENSE_DENSE_TABLE_H
#define BERTH_COST_DENSE_DENSE_TABLE_H

#include <stddef.h>

typedef struct dense_table {
  double time, bytes, capacity; /* of one message; of the resource */
  size_t n;
  double *cost; /* [messages], from 0 to n - 1 */
} dense_table_t;

/* Makes the table for up to `senders` messages. NULL in cost: memory is out. */
dense_table_t dense_table_new(double time, double bytes, double capacity, size_t senders);

/* The cost of so many messages, of one sender each; between whole numbers it is interpolated. It is
 * that of one message if they are fewer. */
double dense_table_cost(const dense_table_t *t, double messages);

#endif
