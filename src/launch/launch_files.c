/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a program's file and what it is linked with, and a launcher's kind. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
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

/* Reads the program interpreter (dynamic loader) of an ELF file; "" if it has none. Returns
 * whether it is an ELF file. */
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

/* The loader prints a line for each library: "    libmpi.so.40 => /lib/… (0x…)". */
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
      {"libmpi.so.12 ", LAUNCH_MPI_MPICH}, /* MPICH's own name and its ABI */
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
  if (output && *interpreter && process_output(argv, output, 1 << 16)) read_list(output, needs);
  free(output);
  free(path);
  return BERTH_OK;
}
