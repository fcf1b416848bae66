/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads XML files of other tools, element by element. */
#ifndef BERTH_EXCHANGE_TEXT_XML_H
#define BERTH_EXCHANGE_TEXT_XML_H

#include <berth/error.h>
#include <expat.h>
#include <stdbool.h>

typedef struct xml {
  XML_Parser parser;
  const char *path;        /* for errors */
  berth_error_t *err, own; /* err is never NULL */
  int rc;                  /* of the first error, at which the parser stops */
} xml_t;

/* Reads a file. The handlers get `data`, and report errors with xml_fail or xml_stop. */
int xml_read(xml_t *x, const char *path, XML_StartElementHandler on_start,
             XML_EndElementHandler on_end, void *data, berth_error_t *err);

long xml_line(const xml_t *x);

/* Stops with an error that x->err already has; 0: doesn't stop. */
void xml_stop(xml_t *x, int rc);
/* Stops with "FILE:LINE: what: found 'found', expected …". Returns false. */
bool xml_fail(xml_t *x, const char *what, const char *found, const char *expected);

/* The value of an attribute; `missing` if there is none. */
const char *xml_value(const char **attributes, const char *name, const char *missing);

#endif
