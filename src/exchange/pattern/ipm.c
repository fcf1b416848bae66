/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads IPM's XML: the calls of each task that send.
 * A "hent" element says how often a task made a call with a size and another rank. That rank may be
 * relative to the task's own, as in "+1". */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "exchange/exchange_internal.h"
#include "exchange/text/xml.h"

typedef struct reader {
  xml_t xml;
  traffic_t *into;
  int rank; /* -1: outside of tasks */
} reader_t;

int ipm_recognises(const char *text, size_t n)
{
  return memmem(text, n, "<ipm", 4) || memmem(text, n, "<task ipm_version", 17);
}

static bool read_number(reader_t *r, const char **attributes, const char *name, uint64_t max,
                        uint64_t *out)
{
  const char *text = xml_value(attributes, name, "");
  if (text_to_u64(text, 0, max, out)) return true;
  return xml_fail(&r->xml, name, text, "a whole number");
}

static void read_task(reader_t *r, const char **attributes)
{
  uint64_t rank, size;
  if (!read_number(r, attributes, "mpi_rank", BERTH_MAX_RANKS - 1, &rank)) return;
  if (!read_number(r, attributes, "mpi_size", BERTH_MAX_RANKS, &size)) return;
  if (rank >= size) {
    xml_fail(&r->xml, "mpi_rank", xml_value(attributes, "mpi_rank", ""), "a rank below mpi_size");
    return;
  }
  r->rank = (int)rank;
  if ((int)size > r->into->ranks) r->into->ranks = (int)size;
}

/* Whether a call sends to one rank. Sends of MPI_Sendrecv have an entry under their own name. */
static bool sends(const char *call)
{
  static const char *const names[] = {
      "MPI_Send",   "MPI_Isend", "MPI_Ssend",  "MPI_Issend",   "MPI_Rsend",
      "MPI_Irsend", "MPI_Bsend", "MPI_Ibsend", "MPI_Sendrecv", "MPI_Sendrecv_replace"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcasecmp(call, names[i]) == 0) return true;
  return false;
}

static bool read_other_rank(reader_t *r, const char **attributes, uint64_t *out)
{
  const char *text = xml_value(attributes, "orank", "");
  int sign = *text == '+' ? 1 : *text == '-' ? -1 : 0;
  uint64_t number;
  if (text_to_u64(text + (sign != 0), 0, BERTH_MAX_RANKS - 1, &number)) {
    int64_t rank = sign ? r->rank + sign * (int64_t)number : (int64_t)number;
    *out = (uint64_t)rank;
    if (rank >= 0 && rank < r->into->ranks) return true;
  }
  return xml_fail(&r->xml, "orank", text, "the number of a rank");
}

static void read_entry(reader_t *r, const char **attributes)
{
  uint64_t bytes, count, dst = 0;
  if (!sends(xml_value(attributes, "call", ""))) return;
  if (r->rank < 0) {
    xml_fail(&r->xml, "hent", "one outside of a task", "one inside");
    return;
  }
  if (!read_number(r, attributes, "bytes", BERTH_MAX_AMOUNT, &bytes)) return;
  if (!read_number(r, attributes, "count", BERTH_MAX_AMOUNT, &count)) return;
  if (!read_other_rank(r, attributes, &dst)) return;
  berth_message_t m = {.src = r->rank, .dst = (int)dst, .size = bytes, .count = count};
  if (__builtin_mul_overflow(bytes, count, &m.bytes) || m.bytes > BERTH_MAX_AMOUNT) {
    xml_fail(&r->xml, "count", xml_value(attributes, "count", ""), "at most 2^53 bytes in all");
    return;
  }
  xml_stop(&r->xml, traffic_put(r->into, &m, r->xml.err));
}

static void XMLCALL on_start(void *data, const char *name, const char **attributes)
{
  reader_t *r = data;
  if (strcmp(name, "task") == 0) read_task(r, attributes);
  if (strcmp(name, "hent") == 0) read_entry(r, attributes);
  if (strcmp(name, "taskcopy") == 0)
    xml_fail(&r->xml, name, xml_value(attributes, "mpi_rank", ""),
             "no such element; IPM's own script expands them");
}

static void XMLCALL on_end(void *data, const char *name)
{
  reader_t *r = data;
  if (strcmp(name, "task") == 0) r->rank = -1;
}

int ipm_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < in->n_paths && !rc; i++) {
    reader_t r = {.into = into, .rank = -1};
    rc = xml_read(&r.xml, in->paths[i], on_start, on_end, &r, err);
  }
  return rc;
}
