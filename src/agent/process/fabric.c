/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/process/fabric.h"

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/process/knock.h"

enum { RECEIVES = 64, SENDS = 64, COMPLETIONS = 16 };

/* A packet under way, or waiting for a message. */
typedef struct slot {
  struct fi_context2 context; /* first: libfabric gives it back */
  bool receives;
  int agent; /* to whom it is sent */
  struct slot *next;
  packet_t *packet;
} slot_t;

typedef struct peer {
  fi_addr_t number;
  char address[DESK_ADDRESS];
  knock_t knock;
  bool gone;
} peer_t;

struct fabric {
  fabric_user_t user;
  struct fi_info *info;
  struct fid_fabric *fabric;
  struct fid_domain *domain;
  struct fid_av *av;
  struct fid_cq *cq;
  struct fid_ep *ep;
  struct fid_mr *mr;
  char address[DESK_ADDRESS];
  size_t address_bytes;
  int file, own, agents;
  unsigned char secret[DESK_SECRET];
  peer_t *peer; /* the other agents */
  packet_t *packets;
  slot_t slot[RECEIVES + SENDS];
  slot_t *idle;          /* for sends */
  slot_t *first, **last; /* sends that libfabric couldn't take yet */
};

static bool failed(int rc, const char *what, char *why)
{
  if (rc >= 0) return false;
  snprintf(why, DESK_WHY, "%.90s: %.60s", what, fi_strerror(-rc));
  return true;
}

static bool find_provider(fabric_t *f, const char *provider, char *why)
{
  struct fi_info *hints = fi_allocinfo();
  if (!hints) return !failed(-FI_ENOMEM, "libfabric", why);
  hints->caps = FI_MSG;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->fabric_attr->prov_name = strdup(provider ? provider : "tcp;ofi_rxm");
  int rc = fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &f->info);
  fi_freeinfo(hints);
  char what[DESK_WHY];
  snprintf(what, sizeof what, "libfabric's provider %.60s", provider ? provider : "tcp");
  if (rc == -FI_ENODATA) {
    snprintf(why, DESK_WHY, "%.90s: not there; fi_info lists those that are", what);
    return false;
  }
  return !failed(rc, what, why);
}

static bool open_endpoint(fabric_t *f, char *why)
{
  struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_FD};
  struct fi_av_attr av = {.type = FI_AV_TABLE};
  int rc = fi_fabric(f->info->fabric_attr, &f->fabric, NULL);
  if (rc >= 0) rc = fi_domain(f->fabric, f->info, &f->domain, NULL);
  if (rc >= 0) rc = fi_av_open(f->domain, &av, &f->av, NULL);
  if (rc >= 0) rc = fi_cq_open(f->domain, &cq, &f->cq, NULL);
  if (rc >= 0) rc = fi_endpoint(f->domain, f->info, &f->ep, NULL);
  if (rc >= 0) rc = fi_ep_bind(f->ep, &f->av->fid, 0);
  if (rc >= 0) rc = fi_ep_bind(f->ep, &f->cq->fid, FI_SEND | FI_RECV);
  if (rc >= 0) rc = fi_enable(f->ep);
  if (failed(rc, "an endpoint of libfabric", why)) return false;
  f->address_bytes = sizeof f->address;
  rc = fi_getname(&f->ep->fid, f->address, &f->address_bytes);
  if (failed(rc, "its address", why)) return false;
  if (fi_control(&f->cq->fid, FI_GETWAIT, &f->file) < 0) f->file = -1;
  return true;
}

/* All packets, in memory that the network may read and write. */
static bool make_packets(fabric_t *f, char *why)
{
  const size_t n = RECEIVES + SENDS;
  f->packets = aligned_alloc(4096, n * sizeof *f->packets);
  if (!f->packets) return !failed(-FI_ENOMEM, "packets", why);
  if (f->info->domain_attr->mr_mode & FI_MR_LOCAL) {
    int rc = fi_mr_reg(f->domain, f->packets, n * sizeof *f->packets, FI_SEND | FI_RECV, 0, 1, 0,
                       &f->mr, NULL);
    if (failed(rc, "memory for packets", why)) return false;
  }
  for (size_t i = 0; i < n; i++) {
    slot_t *s = &f->slot[i];
    s->packet = &f->packets[i];
    s->receives = i < RECEIVES;
    if (s->receives) continue;
    s->next = f->idle;
    f->idle = s;
  }
  f->last = &f->first;
  return true;
}

static int receive_into(fabric_t *f, slot_t *s)
{
  void *desc = f->mr ? fi_mr_desc(f->mr) : NULL;
  return (int)fi_recv(f->ep, s->packet, sizeof *s->packet, desc, FI_ADDR_UNSPEC, &s->context);
}

fabric_t *fabric_open(const char *provider, const fabric_user_t *user, char *why)
{
  fabric_t *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->user = *user;
  f->file = -1;
  bool open = find_provider(f, provider, why) && open_endpoint(f, why) && make_packets(f, why);
  for (int i = 0; i < RECEIVES && open; i++)
    open = !failed(receive_into(f, &f->slot[i]), "receiving packets", why);
  if (open) return f;
  fabric_close(f);
  return NULL;
}

void fabric_close(fabric_t *f)
{
  if (!f) return;
  if (f->ep) fi_close(&f->ep->fid);
  if (f->mr) fi_close(&f->mr->fid);
  if (f->cq) fi_close(&f->cq->fid);
  if (f->av) fi_close(&f->av->fid);
  if (f->domain) fi_close(&f->domain->fid);
  if (f->fabric) fi_close(&f->fabric->fid);
  if (f->info) fi_freeinfo(f->info);
  for (int i = 0; i < f->agents; i++) knock_end(&f->peer[i].knock);
  free(f->packets);
  free(f->peer);
  free(f);
}

void fabric_address(const fabric_t *f, char *out) { memcpy(out, f->address, sizeof f->address); }

bool fabric_meet(fabric_t *f, int agents, int own, const char *addresses,
                 const unsigned char *secret, char *why)
{
  f->peer = calloc((size_t)agents, sizeof *f->peer);
  if (!f->peer) return !failed(-FI_ENOMEM, "addresses", why);
  memcpy(f->secret, secret, sizeof f->secret);
  f->own = own;
  f->agents = agents;
  for (int i = 0; i < agents; i++) f->peer[i].knock.file = -1;
  for (int i = 0; i < agents; i++) {
    peer_t *p = &f->peer[i];
    memcpy(p->address, addresses + (size_t)i * DESK_ADDRESS, DESK_ADDRESS);
    int rc = fi_av_insert(f->av, p->address, 1, &p->number, 0, NULL);
    if (failed(rc == 1 ? 0 : rc < 0 ? rc : -FI_EINVAL, "the address of another agent", why))
      return false;
  }
  return true;
}

packet_t *fabric_packet(fabric_t *f) { return f->idle ? f->idle->packet : NULL; }

/* 0, or what libfabric says. */
static int try_send(fabric_t *f, slot_t *s)
{
  void *desc = f->mr ? fi_mr_desc(f->mr) : NULL;
  size_t bytes = sizeof s->packet->head + s->packet->head.bytes;
  return (int)fi_send(f->ep, s->packet, bytes, desc, f->peer[s->agent].number, &s->context);
}

static void give_back(fabric_t *f, slot_t *s)
{
  s->next = f->idle;
  f->idle = s;
}

/* Drops what waits for an agent. */
static void give_up(fabric_t *f, int agent)
{
  slot_t *kept = NULL, **last = &kept;
  f->peer[agent].gone = true;
  while (f->first) {
    slot_t *s = f->first;
    f->first = s->next;
    if (s->agent == agent) {
      give_back(f, s);
      continue;
    }
    s->next = NULL;
    *last = s;
    last = &s->next;
  }
  f->first = kept;
  f->last = kept ? last : &f->first;
}

bool fabric_is_gone(fabric_t *f, int agent)
{
  peer_t *p = &f->peer[agent];
  return p->gone || knock_refused(&p->knock, p->address);
}

void fabric_lose(fabric_t *f, int agent)
{
  give_up(f, agent);
  f->user.unreachable(f->user.with, agent);
}

/* Sends what waits, in its order. Whether any of it went. */
static bool send_waiting(fabric_t *f)
{
  bool sent = false;
  while (f->first) {
    slot_t *s = f->first;
    int rc = try_send(f, s);
    if (rc == -FI_EAGAIN) break;
    f->first = s->next;
    if (!f->first) f->last = &f->first;
    sent = true;
    if (rc < 0) {
      int agent = s->agent;
      give_back(f, s);
      fabric_lose(f, agent);
    }
  }
  return sent;
}

void fabric_send(fabric_t *f, int agent, packet_t *p)
{
  slot_t *s = f->idle; /* whose packet it is */
  if (f->peer[agent].gone) {
    f->user.unreachable(f->user.with, agent);
    return;
  }
  f->idle = s->next;
  memcpy(p->head.secret, f->secret, sizeof f->secret);
  p->head.from = (uint32_t)f->own;
  s->agent = agent;
  s->next = NULL;
  *f->last = s;
  f->last = &s->next;
  send_waiting(f);
}

/* A packet from somebody who doesn't know the secret is none. */
static bool is_own(const fabric_t *f, const packet_t *p, size_t bytes)
{
  unsigned char differs = 0;
  if (bytes < sizeof p->head) return false;
  for (int i = 0; i < DESK_SECRET; i++) differs |= p->head.secret[i] ^ f->secret[i];
  return !differs && p->head.from < (uint32_t)f->agents && p->head.bytes == bytes - sizeof p->head;
}

static void complete(fabric_t *f, slot_t *s, size_t bytes, bool good)
{
  if (!s->receives) {
    int agent = s->agent;
    give_back(f, s);
    if (!good) fabric_lose(f, agent);
    return;
  }
  if (good && f->agents && is_own(f, s->packet, bytes)) f->user.received(f->user.with, s->packet);
  receive_into(f, s);
}

bool fabric_progress(fabric_t *f)
{
  struct fi_cq_msg_entry e[COMPLETIONS];
  struct fi_cq_err_entry error = {0};
  bool any = send_waiting(f);
  ssize_t n = fi_cq_read(f->cq, e, COMPLETIONS);
  for (ssize_t i = 0; i < n; i++) complete(f, e[i].op_context, e[i].len, true);
  if (n == -FI_EAVAIL && fi_cq_readerr(f->cq, &error, 0) > 0 && error.op_context)
    complete(f, error.op_context, 0, false);
  return any || n > 0 || n == -FI_EAVAIL;
}

bool fabric_may_sleep(fabric_t *f, int *file)
{
  struct fid *waits[] = {&f->cq->fid};
  *file = f->file;
  return f->file < 0 || fi_trywait(f->fabric, waits, 1) == FI_SUCCESS;
}
