/* SPDX-License-Identifier: BSD-3-Clause */
/* A node's record as a part of a JSON document: docs/formats/node.md. */
#ifndef BERTH_NODE_JSON_H
#define BERTH_NODE_JSON_H

#include <berth/strided.h>

#include "base/json.h"
#include "base/json_out.h"

/* Reads the record at a place. The caller frees *out, which is NULL after a failure. */
int node_read(const json_place_t *at, berth_node_t **out);

/* The members `by` and `side` of an object: who packs, and whose data are in blocks. */
int node_get_packer(const json_place_t *object, berth_packer_t *by);
int node_get_side(const json_place_t *object, berth_side_t *side);

/* Writes it as the member `key`. */
void node_put(json_out_t *j, const char *key, const berth_node_t *n);

/* Whether two records say the same; both may be NULL. */
int node_same(const berth_node_t *a, const berth_node_t *b);

#endif
