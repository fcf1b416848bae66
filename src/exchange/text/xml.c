/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads XML files with Expat. */
#include "exchange/text/xml.h"

#include <string.h>

#include "base/in_file.h"
#include "base/no_memory.h"
#include "exchange/text/scan.h"

long xml_line(const xml_t *x) { return (long)XML_GetCurrentLineNumber(x->parser); }

void xml_stop(xml_t *x, int rc)
{
  if (x->rc || !rc) return;
  x->rc = rc;
  XML_StopParser(x->parser, XML_FALSE);
}

bool xml_fail(xml_t *x, const char *what, const char *found, const char *expected)
{
  if (!x->rc)
    xml_stop(x, berth_fail(x->err, BERTH_BAD_INPUT, "%s:%ld: %s: found '%.60s', expected %s",
                           x->path, xml_line(x), what, found, expected));
  return false;
}

const char *xml_value(const char **attributes, const char *name, const char *missing)
{
  for (; *attributes; attributes += 2)
    if (strcmp(attributes[0], name) == 0) return attributes[1];
  return missing;
}

/* Parses line by line, because files may be compressed. */
static int parse(xml_t *x, in_file_t *in)
{
  char *line;
  size_t length;
  int rc = BERTH_OK;
  enum XML_Status status = XML_STATUS_OK;
  while (!rc && status == XML_STATUS_OK && !(rc = in_line(in, &line, &length, x->err)) && line) {
    line[length] = '\n'; /* instead of the NUL */
    status = XML_Parse(x->parser, line, (int)length + 1, XML_FALSE);
    line[length] = '\0';
  }
  if (rc) return rc;
  if (status == XML_STATUS_OK) status = XML_Parse(x->parser, "", 0, XML_TRUE);
  if (x->rc || status == XML_STATUS_OK) return x->rc;
  if (XML_GetErrorCode(x->parser) == XML_ERROR_NO_MEMORY) return no_memory(x->err);
  return berth_fail(x->err, BERTH_BAD_INPUT, "%s:%ld: found %s, expected XML", x->path, xml_line(x),
                    XML_ErrorString(XML_GetErrorCode(x->parser)));
}

int xml_read(xml_t *x, const char *path, XML_StartElementHandler on_start,
             XML_EndElementHandler on_end, void *data, berth_error_t *err)
{
  *x = (xml_t){.parser = XML_ParserCreate(NULL), .path = scan_name(path), .err = err};
  if (!x->err) x->err = &x->own;
  if (!x->parser) return no_memory(err);
  XML_SetUserData(x->parser, data);
  XML_SetElementHandler(x->parser, on_start, on_end);
  in_file_t *in = in_open(path, x->err);
  int rc = in ? parse(x, in) : x->err->code;
  in_close(in);
  XML_ParserFree(x->parser);
  x->parser = NULL;
  return rc;
}
