/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of all kinds, their model, and the comparison of both. */
#include "random.h"

enum { GUARD = 64, PAGE = 4096 };

static size_t draw_size(void)
{
  static const size_t limits[] = {0, 16, 256, 4096, 65536, LARGEST};
  uint64_t d = draw(100);
  int class = d < 6 ? 0 : d < 15 ? 1 : d < 40 ? 2 : d < 75 ? 3 : d < 94 ? 4 : 5;
  size_t size = class ? limits[class - 1] + draw(limits[class] - limits[class - 1]) + 1 : 0;
  return draw(2) ? size : size / ALIGN * ALIGN;
}

static unsigned char content(size_t i, uint64_t seed)
{
  return (unsigned char)mix(seed + i / 8) >> i % 8;
}

static void new_region(region_t *r, uint64_t seed)
{
  r->model = malloc(r->size + 1);
  r->unknown = calloc(r->size + 1, 1);
  r->claim = calloc(r->size + 1, sizeof *r->claim);
  for (size_t i = 0; i < r->size; i++) r->model[i] = content(i, seed);
}

static void free_region(region_t *r)
{
  free(r->model);
  free(r->unknown);
  free(r->claim);
  memset(r, 0, sizeof *r);
}

/* Memory of the program for region g, between guards whose bytes must stay. */
static void own_memory(window_t *w, int g, size_t size)
{
  size_t all = (size + 3 * GUARD + ALIGN - 1) / ALIGN * ALIGN;
  w->block[g] = aligned_alloc(ALIGN, all);
  memset(w->block[g], 0xc3, all);
  w->base[g] = w->block[g] + GUARD;
  if (w->flavor == CREATE && allowed(ON_MORE, ODD_BASE)) w->base[g] += mix(size) % ALIGN;
}

static void drop_memory(window_t *w, int g)
{
  size_t size = w->region[w->rank][g].size;
  for (size_t i = 0; w->block[g] && i < GUARD; i++)
    if (w->block[g][i] != 0xc3 || w->base[g][size + i] != 0xc3)
      wrong_byte(w, NULL, "beside the window", i, 0xc3, w->base[g][size + i]);
  free(w->block[g]);
  w->block[g] = w->base[g] = NULL;
}

/* All ranks learn where the caller's region g is. */
static void exchange_address(window_t *w, int g)
{
  MPI_Aint mine = 0, *all = malloc(w->size * sizeof *all);
  if (w->base[g]) MPI_Get_address(w->base[g], &mine);
  MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT, w->comm);
  for (int r = 0; r < w->size; r++) {
    w->region[r][g].address = w->flavor == DYNAMIC ? all[r] : 0;
    w->region[r][g].align = (int)(all[r] & (ALIGN - 1));
  }
  free(all);
}

static void fill(window_t *w, int g)
{
  const region_t *r = &w->region[w->rank][g];
  if (r->size) memcpy(w->base[g], r->model, r->size);
}

static bool shares_memory(MPI_Comm comm)
{
  MPI_Comm part;
  int all, mine, same;
  MPI_Comm_size(comm, &all);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
  MPI_Comm_size(part, &mine);
  MPI_Comm_free(&part);
  mine = mine == all;
  MPI_Allreduce(&mine, &same, 1, MPI_INT, MPI_MIN, comm);
  return same;
}

static void set(MPI_Info info, const char *key, bool yes)
{
  if (yes) MPI_Info_set(info, key, "true");
}

static MPI_Info draw_info(window_t *w, bool same_size, bool same_unit)
{
  MPI_Info info;
  if (!allowed(ON_MORE, INFO) || draw(3)) return MPI_INFO_NULL;
  MPI_Info_create(&info);
  w->no_locks = draw(4) == 0;
  w->unordered = draw(3) == 0;
  set(info, "no_locks", w->no_locks);
  set(info, "same_size", same_size && draw(2));
  set(info, "same_disp_unit", same_unit && draw(2));
  set(info, "alloc_shared_noncontig", draw(2));
  if (w->unordered)
    MPI_Info_set(info, "accumulate_ordering", "none");
  else if (draw(2))
    MPI_Info_set(info, "accumulate_ordering", "rar,war,raw,waw");
  if (draw(3) == 0) MPI_Info_set(info, "accumulate_ops", "same_op_no_op");
  if (draw(3) == 0) MPI_Info_set(info, "some_unknown_key", "some value");
  return info;
}

/* Where every rank's part of a shared window is must be what the others are told. */
static void query_shared(window_t *w)
{
  for (int r = 0; r < w->size; r++) {
    MPI_Aint size;
    int unit;
    unsigned char *base;
    MPI_Win_shared_query(w->win, r, &size, &unit, &base);
    if ((size_t)size != w->region[r][0].size || (size && unit != w->unit[r]))
      printf("of rank %d: %td B, unit %d, expected %zu B, unit %d\n", r, (ptrdiff_t)size, unit,
             w->region[r][0].size, w->unit[r]),
          give_up("MPI_Win_shared_query tells another size or unit");
  }
}

static void create(window_t *w, MPI_Info info)
{
  size_t size = w->region[w->rank][0].size;
  int unit = w->unit[w->rank];
  if (w->flavor == CREATE) {
    own_memory(w, 0, size);
    MPI_Win_create(size ? w->base[0] : NULL, size, unit, info, w->comm, &w->win);
  } else if (w->flavor == ALLOCATE) {
    MPI_Win_allocate(size, unit, info, w->comm, &w->base[0], &w->win);
  } else if (w->flavor == SHARED) {
    MPI_Win_allocate_shared(size, unit, info, w->comm, &w->base[0], &w->win);
  } else {
    MPI_Win_create_dynamic(info, w->comm, &w->win);
  }
}

void make_window(window_t *w, MPI_Comm comm)
{
  static const int units[] = {1, 2, 4, 8, 24};
  memset(w, 0, sizeof *w);
  w->comm = comm;
  MPI_Comm_rank(comm, &w->rank);
  MPI_Comm_size(comm, &w->size);
  w->flavor = pick(ON_WINDOW, shares_memory(comm) ? 15 : 11);
  if (w->size == 1 && !allowed(ON_MORE, ONE_RANK)) w->flavor = draw(2) ? ALLOCATE : SHARED;
  w->regions = 1;
  w->region = calloc(w->size, sizeof *w->region);
  w->unit = malloc(w->size * sizeof *w->unit);
  bool same_size = draw(3) == 0, same_unit = draw(2);
  size_t size = draw_size();
  int unit = units[draw(5)];
  for (int r = 0; r < w->size; r++) {
    w->region[r][0].size = w->flavor == DYNAMIC ? 0 : same_size ? size : draw_size();
    if (w->flavor == ALLOCATE && !allowed(ON_MORE, ODD_SIZE))
      w->region[r][0].size = (w->region[r][0].size + PAGE - 1) / PAGE * PAGE;
    w->unit[r] = w->flavor == DYNAMIC ? 1 : same_unit ? unit : units[draw(5)];
  }
  MPI_Info info = draw_info(w, same_size, same_unit);
  create(w, info);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  for (int r = 0; r < w->size; r++) new_region(&w->region[r][0], mix(draw(1000) + r));
  if (w->flavor != DYNAMIC) {
    exchange_address(w, 0);
    lock_self(w);
    fill(w, 0);
    unlock_self(w);
  } else {
    w->regions = REGIONS;
    change_regions(w);
  }
  if (w->flavor == SHARED && allowed(ON_MORE, QUERY)) query_shared(w);
  MPI_Barrier(comm);
}

/* Attaches memory where there is none, and detaches some. */
void change_regions(window_t *w)
{
  MPI_Barrier(w->comm);
  for (int g = 0; g < REGIONS; g++) {
    for (int r = 0; r < w->size; r++) {
      region_t *one = &w->region[r][g];
      bool mine = r == w->rank, again = draw(4) == 0;
      size_t size = one->size;
      if (size && (again || draw(3) == 0)) {
        if (mine) MPI_Win_detach(w->win, w->base[g]);
        if (mine && !again) drop_memory(w, g);
        if (again) { /* the same memory */
          if (mine) MPI_Win_attach(w->win, w->base[g], size);
          continue;
        }
        free_region(one);
        if (draw(2)) continue;
      } else if (size || draw(4) == 0) {
        continue;
      }
      free_region(one);
      one->size = draw_size() / 4;
      new_region(one, mix(draw(1000) + r));
      if (!mine || !one->size) continue;
      own_memory(w, g, one->size);
      fill(w, g);
      MPI_Win_attach(w->win, w->base[g], one->size);
    }
    exchange_address(w, g);
  }
  MPI_Barrier(w->comm);
}

void free_window(window_t *w)
{
  for (int g = 0; g < w->regions && w->flavor == DYNAMIC; g++)
    if (w->region[w->rank][g].size && draw(2)) MPI_Win_detach(w->win, w->base[g]);
  MPI_Win_free(&w->win);
  for (int g = 0; g < w->regions; g++) {
    drop_memory(w, g);
    for (int r = 0; r < w->size; r++) free_region(&w->region[r][g]);
  }
  free(w->region);
  free(w->unit);
  memset(w, 0, sizeof *w);
}

/* Around loads and stores of the own window, between epochs. */
void lock_self(window_t *w)
{
  if (!w->no_locks) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, w->rank, 0, w->win);
}
void unlock_self(window_t *w)
{
  if (!w->no_locks) MPI_Win_unlock(w->rank, w->win);
}

static void compare(window_t *w, const region_t *r, const unsigned char *base, const char *what)
{
  for (size_t i = 0; i < r->size; i++)
    if (base[i] != r->model[i] && !r->unknown[i])
      wrong_byte(w, last_at(w, r, (ptrdiff_t)i), what, i, r->model[i], base[i]);
}

/* Everybody loads everybody's part. */
static void check_shared(window_t *w)
{
  MPI_Win_lock_all(MPI_MODE_NOCHECK, w->win);
  MPI_Win_sync(w->win);
  MPI_Barrier(w->comm);
  MPI_Win_sync(w->win);
  for (int r = 0; r < w->size; r++) {
    MPI_Aint size;
    int unit;
    unsigned char *base;
    MPI_Win_shared_query(w->win, r, &size, &unit, &base);
    if (size) compare(w, &w->region[r][0], base, "another's part of the shared window");
  }
  MPI_Barrier(w->comm);
  MPI_Win_unlock_all(w->win);
}

/* All epochs are over at all ranks of the window. */
void check_window(window_t *w)
{
  lock_self(w);
  for (int g = 0; g < w->regions; g++) compare(w, &w->region[w->rank][g], w->base[g], "the window");
  unlock_self(w);
  if (w->flavor != SHARED || w->no_locks || !allowed(ON_MORE, QUERY)) return;
  MPI_Barrier(w->comm);
  check_shared(w);
}
