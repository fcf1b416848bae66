/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at files: where a program is, what kind of launcher it is, what it is linked with. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "launch/launch_internal.h"

static bool is_program(const char *path)
{
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *launch_find_program(const char *name)
{
  if (strchr(name, '/')) return is_program(name) ? strdup(name) : NULL;
  const char *dirs = getenv("PATH");
  if (!dirs) dirs = "/usr/local/bin:/bin:/usr/bin";
  while (*name && dirs) {
    size_t n = strcspn(dirs, ":");
    char *path = text_printf("%.*s%s%s", (int)n, dirs, n ? "/" : "./", name);
    if (path && is_program(path)) return path;
    free(path);
    dirs = dirs[n] ? dirs + n + 1 : NULL;
  }
  return NULL;
}

size_t launch_program_word(const launch_t *l, const launch_context_t *c)
{
  size_t behind = 0;
  if (launch_skip_wrappers(c->end - c->program, l->argv + c->program, &behind, NULL))
    return c->program;
  return c->program + behind;
}

char *launch_program_file(const launch_t *l, const launch_context_t *c)
{
  const char *program = l->argv[launch_program_word(l, c)];
  bool relative = program[0] != '/' && strchr(program, '/');
  char *in_folder = relative && c->folder ? text_printf("%s/%s", c->folder, program) : NULL;
  char *found = launch_find_program(in_folder ? in_folder : program);
  char *path = found ? realpath(found, NULL) : NULL;
  free(in_folder);
  free(found);
  return path;
}

/* Starts argv with its output going to a pipe; -1 when that fails. */
static int start_for_output(char *const *argv, pid_t *pid)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  int rc = posix_spawn(pid, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (rc == 0) return ends[0];
  close(ends[0]);
  return -1;
}

bool launch_output_of(char *const *argv, char *buf, size_t size)
{
  pid_t pid;
  int fd = start_for_output(argv, &pid);
  *buf = '\0';
  if (fd < 0) return false;
  size_t used = 0;
  for (char rest[4096];;) {
    bool full = used + 1 >= size; /* the rest is read and dropped: the child isn't to be stopped */
    ssize_t n = full ? read(fd, rest, sizeof rest) : read(fd, buf + used, size - 1 - used);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    if (!full) used += (size_t)n;
  }
  buf[used] = '\0';
  close(fd);
  int status;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return true;
}

/* The program interpreter (dynamic loader) of an ELF file; "" when it has none. True of an ELF
 * file. */
static bool elf_interpreter(const char *path, char *interpreter, size_t size)
{
  *interpreter = '\0';
  FILE *f = fopen(path, "rb");
  Elf64_Ehdr head;
  bool elf = f && fread(&head, sizeof head, 1, f) == 1 &&
             memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
             head.e_phentsize == sizeof(Elf64_Phdr);
  for (int i = 0; elf && i < head.e_phnum; i++) {
    Elf64_Phdr segment;
    long at = (long)(head.e_phoff + (Elf64_Off)i * sizeof segment);
    if (fseek(f, at, SEEK_SET) != 0 || fread(&segment, sizeof segment, 1, f) != 1) break;
    if (segment.p_type != PT_INTERP || segment.p_filesz >= size) continue;
    if (fseek(f, (long)segment.p_offset, SEEK_SET) == 0) {
      size_t n = fread(interpreter, 1, segment.p_filesz, f);
      interpreter[n] = '\0';
    }
    break;
  }
  if (f) fclose(f);
  return elf;
}

/* The loader's list has one line for each library: "	libmpi.so.40 => /lib/… (0x…)". */
static bool lists(const char *output, const char *library)
{
  char *line = text_printf("\t%s", library);
  bool found = line && strstr(output, line);
  free(line);
  return found;
}

static void read_list(const char *output, launch_needs_t *needs)
{
  static const struct {
    const char *library;
    launch_mpi_t mpi;
  } known[] = {
      {"libmpi.so.40 ", LAUNCH_MPI_OPENMPI},
      {"libmpich.so.12 ", LAUNCH_MPI_MPICH},
      {"libmpi.so.12 ", LAUNCH_MPI_MPICH}, /* MPICH's own name for it, and its ABI */
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (lists(output, known[i].library)) needs->mpi = known[i].mpi;
}

int launch_program_needs(size_t n_words, const char *const *words, launch_needs_t *needs,
                         berth_error_t *err)
{
  *needs = (launch_needs_t){0};
  size_t at;
  int rc = launch_skip_wrappers(n_words, words, &at, err);
  if (rc) return rc;
  char *path = launch_find_program(words[at]);
  if (!path) return berth_fail(err, BERTH_MISSING, "%s: found no such program", words[at]);
  char interpreter[256], list[] = "--list", *output = malloc(1 << 16);
  bool elf = elf_interpreter(path, interpreter, sizeof interpreter);
  needs->dynamic = *interpreter != '\0';
  needs->is_static = elf && !needs->dynamic;
  char *argv[] = {interpreter, list, path, NULL};
  if (output && *interpreter && launch_output_of(argv, output, 1 << 16)) read_list(output, needs);
  free(output);
  free(path);
  return BERTH_OK;
}
