/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between agents, of any length, in packets (fabric.h). A message is known by the
 * structure and the call that it belongs to, and by its number among those of its sender in this
 * call: its receiver finds it by that, whatever comes first. Short messages are sent at once; long
 * ones, and all of persistent requests, when their receiver has a place for them: who starts these
 * again and again may be ahead of others by any number of calls. */
#ifndef BERTH_AGENT_WIRE_H
#define BERTH_AGENT_WIRE_H

#include "agent/process/fabric.h"

typedef struct wire wire_t;

/* Which message. */
typedef struct wire_key {
  int agent;            /* the other one */
  uint32_t own, theirs; /* the structure's number here and there */
  uint32_t stream, call, index;
} wire_key_t;

/* Called when a message is complete. It may be so at once. */
typedef void wire_done_t(void *with);

typedef struct wire_user {
  void *with;
  /* An agent has begun a call. False: there is no such structure any more. */
  bool (*begun)(void *with, const wire_key_t *k);
  void (*failed)(void *with, uint32_t structure); /* an agent gives a structure up */
  void (*lost)(void *with,
               int agent); /* an agent is unreachable, or has been silent for too long */
} wire_user_t;

/* NULL: `why` says why, in DESK_WHY bytes. */
wire_t *wire_open(const char *provider, double patience, const wire_user_t *user, char *why);
void wire_close(wire_t *w);
void wire_address(const wire_t *w, char *out);
bool wire_meet(wire_t *w, int agents, int own, const char *addresses, const unsigned char *secret,
               char *why);

/* False: memory is out. Data stay until the message is done. */
bool wire_send(wire_t *w, const wire_key_t *k, const void *data, size_t bytes, wire_done_t *done,
               void *with);
bool wire_receive(wire_t *w, const wire_key_t *k, void *data, size_t bytes, wire_done_t *done,
                  void *with);
/* Tells another agent that this one has begun, or has given up. */
void wire_tell(wire_t *w, packet_kind_t kind, const wire_key_t *k);
/* Forgets all messages of a structure; none of them will be done. */
void wire_forget(wire_t *w, uint32_t structure);

/* Whether anything happened. */
bool wire_progress(wire_t *w);
bool wire_may_sleep(wire_t *w, int *file);
/* Now and then: asks agents that somebody waits for for a sign of life. */
void wire_watch(wire_t *w, double now);
/* Whether all that was sent has left. */
bool wire_is_quiet(const wire_t *w);

#endif
