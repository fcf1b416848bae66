/* SPDX-License-Identifier: BSD-3-Clause */
/* What launchers would do with the writers' files and command lines: readers of our own, one for
 * each format, say where it puts every rank. That must be where the mapping has it, or the writer
 * must have refused. */
#include "base/in_file.h"
#include "base/text.h"
#include "map/random_instance.h"

/* Where ranks are: the host's name, and the CPU or the core, whichever the format tells. */
typedef struct landing {
  const char *host;
  int number;
} landing_t;

typedef struct launch_case {
  const berth_mapping_t *m;
  const berth_topo_t *t;
  char *text;    /* the file */
  char *command; /* or NULL */
  landing_t *at;
} launch_case_t;

static const berth_pu_t *pu_of(const launch_case_t *c, int rank)
{
  return berth_topo_pu(c->t, c->m->pu_of_rank[rank]);
}

static const char *host_name(const berth_topo_t *t, const char *name, size_t n)
{
  for (int h = 0; h < berth_topo_n_hosts(t); h++) {
    const char *host = berth_topo_host(t, h)->name;
    if (strlen(host) == n && strncmp(host, name, n) == 0) return host;
  }
  fail_msg("no host %.*s", (int)n, name);
  return NULL;
}

/* How many ranks below r are on its host. */
static int local_rank(const launch_case_t *c, int r)
{
  int n = 0;
  for (int k = 0; k < r; k++) n += c->at[k].host == c->at[r].host;
  return n;
}

/* The i-th number of a list as in 3,0,1, from its start again behind its end. */
static int nth(const char *list, int i)
{
  const char *s = list;
  for (; i > 0; i--) {
    s += strspn(s, "0123456789");
    s = *s == ',' ? s + 1 : list;
  }
  return atoi(s);
}

static char *written(const char *writer, const berth_mapping_t *m, const berth_topo_t *t,
                     berth_error_t *err)
{
  char *text = NULL;
  size_t n;
  const char *path = scratch_file("w", "untouched", 9);
  int rc = berth_writer_find(writer)->write(m, t, path, err);
  assert_int_equal(in_read_all(path, &text, &n, NULL), BERTH_OK);
  unlink(path);
  if (!rc) return text;
  assert_int_equal(rc, BERTH_BAD_INPUT);
  assert_string_equal(text, "untouched");
  free(text);
  return NULL;
}

static void read_rankfile(launch_case_t *c)
{
  for (char *line = strtok(c->text, "\n"); line; line = strtok(NULL, "\n")) {
    int rank = -1, core = -1, name = 0, end = 0;
    assert_int_equal(sscanf(line, "rank %d=%n%*[^ ]%n slot=%d", &rank, &name, &end, &core), 2);
    c->at[rank] = (landing_t){host_name(c->t, line + name, (size_t)(end - name)), core};
  }
}

/* "host number" for each rank. */
static void read_table(launch_case_t *c, char *text)
{
  int r = 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), r++) {
    size_t n = strcspn(line, " ");
    c->at[r].host = host_name(c->t, line, n);
    if (line[n]) c->at[r].number = atoi(line + n);
  }
  assert_int_equal(r, c->m->ranks);
}

static void read_seq(launch_case_t *c) { read_table(c, c->text); }

static void read_pin(launch_case_t *c) { read_table(c, strstr(c->text, ": TABLE\n") + 8); }

static void bind_by_pin(launch_case_t *c)
{
  launch_case_t pin = *c;
  pin.at = calloc((size_t)c->m->ranks, sizeof *pin.at);
  pin.text = written("pin", c->m, c->t, NULL);
  read_pin(&pin);
  for (int r = 0; r < c->m->ranks; r++) {
    assert_ptr_equal(pin.at[r].host, c->at[r].host); /* it would refuse */
    c->at[r].number = pin.at[r].number;
  }
  free(pin.text);
  free(pin.at);
}

/* Binds as the command says: by a list behind `option`, or by the wrapper. */
static void bind_by_command(launch_case_t *c, const char *option, const char *none)
{
  const char *list = strstr(c->command, option);
  if (!list) {
    assert_non_null(strstr(c->command, none));
    assert_non_null(strstr(c->command, " sh PIN ./app"));
    bind_by_pin(c);
    return;
  }
  for (int r = 0; r < c->m->ranks; r++)
    c->at[r].number = nth(list + strlen(option), local_rank(c, r));
}

static void read_intel(launch_case_t *c)
{
  static const char binding[] = " binding=map=";
  int r = 0;
  bool binds = true;
  for (char *line = strtok(c->text, "\n"); line; line = strtok(NULL, "\n")) {
    size_t n = strcspn(line, ":");
    const char *list = strstr(line, binding);
    binds &= list != NULL;
    for (int i = 0, count = atoi(line + n + 1); i < count; i++, r++)
      c->at[r] = (landing_t){host_name(c->t, line, n), list ? nth(list + strlen(binding), i) : -1};
  }
  assert_int_equal(r, c->m->ranks);
  if (!binds) bind_by_command(c, "I_MPI_PIN_PROCESSOR_LIST=", "I_MPI_PIN=off ");
}

/* Hydra joins lines of one host that follow one another, goes round the lines, and gives the i-th
 * rank that comes to a line the i-th CPU of its list. */
static void read_hydra(launch_case_t *c)
{
  int r = 0, taken[256] = {0};
  while (r < c->m->ranks) {
    size_t line = 0;
    const char *before = "";
    for (const char *s = c->text; *s && r < c->m->ranks; s = strchr(s, '\n') + 1, line++) {
      size_t n = strcspn(s, ":");
      const char *list = strstr(s, " binding=user:") + 14;
      assert_false(strncmp(s, before, n + 1) == 0);
      assert_in_range(line, 0, COUNT(taken) - 1);
      for (int left = atoi(s + n + 1); left > 0 && r < c->m->ranks; left--, r++)
        c->at[r] = (landing_t){host_name(c->t, s, n), nth(list, taken[line]++)};
      before = s;
    }
  }
}

static void read_slurm(launch_case_t *c)
{
  read_table(c, c->text);
  bind_by_command(c, "--cpu-bind=map_cpu:", "--cpu-bind=none ");
}

/* The number that a host's name ends in, as n12. */
static int number_of(const char *name) { return atoi(name + strcspn(name, "0123456789")); }

/* Where process p of a plain start is: on the hosts of the command, which Slurm takes in the order
 * of its configuration: here by their numbers. */
static landing_t plain_process(const launch_case_t *c, int p)
{
  int n = atoi(strstr(c->command, "--ntasks-per-node=") + 18);
  const char *ranges = strstr(c->command, " -w '") + 5, *list = strstr(c->command, "map_cpu:") + 8;
  char *text = strndup(ranges, strcspn(ranges, "'"));
  size_t hosts;
  const char **host = berth_hostlist(text, &hosts, NULL);
  assert_non_null(host);
  for (size_t i = 1; i < hosts; i++)
    assert_in_range(number_of(host[i - 1]), 0, number_of(host[i]) - 1);
  assert_in_range(p / n, 0, hosts - 1);
  landing_t at = {host_name(c->t, host[p / n], strlen(host[p / n])), nth(list, p % n)};
  free(host);
  free(text);
  return at;
}

static void read_split_key(launch_case_t *c)
{
  int p = 0;
  for (char *word = strtok(c->text, ",\n"); word; word = strtok(NULL, ",\n"))
    if (*word != '#') c->at[atoi(word)] = plain_process(c, p++);
  assert_int_equal(p, c->m->ranks);
}

static void read_permutation(launch_case_t *c)
{
  int r = 0;
  for (char *word = strtok(c->text, "\n"); word; word = strtok(NULL, "\n"))
    c->at[r++] = plain_process(c, atoi(word));
  assert_int_equal(r, c->m->ranks);
}

static const struct {
  const char *writer;
  void (*read)(launch_case_t *c);
  bool cores, may_refuse;
} readers[] = {
    {"rankfile", read_rankfile, true, false},   {"seq", read_seq, true, false},
    {"hydra", read_hydra, false, false},        {"intel", read_intel, false, false},
    {"slurm", read_slurm, false, false},        {"pin", read_pin, false, false},
    {"cray", read_split_key, false, true},      {"permutation", read_permutation, false, true},
    {"split-key", read_split_key, false, true},
};

/* Whether all hosts with ranks have them on the same CPUs, equally many on each. */
static bool is_even(const launch_case_t *c)
{
  int hosts = berth_topo_n_hosts(c->t), pus = berth_topo_n_pus(c->t), model = pu_of(c, 0)->host;
  int *count = calloc((size_t)hosts * (size_t)pus, sizeof *count);
  bool *used = calloc((size_t)hosts, sizeof *used), even = true;
  for (int r = 0; r < c->m->ranks; r++) {
    const berth_pu_t *pu = pu_of(c, r);
    used[pu->host] = true;
    count[pu->host * pus + pu->os_index]++;
  }
  for (int h = 0; h < hosts; h++)
    for (int p = 0; p < pus && used[h]; p++) even &= count[h * pus + p] == count[model * pus + p];
  free(count);
  free(used);
  return even;
}

/* Reads what a writer makes of a mapping; 1 if it is refused. */
static int try_writer(size_t i, const berth_mapping_t *m, const berth_topo_t *t)
{
  berth_error_t err = {0};
  const berth_writer_t *w = berth_writer_find(readers[i].writer);
  launch_case_t c = {m, t, written(w->name, m, t, &err), w->command(m, t, "FILE", NULL, &err),
                     NULL};
  assert_int_equal(!c.text, !c.command);
  assert_int_equal(!c.text, readers[i].may_refuse && !is_even(&c));
  if (!c.text) return 1;
  c.at = calloc((size_t)m->ranks, sizeof *c.at);
  readers[i].read(&c);
  for (int r = 0; r < m->ranks; r++) {
    const berth_pu_t *pu = pu_of(&c, r);
    int number = readers[i].cores ? pu->core : pu->os_index;
    if (!c.at[r].host || strcmp(c.at[r].host, berth_topo_host(t, pu->host)->name) != 0 ||
        c.at[r].number != number)
      FAIL_ROW(w->name, "rank %d of %d: found %s %d, expected %s %d\n  %s", r, m->ranks,
               c.at[r].host, c.at[r].number, berth_topo_host(t, pu->host)->name, number, c.command);
  }
  free(c.at);
  free(c.text);
  free(c.command);
  return 0;
}

/* Hosts that are all alike, whose CPUs the operating system numbers in an order of its own: second
 * threads last. */
static berth_topo_t *even_topology(dice_t *d)
{
  berth_topo_t *t = berth_topo_new("even", NULL);
  berth_type_t type = {.name = "x", .up = {{-1, 0}, {-1, 0}}, .down = {{-1, 10}, {-1, 10}}};
  int n = berth_topo_add_type(t, &type, NULL), cores = 1 + roll(d, 4), threads = 1 + roll(d, 2);
  int root = berth_topo_add_switch(t, -1, n, "root", NULL, NULL);
  for (int h = 1 + roll(d, 12); h > 0; h--) {
    char name[16];
    snprintf(name, sizeof name, "node%d", h);
    int host = berth_topo_add_switch(t, root, n, name, name, NULL);
    for (int i = 0; i < cores * threads; i++)
      berth_topo_add_pu(t, host, i / threads + cores * (i % threads), i / threads, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

/* How many PUs of its host stand before a PU. */
static int place(const berth_topo_t *t, int pu)
{
  int host = berth_topo_host(t, berth_topo_pu(t, pu)->host)->element;
  return pu - berth_topo_element(t, host)->first_pu;
}

/* PUs for ranks: some of all, each once or with some twice, or the same ones of each host, or one
 * of each host in turn. */
static int random_ranks(dice_t *d, const berth_topo_t *t, int *pu_of_rank)
{
  int pus = berth_topo_n_pus(t), ranks = 0, kind = roll(d, 4), keep = 1 + roll(d, 4);
  uint64_t chosen = d->state;
  for (int p = 0; p < pus; p++) {
    dice_t by_cpu = {chosen + (uint64_t)berth_topo_pu(t, p)->os_index * 7919};
    bool take = roll(&by_cpu, 3) > 0;
    if (kind < 2) take = roll(d, 4) < keep;
    if (take) pu_of_rank[ranks++] = p;
    if (take && kind == 1 && roll(d, 4) == 0) pu_of_rank[ranks++] = p;
  }
  if (ranks == 0) pu_of_rank[ranks++] = roll(d, pus);
  if (kind == 3) { /* sorted by the PU's place within its host */
    for (int i = 1; i < ranks; i++)
      for (int k = i; k > 0 && place(t, pu_of_rank[k]) < place(t, pu_of_rank[k - 1]); k--) {
        int kept = pu_of_rank[k];
        pu_of_rank[k] = pu_of_rank[k - 1];
        pu_of_rank[k - 1] = kept;
      }
    return ranks;
  }
  for (int i = ranks - 1; i > 0 && roll(d, 8); i--) { /* sometimes only partly shuffled */
    int k = roll(d, i + 1), kept = pu_of_rank[i];
    pu_of_rank[i] = pu_of_rank[k];
    pu_of_rank[k] = kept;
  }
  return ranks;
}

static void every_rank_lands_where_the_mapping_has_it(void **state)
{
  (void)state;
  dice_t d = {4};
  int refused = 0, tried = 0;
  for (int round = 0; round < rounds_of(100); round++) {
    berth_topo_t *t = roll(&d, 2) ? random_topology(&d) : even_topology(&d);
    int *pu_of_rank = malloc(2 * (size_t)berth_topo_n_pus(t) * sizeof *pu_of_rank);
    int ranks = random_ranks(&d, t, pu_of_rank);
    berth_mapping_t m = {ranks, pu_of_rank, (char *)"x", (char *)"", (char *)"", -1, {0}};
    for (size_t i = 0; i < COUNT(readers); i++) {
      refused += try_writer(i, &m, t);
      tried += readers[i].may_refuse;
    }
    free(pu_of_rank);
    berth_topo_free(t);
  }
  assert_in_range(refused, tried / 10, tried * 9 / 10); /* both happen often */
}

static void every_launcher_has_a_reader(void **state)
{
  (void)state;
  size_t n, launchers = 0;
  const berth_writer_t *writers = berth_writers(&n);
  for (size_t i = 0; i < n; i++) {
    bool found = false;
    for (size_t k = 0; k < COUNT(readers); k++)
      found |= strcmp(writers[i].name, readers[k].writer) == 0;
    if (found != (writers[i].command != NULL)) fail_msg("%s has no reader", writers[i].name);
    launchers += found;
  }
  assert_int_equal(launchers, COUNT(readers));
}

/* Two hosts: `first` with PUs 0 and 1, b with CPUs 0 and `other`. */
static berth_topo_t *two_hosts(const char *first, int other)
{
  berth_topo_t *t = berth_topo_new("two", NULL);
  berth_type_t type = {.name = "x", .up = {{-1, 0}, {-1, 0}}, .down = {{-1, 10}, {-1, 10}}};
  int n = berth_topo_add_type(t, &type, NULL);
  int root = berth_topo_add_switch(t, -1, n, "root", NULL, NULL);
  for (int h = 0; h < 2; h++) {
    int host = berth_topo_add_switch(t, root, n, "host", h ? "b" : first, NULL);
    for (int i = 0; i < 2; i++) berth_topo_add_pu(t, host, i * (h ? other : 1), i, NULL);
  }
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  return t;
}

static const struct {
  const char *name, *writer, *host;
  int other, ranks, pus[4];
  const char *error; /* NULL: none */
  const char *command;
} rows[] = {
    {"one list",
     "slurm",
     "a",
     1,
     4,
     {1, 3, 0, 2},
     NULL,
     "SLURM_HOSTFILE=F srun --distribution=arbitrary -n 4 --cpu-bind=map_cpu:1,0 ./app"},
    {"no list",
     "slurm",
     "a",
     1,
     4,
     {1, 2, 0, 3},
     NULL,
     "SLURM_HOSTFILE=F srun --distribution=arbitrary -n 4 --cpu-bind=none sh PIN ./app   # PIN: "
     "what the format pin writes"},
    {"the list's beginning",
     "slurm",
     "a",
     1,
     3,
     {1, 3, 0},
     NULL,
     "SLURM_HOSTFILE=F srun --distribution=arbitrary -n 3 --cpu-bind=map_cpu:1,0 ./app"},
    {"a CPU of the list that isn't everywhere",
     "slurm",
     "a",
     7,
     3,
     {0, 2, 1},
     NULL,
     "SLURM_HOSTFILE=F srun --distribution=arbitrary -n 3 --cpu-bind=none sh PIN ./app   # PIN: "
     "what the format pin writes"},
    {"a CPU twice",
     "slurm",
     "a",
     1,
     3,
     {1, 1, 3},
     NULL,
     "SLURM_HOSTFILE=F srun --distribution=arbitrary -n 3 --overcommit --cpu-bind=map_cpu:1,1 "
     "./app"},
    {"bound by the file", "intel", "a", 1, 3, {1, 0, 3}, NULL, "mpirun -machinefile F -n 3 ./app"},
    {"bound by a list",
     "intel",
     "a",
     1,
     3,
     {1, 3, 0},
     NULL,
     "I_MPI_PIN_PROCESSOR_LIST=1,0 mpirun -machinefile F -n 3 ./app"},
    {"bound by the wrapper",
     "intel",
     "a",
     7,
     3,
     {1, 3, 0},
     NULL,
     "I_MPI_PIN=off mpirun -machinefile F -n 3 sh PIN ./app   # PIN: what the format pin writes"},
    {"an order",
     "cray",
     "a",
     1,
     2,
     {3, 1},
     NULL,
     "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=F srun -N 2 -w 'a,b' -n 2 "
     "--ntasks-per-node=1 "
     "--distribution=block --cpu-bind=map_cpu:1 ./app"},
    {"unequal numbers",
     "cray",
     "a",
     1,
     3,
     {3, 1, 0},
     "found 2 ranks on host a and 1 on b, expected equally many on each host: this "
     "format only sets the order of ranks",
     NULL},
    {"unequal CPUs",
     "permutation",
     "a",
     1,
     2,
     {3, 0},
     "found 1 rank on CPU 0 of host a and 0 on that of b, expected as many on each host: this "
     "format only sets the order of ranks",
     NULL},
    {"a colon in a name",
     "rankfile",
     "a:b",
     1,
     1,
     {0},
     "found host 'a:b', expected a name of letters, digits, '-', '_' and '.', which launchers take",
     NULL},
    {"an option for a name",
     "seq",
     "-a",
     1,
     1,
     {0},
     "found host '-a', expected a name of letters, digits, '-', '_' and '.', which launchers take",
     NULL},
    {"such a name without ranks", "hydra", "a:b", 1, 1, {2}, NULL, "mpiexec -f F -n 1 ./app"},
    {"one way round", "hydra", "a", 1, 4, {0, 2, 3, 1}, NULL, "mpiexec -f F -n 4 ./app"},
    {"another way round",
     "hydra",
     "a",
     1,
     4,
     {0, 2, 1, 1},
     NULL,
     "mpiexec -f F -n 4 ./app   # to MPICH each line is a node of its own"},
};

static void commands_and_refusals(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    berth_error_t err = {0};
    berth_topo_t *t = two_hosts(rows[i].host, rows[i].other);
    int pus[4];
    memcpy(pus, rows[i].pus, sizeof pus);
    berth_mapping_t m = {rows[i].ranks, pus, (char *)"x", (char *)"", (char *)"", -1, {0}};
    char *text = written(rows[i].writer, &m, t, &err);
    const char *found = text ? "" : err.text, *expected = rows[i].error ? rows[i].error : "";
    if (strcmp(found, expected) != 0)
      FAIL_ROW(rows[i].name, "\n  found    %s\n  expected %s", found, expected);
    char *command =
        text ? berth_writer_find(rows[i].writer)->command(&m, t, "F", NULL, &err) : NULL;
    if (text && strcmp(command, rows[i].command) != 0)
      FAIL_ROW(rows[i].name, "\n  found    %s\n  expected %s", command, rows[i].command);
    free(command);
    free(text);
    berth_topo_free(t);
  }
}

/* Hydra misreads long lines: a host of more CPUs than one line holds is refused. */
static void hydra_has_a_longest_line(void **state)
{
  (void)state;
  enum { PUS = 4000 };
  berth_error_t err = {0};
  berth_topo_t *t = berth_topo_new("large", NULL);
  berth_type_t type = {.name = "x", .up = {{-1, 0}, {-1, 0}}, .down = {{-1, 10}, {-1, 10}}};
  int n = berth_topo_add_type(t, &type, NULL), *pus = malloc(PUS * sizeof *pus);
  int host = berth_topo_add_switch(t, -1, n, "host", "a", NULL);
  for (int i = 0; i < PUS; i++) pus[i] = berth_topo_add_pu(t, host, i, i, NULL) >= 0 ? i : -1;
  assert_int_equal(berth_topo_finish(t, NULL), BERTH_OK);
  berth_mapping_t m = {PUS, pus, (char *)"x", (char *)"", (char *)"", -1, {0}};
  assert_null(written("hydra", &m, t, &err));
  assert_string_equal(
      err.text, "found a line of 18909 bytes for host a, expected less than 12000: Hydra misreads "
                "long ones");
  m.ranks = 2000;
  char *text = written("hydra", &m, t, &err);
  assert_non_null(text);
  free(text);
  free(pus);
  berth_topo_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_launcher_has_a_reader),
      cmocka_unit_test(every_rank_lands_where_the_mapping_has_it),
      cmocka_unit_test(commands_and_refusals),
      cmocka_unit_test(hydra_has_a_longest_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
