/* SPDX-License-Identifier: BSD-3-Clause */
/* An agent's endpoint in the network: packets to and from other agents, by libfabric. Packets
 * arrive, in any order, or their receiver is unreachable. */
#ifndef BERTH_AGENT_FABRIC_H
#define BERTH_AGENT_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/desk.h"

typedef enum packet_kind {
  PACKET_DATA,   /* `bytes` of a message of `total`, from `at` on */
  PACKET_READY,  /* its sender has a place for that message */
  PACKET_BEGUN,  /* its sender has begun that call */
  PACKET_FAILED, /* its sender gives up the structure */
  PACKET_PING,
  PACKET_PONG
} packet_kind_t;

typedef struct packet_head {
  unsigned char secret[DESK_SECRET];
  uint32_t kind, from;      /* packet_kind_t, the agent */
  uint32_t structure, call; /* the receiver's number of the structure */
  uint32_t index, bytes;
  uint64_t at, total;
  uint32_t stream, unused;
} packet_head_t;

/* With its head, a packet is as long as what libfabric's provider for TCP copies at once. */
enum { PACKET_ALL = 16384, PACKET_DATA_BYTES = PACKET_ALL - (int)sizeof(packet_head_t) };

typedef struct packet {
  packet_head_t head;
  char data[PACKET_DATA_BYTES];
} packet_t;

typedef struct fabric fabric_t;

/* Who hears of packets. */
typedef struct fabric_user {
  void *with;
  void (*received)(void *with, const packet_t *p);
  void (*unreachable)(void *with, int agent);
} fabric_user_t;

/* `provider`: libfabric's name, or NULL: TCP. NULL: `why` says why, in DESK_WHY bytes. */
fabric_t *fabric_open(const char *provider, const fabric_user_t *user, char *why);
void fabric_close(fabric_t *f);

/* Writes its address, at most DESK_ADDRESS bytes. */
void fabric_address(const fabric_t *f, char *out);
/* The addresses of all agents, and which one this is. False: `why` says why. */
bool fabric_meet(fabric_t *f, int agents, int own, const char *addresses,
                 const unsigned char *secret, char *why);

/* An agent is taken for unreachable, and the user hears of it: what waits for it is dropped, and so
 * is all that is sent later. */
void fabric_lose(fabric_t *f, int agent);
/* Whether an agent is known to have ended. To be asked again and again. */
bool fabric_is_gone(fabric_t *f, int agent);

/* A packet to fill; NULL: all are under way. */
packet_t *fabric_packet(fabric_t *f);
/* Sends it. The head's secret and `from` are filled. */
void fabric_send(fabric_t *f, int agent, packet_t *p);

/* Looks for what has come and gone. Whether anything has. */
bool fabric_progress(fabric_t *f);
/* A file to poll for input before fabric_progress; -1: poll in vain. False: don't sleep now. */
bool fabric_may_sleep(fabric_t *f, int *file);

#endif
