/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/parameter.h"

#include <stdbool.h>
#include <string.h>

#include "spool/spool_record.h"
#include "trace/memory.h"
#include "trace/output.h"

enum { MOST_WORD = 4096, MOST_TEXT = 1 << 16 };

extern char **environ;

static bool starts(const char *s, const char *prefix)
{
  return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* "OMPI_MCA_coll" is the list of components. MPICH's launcher sets a host's name by itself. */
static bool is_parameter(const char *variable)
{
  return starts(variable, "OMPI_MCA_coll_") || starts(variable, "OMPI_MCA_coll=") ||
         (starts(variable, "MPIR_CVAR_") && !starts(variable, "MPIR_CVAR_CH3_INTERFACE_HOSTNAME="));
}

/* Reads a file's text with its NUL; 0: it can't be read, or is longer. */
static size_t read_text(const char *path, char *out, size_t room)
{
  ssize_t n = output_read(path, out, room);
  if (n < 0 || (size_t)n == room || memchr(out, 0, (size_t)n)) return 0;
  out[n] = '\0';
  return (size_t)n + 1;
}

static void record(const char *variable)
{
  static spool_block_t *block;
  const char *value = strchr(variable, '=') + 1;
  size_t name_bytes = (size_t)(value - variable), value_bytes = strlen(value) + 1;
  bool has_text = starts(variable, "OMPI_MCA_coll_tuned_dynamic_rules_filename=");
  if (name_bytes > MOST_WORD || value_bytes > MOST_WORD) return;
  size_t words = sizeof(spool_parameter_t) + name_bytes + value_bytes;
  spool_parameter_t *p =
      memory_room(&block, SPOOL_PARAMETERS, (words + (has_text ? MOST_TEXT : 0) + 7) / 8 * 8);
  if (!p) return;
  *p = (spool_parameter_t){.name = (uint32_t)name_bytes, .value = (uint32_t)value_bytes};
  memcpy(p->texts, variable, name_bytes - 1);
  p->texts[name_bytes - 1] = '\0'; /* a text that wasn't kept may have been there */
  memcpy(p->texts + name_bytes, value, value_bytes);
  if (has_text)
    p->text = (uint32_t)read_text(value, p->texts + name_bytes + value_bytes, MOST_TEXT);
  p->bytes = (uint32_t)((words + p->text + 7) / 8 * 8);
  memory_publish(block, p->bytes);
}

void parameters_record(void)
{
  for (char **v = environ; v && *v; v++)
    if (is_parameter(*v) && strchr(*v, '=')) record(*v);
}
