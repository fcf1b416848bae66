/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/bell.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "rma/rma.h"

static int heard = -1, woken = -1;
static bell_t own, *all;
static uint32_t network[BELL_ADDRESSES], mask[BELL_ADDRESSES]; /* of this rank's addresses */

/* Addresses of interfaces that are up. */
static void list_addresses(void)
{
  struct ifaddrs *list;
  int n = 0;
  if (getifaddrs(&list) != 0) return;
  for (const struct ifaddrs *i = list; i && n < BELL_ADDRESSES; i = i->ifa_next) {
    if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !(i->ifa_flags & IFF_UP) ||
        i->ifa_flags & IFF_LOOPBACK || !i->ifa_netmask)
      continue;
    own.address[n] = ((const struct sockaddr_in *)(const void *)i->ifa_addr)->sin_addr.s_addr;
    mask[n] = ((const struct sockaddr_in *)(const void *)i->ifa_netmask)->sin_addr.s_addr;
    network[n] = own.address[n] & mask[n];
    n++;
  }
  freeifaddrs(list);
}

bool bell_open(void)
{
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
  socklen_t size = sizeof any;
  if (heard >= 0) return true;
  heard = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  woken = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  bool open = heard >= 0 && woken >= 0 && bind(heard, (struct sockaddr *)&any, sizeof any) == 0 &&
              getsockname(heard, (struct sockaddr *)&any, &size) == 0 &&
              getrandom(&own.secret, sizeof own.secret, 0) == sizeof own.secret;
  own.port = any.sin_port;
  list_addresses();
  if (!open) bell_close();
  return open;
}

void bell_close(void)
{
  if (heard >= 0) close(heard);
  if (woken >= 0) close(woken);
  heard = woken = -1;
  free(all);
  all = NULL;
}

const bell_t *bell_own(void)
{
  static const bell_t nowhere;
  own.machine = rma_job.hosts.machine[rma_job.rank];
  return bell_open() ? &own : &nowhere;
}

void bell_learn(int rank, const bell_t *its)
{
  if (!all) all = calloc((size_t)rma_job.n, sizeof *all);
  if (all && all[rank].port == 0) all[rank] = *its;
}

/* The address of another rank by which this one reaches it, as far as can be seen. */
static uint32_t address_of(const bell_t *other)
{
  if (other->machine == own.machine) return htonl(INADDR_LOOPBACK);
  for (int i = 0; i < BELL_ADDRESSES; i++)
    for (int k = 0; k < BELL_ADDRESSES && other->address[i]; k++)
      if (mask[k] && (other->address[i] & mask[k]) == network[k]) return other->address[i];
  return other->address[0];
}

void bell_ring(int rank)
{
  if (!all) return;
  const bell_t *other = &all[rank];
  struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = other->port, .sin_addr.s_addr = address_of(other)};
  if (to.sin_addr.s_addr == 0 || to.sin_port == 0) return;
  sendto(heard, &other->secret, sizeof other->secret, MSG_DONTWAIT | MSG_NOSIGNAL,
         (struct sockaddr *)&to, sizeof to);
}

void bell_wake(void)
{
  const uint64_t one = 1;
  if (write(woken, &one, sizeof one) < 0) return; /* it is awake already */
}

/* Whether there was a ring; empties the socket. */
static bool hear(void)
{
  uint64_t said;
  bool rang = false;
  while (recv(heard, &said, sizeof said, MSG_DONTWAIT) >= 0) rang |= said == own.secret;
  return rang;
}

bool bell_wait(double seconds)
{
  struct pollfd on[] = {{heard, POLLIN, 0}, {woken, POLLIN, 0}};
  const struct timespec most = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  uint64_t times;
  if (ppoll(on, 2, &most, NULL) <= 0) return false;
  bool rang = on[0].revents && hear();
  return (on[1].revents && read(woken, &times, sizeof times) > 0) || rang;
}
