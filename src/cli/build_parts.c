/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/build_parts.h"

static const build_part_t parts[] = {
    {"OTF2", "berth import of OTF2 archives", "BERTH_WITH_OTF2",
     "berth import reads no OTF2 archives", BERTH_WITH_OTF2},
    {"SQLite", "berth import and export of databases", "BERTH_WITH_SQLITE",
     "berth import and export know no SQLite databases", BERTH_WITH_SQLITE},
    {"METIS", "the mapper metis", "BERTH_WITH_METIS",
     "berth map has no mapper metis, and best does without", BERTH_WITH_METIS},
    {"libdw", "names of call sites", "BERTH_WITH_LIBDW",
     "call sites stay addresses, and automatic phases are named by them", BERTH_WITH_LIBDW},
    {"D3", "the page of berth report", "BERTH_WITH_D3",
     "berth report writes pictures alone (--svg)", BERTH_WITH_D3},
    {"libfabric", "agents of collective calls", "BERTH_WITH_LIBFABRIC",
     "berth run --agents goes on without agents", BERTH_WITH_LIBFABRIC},
    {"ncurses", "berth view", "BERTH_WITH_NCURSES", "there is no berth view", BERTH_WITH_NCURSES},
    {"toml++", "project files", "BERTH_WITH_TOML",
     "commands refuse to start where a project file is", BERTH_WITH_TOML},
};

const build_part_t *build_parts(size_t *n)
{
  *n = sizeof parts / sizeof *parts;
  return parts;
}
