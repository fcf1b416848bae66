/* SPDX-License-Identifier: BSD-3-Clause */
/* inject: takes a core for 1 ms in every 20 ms, before all other programs.
 *
 *   cc -O2 -D_GNU_SOURCE inject.c -o inject; ./inject PU    # as root, until it is ended */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void add(struct timespec *t, long ns)
{
  t->tv_nsec += ns;
  if (t->tv_nsec >= 1000000000) {
    t->tv_nsec -= 1000000000;
    t->tv_sec++;
  }
}

static int before(const struct timespec *a, const struct timespec *b)
{
  return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

int main(int argc, char **argv)
{
  enum { PERIOD = 20000000, BUSY = 1000000 };
  struct sched_param first = {.sched_priority = 1};
  struct timespec next, now, end;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &set);
  if (sched_setaffinity(0, sizeof set, &set) || sched_setscheduler(0, SCHED_FIFO, &first)) {
    perror("inject");
    return 1;
  }
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (;;) {
    add(&next, PERIOD);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    end = now;
    add(&end, BUSY);
    while (before(&now, &end)) clock_gettime(CLOCK_MONOTONIC, &now);
  }
}
