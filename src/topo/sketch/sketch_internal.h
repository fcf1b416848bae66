/* SPDX-License-Identifier: BSD-3-Clause */
/* What is behind berth_sketch_t: levels, blocks in braces, and settings. */
#ifndef BERTH_TOPO_SKETCH_INTERNAL_H
#define BERTH_TOPO_SKETCH_INTERNAL_H

#include <berth/sketch.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "topo/discover/topo_description.h"
#include "topo/discover/topo_network.h"
#include "topo/topo_rate.h"

/* Kinds of levels beside those of descriptions: switches above hosts, and hardware threads. */
enum { SKETCH_SWITCH = -1, SKETCH_THREAD = N_KINDS };

enum { SKETCH_MAX_LEVELS = 4096, SKETCH_MAX_DEPTH = 64, SKETCH_MAX_TYPE = 32 };

/* A word, and the place that errors name: "FILE:LINE: ", or nothing. */
typedef struct sketch_word {
  const char *text, *place;
} sketch_word_t;

/* "host:10,8:node[1-18]". */
typedef struct sketch_level {
  sketch_word_t word;
  const char *type; /* of its elements: "host", whatever the word says */
  const char *stem; /* elements without names are called so, with a number */
  int kind;
  int parent, child, sibling; /* levels; -1 for none */
  int block, own;             /* the block that it is in, and the one it owns; -1 for none */
  uint64_t *counts;           /* one for all elements above, or one for each */
  size_t n_counts;
  name_list_t names; /* none, or one for each element */
} sketch_level_t;

/* A pair of braces; the first block is all words. */
typedef struct sketch_block {
  sketch_word_t word;
  int parent, owner; /* a block and a level; -1 for none */
  int last;          /* its last level so far on the way down; -1 for none */
  bool closed;       /* the next level stands beside the last one, and not in it */
} sketch_block_t;

/* "rack=2x100Gbit/s" or "like=node.xml". */
typedef struct sketch_setting {
  sketch_word_t word;
  const char *key; /* a level's type, "memory", "interconnect" or "like" */
  int block;
  topo_stated_t link;
  const char *path; /* of "like" */
  const berth_topo_t *model;
  bool used;
} sketch_setting_t;

struct berth_sketch {
  arena_t arena;
  sketch_level_t *levels;
  size_t n_levels, cap_levels;
  sketch_block_t *blocks;
  size_t n_blocks, cap_blocks;
  sketch_setting_t *settings;
  size_t n_settings, cap_settings;
  int block; /* the one that is open */
  const char *name;
};

/* Fails with BERTH_BAD_INPUT and "PLACE WORD: …". */
int sketch_fail(sketch_word_t word, berth_error_t *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As berth_sketch_add, for a word of a file in `folder` ("": the working folder). */
int sketch_add_word(berth_sketch_t *s, sketch_word_t word, const char *folder, berth_error_t *err);

/* The name in topologies of a type as people write it: "package" for "socket". */
const char *sketch_type_name(const char *written);

/* The type that was meant by a level of one that berth doesn't know, which makes it a switch. NULL:
 * none is near. */
const char *sketch_near_type(const sketch_level_t *l);

/* The outermost level of l and those around it that was most likely meant as another type; NULL:
 * none. */
const sketch_level_t *sketch_misspelt(const berth_sketch_t *s, const sketch_level_t *l);

/* The same for what stands before the "=" of a setting. */
const char *sketch_near_key(const berth_sketch_t *s, const char *key);

/* The setting with that key for a level: in its own braces, else in the innermost around it. NULL
 * if there is none. sketch_find marks it as used. */
sketch_setting_t *sketch_look(const berth_sketch_t *s, const sketch_level_t *level,
                              const char *key);
sketch_setting_t *sketch_find(berth_sketch_t *s, const sketch_level_t *level, const char *key);

/* Checks that every block is closed, and that every level has what it needs in it and as many
 * counts and names. No level has too many elements then. */
int sketch_check(berth_sketch_t *s, berth_error_t *err);

/* The count of a level in the k-th element above it. */
uint64_t sketch_count(const sketch_level_t *level, uint64_t k);

/* Makes topologies of hosts, equal ones once. Both arrays are by level. */
typedef struct sketch_hosts {
  berth_sketch_t *sketch;
  uint64_t *above;           /* how many elements above it were made */
  const berth_topo_t **same; /* of all its hosts; NULL if they differ or aren't made yet */
  berth_topo_t **made;
  size_t n_made, cap_made;
  name_table_t made_of_text;
  arena_t texts;
} sketch_hosts_t;

/* False when memory is out. Call sketch_hosts_clear then, too. */
bool sketch_hosts_begin(sketch_hosts_t *h, berth_sketch_t *s);

/* The topology of the next host of a level, borrowed until sketch_hosts_clear. NULL with the error
 * filled. */
const berth_topo_t *sketch_hosts_next(sketch_hosts_t *h, int level, berth_error_t *err);
void sketch_hosts_clear(sketch_hosts_t *h);

/* Holds the levels stated in a host against those of its model. */
int sketch_check_model(const berth_sketch_t *s, int level, const sketch_setting_t *like,
                       berth_error_t *err);

/* The figures of the links in a host. */
int sketch_host_figures(const berth_sketch_t *s, int level, topo_figures_t *figures,
                        berth_error_t *err);

/* Whether that is the key of a setting for links in hosts. */
bool sketch_is_host_link(const char *key);

/* Marks the settings that the host's topology made use of. */
void sketch_host_uses(const berth_sketch_t *s, int level, const berth_topo_t *host);

/* The figures of a link: `below` is what the links below carry together, and the rate of one of
 * them; for ratios. */
int sketch_figure(const sketch_setting_t *set, const topo_figure_t *below, topo_figure_t *link,
                  berth_error_t *err);

#endif
