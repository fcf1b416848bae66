/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the files of modules, and of their debug information, for libdw. */
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"
#include "symbol/symbol_internal.h"

/* Call this only if there is a module: glibc ends the process if it has no memory for the
 * library. */
static void load_demangler(symbols_t *s)
{
  if (s->has_looked) return;
  s->has_looked = true;
  void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
  if (library) *(void **)&s->demangle = dlsym(library, "__cxa_demangle");
}

static bool has_build_id(Dwfl_Module *m, const char *expected)
{
  const unsigned char *bits;
  GElf_Addr address;
  int n = dwfl_module_build_id(m, &bits, &address);
  if (*expected == '\0') return true;
  if (n <= 0 || strlen(expected) != 2 * (size_t)n) return false;
  for (int i = 0; i < n; i++) {
    char digits[3];
    snprintf(digits, sizeof digits, "%02x", bits[i]);
    if (memcmp(digits, expected + 2 * i, 2) != 0) return false;
  }
  return true;
}

/* Opens a regular file for libdw. Returns -1 for other files, which are noted, and for missing
 * ones. Devices aren't opened, because that may have effects. */
static int open_regular(symbols_t *s, const char *path)
{
  struct stat st;
  if (stat(path, &st) != 0) return -1;
  int fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) return fd;
  if (fd >= 0) close(fd);
  if (S_ISREG(st.st_mode)) return -1;
  char why[64];
  snprintf(why, sizeof why, "found %s, expected a file", own_type_name(st.st_mode));
  symbol_unread_note(&s->unread, path, why);
  return -1;
}

/* A module may name the file with its debug information, or one that several share. libdw would
 * open any file. */
static int find_debug(Dwfl_Module *m, void **user, const char *name, Dwarf_Addr base,
                      const char *file, const char *link, GElf_Word crc, char **found)
{
  struct stat st;
  if (link && strchr(link, '/')) {
    char *real = realpath(link, NULL);
    bool known = real && *link == '/' && text_starts(real, "/usr/lib/debug/") &&
                 stat(real, &st) == 0 && S_ISREG(st.st_mode);
    free(real);
    if (!known) return -1;
  }
  return dwfl_build_id_find_debuginfo(m, user, name, base, file, link, crc, found);
}

/* Opens the module so that its addresses are offsets from its load address. */
static void open_file(symbols_t *s, module_t *m, const char *path)
{
  static char folder[] = "/usr/lib/debug", *debug_path = folder; /* not beside the module */
  static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                           .find_debuginfo = find_debug,
                                           .section_address = dwfl_offline_section_address,
                                           .debuginfo_path = &debug_path};
  int fd = open_regular(s, path);
  if (fd < 0) return;
  if (!(m->dwfl = dwfl_begin(&callbacks))) {
    close(fd);
    return;
  }
  dwfl_report_begin(m->dwfl);
  Dwfl_Module *found = dwfl_report_elf(m->dwfl, m->path, path, fd, 0, true);
  if (!found) close(fd);
  dwfl_report_end(m->dwfl, NULL, NULL);
  if (found && has_build_id(found, m->build_id)) m->found = found;
}

/* The path as a pattern for glob in which only '?' is special. A '?' stands for a byte that a
 * trace can't hold: not UTF-8, or a control character. The caller frees it. */
static char *path_pattern(const char *path)
{
  char *pattern = malloc(2 * strlen(path) + 1), *end = pattern;
  for (; pattern && *path; path++) {
    if (strchr("*[]\\", *path)) *end++ = '\\';
    *end++ = *path;
  }
  if (pattern) *end = '\0';
  return pattern;
}

/* A file with another name counts only if its build id is the traced one. */
void symbol_open(symbols_t *s, module_t *m)
{
  load_demangler(s);
  glob_t found = {0};
  open_file(s, m, m->path);
  if (m->found || !*m->build_id || !strchr(m->path, '?')) return;
  char *pattern = path_pattern(m->path);
  int rc = pattern ? glob(pattern, 0, NULL, &found) : GLOB_NOSPACE;
  for (size_t i = 0; rc == 0 && i < found.gl_pathc && !m->found; i++) {
    symbol_close(m);
    open_file(s, m, found.gl_pathv[i]);
  }
  if (rc == 0) globfree(&found);
  free(pattern);
}

void symbol_close(module_t *m)
{
  dwfl_end(m->dwfl);
  m->dwfl = NULL;
}
