/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child_pid;

static void pass_on(int signal_number)
{
  if (child_pid > 0) kill((pid_t)child_pid, signal_number);
}

int child_exec(char *const *argv, berth_error_t *err)
{
  execvp(argv[0], argv);
  return berth_fail(err, BERTH_MISSING, "%s: cannot start: %s", argv[0], strerror(errno));
}

/* What happens to each signal while a child runs: the terminal sends it the first two itself. */
static const struct {
  int number;
  void (*handler)(int);
} signals[] = {{SIGINT, SIG_IGN}, {SIGQUIT, SIG_IGN}, {SIGTERM, pass_on}, {SIGHUP, pass_on}};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

/* In the child: the errno of a failed start goes through the pipe, which closes on success. Our
 * handlers end with exec; what we ignore because our parent did stays ignored. */
static void start(char *const *argv, int pipe_end, const sigset_t *mask)
{
  sigprocmask(SIG_SETMASK, mask, NULL);
  execvp(argv[0], argv);
  int error = errno;
  ssize_t written = write(pipe_end, &error, sizeof error);
  _exit(written == sizeof error ? 127 : 126);
}

static int wait_for(pid_t pid)
{
  int status;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Forks with the signals held back until their handlers stand; returns fork's result. */
static pid_t fork_quietly(char *const *argv, int pipe_end, struct sigaction *old)
{
  sigset_t held, mask;
  sigemptyset(&held);
  for (int i = 0; i < N_SIGNALS; i++) sigaddset(&held, signals[i].number);
  sigprocmask(SIG_BLOCK, &held, &mask);
  pid_t pid = fork();
  if (pid == 0) start(argv, pipe_end, &mask);
  child_pid = pid;
  for (int i = 0; i < N_SIGNALS; i++) {
    struct sigaction action = {.sa_handler = signals[i].handler};
    sigaction(signals[i].number, NULL, &old[i]);
    if (old[i].sa_handler != SIG_IGN) sigaction(signals[i].number, &action, NULL);
  }
  sigprocmask(SIG_SETMASK, &mask, NULL);
  return pid;
}

/* The errno that the child sent, 0 when it was started. */
static int read_error(int pipe_end)
{
  int error = 0;
  ssize_t n;
  do n = read(pipe_end, &error, sizeof error);
  while (n < 0 && errno == EINTR);
  return n == sizeof error ? error : 0;
}

int child_run(char *const *argv, int *code, berth_error_t *err)
{
  int ends[2], error = 0;
  struct sigaction old[N_SIGNALS];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return berth_fail(err, BERTH_MISSING, "%s: cannot start: %s", argv[0], strerror(errno));
  pid_t pid = fork_quietly(argv, ends[1], old);
  if (pid < 0) error = errno;
  close(ends[1]);
  if (pid >= 0) error = read_error(ends[0]);
  close(ends[0]);
  *code = pid < 0 ? 127 : wait_for(pid);
  child_pid = 0;
  for (int i = 0; i < N_SIGNALS; i++) sigaction(signals[i].number, &old[i], NULL);
  if (!error) return BERTH_OK;
  return berth_fail(err, BERTH_MISSING, "%s: cannot start: %s", argv[0], strerror(error));
}

char *child_self(void) { return realpath("/proc/self/exe", NULL); }
