/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads TOML by toml++. No exception leaves this file. */
#include "project/project_toml.h"

#define TOML_HEADER_ONLY       1
#define TOML_EXCEPTIONS        0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <new>
#include <string>
#include <string_view>

namespace
{

const char *name_of(toml::node_type type)
{
  switch (type) {
  case toml::node_type::table:
    return "a table";
  case toml::node_type::array:
    return "an array";
  case toml::node_type::floating_point:
    return "a number with a point";
  case toml::node_type::date:
  case toml::node_type::time:
  case toml::node_type::date_time:
    return "a date";
  default:
    return "something else";
  }
}

project_toml_entry_t entry_of(const toml::key &key, const toml::node &value,
                              const std::string &name)
{
  project_toml_entry_t e{};
  e.key = name.c_str();
  e.key_line = key.source().begin.line;
  e.key_column = key.source().begin.column;
  /* Tables and arrays of headers have no better place than their key. */
  e.value_line = value.source().begin ? value.source().begin.line : e.key_line;
  e.value_column = value.source().begin ? value.source().begin.column : e.key_column;
  e.type = PROJECT_TOML_OTHER;
  e.what = name_of(value.type());
  if (const auto *text = value.as_string()) {
    e.type = PROJECT_TOML_STRING;
    e.string = text->get().c_str();
    e.n = text->get().size();
  } else if (const auto *number = value.as_integer()) {
    e.type = PROJECT_TOML_INTEGER;
    e.integer = number->get();
  } else if (const auto *flag = value.as_boolean()) {
    e.type = PROJECT_TOML_FLAG;
    e.flag = flag->get();
  }
  return e;
}

int read(std::string_view text, const char *path, project_toml_take_t *take, void *to,
         berth_error_t *err)
{
  const toml::parse_result result = toml::parse(text);
  if (!result) {
    const auto &place = result.error().source().begin;
    const std::string why(result.error().description());
    return berth_fail(err, BERTH_BAD_INPUT, "%s:%ld:%ld: not valid TOML: %s", path,
                      static_cast<long>(place.line), static_cast<long>(place.column), why.c_str());
  }
  for (auto &&[key, value] : result.table()) {
    const std::string name(key.str());
    const project_toml_entry_t entry = entry_of(key, value, name);
    if (const int rc = take(to, &entry, err)) return rc;
  }
  return BERTH_OK;
}

} // namespace

int project_toml_read(const char *text, size_t n, const char *path, project_toml_take_t *take,
                      void *to, berth_error_t *err)
{
  try {
    return read(std::string_view(text, n), path, take, to, err);
  } catch (...) { /* toml++ is built without exceptions of its own: memory is out */
    return berth_fail(err, BERTH_MISSING, "out of memory");
  }
}
