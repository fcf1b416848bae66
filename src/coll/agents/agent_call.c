/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies what a rank gives into memory that its agent sees, in the order of hosts
 * (agent/process/layouts.c), and its result back. */
#include "coll/agents/agent_call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "coll/calls.h"
#include "coll/coll_levels.h"
#include "coll/tuning/tuned.h"
#include "interpose/type_contents.h"
#include "schedule/two_levels/two_levels_limits.h"

static const size_t most_bytes = TWO_LEVELS_BY_AGENTS; /* of all blocks; the MPI serves others */
static const size_t most_folded = TWO_LEVELS_FOLDED;   /* of all vectors, if ranks reduce them */

static bool is_root(const agent_call_t *a) { return a->c->rank == a->root; }

static bool is_varied(const agent_call_t *a)
{
  return schedule_block_kind(a->op) == SCHEDULE_RANK_BLOCKS ||
         schedule_block_kind(a->op) == SCHEDULE_PAIR_BLOCKS;
}

/* A rank's place in the order of hosts. */
static int place_of(const coll_comm_t *c, int rank)
{
  return c->first[c->host[rank]] + c->within[rank];
}

/* What the program calls. */
static schedule_op_t operation(const agent_call_t *a) { return a->folds ? a->folded : a->op; }

static bool is_reduce_scatter(const agent_call_t *a)
{
  return operation(a) == SCHEDULE_REDUCE_SCATTER || operation(a) == SCHEDULE_REDUCE_SCATTER_BLOCK;
}

/* As measurements say, or the job's settings. */
static int degree_for(const coll_comm_t *c)
{
  return tuned_to_agents(c) ? c->choice->degree : coll_job.settings.agents_degree;
}

static void prepare(agent_call_t *a, coll_comm_t *c, schedule_op_t op, int root)
{
  *a = (agent_call_t){.c = c, .op = op, .root = root};
  a->order = (desk_order_t){
      .kind = DESK_CALL, .op = (uint8_t)op, .element = 1, .degree = (uint16_t)degree_for(c)};
}

static bool is_root_possible(const coll_comm_t *c, int root) { return root >= 0 && root < c->size; }

int agent_barrier(agent_call_t *a, coll_comm_t *c)
{
  prepare(a, c, SCHEDULE_BARRIER, LEVELS_NO_ROOT);
  return MPI_SUCCESS;
}

int agent_bcast(agent_call_t *a, coll_comm_t *c, block_data_t data, int root)
{
  prepare(a, c, SCHEDULE_BCAST, root);
  if (!is_root_possible(c, root) || !side_look(data, &a->in) || a->in.in_place ||
      a->in.bytes > most_bytes)
    return PASS_ON;
  a->out = a->in;
  a->bytes = a->in.bytes;
  a->nothing = a->bytes == 0;
  return MPI_SUCCESS;
}

/* The two sides of a reduction. */
static bool take_sides(agent_call_t *a, const void *in, block_data_t data, MPI_Op of, bool gets)
{
  block_data_t from = data;
  from.data = (void *)(uintptr_t)in;
  from.counts = from.displs = (amounts_t){0};
  if (!reduction_of(data.type, of, most_bytes, &a->of)) return false;
  if (!side_look(from, &a->in)) return false;
  if (in == MPI_IN_PLACE) a->in.in_place = true;
  a->out = (side_t){.of = data};
  return !gets || side_is_buffer(data.data) || a->n == 0;
}

/* What agents can't reduce, because they have no kernel, or would in the wrong order: they exchange
 * the vectors, and each rank that gets a result reduces them in the order of ranks. That is the
 * hybrid of A. Moody's thesis (2003), section 6.2. Returns PASS_ON if there is too much. */
static int fold(agent_call_t *a)
{
  size_t all = a->bytes * (is_reduce_scatter(a) ? 1 : (size_t)a->c->size);
  if (all > most_folded) return PASS_ON;
  a->folds = true;
  a->folded = a->op;
  a->op = a->op == SCHEDULE_REDUCE                 ? SCHEDULE_GATHER
          : a->op == SCHEDULE_REDUCE_SCATTER_BLOCK ? SCHEDULE_ALLTOALL
          : a->op == SCHEDULE_REDUCE_SCATTER       ? SCHEDULE_ALLTOALLV
                                                   : SCHEDULE_ALLGATHER;
  a->order.op = (uint8_t)a->op;
  size_t block = is_reduce_scatter(a) ? a->bytes / (size_t)a->c->size : a->bytes;
  a->order.count = a->folded == SCHEDULE_REDUCE_SCATTER ? 0 : (int64_t)block;
  if (a->in.in_place) {
    a->in.in_place = false;
    a->in.of.data = a->out.of.data;
  }
  return MPI_SUCCESS;
}

static void say_reduction(agent_call_t *a)
{
  a->order.type = (uint8_t)a->of.kernel_type;
  a->order.operation = (uint8_t)a->of.kernel_op;
  a->order.element = (int32_t)a->of.extent;
}

int agent_reduction(agent_call_t *a, coll_comm_t *c, schedule_op_t op, const void *in,
                    block_data_t data, MPI_Op of, int root)
{
  prepare(a, c, op, root);
  bool scans = op == SCHEDULE_SCAN || op == SCHEDULE_EXSCAN, rooted = root != LEVELS_NO_ROOT;
  if (data.count < 0 || (rooted && !is_root_possible(c, root))) return PASS_ON;
  bool gets = !rooted || c->rank == root;
  a->n = (size_t)data.count;
  if (!take_sides(a, in, data, of, gets) || (a->in.in_place && !gets)) return PASS_ON;
  a->bytes = a->n * a->of.extent;
  if (a->bytes > most_bytes || (a->in.of.data == data.data && gets && a->n > 0)) return PASS_ON;
  a->nothing = a->n == 0;
  if (!a->of.kernel || (scans && !c->in_order)) return fold(a);
  say_reduction(a);
  return MPI_SUCCESS;
}

int agent_reduce_scatter(agent_call_t *a, coll_comm_t *c, const void *in, block_data_t data,
                         MPI_Op of)
{
  bool varied = amounts_there(data.counts);
  prepare(a, c, varied ? SCHEDULE_REDUCE_SCATTER : SCHEDULE_REDUCE_SCATTER_BLOCK, LEVELS_NO_ROOT);
  a->counts = data.counts;
  int64_t all = 0;
  for (int r = 0; r < c->size; r++) {
    int64_t n = varied ? amounts_of(data.counts, r) : data.count;
    if (n < 0) return PASS_ON;
    all += n;
  }
  a->n = (size_t)all;
  data.count = varied ? 0 : data.count;
  if (!take_sides(a, in, data, of, false)) return PASS_ON;
  a->bytes = a->n * a->of.extent;
  if (a->bytes > most_bytes || (a->n > 0 && !a->in.in_place && !in)) return PASS_ON;
  if (a->in.in_place && a->n > 0 && !side_is_buffer(data.data)) return PASS_ON;
  a->nothing = a->n == 0;
  if (!a->of.kernel) return fold(a);
  a->order.count = varied ? 0 : data.count;
  say_reduction(a);
  return MPI_SUCCESS;
}

/* Which sides a rank has. */
static bool gives(const agent_call_t *a)
{
  return (a->op != SCHEDULE_SCATTER && a->op != SCHEDULE_SCATTERV) || is_root(a);
}

static bool gets(const agent_call_t *a)
{
  return (a->op != SCHEDULE_GATHER && a->op != SCHEDULE_GATHERV) || is_root(a);
}

static bool look(block_data_t of, int blocks, side_t *out)
{
  return amounts_there(of.counts) ? side_look_all(of, blocks, out) : side_look(of, out);
}

/* In place is what the operation has of it: the root's own block, or all blocks. */
static bool may_be_in_place(const agent_call_t *a)
{
  bool scatters = a->op == SCHEDULE_SCATTER || a->op == SCHEDULE_SCATTERV;
  if (scatters) return !a->in.in_place && (!a->out.in_place || is_root(a));
  return !a->out.in_place && (!a->in.in_place || gets(a));
}

int agent_blocks(agent_call_t *a, coll_comm_t *c, schedule_op_t op, block_data_t in,
                 block_data_t out, int root)
{
  prepare(a, c, op, root);
  if (root != LEVELS_NO_ROOT && !is_root_possible(c, root)) return PASS_ON;
  if ((gives(a) && !look(in, c->size, &a->in)) || (gets(a) && !look(out, c->size, &a->out)) ||
      !may_be_in_place(a))
    return PASS_ON;
  bool scatters = op == SCHEDULE_SCATTER;
  const side_t *known = scatters         ? (a->out.in_place ? &a->in : &a->out)
                        : a->in.in_place ? &a->out
                                         : &a->in;
  if (is_varied(a)) {
    if (op == SCHEDULE_ALLGATHERV) {
      for (int r = 0; r < c->size; r++) a->bytes += side_bytes(&a->out, r);
      a->nothing = a->bytes == 0;
    }
    return MPI_SUCCESS;
  }
  a->bytes = known->bytes;
  a->nothing = a->bytes == 0;
  a->order.count = (int64_t)a->bytes;
  return a->bytes > most_bytes / (size_t)c->size ? PASS_ON : MPI_SUCCESS;
}

/* The side with this rank's input. */
static const side_t *input(const agent_call_t *a) { return a->in.in_place ? &a->out : &a->in; }

/* Elements that a block of a reduce-scatter has. */
static size_t block_elements(const agent_call_t *a, int rank)
{
  return amounts_there(a->counts) ? (size_t)amounts_of(a->counts, rank) : a->n / (size_t)a->c->size;
}

/* How many entries the table before the data has. */
static size_t table_length(const agent_call_t *a)
{
  return !is_varied(a) ? 0 : a->op == SCHEDULE_GATHERV ? 1 : (size_t)a->c->size;
}

static bool has_all_blocks(const agent_call_t *a)
{
  return a->op == SCHEDULE_ALLTOALL || a->op == SCHEDULE_ALLTOALLV || a->op == SCHEDULE_SCATTER ||
         a->op == SCHEDULE_SCATTERV;
}

/* The block that is this rank's own, of its input. */
static int own_block(const agent_call_t *a) { return a->in.in_place ? a->c->rank : 0; }

/* Bytes of the data that this rank gives. */
static size_t input_bytes(const agent_call_t *a)
{
  if (a->op == SCHEDULE_BARRIER || (a->op == SCHEDULE_BCAST && !is_root(a)) || !gives(a)) return 0;
  if (a->op == SCHEDULE_BCAST || schedule_reduces(operation(a))) return a->bytes;
  if (!has_all_blocks(a)) return side_bytes(input(a), own_block(a));
  size_t all = 0;
  for (int r = 0; r < a->c->size; r++) all += side_bytes(input(a), r);
  return all;
}

/* The entry of a rank in the table. */
static int64_t entry(const agent_call_t *a, int rank)
{
  if (is_reduce_scatter(a))
    return (int64_t)(block_elements(a, rank) * (a->folds ? a->of.extent : 1));
  if (a->op == SCHEDULE_ALLGATHERV) return (int64_t)side_bytes(&a->out, rank);
  return (int64_t)side_bytes(input(a), a->op == SCHEDULE_GATHERV ? own_block(a) : rank);
}

static const char *vector_of(const agent_call_t *a)
{
  return a->in.in_place ? a->out.of.data : a->in.of.data;
}

/* Blocks of a vector, from the order of ranks to that of hosts. Returns the MPI's code. */
static int sort_vector(const agent_call_t *a, char *to)
{
  coll_comm_t *c = a->c;
  size_t size = (size_t)c->size;
  size_t *n = (size_t *)(void *)space_take(&c->packed, (2 * size + 1) * sizeof *n), *at = n + size;
  const char *from = vector_of(a);
  if (!n) return MPI_ERR_NO_MEM;
  for (int r = 0; r < c->size; r++) n[r] = block_elements(a, r) * a->of.extent;
  sides_places(c, n, at);
  for (int r = 0; r < c->size; r++) {
    if (n[r]) memcpy(to + at[place_of(c, r)], from, n[r]);
    from += n[r];
  }
  return MPI_SUCCESS;
}

/* Blocks lie one behind the other in the order of hosts already. */
static bool is_sorted(const agent_call_t *a, const side_t *s)
{
  return a->c->in_order && !amounts_there(s->of.counts) && !amounts_there(s->of.displs);
}

/* Copies all blocks to or from `packed`, where they lie in the order of hosts. */
static int move_blocks(const agent_call_t *a, const side_t *s, char *packed, bool unpacks)
{
  const coll_comm_t *c = a->c;
  int rc = MPI_SUCCESS;
  if (is_sorted(a, s))
    return unpacks ? side_unpack_all(s, c->size, packed) : side_pack_all(s, c->size, packed);
  for (int i = 0; i < c->size && rc == MPI_SUCCESS; i++) {
    int rank = c->by_host[i];
    rc = unpacks ? side_unpack(s, rank, packed) : side_pack(s, rank, packed);
    packed += side_bytes(s, rank);
  }
  return rc;
}

static int give(const agent_call_t *a, char *to)
{
  size_t table = table_length(a);
  for (size_t i = 0; i < table; i++, to += sizeof(int64_t)) {
    int64_t e = entry(a, a->c->by_host[i]);
    memcpy(to, &e, sizeof e);
  }
  if (a->op == SCHEDULE_BARRIER || !gives(a)) return MPI_SUCCESS;
  if (a->op == SCHEDULE_BCAST) return is_root(a) ? side_pack(&a->in, 0, to) : MPI_SUCCESS;
  if (is_reduce_scatter(a)) return sort_vector(a, to);
  if (schedule_reduces(operation(a))) {
    memcpy(to, vector_of(a), a->bytes);
    return MPI_SUCCESS;
  }
  return has_all_blocks(a) ? move_blocks(a, input(a), to, false)
                           : side_pack(input(a), own_block(a), to);
}

/* Whether this rank has a result, and its bytes. */
static bool has_result(const agent_call_t *a, size_t *bytes)
{
  *bytes = 0;
  if (a->op == SCHEDULE_BARRIER || a->nothing || !gets(a)) return false;
  if (a->op == SCHEDULE_BCAST && is_root(a)) return false;
  if (operation(a) == SCHEDULE_REDUCE && !is_root(a)) return false;
  if (operation(a) == SCHEDULE_EXSCAN && a->c->rank == 0) return false;
  if (is_reduce_scatter(a)) {
    *bytes = block_elements(a, a->c->rank) * a->of.extent;
  } else if (schedule_reduces(operation(a)) || a->op == SCHEDULE_BCAST) {
    *bytes = a->bytes;
  } else if (a->op == SCHEDULE_SCATTER || a->op == SCHEDULE_SCATTERV) {
    *bytes = a->out.in_place ? side_bytes(&a->in, a->c->rank) : side_bytes(&a->out, 0);
  } else {
    for (int r = 0; r < a->c->size; r++) *bytes += side_bytes(&a->out, r);
  }
  return *bytes > 0;
}

/* The vectors, or blocks, of `bytes` each, into one. They lie in the order of hosts. */
static int take_folded(const agent_call_t *a, const char *from, size_t bytes)
{
  const coll_comm_t *c = a->c;
  int last = a->folded == SCHEDULE_SCAN     ? c->rank
             : a->folded == SCHEDULE_EXSCAN ? c->rank - 1
                                            : c->size - 1;
  int rc = MPI_SUCCESS;
  for (int r = last; r >= 0 && rc == MPI_SUCCESS; r--) {
    const char *own = from + (size_t)place_of(c, r) * bytes;
    if (r == last)
      memcpy(a->out.of.data, own, bytes);
    else
      rc = reduction_left(&a->of, own, a->out.of.data, bytes / a->of.extent);
  }
  return rc;
}

static int take(const agent_call_t *a, char *from, size_t bytes)
{
  if (a->folds) return take_folded(a, from, bytes);
  if (schedule_reduces(a->op)) {
    memcpy(a->out.of.data, from, bytes);
    return MPI_SUCCESS;
  }
  bool scatters = a->op == SCHEDULE_SCATTER || a->op == SCHEDULE_SCATTERV;
  if (scatters && a->out.in_place) return MPI_SUCCESS;
  return scatters || a->op == SCHEDULE_BCAST ? side_unpack(&a->out, 0, from)
                                             : move_blocks(a, &a->out, from, true);
}

static int keep_type(side_t *s)
{
  if (s->in_place || s->dense || s->of.type == mpi.type_null) return MPI_SUCCESS;
  MPI_Datatype own;
  int rc = mpi.Type_dup(s->of.type, &own);
  s->kept = rc == MPI_SUCCESS;
  if (s->kept) s->of.type = own;
  return rc;
}

/* A type of MPI's own is nobody's to free. */
static int keep_reduced(agent_call_t *a)
{
  envelope_t e;
  MPI_Datatype own;
  if (!type_envelope(a->of.type, &e)) return MPI_ERR_TYPE;
  if (e.combiner == MPI_COMBINER_NAMED) return MPI_SUCCESS;
  int rc = mpi.Type_dup(a->of.type, &own);
  a->of_kept = rc == MPI_SUCCESS;
  if (a->of_kept) a->of.type = own;
#ifdef OPEN_MPI
  /* Before that it has no handle of Fortran's, which an operation in Fortran gets. */
  if (a->of_kept) mpi.Type_c2f(own);
#endif
  return rc;
}

/* The lists that are read when the call ends; both sides of some functions have the same. */
enum { LISTS = 5 };
static void lists_of(agent_call_t *a, amounts_t *list[LISTS])
{
  bool sides = !schedule_reduces(operation(a));
  list[0] = &a->counts;
  list[1] = sides ? &a->in.of.counts : NULL;
  list[2] = sides ? &a->in.of.displs : NULL;
  list[3] = sides ? &a->out.of.counts : NULL;
  list[4] = sides ? &a->out.of.displs : NULL;
}

/* False: memory is out. */
static bool keep_list(amounts_t *list, size_t n)
{
  const bool wide = list->wide != NULL;
  const void *from = wide ? (const void *)list->wide : (const void *)list->narrow;
  if (!from) return true;
  size_t bytes = n * (wide ? sizeof *list->wide : sizeof *list->narrow);
  void *own = malloc(bytes);
  if (own) memcpy(own, from, bytes);
  *list = wide ? (amounts_t){.wide = own} : (amounts_t){.narrow = own};
  return own != NULL;
}

static int keep_lists(agent_call_t *a)
{
  amounts_t *list[LISTS];
  bool kept = true;
  lists_of(a, list);
  a->lists_kept = true;
  for (int i = 0; i < LISTS; i++)
    if (list[i] && !kept)
      *list[i] = (amounts_t){0};
    else if (list[i])
      kept = keep_list(list[i], (size_t)a->c->size);
  return kept ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static void drop_lists(agent_call_t *a)
{
  amounts_t *list[LISTS];
  if (!a->lists_kept) return;
  lists_of(a, list);
  for (int i = 0; i < LISTS; i++) {
    if (!list[i]) continue;
    free((void *)(uintptr_t)list[i]->narrow);
    free((void *)(uintptr_t)list[i]->wide);
  }
}

static int keep_types(agent_call_t *a)
{
  if (a->folds && !a->nothing) return keep_reduced(a);
  if (a->nothing || a->op == SCHEDULE_BARRIER || schedule_reduces(a->op)) return MPI_SUCCESS;
  int rc = gives(a) ? keep_type(&a->in) : MPI_SUCCESS;
  if (a->op == SCHEDULE_BCAST) {
    a->out.of.type = a->in.of.type;
    return rc;
  }
  return rc == MPI_SUCCESS && gets(a) ? keep_type(&a->out) : rc;
}

int agent_call_keep(agent_call_t *a) { return side_code(keep_lists(a), keep_types(a)); }

void agent_call_drop(agent_call_t *a)
{
  drop_lists(a);
  if (a->in.kept) mpi.Type_free(&a->in.of.type);
  if (a->of_kept) mpi.Type_free(&a->of.type);
  if (a->out.kept) mpi.Type_free(&a->out.of.type);
}

int agent_call_begin(agent_call_t *a)
{
  desk_order_t *o = &a->order;
  const coll_comm_t *c = a->c;
  if (a->nothing) return MPI_SUCCESS;
  int channel = coll_agents.broken ? -1 : agents_channel(&a->end);
  if (channel < 0) return MPI_ERR_OTHER;
  size_t bytes = table_length(a) * sizeof(int64_t) + input_bytes(a);
  o->channel = (uint16_t)channel;
  o->structure = c->agent.number;
  o->call = o->stream ? o->call + 1 : ++a->c->agent.calls;
  o->root = a->root < 0 ? 0 : place_of(c, a->root);
  if (a->op == SCHEDULE_BCAST) o->count = (int64_t)a->bytes;
  if (schedule_reduces(a->op) && !is_reduce_scatter(a)) o->count = (int64_t)a->n;
  o->flags = bytes <= DESK_SMALL ? DESK_IN_LINE : 0;
  o->in = 0;
  o->in_bytes = bytes;
  if (bytes > DESK_SMALL && !(o->in = agents_take(bytes))) {
    agents_channel_free(channel);
    return MPI_ERR_NO_MEM;
  }
  a->given =
      give(a, o->in ? coll_agents.store.base + o->in : agents_channel_of(channel)->with.data);
  agents_order(o);
  a->c->agent.under_way++;
  return MPI_SUCCESS;
}

bool agent_call_wait(const agent_call_t *a)
{
  return a->nothing || agents_wait(a->order.channel, a->end);
}

/* Once: all later calls of the communicator fail, too. */
static void say_why(int code)
{
  static _Atomic bool said;
  if (said) return;
  said = true;
  int lost = coll_agents.desk->lost - 1, rank = 0;
  const char *why = code == EOWNERDEAD     ? "a rank of this host has ended"
                    : code == ECONNABORTED ? "the agent of another host gave it up"
                                           : strerror(code);
  while (lost >= 0 && rank < coll_job.n && coll_agents.agent[rank] != lost) rank++;
  if (lost >= 0 && rank < coll_job.n)
    say_line("rank %d: agents can't end a call: the agent of rank %d's host has ended, or is "
             "unreachable",
             coll_job.rank, rank);
  else
    say_line("rank %d: agents can't end a call: %s", coll_job.rank, why);
}

int agent_call_end(agent_call_t *a)
{
  if (a->nothing) return MPI_SUCCESS;
  desk_channel_t *channel = agents_channel_of(a->order.channel);
  size_t bytes;
  int rc = MPI_ERR_OTHER;
  if (agent_call_over(a) && channel->code == 0) {
    rc = MPI_SUCCESS;
    bool there = has_result(a, &bytes);
    char *from = channel->small ? channel->with.data : coll_agents.results + channel->with.out;
    if (there) rc = take(a, from, bytes);
    if (!channel->small)
      agents_order(&(desk_order_t){.kind = DESK_TAKEN,
                                   .structure = a->order.structure,
                                   .stream = a->order.stream,
                                   .call = a->order.call});
  } else if (agent_call_over(a)) {
    say_why(channel->code);
  }
  agents_give(a->order.in, a->order.in_bytes);
  if (agent_call_over(a)) agents_channel_free(a->order.channel);
  coll_comm_call_over(a->c);
  return side_code(a->given, rc);
}
