/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills errors. */
#include <berth/error.h>

#include <stdarg.h>

#include "base/field.h"
#include "base/no_memory.h"
#include "base/text.h"

int berth_fail(berth_error_t *err, int code, const char *format, ...)
{
  if (!err) return code;
  err->code = code;
  va_list args;
  va_start(args, format);
  field_vprint(err->text, sizeof err->text, format, args);
  va_end(args);
  text_clean(err->text);
  return code;
}

const char *berth_version(void) { return BERTH_VERSION; }

int no_memory(berth_error_t *err) { return berth_fail(err, BERTH_MISSING, "out of memory"); }
