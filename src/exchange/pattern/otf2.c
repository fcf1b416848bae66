/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the sends in OTF2 archives, as EZTrace and Score-P write them.
 * Sends may be blocking or nonblocking. Ranks are indices in MPI's group of all locations, which
 * tracers make in the order of MPI_COMM_WORLD. Sends of a process's threads count for the
 * process. */
#include <errno.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "exchange/exchange_internal.h"

const char otf2_about[] = "an OTF2 archive (its .otf2 file), as of EZTrace and Score-P";

typedef struct location {
  OTF2_LocationRef id;
  OTF2_LocationGroupRef process;
  int rank; /* -1: no rank */
} location_t;

typedef struct group {
  OTF2_GroupRef id;
  uint32_t n;
  uint64_t *member; /* indices in the group of all locations */
} group_t;

typedef struct comm {
  OTF2_CommRef id;
  OTF2_GroupRef group;
} comm_t;

typedef struct archive {
  const char *path;
  berth_error_t *err;
  int rc;
  location_t *location;
  size_t n_locations, locations_cap;
  group_t *group;
  size_t n_groups, groups_cap;
  comm_t *comm;
  size_t n_comms, comms_cap;
  uint64_t *ranks; /* by rank: its location */
  uint32_t n_ranks;
  traffic_t *into;
} archive_t;

static OTF2_CallbackCode stop(archive_t *a, int rc)
{
  if (!a->rc) a->rc = rc;
  return rc ? OTF2_CALLBACK_ERROR : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode stop_without_memory(archive_t *a) { return stop(a, no_memory(a->err)); }

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef process)
{
  archive_t *a = data;
  (void)name, (void)type, (void)events;
  if (!ARRAY_ADD(&a->location, &a->n_locations, &a->locations_cap, (location_t){self, process, -1}))
    return stop_without_memory(a);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t n, const uint64_t *member)
{
  archive_t *a = data;
  (void)name, (void)flags;
  if (paradigm != OTF2_PARADIGM_MPI) return OTF2_CALLBACK_SUCCESS;
  if (type != OTF2_GROUP_TYPE_COMM_LOCATIONS && type != OTF2_GROUP_TYPE_COMM_GROUP)
    return OTF2_CALLBACK_SUCCESS;
  uint64_t *copy = malloc(((size_t)n + 1) * sizeof *copy);
  if (!copy) return stop_without_memory(a);
  if (n) memcpy(copy, member, n * sizeof *copy);
  if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
    free(a->ranks);
    a->ranks = copy;
    a->n_ranks = n;
    return OTF2_CALLBACK_SUCCESS;
  }
  if (!ARRAY_GROW(&a->group, a->n_groups, &a->groups_cap)) {
    free(copy);
    return stop_without_memory(a);
  }
  a->group[a->n_groups++] = (group_t){self, n, copy};
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
  archive_t *a = data;
  (void)name, (void)parent, (void)flags;
  if (!ARRAY_ADD(&a->comm, &a->n_comms, &a->comms_cap, (comm_t){self, group}))
    return stop_without_memory(a);
  return OTF2_CALLBACK_SUCCESS;
}

ORDER_BY(by_id, location_t, RISING(id))

static const location_t *find_location(const archive_t *a, OTF2_LocationRef id)
{
  location_t key = {.id = id};
  return a->n_locations ? bsearch(&key, a->location, a->n_locations, sizeof key, by_id) : NULL;
}

static const group_t *group_of(const archive_t *a, OTF2_CommRef id)
{
  for (size_t i = a->n_comms; i-- > 0;)
    if (a->comm[i].id == id)
      for (size_t k = 0; k < a->n_groups; k++)
        if (a->group[k].id == a->comm[i].group) return &a->group[k];
  return NULL;
}

static OTF2_CallbackCode add_send(archive_t *a, OTF2_LocationRef from, uint32_t receiver,
                                  OTF2_CommRef comm, uint64_t bytes)
{
  const location_t *location = find_location(a, from);
  const group_t *group = group_of(a, comm);
  if (!location || location->rank < 0)
    return stop(a, berth_fail(a->err, BERTH_BAD_INPUT,
                              "%s: location %llu: found a send, expected none but of MPI processes",
                              a->path, (unsigned long long)from));
  if (!group || receiver >= group->n || group->member[receiver] >= a->n_ranks)
    return stop(a, berth_fail(a->err, BERTH_BAD_INPUT,
                              "%s: rank %d: found a send to rank %u of communicator %u, expected "
                              "one that the archive defines",
                              a->path, location->rank, receiver, comm));
  return stop(a,
              traffic_add(a->into, location->rank, (int)group->member[receiver], 1, bytes, a->err));
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *data, OTF2_AttributeList *attributes, uint32_t receiver,
                                 OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
  (void)time, (void)position, (void)attributes, (void)tag;
  return add_send(data, location, receiver, comm, bytes);
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, uint32_t receiver,
                                  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
  (void)time, (void)position, (void)attributes, (void)tag, (void)request;
  return add_send(data, location, receiver, comm, bytes);
}

/* Gives each location the rank of its process. */
static int give_ranks(archive_t *a)
{
  if (a->n_ranks == 0 || a->n_ranks > BERTH_MAX_RANKS)
    return berth_fail(a->err, BERTH_BAD_INPUT, "%s: found %u MPI ranks, expected 1 to %d", a->path,
                      a->n_ranks, BERTH_MAX_RANKS);
  qsort(a->location, a->n_locations, sizeof *a->location, by_id);
  for (uint32_t r = 0; r < a->n_ranks; r++) {
    const location_t *main = find_location(a, a->ranks[r]);
    if (!main)
      return berth_fail(a->err, BERTH_BAD_INPUT,
                        "%s: rank %u: found location %llu, which the archive doesn't define",
                        a->path, r, (unsigned long long)a->ranks[r]);
    a->location[main - a->location].rank = (int)r;
  }
  for (size_t i = 0; i < a->n_locations; i++)
    for (uint32_t r = 0; r < a->n_ranks && a->location[i].rank < 0; r++)
      if (find_location(a, a->ranks[r])->process == a->location[i].process)
        a->location[i].rank = (int)r;
  if ((int)a->n_ranks > a->into->ranks) a->into->ranks = (int)a->n_ranks;
  return BERTH_OK;
}

static int failed(archive_t *a, const char *what)
{
  if (a->rc) return a->rc;
  return berth_fail(a->err, BERTH_BAD_INPUT, "%s: %s, expected a whole OTF2 archive", a->path,
                    what);
}

static int read_definitions(archive_t *a, OTF2_Reader *reader)
{
  uint64_t n;
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks *calls = OTF2_GlobalDefReaderCallbacks_New();
  if (!definitions || !calls) return failed(a, "its definitions can't be read");
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls, on_location);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(calls, on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(calls, on_comm);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, calls, a);
  OTF2_GlobalDefReaderCallbacks_Delete(calls);
  if (OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n) != OTF2_SUCCESS || a->rc)
    return failed(a, "its definitions can't be read");
  return give_ranks(a);
}

/* Reads a location's own definitions, which map its numbers to global ones. Some have none. */
static int read_location(archive_t *a, OTF2_Reader *reader, const OTF2_EvtReaderCallbacks *calls,
                         OTF2_LocationRef id, bool has_definitions)
{
  uint64_t n;
  OTF2_DefReader *own = has_definitions ? OTF2_Reader_GetDefReader(reader, id) : NULL;
  if (own) {
    OTF2_Reader_ReadAllLocalDefinitions(reader, own, &n);
    OTF2_Reader_CloseDefReader(reader, own);
  }
  OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, id);
  if (!events) return failed(a, "its events can't be read");
  OTF2_Reader_RegisterEvtCallbacks(reader, events, calls, a);
  OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(reader, events, &n);
  OTF2_Reader_CloseEvtReader(reader, events);
  return code == OTF2_SUCCESS && !a->rc ? BERTH_OK : failed(a, "its events can't be read");
}

static int read_events(archive_t *a, OTF2_Reader *reader)
{
  OTF2_EvtReaderCallbacks *calls = OTF2_EvtReaderCallbacks_New();
  if (!calls) return no_memory(a->err);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(calls, on_send);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(calls, on_isend);
  for (size_t i = 0; i < a->n_locations; i++) OTF2_Reader_SelectLocation(reader, a->location[i].id);
  bool has_definitions = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
  int rc =
      OTF2_Reader_OpenEvtFiles(reader) == OTF2_SUCCESS ? BERTH_OK : failed(a, "it has no events");
  for (size_t i = 0; i < a->n_locations && !rc; i++)
    rc = read_location(a, reader, calls, a->location[i].id, has_definitions);
  OTF2_EvtReaderCallbacks_Delete(calls);
  return rc;
}

/* Keeps the library from printing errors itself. */
static OTF2_ErrorCode be_quiet(void *data, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list args)
{
  (void)data, (void)file, (void)line, (void)function, (void)format, (void)args;
  return code;
}

static void archive_clear(archive_t *a)
{
  for (size_t i = 0; i < a->n_groups; i++) free(a->group[i].member);
  free(a->group);
  free(a->comm);
  free(a->location);
  free(a->ranks);
}

int otf2_import(const berth_import_t *in, traffic_t *into, berth_error_t *err)
{
  archive_t a = {.path = in->paths[0], .err = err, .into = into};
  int rc = formats_one_file(in, err);
  if (!rc && access(a.path, R_OK) != 0)
    rc = berth_fail(a.err, BERTH_MISSING, "%s: cannot open: %s", a.path, strerror(errno));
  OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(be_quiet, NULL);
  OTF2_Reader *reader = rc ? NULL : OTF2_Reader_Open(a.path);
  if (!rc && !reader) rc = failed(&a, "it can't be read");
  if (!rc && OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS)
    rc = failed(&a, "it can't be read");
  if (!rc) rc = read_definitions(&a, reader);
  if (!rc) rc = read_events(&a, reader);
  if (reader) OTF2_Reader_Close(reader);
  OTF2_Error_RegisterCallback(before, NULL);
  archive_clear(&a);
  return rc;
}
