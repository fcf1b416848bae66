/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading an image of a rank's tables. Images are untrusted: every visited record lies inside
 * the image, and its texts end inside it. The caller checks what the numbers mean. */
#ifndef BERTH_SPOOL_READ_H
#define BERTH_SPOOL_READ_H

#include <berth/error.h>
#include <stddef.h>

#include "spool/spool_format.h"

typedef struct spool_image {
  const char *name;           /* for errors */
  const unsigned char *bytes; /* aligned to 8 */
  size_t size;
} spool_image_t;

/* Returns the checked header, or NULL and fills *err. */
const spool_header_t *spool_header(const spool_image_t *image, berth_error_t *err);

/* Calls visit(context, record, err) for every record of a kind. Stops at the first failure and
 * returns it. */
typedef int spool_visit_t(void *context, const void *record, berth_error_t *err);
int spool_walk(const spool_image_t *image, spool_kind_t kind, spool_visit_t *visit, void *context,
               berth_error_t *err);

#endif
