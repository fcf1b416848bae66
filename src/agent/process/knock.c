/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/process/knock.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void knock_end(knock_t *k)
{
  if (k->file >= 0) close(k->file);
  k->file = -1;
}

static socklen_t bytes_of(const struct sockaddr *address)
{
  if (address->sa_family == AF_INET) return sizeof(struct sockaddr_in);
  return address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : 0;
}

/* Begins; the error that there is at once. */
static int begin(knock_t *k, const char *address)
{
  struct sockaddr_storage to;
  struct sockaddr *generic = (struct sockaddr *)&to;
  memcpy(&to, address, sizeof to);
  socklen_t bytes = bytes_of(generic);
  if (bytes == 0) return 0;
  k->file = socket(generic->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (k->file < 0) return 0;
  return connect(k->file, generic, bytes) == 0 ? 0 : errno;
}

bool knock_refused(knock_t *k, const char *address)
{
  int error = 0;
  if (k->file < 0) {
    error = begin(k, address);
  } else {
    socklen_t bytes = sizeof error;
    struct pollfd made = {.fd = k->file, .events = POLLOUT};
    if (poll(&made, 1, 0) <= 0) return false;
    if (getsockopt(k->file, SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) error = 0;
  }
  if (error != EINPROGRESS) knock_end(k);
  return error == ECONNREFUSED;
}
