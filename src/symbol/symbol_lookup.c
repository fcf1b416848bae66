/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks an address up in DWARF scopes and lines, else in the symbol table. */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "symbol/symbol_internal.h"

static int nesting(char c, const char *open, const char *close)
{
  return (c && strchr(open, c)) - (c && strchr(close, c));
}

/* Removes the parameter list from a demangled name. It begins at the first parenthesis outside
 * of templates and lambdas that isn't part of a name. */
static void cut_parameters(char *name)
{
  int depth = 0;
  for (char *s = name; *s; s++) {
    if (text_starts(s, "operator")) {
      s += strlen("operator");
      s += text_starts(s, "()") ? 2 : strspn(s, "<>=-+*/%&|^!~");
      if (!*s) return;
    }
    depth += nesting(*s, "<{", ">}");
    if (*s != '(' || depth > 0) continue;
    if (text_starts(s, "(anonymous namespace)")) {
      s += strlen("(anonymous namespace)") - 1;
      continue;
    }
    *s = '\0';
    return;
  }
}

/* Removes the return type, which precedes names of templates. It ends at the last space outside
 * of brackets, before the name of an operator. */
static void cut_return_type(char *name)
{
  const char *start = name;
  int depth = 0;
  for (const char *s = name; *s; s++) {
    if (depth == 0 && text_starts(s, "operator")) break;
    depth += nesting(*s, "<{(", ">})");
    if (*s == ' ' && depth == 0) start = s + 1;
  }
  if (*start) memmove(name, start, strlen(start) + 1);
}

char *symbol_name(const symbols_t *s, const char *linkage_name)
{
  int status = -1;
  bool cxx = s->demangle && text_starts(linkage_name, "_Z");
  char *name = cxx ? s->demangle(linkage_name, NULL, NULL, &status) : NULL;
  if (!name || status != 0) return strdup(linkage_name);
  cut_parameters(name);
  cut_return_type(name);
  return name;
}

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static const char *string_attribute(Dwarf_Die *die, unsigned attribute)
{
  Dwarf_Attribute memory;
  return dwarf_formstring(dwarf_attr_integrate(die, attribute, &memory));
}

/* The name of a function's entry; "?" if it has none. */
static char *function_name(const symbols_t *s, Dwarf_Die *function)
{
  const char *linkage = string_attribute(function, DW_AT_linkage_name);
  if (!linkage) linkage = string_attribute(function, DW_AT_MIPS_linkage_name);
  const char *plain = dwarf_diename(function);
  return symbol_name(s, linkage ? linkage : plain ? plain : "?");
}

/* Where an inlined function was called in the function around it. */
static void call_place(Dwarf_Die *unit, Dwarf_Die *inlined, const char **file, int *line)
{
  Dwarf_Attribute memory;
  Dwarf_Word value;
  Dwarf_Files *files;
  size_t n;
  *file = "?";
  *line = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &memory), &value) == 0)
    *line = (int)value;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &memory), &value) == 0 &&
      dwarf_getsrcfiles(unit, &files, &n) == 0 && value < n) {
    const char *path = dwarf_filesrc(files, value, NULL, NULL);
    if (path) *file = path;
  }
}

static int put_line(const char *name, const char *file, int line, frame_put_t *put, void *context)
{
  char *text = text_printf("%s %s:%d", name, base_name(file), line);
  if (text) text_clean(text);
  int rc = text ? put(context, text) : -1;
  free(text);
  return rc ? -1 : 0;
}

static bool is_function(Dwarf_Die *die) { return dwarf_tag(die) == DW_TAG_subprogram; }

/* Finds the innermost function entry inside another one. Fortran's internal procedures are such
 * entries; their addresses aren't in the outer function's ranges. */
static bool find_internal(Dwarf_Die *around, Dwarf_Addr address, Dwarf_Die *found)
{
  Dwarf_Die child;
  if (dwarf_child(around, &child) != 0) return false;
  do {
    bool holds = dwarf_haspc(&child, address) > 0;
    if (holds) *found = child;
    bool may_hold = is_function(&child) || dwarf_tag(&child) == DW_TAG_module;
    if ((holds || may_hold) && find_internal(&child, address, found)) return true;
    if (holds) return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

/* The nested entries around an address. dwarf_getscopes doesn't do: from an inlined function it
 * goes on to where that was defined. */
static int nested_scopes(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
  Dwarf_Die *found = NULL, internal;
  int n = dwarf_getscopes(unit, address, &found);
  bool in_function = false;
  for (int i = 0; i < n; i++) in_function |= is_function(&found[i]);
  if (in_function)
    n = dwarf_getscopes_die(&found[0], scopes);
  else
    n = find_internal(unit, address, &internal) ? dwarf_getscopes_die(&internal, scopes) : 0;
  free(found);
  return n;
}

/* Puts the functions around an address, from the innermost inlined one to the function in the
 * code. */
static int put_scopes(const symbols_t *s, Dwarf_Die *unit, Dwarf_Addr address, const char *file,
                      int line, frame_put_t *put, void *context)
{
  Dwarf_Die *scopes = NULL;
  int n = nested_scopes(unit, address, &scopes), found = 0;
  for (int i = 0; i < n && found >= 0; i++) {
    int tag = dwarf_tag(&scopes[i]);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
    char *name = function_name(s, &scopes[i]);
    int rc = name ? put_line(name, file, line, put, context) : -1;
    free(name);
    found = rc ? -1 : found + 1;
    if (tag == DW_TAG_subprogram) break;
    call_place(unit, &scopes[i], &file, &line);
  }
  free(scopes);
  return found;
}

static int lookup_dwarf(const symbols_t *s, Dwfl_Module *m, Dwarf_Addr address, frame_put_t *put,
                        void *context)
{
  Dwarf_Addr bias;
  int line = 0;
  Dwarf_Die *unit = dwfl_module_addrdie(m, address, &bias);
  Dwfl_Line *source = dwfl_module_getsrc(m, address);
  const char *file = source ? dwfl_lineinfo(source, NULL, &line, NULL, NULL, NULL) : NULL;
  if (!unit || !file) return 0;
  return put_scopes(s, unit, address - bias, file, line, put, context);
}

/* Puts "function+0x34 module". The offset is the return address's, as in the stored frame. */
static int lookup_symbol(const symbols_t *s, const module_t *m, Dwarf_Addr address,
                         frame_put_t *put, void *context)
{
  GElf_Off offset;
  GElf_Sym symbol;
  const char *found = dwfl_module_addrinfo(m->found, address, &offset, &symbol, NULL, NULL, NULL);
  if (!found || GELF_ST_TYPE(symbol.st_info) == STT_OBJECT) return 0;
  if (symbol.st_size && offset >= symbol.st_size)
    return 0; /* the address lies behind the nearest symbol */
  char *name = symbol_name(s, found);
  char *text =
      name ? text_printf("%s+0x%llx %s", name, (unsigned long long)offset + 1, base_name(m->path))
           : NULL;
  if (text) text_clean(text);
  int rc = text ? put(context, text) : -1;
  free(name);
  free(text);
  return rc ? -1 : 1;
}

int symbol_lookup(const symbols_t *s, const module_t *m, uint64_t offset, frame_put_t *put,
                  void *context)
{
  if (offset == 0) return 0;
  Dwarf_Addr call = offset - 1; /* the call lies before its return address */
  int n = lookup_dwarf(s, m->found, call, put, context);
  return n ? n : lookup_symbol(s, m, call, put, context);
}
