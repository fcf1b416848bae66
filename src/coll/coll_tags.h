/* SPDX-License-Identifier: BSD-3-Clause */
/* The tags of berth's messages: by which this rank receives those of each of its communicators, and
 * those of other messages. */
#ifndef BERTH_COLL_COLL_TAGS_H
#define BERTH_COLL_COLL_TAGS_H

enum {
  TAG_NETWORK,
  TAG_FIRST,
  TAG_LAST = 32766, /* MPIs have 32767 at least */
  TAG_NONE = 32767  /* nobody sends any */
};

/* A tag that no communicator of this rank has; -1: there is none. */
int tag_take(void);
/* Gives it back. -1: nothing happens. */
void tag_release(int tag);

#endif
