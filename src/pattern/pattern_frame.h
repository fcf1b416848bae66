/* SPDX-License-Identifier: BSD-3-Clause */
/* A pattern file in parts, for processes that write it together. Ranks are divided into groups of
 * consecutive ranks. A part holds the lines of one group, and is compressed by itself. The first
 * part begins with the header and the lines that belong to no rank, the last one ends with the end
 * line. All parts, one after another, are the file that berth_pattern_save writes. */
#ifndef BERTH_PATTERN_FRAME_H
#define BERTH_PATTERN_FRAME_H

#include <berth/pattern.h>

#include "base/out_file.h"

/* The number of items of a pattern: entries of all "msgs", "sends" and "rank_bytes". */
uint64_t pattern_items(const berth_pattern_t *p);

/* How many ranks a group has. It depends only on the numbers of ranks and items, so that equal
 * patterns give equal files. */
int pattern_group(int ranks, uint64_t items);

/* Write the header and the lines that belong to no rank; a rank's lines (fails when memory is out);
 * the end line. Each adds its number of records to *records. */
void pattern_put_head(const berth_pattern_t *p, out_file_t *out, uint64_t *records);
int pattern_put_rank(const berth_pattern_t *p, int rank, out_file_t *out, uint64_t *records,
                     berth_error_t *err);
void pattern_put_end(out_file_t *out, uint64_t records);

/* Compresses a part of a pattern of so many items. The caller frees *frame. */
int pattern_pack(const char *text, size_t n, uint64_t items, char **frame, size_t *size,
                 berth_error_t *err);

#endif
