/* SPDX-License-Identifier: BSD-3-Clause */
/* Random one-sided epochs, whose outcome every rank knows: random SEED EPOCHS [KINDS]. All ranks
 * draw the same operations; operations of one epoch don't conflict, or are accumulates whose order
 * doesn't matter. Every byte of every window and every result is compared with a model. KINDS is a
 * list of names (see `names`): of each group that has a name in it, only the named kinds are drawn;
 * "-NAME" leaves a kind out; "+NAME" adds one that is off. Rank 0 prints the numbers of epochs and
 * operations if all were right; else the job is aborted. */
#include "random.h"

enum { PARTS = 5, WINDOWS = 6 };

static const struct {
  const char *name;
  group_t group;
  int kind;
  bool off; /* unless named */
} names[] = {
    {"create", ON_WINDOW, CREATE, 0},
    {"allocate", ON_WINDOW, ALLOCATE, 0},
    {"shared", ON_WINDOW, SHARED, 0},
    {"dynamic", ON_WINDOW, DYNAMIC, 0},
    {"fence", ON_EPOCH, FENCE, 0},
    {"pscw", ON_EPOCH, PSCW, 0},
    {"lock", ON_EPOCH, LOCK, 0},
    {"lock_all", ON_EPOCH, LOCK_ALL, 0},
    {"counter", ON_EPOCH, COUNTER, 0},
    {"swap", ON_EPOCH, SWAP, 0},
    {"mutex", ON_EPOCH, MUTEX, 0},
    {"put", ON_CALL, PUT, 0},
    {"get", ON_CALL, GET, 0},
    {"accumulate", ON_CALL, ACC, 0},
    {"get_accumulate", ON_CALL, GET_ACC, 0},
    {"fetch_and_op", ON_CALL, FETCH_OP, 0},
    {"compare_and_swap", ON_CALL, COMPARE, 0},
    {"plain", ON_TYPE, PLAIN, 0},
    {"derived", ON_TYPE, DERIVED, 0},
    {"mixed", ON_TYPE, MIXED, 0},
    {"bottom", ON_TYPE, BOTTOM, 0},
    {"requests", ON_MORE, REQUESTS, 0},
    {"flushes", ON_MORE, FLUSHES, 0},
    {"joined", ON_MORE, JOINED, 0},
    {"ordered", ON_MORE, ORDERED, 0},
    {"messages", ON_MORE, MESSAGES, 0},
    {"collectives", ON_MORE, COLLECTIVES, 0},
    {"busy", ON_MORE, BUSY, 0},

    {"compute", ON_MORE, COMPUTE, 0},
    {"many", ON_MORE, MANY, 0},
    {"info", ON_MORE, INFO, 0},
    {"exclusive", ON_MORE, EXCLUSIVE, 0},
    {"null_origin", ON_MORE, NULL_ORIGIN, 0},
    {"late", ON_MORE, LATE, 1},
    {"early_free", ON_MORE, EARLY_FREE, 0},
    /* Wrong in MPICH 4.0.2: MPI_MAX and MPI_MIN of unsigned numbers compare as signed ones;
       in Open MPI 4.1.4, those of negative MPI_OFFSET as unsigned ones. */
    {"high", ON_MORE, HIGH, 1},
    /* Wrong in Open MPI 4.1.4 (osc/rdma): MPI_LAND, MPI_LOR, MPI_LXOR of one integer do nothing. */
    {"logical", ON_MORE, LOGICAL, 1},
    /* Fails in Open MPI 4.1.4: MPI_Win_create and _dynamic in a communicator of one rank. */
    {"one_rank", ON_MORE, ONE_RANK, 1},
    /* Wrong in MPICH 4.0.2: accumulates use MPI_Win_create's base rounded down to 16 B. */
    {"odd_base", ON_MORE, ODD_BASE, 1},
    /* Wrong in MPICH 4.0.2: MPI_Win_allocate, if sizes aren't whole pages. */
    {"odd_size", ON_MORE, ODD_SIZE, 1},
    /* Hangs in MPICH 4.0.2: MPI_Win_post again, with nothing but post to wait between. */
    {"successive", ON_MORE, SUCCESSIVE, 1},
    /* Hangs in MPICH 4.0.2 (lock) and Open MPI 4.1.4 (osc/pt2pt, lock_all): MPI_Win_lock after one
       with MPI_MODE_NOCHECK. */
    {"lock_nocheck", ON_MORE, LOCK_NOCHECK, 1},
    /* Wrong in MPICH 4.0.2: after MPI_Win_flush_local, results of MPI_Get may not have come. */
    {"local_results", ON_MORE, LOCAL_RESULTS, 1},
    /* Wrong in MPICH 4.0.2: MPI_Rget of types with gaps is complete before its result has come. */
    {"rget_results", ON_MORE, RGET_RESULTS, 1},
    /* Aborts in MPICH 4.0.2: MPI_Get_accumulate with a derived target type. */
    {"derived_fetch", ON_MORE, DERIVED_FETCH, 1},
    /* Open MPI 4.1.4 saturates sums of integers of 8 and 16 bits (op/avx). */
    {"overflows", ON_MORE, OVERFLOWS, 1},
    /* Aborts in Open MPI 4.1.4: accumulates of pairs with gaps (others are wrong). */
    {"pairs", ON_MORE, PAIRS, 1},
    /* Wrong in Open MPI 4.1.4 (osc/pt2pt): compare-and-swap and accumulates of one origin in a
       row. */
    {"ordered_swap", ON_MORE, ORDERED_SWAP, 1},
    /* Hangs in Open MPI 4.1.4 (osc/sm): MPI_Win_post and _start with MPI_MODE_NOCHECK. */
    {"pscw_nocheck", ON_MORE, PSCW_NOCHECK, 1},
    /* Wrong in Open MPI 4.1.4 (osc/sm): negative strides at the origin. */
    {"backward", ON_MORE, BACKWARD, 1},
    /* Wrong in Open MPI 4.1.4: MPI_Win_shared_query. */
    {"query", ON_MORE, QUERY, 1},
    /* Crashes in Open MPI 4.1.4 (btl/vader without CMA): atomic operations on the own window. */
    {"self_atomic", ON_MORE, SELF_ATOMIC, 1},
};
enum { NAMES = sizeof names / sizeof *names };

static uint64_t shared; /* the state of the numbers that all ranks draw */
static unsigned kinds[5];
static int world_rank, world_size;
long epoch_number, operations;

uint64_t mix(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}
uint64_t draw(uint64_t below) { return (shared = mix(shared)) % below; }
bool chance(unsigned percent) { return draw(100) < percent; }
uint64_t swap_state(uint64_t state)
{
  uint64_t kept = shared;
  shared = state;
  return kept;
}

bool allowed(group_t group, int kind) { return kinds[group] >> kind & 1; }

int pick(group_t group, unsigned mask)
{
  unsigned left = kinds[group] & mask;
  int n = 0, kind;
  for (kind = 0; kind < 32; kind++) n += left >> kind & 1;
  if (n == 0) return -1;
  n = (int)draw(n);
  for (kind = 0;; kind++)
    if ((left >> kind & 1) && n-- == 0) return kind;
}

_Noreturn void give_up(const char *why)
{
  printf("epoch %ld, rank %d: %s\n", epoch_number, world_rank, why);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}

static void read_kinds(const char *list)
{
  bool named[5] = {false};
  for (int i = 0; i < NAMES; i++)
    if (!names[i].off) kinds[names[i].group] |= 1u << names[i].kind;
  while (list && *list) {
    size_t length = strcspn(list, ",");
    char sign = *list == '-' || *list == '+' ? *list : '=';
    const char *name = list + (sign != '=');
    int i = 0;
    while (i < NAMES && (strlen(names[i].name) != length - (sign != '=') ||
                         strncmp(names[i].name, name, length - (sign != '=')) != 0))
      i++;
    if (i == NAMES) give_up("KINDS has an unknown name");
    group_t g = names[i].group;
    if (sign == '=' && !named[g]) kinds[g] = 0, named[g] = true;
    if (sign == '-')
      kinds[g] &= ~(1u << names[i].kind);
    else
      kinds[g] |= 1u << names[i].kind;
    list += length + (list[length] == ',');
  }
}

static MPI_Comm parts[PARTS];

static void make_parts(void)
{
  parts[0] = MPI_COMM_WORLD;
  parts[1] = MPI_COMM_SELF;
  for (int i = 2; i < PARTS; i++) {
    int key = (int)(mix(draw(99) + world_rank) % 99);
    int colour = i == 2 ? 0 : i == 3 ? world_rank % 2 : world_rank >= (world_size + 1) / 2;
    MPI_Comm_split(MPI_COMM_WORLD, colour, i == 4 ? -world_rank : key, &parts[i]);
  }
}

/* In a communicator without rank 0, other numbers are drawn than in that with it. */
static void draw_apart(MPI_Comm comm)
{
  int first = world_rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, comm);
  shared = mix(shared + first);
}

static void try_one(window_t *w)
{
  unsigned mask = w->no_locks ? 1u << FENCE | 1u << PSCW : ~0u;
  if (w->flavor == DYNAMIC && draw(3) == 0) change_regions(w);
  int kind = pick(ON_EPOCH, mask);
  if (kind == FENCE) try_fence(w);
  if (kind == PSCW) try_pscw(w);
  if (kind == LOCK || kind == LOCK_ALL) try_passive(w, kind == LOCK_ALL);
  if (kind == COUNTER) try_counter(w);
  if (kind == SWAP) try_swap(w);
  if (kind == MUTEX) try_mutex(w);
}

static void use(window_t *w)
{
  uint64_t kept = shared; /* members of other parts draw differently many numbers */
  if (!w->region) {
    MPI_Comm comm = parts[draw(PARTS)];
    draw_apart(comm);
    make_window(w, comm);
  }
  draw_apart(w->comm);
  try_one(w);
  if (is_wrong()) give_up("aborted");
  shared = mix(kept);
}

int main(int argc, char **argv)
{
  static window_t windows[WINDOWS];
  long all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  shared = mix(argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
  long epochs = argc > 2 ? atol(argv[2]) : 100;
  read_kinds(argc > 3 ? argv[3] : NULL);
  find_basics();
  make_parts();
  for (epoch_number = 0; epoch_number < epochs; epoch_number++) {
    window_t *w = &windows[draw(WINDOWS)];
    if (w->region && draw(6) == 0) {
      uint64_t kept = shared;
      free_window(w);
      shared = mix(kept);
      if (is_wrong()) give_up("aborted");
    }
    if (!w->region) memset(w, 0, sizeof *w);
    use(w);
  }
  for (int i = 0; i < WINDOWS; i++)
    if (windows[i].region) free_window(&windows[i]);
  for (int i = 2; i < PARTS; i++) MPI_Comm_free(&parts[i]);
  if (is_wrong()) give_up("aborted");
  MPI_Reduce(&operations, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (world_rank == 0) printf("%ld epochs, %ld operations\n", epochs, all);
  MPI_Finalize();
  return 0;
}
