/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts processes, reads from them and waits for their end. */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The process that process_run waits for; 0: none. */
static volatile sig_atomic_t in_front;

static void pass_on(int number)
{
  if (in_front > 0) kill((pid_t)in_front, number);
}

/* What process_run does about each signal while it waits. The terminal sends the first two to
 * the child itself. */
static const struct {
  int number;
  void (*handler)(int);
} signals[] = {{SIGINT, SIG_IGN}, {SIGQUIT, SIG_IGN}, {SIGTERM, pass_on}, {SIGHUP, pass_on}};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

/* Ends of pipes: [0] is read from. */
typedef struct pipes {
  int in[2], out[2], error[2];
} pipes_t;

static void close_pair(int pair[2])
{
  for (int i = 0; i < 2; i++) {
    if (pair[i] >= 0) close(pair[i]);
    pair[i] = -1;
  }
}

static void close_pipes(pipes_t *p)
{
  close_pair(p->in);
  close_pair(p->out);
  close_pair(p->error);
}

static int cannot_start(const char *name, int error, berth_error_t *err)
{
  return berth_fail(err, BERTH_MISSING, "%s: cannot start: %s", name, strerror(error));
}

static bool open_pipes(pipes_t *p, process_streams_t streams)
{
  *p = (pipes_t){{-1, -1}, {-1, -1}, {-1, -1}};
  if (pipe2(p->error, O_CLOEXEC) == 0 &&
      (streams == PROCESS_INHERITS || pipe2(p->out, O_CLOEXEC) == 0) &&
      (streams != PROCESS_BOTH || pipe2(p->in, O_CLOEXEC) == 0))
    return true;
  int error = errno;
  close_pipes(p);
  errno = error;
  return false;
}

static void replace(int stream, int by)
{
  if (by == stream) fcntl(by, F_SETFD, 0); /* keep it open: it has its number already */
  if (by >= 0 && by != stream) dup2(by, stream);
}

/* Runs in the child. A failed start sends its errno through the pipe, which closes on success. exec
 * ends this process's handlers. Signals that the parent ignored stay ignored, except SIGPIPE. */
static void start(char *const *argv, const pipes_t *p, process_streams_t streams,
                  const sigset_t *mask)
{
  if (streams == PROCESS_FROM || streams == PROCESS_QUIETLY)
    replace(STDIN_FILENO, open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (streams == PROCESS_QUIETLY) replace(STDERR_FILENO, open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (streams != PROCESS_INHERITS) signal(SIGPIPE, SIG_DFL);
  replace(STDIN_FILENO, p->in[0]);
  replace(STDOUT_FILENO, p->out[1]);
  if (mask) sigprocmask(SIG_SETMASK, mask, NULL);
  execvp(argv[0], argv);
  int error = errno;
  ssize_t written = write(p->error[1], &error, sizeof error);
  _exit(written == sizeof error ? 127 : 126);
}

static process_end_t end_of(int status)
{
  if (WIFSIGNALED(status)) return (process_end_t){-1, WTERMSIG(status)};
  return (process_end_t){WEXITSTATUS(status), 0};
}

process_end_t process_wait(process_t *p)
{
  process_end_t end = {-1, 0};
  int status;
  pid_t found = -1;
  if (p->to >= 0) close(p->to);
  if (p->from >= 0) close(p->from);
  p->to = p->from = -1;
  if (p->pid > 0) do
      found = waitpid(p->pid, &status, 0);
    while (found < 0 && errno == EINTR);
  if (found > 0) end = end_of(status);
  p->pid = 0;
  return end;
}

bool process_has_ended(process_t *p, process_end_t *end)
{
  int status;
  pid_t found = waitpid(p->pid, &status, WNOHANG);
  if (found == 0) return false;
  *end = found > 0 ? end_of(status) : (process_end_t){-1, 0};
  p->pid = 0;
  return true;
}

/* Reads the errno that the child sent; 0 if it was started. */
static int read_error(int from)
{
  int error = 0;
  ssize_t n;
  do n = read(from, &error, sizeof error);
  while (n < 0 && errno == EINTR);
  return n == sizeof error ? error : 0;
}

/* Forks. `mask` is the child's signal mask; NULL keeps it. */
static int start_with(process_t *p, char *const *argv, process_streams_t streams,
                      const sigset_t *mask, berth_error_t *err)
{
  pipes_t pipes;
  *p = (process_t){0, -1, -1};
  if (!open_pipes(&pipes, streams)) return cannot_start(argv[0], errno, err);
  p->pid = fork();
  int error = p->pid < 0 ? errno : 0;
  if (p->pid == 0) start(argv, &pipes, streams, mask);
  close(pipes.error[1]);
  pipes.error[1] = -1;
  if (p->pid > 0) error = read_error(pipes.error[0]);
  if (!error) {
    p->to = pipes.in[1];
    p->from = pipes.out[0];
    pipes.in[1] = pipes.out[0] = -1;
  }
  close_pipes(&pipes);
  if (!error) return BERTH_OK;
  process_wait(p);
  return cannot_start(argv[0], error, err);
}

int process_start(process_t *p, char *const *argv, process_streams_t streams, berth_error_t *err)
{
  return start_with(p, argv, streams, NULL, err);
}

/* Signals whose handlers a part of this process drops, so that a crash ends it. */
static const int own_signals[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,
                                  SIGABRT, SIGINT, SIGTERM, SIGHUP};

int process_start_part(process_t *p, void (*part)(int fd, void *context), void *context,
                       berth_error_t *err)
{
  int ends[2];
  *p = (process_t){0, -1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
    p->pid = fork();
    if (p->pid == 0) {
      close(ends[0]);
      for (size_t i = 0; i < sizeof own_signals / sizeof *own_signals; i++)
        signal(own_signals[i], SIG_DFL);
      part(ends[1], context);
      _exit(0);
    }
    int error = errno;
    close(ends[1]);
    p->to = ends[0];
    if (p->pid > 0) return BERTH_OK;
    process_wait(p);
    errno = error;
  }
  return berth_fail(err, BERTH_MISSING, "cannot start a process: %s", strerror(errno));
}

const char *process_end_text(process_end_t end, char *buf, size_t size)
{
  if (end.signal)
    snprintf(buf, size, "ended by signal %d", end.signal);
  else
    snprintf(buf, size, "ended with exit code %d", end.code);
  return buf;
}

int process_run(char *const *argv, int *code, berth_error_t *err)
{
  struct sigaction old[N_SIGNALS];
  sigset_t held, mask;
  process_t p;
  sigemptyset(&held);
  for (int i = 0; i < N_SIGNALS; i++) sigaddset(&held, signals[i].number);
  sigprocmask(SIG_BLOCK, &held, &mask); /* until the handlers are set */
  int rc = start_with(&p, argv, PROCESS_INHERITS, &mask, err);
  in_front = rc ? 0 : p.pid;
  for (int i = 0; i < N_SIGNALS; i++) {
    struct sigaction action = {.sa_handler = signals[i].handler};
    sigaction(signals[i].number, NULL, &old[i]);
    if (old[i].sa_handler != SIG_IGN) sigaction(signals[i].number, &action, NULL);
  }
  sigprocmask(SIG_SETMASK, &mask, NULL);
  process_end_t end = rc ? (process_end_t){127, 0} : process_wait(&p);
  *code = end.signal ? 128 + end.signal : end.code;
  in_front = 0;
  for (int i = 0; i < N_SIGNALS; i++) sigaction(signals[i].number, &old[i], NULL);
  return rc;
}

bool process_output(char *const *argv, char *buf, size_t size)
{
  process_t p;
  size_t used = 0;
  *buf = '\0';
  if (process_start(&p, argv, PROCESS_QUIETLY, NULL)) return false;
  for (char rest[4096];;) {
    bool full = used + 1 >= size; /* read and drop the rest, so that the child isn't blocked */
    ssize_t n = full ? read(p.from, rest, sizeof rest) : read(p.from, buf + used, size - 1 - used);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    if (!full) used += (size_t)n;
  }
  buf[used] = '\0';
  process_wait(&p);
  return true;
}

int process_become(char *const *argv, berth_error_t *err)
{
  execvp(argv[0], argv);
  return cannot_start(argv[0], errno, err);
}

char *process_self(void) { return realpath("/proc/self/exe", NULL); }
