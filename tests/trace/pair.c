/* SPDX-License-Identifier: BSD-3-Clause */
/* A socket between two ranks, for MPI_Comm_join; to be called by C and Fortran. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;

static struct sockaddr_in here(int port)
{
  return (struct sockaddr_in){.sin_family = AF_INET,
                              .sin_port = (in_port_t)port,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* At the one: the port where it listens. */
void pair_listen_(int *port)
{
  struct sockaddr_in at = here(0);
  socklen_t length = sizeof at;
  listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&at, length) || listen(listener, 1) ||
      getsockname(listener, (struct sockaddr *)&at, &length))
    abort();
  *port = at.sin_port;
}

/* At the other, which need not wait for the one. */
void pair_connect_(const int *port, int *fd)
{
  struct sockaddr_in at = here(*port);
  *fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(*fd, (struct sockaddr *)&at, sizeof at)) abort();
}

/* At the one, afterwards. */
void pair_accept_(int *fd)
{
  *fd = accept(listener, NULL, NULL);
  close(listener);
  if (*fd < 0) abort();
}
