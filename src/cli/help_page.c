/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the pages of man/, which the build puts into the program. */
#include "cli/help_page.h"

#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "base/text.h"
#include "cli/cli.h"

extern const embedded_t manual_parts[];

const char *page_text(const char *file)
{
  const embedded_t *found = embedded_find(manual_parts, file, strlen(file));
  return found ? (const char *)found->data : "";
}

/* The text between two marks, without the second one. Empty if the first mark is missing; up to
 * the end of the page if the second one is. */
static const char *between(const char *text, const char *begin, const char *end, arena_t *arena)
{
  const char *from = strstr(text, begin);
  if (!from) return "";
  from += strlen(begin);
  const char *to = strstr(from, end);
  size_t n = to ? (size_t)(to - from) : strlen(from);
  char *part = cli_checked(arena_alloc(arena, n + 1));
  if (!part) return "";
  memcpy(part, from, n);
  part[n] = '\0';
  return part;
}

/* The text without what its lines begin with. */
static const char *without_prefix(const char *text, const char *prefix, arena_t *arena)
{
  char *out = cli_checked(arena_alloc(arena, strlen(text) + 1)), *to = out;
  if (!out) return "";
  for (size_t line; *text; text += line, to += line) {
    if (text_starts(text, prefix)) text += strlen(prefix);
    line = strcspn(text, "\n");
    line += text[line] == '\n';
    memcpy(to, text, line);
  }
  *to = '\0';
  return out;
}

/* The sections behind notes and options, without the last one, which names other pages. */
static const char *further_sections(const char *text, arena_t *arena)
{
  static const char last[] = "\n## See also\n", section[] = "\n## ";
  static const char *const before[] = {"\n## Notes\n", "\n## Options\n"};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
    const char *found = strstr(text, before[i]);
    if (!found) continue;
    text = found + strlen(before[i]);
    break;
  }
  const char *from = strstr(text, section);
  return from && !text_starts(from, last) ? between(from, "\n", last, arena) : "";
}

page_t page_of(const char *command, arena_t *arena)
{
  char file[64], title[64], prefix[64];
  const char *dash = *command ? "-" : "", *blank = *command ? " " : "";
  snprintf(file, sizeof file, "berth%s%s.md", dash, command);
  snprintf(title, sizeof title, "# berth%s%s: ", blank, command);
  snprintf(prefix, sizeof prefix, "berth%s%s ", blank, command);
  const char *text = page_text(file);
  return (page_t){.summary = between(text, title, "\n", arena),
                  .synopsis =
                      without_prefix(between(text, "```\n", "\n```\n", arena), prefix, arena),
                  .purpose = between(text, "\n```\n\n", "\n\n", arena),
                  .details = between(text, "\n```\n\n", "\n## ", arena),
                  .options = between(text, "\n## Options\n\n", "\n## ", arena),
                  .notes = between(text, "\n## Notes\n\n", "\n## ", arena),
                  .more = further_sections(text, arena),
                  .see_also = between(text, "\n## See also\n\n", "\n## ", arena)};
}

/* Finds "- `--name" in a list. */
static const char *find_entry(const char *list, const char *name)
{
  size_t n = strlen(name);
  for (const char *entry = list; entry && *entry; entry = strchr(entry, '\n')) {
    entry += *entry == '\n';
    if (text_starts(entry, "- `") && strncmp(entry + 3, name, n) == 0 &&
        strchr(",` ", entry[3 + n]))
      return entry + 3 + n;
  }
  return NULL;
}

page_option_t page_option(const page_t *page, const char *name, arena_t *arena)
{
  page_option_t o = {.help = ""};
  const char *rest = find_entry(page->options, name);
  if (!rest) rest = find_entry(page_text("options.md"), name);
  if (!rest) return o;
  if (text_starts(rest, ", -")) {
    o.letter = rest[3];
    rest += 4;
  }
  o.is_optional = text_starts(rest, " [");
  if (*rest == ' ')
    o.value = between(rest, o.is_optional ? "[" : " ", o.is_optional ? "]" : "`", arena);
  o.help = between(rest, "`: ", "\n", arena);
  return o;
}

const char *page_section(const char *heading, arena_t *arena)
{
  char begin[64];
  snprintf(begin, sizeof begin, "\n## %s\n\n", heading);
  return between(page_text("berth.md"), begin, "\n## ", arena);
}
