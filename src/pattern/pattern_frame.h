/* SPDX-License-Identifier: BSD-3-Clause */
/* A pattern's file in parts, for those who write it together: the lines of one part after the
 * other's, each part compressed by itself, are what berth_pattern_save writes. Ranks are in groups
 * of as many that follow one another; a part has the lines of a group, and the first part those of
 * no rank before them, the last one the end line. */
#ifndef BERTH_PATTERN_FRAME_H
#define BERTH_PATTERN_FRAME_H

#include <berth/pattern.h>

#include "base/out_file.h"

/* The items of a pattern: all that an entry of "msgs", of "sends", or of a row's "rank_bytes" is
 * for. */
uint64_t pattern_items(const berth_pattern_t *p);

/* How many ranks a group has, in a pattern of so many ranks and items: it depends on nothing else,
 * so that neither does the file. */
int pattern_group(int ranks, uint64_t items);

/* Writes the header line and what belongs to no rank; a rank's lines, which fails when memory is
 * out; the end line. The number of records is added up in *records. */
void pattern_put_head(const berth_pattern_t *p, out_file_t *out, uint64_t *records);
int pattern_put_rank(const berth_pattern_t *p, int rank, out_file_t *out, uint64_t *records,
                     berth_error_t *err);
void pattern_put_end(out_file_t *out, uint64_t records);

/* A part compressed, for a pattern of so many items; *frame is the caller's to free. */
int pattern_pack(const char *text, size_t n, uint64_t items, char **frame, size_t *size,
                 berth_error_t *err);

#endif
