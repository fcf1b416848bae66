/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps what is recorded of either MPI. */
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MESSAGES = 1 << 16 };
static record_message_t messages[MOST_MESSAGES];
static size_t n_messages;
static char names[256];
static bool is_on;

bool record_is_on(void) { return is_on; }

void record_message(int destination, size_t bytes)
{
  if (!is_on) return;
  if (n_messages == MOST_MESSAGES) abort();
  messages[n_messages++] = (record_message_t){destination, bytes};
}

void record_name(const char *name)
{
  size_t used = strlen(names);
  snprintf(names + used, sizeof names - used, "%s%s", used ? " " : "", name);
}

const char *record_names(void) { return names; }

void record_start(void)
{
  n_messages = 0;
  *names = '\0';
  is_on = true;
}

const record_message_t *record_stop(size_t *n)
{
  is_on = false;
  *n = n_messages;
  return messages;
}
