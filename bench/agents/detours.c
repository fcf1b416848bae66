/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes a core away from everybody else: detours CORE LENGTH_US EVERY_US.
 *
 * In every period of EVERY_US it takes LENGTH_US of the core's time, at a random moment. It has the
 * highest priority that the system gives: SCHED_FIFO, else nice -20. It ends with the process that
 * started it, or by SIGTERM, and prints "CORE HOW DETOURS SHARE": how is fifo or nice, and SHARE of
 * the time the core was its own. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST_US = 10000000 };

static volatile sig_atomic_t over;
static void stop(int signal)
{
  (void)signal;
  over = 1;
}

static int64_t now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void sleep_until(int64_t when)
{
  struct timespec t = {when / 1000000000, when % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* Whether the text is a number from `low` to MOST_US. */
static bool read_number(const char *text, long low, long *value)
{
  char *end;
  *value = strtol(text, &end, 10);
  return end != text && !*end && *value >= low && *value <= MOST_US;
}

static bool pin(long core)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  if (core >= CPU_SETSIZE) return false;
  CPU_SET(core, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

/* How, or NULL. */
static const char *take_priority(void)
{
  const struct sched_param highest = {sched_get_priority_max(SCHED_FIFO)};
  if (sched_setscheduler(0, SCHED_FIFO, &highest) == 0) return "fifo";
  return setpriority(PRIO_PROCESS, 0, -20) == 0 ? "nice" : NULL;
}

int main(int argc, char **argv)
{
  long core, length, every;
  if (argc != 4 || !read_number(argv[1], 0, &core) || !read_number(argv[2], 1, &length) ||
      !read_number(argv[3], 1, &every) || length > every) {
    fprintf(stderr,
            "usage: detours CORE LENGTH_US EVERY_US, up to 10 s, the length at most the period\n");
    return 2;
  }
  signal(SIGTERM, stop);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  const char *how = take_priority();
  if (!how || !pin(core)) {
    fprintf(stderr, "detours: found no %s\n", how ? "such core" : "right to a high priority");
    return 4;
  }
  unsigned seed = (unsigned)core + 1;
  long detours = 0;
  int64_t begin = now(CLOCK_MONOTONIC);
  for (int64_t period = begin; !over; period += every * 1000) {
    sleep_until(period + (int64_t)((every - length) * 1e3 * rand_r(&seed) / RAND_MAX));
    int64_t used = now(CLOCK_THREAD_CPUTIME_ID);
    while (!over && now(CLOCK_THREAD_CPUTIME_ID) - used < length * 1000) {
    }
    detours++;
    sleep_until(period + every * 1000);
  }
  printf("%ld %s %ld %.4f\n", core, how, detours,
         (double)now(CLOCK_THREAD_CPUTIME_ID) / (double)(now(CLOCK_MONOTONIC) - begin));
  return 0;
}
