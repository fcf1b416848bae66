/* SPDX-License-Identifier: BSD-3-Clause */
/* Random non-blocking and persistent collective calls, all of whose results every rank knows:
 * random_requests SEED STEPS [all]. All ranks begin the same operations in the same order, on seven
 * communicators; each rank completes them in an order and in ways of its own. So up to 24 requests
 * are under way at once. Persistent operations are started again and again, in any order. Rank 0
 * prints the number of calls if all were right; else the job ends with a line that says what was
 * wrong. What the MPIs themselves do wrong is left out, without `all`. */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "requests.h"

uint64_t local, seed;
int world_rank, lenient;
long step;
static int world_size;
static uint64_t shared; /* a stream that all ranks draw alike */
static long calls, starts;
static part_t parts[PARTS];
static op_t *persistent[PERSISTENT];

/* --- barriers --- */

/* The last step in which a rank has begun a barrier, in memory that all ranks map. */
static _Atomic long (*begun)[TRACKS];

void begin_barriers(void)
{
  char name[64];
  int id = (int)getpid();
  size_t bytes = world_size * sizeof *begun;
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "barriers.%d", id);
  int file = world_rank == 0 ? open(name, O_RDWR | O_CREAT | O_EXCL, 0600) : -1;
  if (file >= 0 && ftruncate(file, bytes)) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank) file = open(name, O_RDWR);
  begun = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (begun == MAP_FAILED) {
    perror(name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  close(file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) unlink(name);
}

void note_barrier(const op_t *op)
{
  if (op->fn == FN_BARRIER) atomic_store(&begun[world_rank][op->track], op->serial);
}

void check_barrier(const op_t *op)
{
  for (int r = 0; op->fn == FN_BARRIER && r < op->part->size; r++)
    if (atomic_load(&begun[op->part->world[r]][op->track]) < op->serial)
      fail(op, "it is complete, but rank %d of all hasn't begun it", op->part->world[r]);
}

/* --- communicators --- */

static void free_part(part_t *p)
{
  free(p->world);
  p->world = NULL;
  if (p->comm != MPI_COMM_NULL && p->comm != MPI_COMM_WORLD) MPI_Comm_free(&p->comm);
  p->comm = MPI_COMM_NULL;
}

static void make_part(int which)
{
  static const char *const names[PARTS] = {
      "MPI_COMM_WORLD",   "a duplicate",  "a random split",      "odd and even ranks",
      "ranks in reverse", "a rank alone", "a split without some"};
  part_t *p = &parts[which];
  uint64_t drawn = draw(&shared, 1 << 30), mine = mix(drawn + 7 * world_rank);
  int colour[PARTS] = {
      0, 0, mine % 3 > 0, world_rank % 2, 0, world_rank, mine % 4 ? 0 : MPI_UNDEFINED};
  int key[PARTS] = {0, 0, (int)(mine >> 20 & 15), 0, -world_rank, 0, (int)(mine >> 20 & 1)};
  p->name = names[which];
  if (which == 0)
    p->comm = MPI_COMM_WORLD;
  else if (which == 1)
    MPI_Comm_dup(MPI_COMM_WORLD, &p->comm);
  else
    MPI_Comm_split(MPI_COMM_WORLD, colour[which], key[which], &p->comm);
  if (p->comm == MPI_COMM_NULL) return;
  MPI_Comm_rank(p->comm, &p->rank);
  MPI_Comm_size(p->comm, &p->size);
  p->world = malloc(p->size * sizeof *p->world);
  MPI_Allgather(&world_rank, 1, MPI_INT, p->world, 1, MPI_INT, p->comm);
}

/* --- operations --- */

static int is_op(const op_t *op, const void *of) { return op == of; }
static int is_of_part(const op_t *op, const void *of) { return op->part == of; }
static int is_any(const op_t *op, const void *of) { return op && !of; }

static op_t *free_place(void)
{
  for (int i = 0; i < OPS; i++)
    if (!ops[i].used) return &ops[i];
  fprintf(stderr, "more than %d operations\n", OPS);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return NULL;
}

static void make_room(int requests)
{
  while (active_ops() + requests > OUTSTANDING) complete_some();
}

/* The parameters' stream is the same for all members, and no one else draws from it. */
static op_t *begin_op(part_t *p, int fn, int form, int track)
{
  op_t *op = free_place();
  make_op(op, p, step, fn, form, mix(mix(seed) + step));
  op->track = track;
  op->serial = step;
  calls++;
  call_op(op);
  if (form != FORM_BLOCKING) return op;
  free_op(op);
  return NULL;
}

/* Persistent operations start in an order that is the rank's own, one by one or several at once. */
static void start(op_t **chosen, int n)
{
  MPI_Request requests[PERSISTENT * 2];
  for (int i = 0; i < n; i++) complete_all(is_op, chosen[i]);
  make_room(n);
  for (int i = n - 1; i > 0; i--) {
    int other = (int)draw(&local, i + 1);
    op_t *kept = chosen[i];
    chosen[i] = chosen[other];
    chosen[other] = kept;
  }
  for (int i = 0; i < n; i++) {
    chosen[i]->round++;
    chosen[i]->serial = step;
    fill_buffers(chosen[i]);
    note_barrier(chosen[i]);
    requests[i] = chosen[i]->request;
  }
  for (int i = 0, many; i < n; i += many) {
    many = draw(&local, 2) ? 1 : 1 + (int)draw(&local, n - i);
    if (many == 1 && draw(&local, 2))
      MPI_Start(&requests[i]);
    else
      MPI_Startall(many, &requests[i]);
  }
  for (int i = 0; i < n; i++) {
    if (requests[i] != chosen[i]->request) fail(chosen[i], "MPI_Start: changes the request");
    chosen[i]->active = 1;
    starts++;
  }
}

/* All members know whether it has been started. The first two are a message's sides. */
static void end_persistent(int which)
{
  op_t *op = persistent[which], *sides[] = {persistent[0], persistent[1]};
  if (!op) return;
  if (!op->round) start(which < 2 ? sides : &op, which < 2 ? 2 : 1);
  complete_all(is_op, op);
  MPI_Request_free(&op->request);
  if (op->request != MPI_REQUEST_NULL) fail(op, "MPI_Request_free: expected MPI_REQUEST_NULL");
  free_op(op);
  persistent[which] = NULL;
}

static void start_some(void)
{
  op_t *chosen[PERSISTENT];
  uint64_t drawn = draw(&shared, 1 << 30);
  int n = 0;
  drawn ^= ((drawn >> 1 ^ drawn) & 1) << 1; /* both sides of the message, or none */
  for (int i = 0; i < PERSISTENT; i++)
    if (persistent[i] && (drawn >> i & 1)) chosen[n++] = persistent[i];
  start(chosen, n);
}

/* A message from each member to another one: two requests. */
static void exchange(part_t *p, int which)
{
  int form = which < 0 ? FORM_REQUEST : FORM_PERSISTENT, first = (int)draw(&local, 2);
  make_room(2);
  for (int i = 0; i < 2; i++) {
    int sends = i == first;
    op_t *op = begin_op(p, sends ? FN_SEND : FN_RECV, form, 0);
    if (which >= 0) persistent[which + sends] = op;
  }
}

static void remake_part(int which)
{
  part_t *p = &parts[which];
  for (int i = 0; i < PERSISTENT; i++)
    if (persistent[i] && persistent[i]->part == p) end_persistent(i);
  complete_all(is_of_part, p);
  free_part(p);
  make_part(which);
}

/* --- the program --- */

enum { PATIENCE = 60 }; /* seconds for a step: then calls hang */
enum { CARDS = FN_COLLECTIVES * FORMS };

/* Each function comes in each form once before any comes again. */
static int draw_card(void)
{
  static int cards[CARDS], left;
  if (!left)
    for (left = 0; left < CARDS; left++) cards[left] = left;
  int place = (int)draw(&shared, left), card = cards[place];
  cards[place] = cards[--left];
  return card;
}

static void collective(void)
{
  int card = draw_card(), form = card / FN_COLLECTIVES, which = (int)draw(&shared, PARTS);
  int place = 2 + (int)draw(&shared, PERSISTENT - 2);
  part_t *p = &parts[which];
  if (form == FORM_PERSISTENT) end_persistent(place);
  if (p->comm == MPI_COMM_NULL) return;
  if (form == FORM_REQUEST) make_room(1);
  int track = form == FORM_PERSISTENT ? PARTS + place : which;
  op_t *op = begin_op(p, card % FN_COLLECTIVES, form, track);
  if (form == FORM_PERSISTENT) persistent[place] = op;
}

static void take_step(void)
{
  int which = (int)draw(&shared, PARTS);
  part_t *p = &parts[which];
  switch (draw(&shared, 16)) {
  case 0:
    if (draw(&shared, 3) == 0 && which) remake_part(which);
    break;
  case 1:
    if (p->comm != MPI_COMM_NULL) exchange(p, -1);
    break;
  case 2:
    if (draw(&shared, 4)) break;
    end_persistent(0);
    end_persistent(1);
    if (p->comm != MPI_COMM_NULL) exchange(p, 0);
    break;
  case 3:
  case 4:
    start_some();
    break;
  default:
    collective();
  }
}

/* How eagerly ranks complete changes from time to time: mostly little, so that requests gather. */
static void complete_now_and_then(void)
{
  static uint64_t mood = 2;
  if (draw(&local, 30) == 0) mood = 1 + draw(&local, 20);
  if (draw(&local, mood) == 0) complete_some();
  if (draw(&local, 100) == 0) usleep((useconds_t)draw(&local, 2000));
}

int main(int argc, char **argv)
{
  _Alignas(64) char room[STACK_PIECES * STACK_ROOM];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  long steps = argc > 2 ? atol(argv[2]) : 1000;
  lenient = argc < 4;
  shared = mix(seed);
  local = mix(mix(seed) + world_rank + 1);
  use_stack(room);
  signal(SIGALRM, say_active);
  begin_data();
  begin_barriers();
  for (int i = 0; i < PARTS; i++) make_part(i);
  for (step = 1; step <= steps; step++) {
    alarm(PATIENCE);
    take_step();
    complete_now_and_then();
  }
  for (int i = 0; i < PERSISTENT; i++) end_persistent(i);
  complete_all(is_any, NULL);
  for (int i = 0; i < PARTS; i++) free_part(&parts[i]);
  end_data();
  if (world_rank == 0) printf("%ld calls and %ld starts, 0 wrong\n", calls, starts);
  MPI_Finalize();
  return 0;
}
