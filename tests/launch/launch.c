/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/launch.h"

#include <sys/stat.h>

#include "harness.h"

/* A folder with launchers of our own stands alone in PATH, so that results don't depend on what is
 * installed. They are scripts that print what the real ones print for --version. */
static char dir[] = "/tmp/berth-launch-XXXXXX";

static void write_script(const char *name, const char *prints)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fprintf(f, "#!/bin/sh\necho '%s'\n", prints);
  fclose(f);
  assert_int_equal(chmod(path, 0755), 0);
}

static void link_script(const char *name, const char *target)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  assert_int_equal(symlink(target, path), 0);
}

static int set_up(void **state)
{
  (void)state;
  if (!mkdtemp(dir)) return -1;
  write_script("orterun", "mpirun (Open MPI) 4.1.4");
  write_script("mpiexec.hydra", "HYDRA build details:\n    Version:    4.0.2");
  write_script("srun", "slurm 22.05.8");
  write_script("mpiexec_new", "mpirun (Open MPI) 5.0.3");
  write_script("mpiexec_odd", "odd 1.0");
  write_script("app", "");
  link_script("mpirun.openmpi", "orterun");
  link_script("mpirun", "mpirun.openmpi");
  link_script("mpiexec", "mpiexec.hydra");
  unsetenv("LD_PRELOAD");
  unsetenv("SLURM_EXPORT_ENV");
  return setenv("PATH", dir, 1);
}

static int tear_down(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "/bin/rm -r %s", dir);
  return system(command);
}

/* Splits a line at spaces into words (static storage). */
static size_t split(const char *line, const char **words)
{
  static char text[1024];
  snprintf(text, sizeof text, "%s", line);
  size_t n = 0;
  for (char *w = strtok(text, " "); w; w = strtok(NULL, " ")) words[n++] = w;
  return n;
}

static const char *join(char *const *words)
{
  static char text[2048];
  text[0] = '\0';
  for (size_t i = 0; words[i]; i++) {
    if (i) strcat(text, " ");
    strcat(text, words[i]);
  }
  return text;
}

static void command_lines_are_understood(void **state)
{
  (void)state;
  static const struct {
    const char *line;
    launcher_kind_t kind;
    int ranks, contexts;
    const char *programs; /* of all contexts, separated by spaces */
    const char *placement;
  } cases[] = {
      {"./app -n 3", LAUNCHER_NONE, -1, 1, "./app", NULL},
      {"mpirun -np 4 ./app -np 7", LAUNCHER_OPENMPI, 4, 1, "./app", NULL},
      {"mpirun --n 4 app", LAUNCHER_OPENMPI, 4, 1, "app", NULL},
      {"mpirun app", LAUNCHER_OPENMPI, -1, 1, "app", NULL},
      {"orterun -c 2 --mca btl self,vader -x A=1 -x B --oversubscribe app a : b", LAUNCHER_OPENMPI,
       -1, 2, "app b", NULL},
      {"mpirun -n 1 a : -n 3 b --map-by x", LAUNCHER_OPENMPI, 4, 2, "a b", NULL},
      {"mpirun -map-by node -n 2 --bind-to none a", LAUNCHER_OPENMPI, 2, 1, "a", "-map-by"},
      {"mpirun --hostfile h -H x,y -wdir /tmp -rf ranks -n 2 a", LAUNCHER_OPENMPI, 2, 1, "a",
       "-rf"},
      {"mpirun -n 2 -- -odd-name", LAUNCHER_OPENMPI, 2, 1, "-odd-name", NULL},
      {"mpirun --use-hwthread-cpus --tag-output -q a", LAUNCHER_OPENMPI, -1, 1, "a", NULL},
      {"mpiexec -n 4 a", LAUNCHER_HYDRA, 4, 1, "a", NULL},
      {"mpiexec -np=4 -genv A 1 -genv B=2 a", LAUNCHER_HYDRA, 4, 1, "a", NULL},
      {"mpiexec --np 4 -bind-to core -l a", LAUNCHER_HYDRA, 4, 1, "a", "-bind-to"},
      {"mpiexec -ppn 2 -f hosts -n 2 a : -env X y -n 3 b", LAUNCHER_HYDRA, 5, 2, "a b", "-ppn"},
      {"srun -n4 a", LAUNCHER_SLURM, 4, 1, "a", NULL},
      {"srun -vvn 4 a", LAUNCHER_SLURM, 4, 1, "a", NULL},
      {"srun --ntasks=4 -N 2 --cpu-bind=cores --immediate a", LAUNCHER_SLURM, 4, 1, "a",
       "--cpu-bind=cores"},
      {"srun -N2 --mpi pmix a", LAUNCHER_SLURM, -1, 1, "a", NULL},
      {"env A=b C=d mpirun -n 2 a", LAUNCHER_OPENMPI, 2, 1, "a", NULL},
      {"/usr/bin/env -i -u X mpirun -n 2 a", LAUNCHER_OPENMPI, 2, 1, "a", NULL},
      {"timeout -k 5 --signal INT 60 nice -n 5 mpirun -n 2 a", LAUNCHER_OPENMPI, 2, 1, "a", NULL},
      {"timeout --kill-after=5 60 ./app", LAUNCHER_NONE, -1, 1, "./app", NULL},
      {"nice -19 stdbuf -oL numactl --membind 0 -C0 mpiexec -n 2 a", LAUNCHER_HYDRA, 2, 1, "a",
       NULL},
      {"mpiexec_new -n 2 a", LAUNCHER_OPENMPI, 2, 1, "a", NULL},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    const char *words[64], *name = cases[i].line;
    launch_t l;
    berth_error_t err;
    if (launch_parse(split(name, words), words, &l, &err)) FAIL_ROW(name, "%s", err.text);
    char programs[64] = "";
    for (size_t k = 0; k < l.n_contexts; k++) {
      if (k) strcat(programs, " ");
      strcat(programs, words[l.contexts[k].program]);
    }
    const char *placement = l.placement ? l.placement : "", *expected = cases[i].placement;
    if (l.kind != cases[i].kind || l.ranks != cases[i].ranks ||
        (int)l.n_contexts != cases[i].contexts || strcmp(programs, cases[i].programs) != 0 ||
        strcmp(placement, expected ? expected : "") != 0)
      FAIL_ROW(name, "kind %d, %d ranks, %zu contexts: %s; placement '%s'", (int)l.kind, l.ranks,
               l.n_contexts, programs, placement);
    launch_clear(&l);
  }
}

static void odd_command_lines_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *line;
    int code;
    const char *text; /* part of the error */
  } cases[] = {
      {"", BERTH_USAGE, "found no command"},
      {"mpirun -n 4", BERTH_USAGE, "found no program for 'mpirun' to start"},
      {"mpirun -n 1 a :", BERTH_USAGE, "behind ':'"},
      {"mpirun -n", BERTH_USAGE, "nothing behind option '-n'"},
      {"mpirun -n 0 a", BERTH_USAGE, "found '0', expected a number of ranks"},
      {"mpirun -n 4x a", BERTH_USAGE, "found '4x'"},
      {"mpirun --np=4 a", BERTH_USAGE, "option '--np=4'"},
      {"mpirun --strange a", BERTH_USAGE, "option '--strange'"},
      {"mpirun --mca btl", BERTH_USAGE, "expected 2 values"},
      {"mpirun --app file", BERTH_USAGE, "expected the programs on the command line"},
      {"mpiexec -configfile f", BERTH_USAGE, "expected the programs on the command line"},
      {"srun --multi-prog f", BERTH_USAGE, "expected the programs on the command line"},
      {"srun --strange=1 a", BERTH_USAGE, "option '--strange=1'"},
      {"env A=b", BERTH_USAGE, "nothing for 'env' to start"},
      {"timeout 5", BERTH_USAGE, "nothing for 'timeout' to start"},
      {"env -S x", BERTH_USAGE, "expected the command as separate words"},
      {"mpirun.absent -n 2 a", BERTH_MISSING, "mpirun.absent: found no such program"},
      {"mpiexec_odd -n 2 a", BERTH_USAGE, "found an unknown launcher"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    const char *words[64], *name = cases[i].line;
    launch_t l;
    berth_error_t err = {0};
    int rc = launch_parse(split(name, words), words, &l, &err);
    if (rc != cases[i].code || !strstr(err.text, cases[i].text))
      FAIL_ROW(name, "code %d: %s", rc, err.text);
  }
}

static void settings_go_to_the_right_places(void **state)
{
  (void)state;
  static const struct {
    const char *line, *option, *result;
  } cases[] = {
      {"./app x", NULL, "env P=lib V=1 ./app x"},
      {"timeout 5 env P=own ./app", NULL, "timeout 5 env P=own env P=lib:own V=1 ./app"},
      {"mpirun -n 2 a", NULL, "mpirun -x P=lib -x V=1 -n 2 a"},
      {"mpirun -n 2 a", "--report-bindings", "mpirun --report-bindings -x P=lib -x V=1 -n 2 a"},
      {"nice mpirun -x P=own -n 2 -- a", NULL, "nice mpirun -x P=lib:own -x V=1 -n 2 -- a"},
      {"mpirun -n 1 a -x V=2 : -x V=9 -n 1 b", NULL,
       "mpirun -x P=lib -x V=1 -n 1 a -x V=2 : -x P=lib -x V=1 -n 1 b"},
      {"mpirun -x FROM_ENV -n 1 a", NULL, "mpirun -x P=lib -x V=1 -x FROM_ENV -n 1 a"},
      {"mpiexec -genv P own -n 1 a : -n 1 b", NULL,
       "mpiexec -genv P lib:own -genv V 1 -n 1 a : -env P lib:own -env V 1 -n 1 b"},
      {"mpiexec -env P=own -n 1 a : -n 1 b", "-l",
       "mpiexec -l -genv P lib:own -genv V 1 -n 1 a : -env P lib -env V 1 -n 1 b"},
      {"srun -n 2 a", NULL, "srun --export=ALL,P=lib,V=1 -n 2 a"},
      {"srun --export=NONE -n 2 a", NULL, "srun --export=P=lib,V=1 -n 2 a"},
      {"srun --export X,Y -n 2 a", NULL, "srun --export=X,Y,P=lib,V=1 -n 2 a"},
  };
  static const launch_setting_t settings[] = {{"P", "lib", true}, {"V", "1", false}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    const char *words[64], *name = cases[i].line;
    launch_t l;
    berth_error_t err;
    char **argv;
    if (launch_parse(split(name, words), words, &l, &err)) FAIL_ROW(name, "%s", err.text);
    if (launch_build(&l, cases[i].option != NULL, &cases[i].option, 2, settings, &argv, &err))
      FAIL_ROW(name, "%s", err.text);
    if (strcmp(join(argv), cases[i].result) != 0) FAIL_ROW(name, "became %s", join(argv));
    launch_free_argv(argv);
    launch_clear(&l);
  }
}

static void settings_that_cannot_be_passed_are_refused(void **state)
{
  (void)state;
  const char *words[8];
  launch_t l;
  berth_error_t err;
  char **argv;
  const launch_setting_t comma = {"V", "a,b", false};
  assert_int_equal(launch_parse(split("srun -n 1 a", words), words, &l, &err), BERTH_OK);
  assert_int_equal(launch_build(&l, 0, NULL, 1, &comma, &argv, &err), BERTH_USAGE);
  assert_non_null(strstr(err.text, "found a comma in 'V=a,b'"));
  launch_clear(&l);
  const char *option = "--rankfile";
  assert_int_equal(launch_parse(split("./app", words), words, &l, &err), BERTH_OK);
  assert_int_equal(launch_build(&l, 1, &option, 0, NULL, &argv, &err), BERTH_USAGE);
  assert_non_null(strstr(err.text, "expected a launcher"));
  launch_clear(&l);
}

static void the_environment_is_kept_in_lists(void **state)
{
  (void)state;
  const char *words[8];
  launch_t l;
  char **argv;
  const launch_setting_t setting = {"P", "lib", true};
  setenv("P", "from-environment", 1);
  assert_int_equal(launch_parse(split("mpirun -x P a", words), words, &l, NULL), BERTH_OK);
  assert_int_equal(launch_build(&l, 0, NULL, 1, &setting, &argv, NULL), BERTH_OK);
  assert_string_equal(join(argv), "mpirun -x P=lib:from-environment a");
  launch_free_argv(argv);
  launch_clear(&l);
  unsetenv("P");
}

static void versions_are_asked_for(void **state)
{
  (void)state;
  static const struct {
    const char *line;
    int major, minor;
  } cases[] = {{"mpirun a", 4, 1}, {"mpiexec a", 4, 0}, {"srun a", 22, 5}, {"mpiexec_new a", 5, 0}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    const char *words[8];
    launch_t l;
    int major = -1, minor = -1;
    assert_int_equal(launch_parse(split(cases[i].line, words), words, &l, NULL), BERTH_OK);
    assert_int_equal(launch_version(&l, &major, &minor, NULL), BERTH_OK);
    if (major != cases[i].major || minor != cases[i].minor)
      FAIL_ROW(cases[i].line, "version %d.%d", major, minor);
    launch_clear(&l);
  }
}

static void programs_tell_what_they_need(void **state)
{
  (void)state;
  launch_needs_t needs;
  berth_error_t err;
  const char *shell[] = {"timeout", "5", "/bin/sh"};
  assert_int_equal(launch_program_needs(3, shell, &needs, &err), BERTH_OK);
  assert_true(needs.dynamic);
  assert_int_equal(needs.mpi, LAUNCH_MPI_UNKNOWN);
  const char *script[] = {"app"};
  assert_int_equal(launch_program_needs(1, script, &needs, &err), BERTH_OK);
  assert_false(needs.dynamic);
  const char *absent[] = {"./absent"};
  assert_int_equal(launch_program_needs(1, absent, &needs, &err), BERTH_MISSING);
  assert_string_equal(err.text, "./absent: found no such program");
}

/* berth's own commands can stand in front of all that `berth write` says to start a job with. */
static void what_berth_write_says_is_understood(void **state)
{
  (void)state;
  char path[512], line[512];
  snprintf(path, sizeof path, "%s/rankfiles/commands.txt", getenv("BERTH_SOURCE_DIR"));
  FILE *f = fopen(path, "r");
  int commands = 0, placed = 0;
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    const char *words[64];
    char command[600];
    launch_t l;
    berth_error_t err;
    if (strncmp(line, "  ", 2) != 0) continue;
    line[strcspn(line, "#\n")] = '\0';
    snprintf(command, sizeof command, "env %s", line);
    if (launch_parse(split(command, words), words, &l, &err)) FAIL_ROW(line, "%s", err.text);
    if (l.kind != LAUNCHER_NONE && l.ranks != 16) FAIL_ROW(line, "%d ranks", l.ranks);
    if (strcmp(words[l.contexts[0].program], l.kind ? "./app" : "sh") != 0)
      FAIL_ROW(line, "program %s", words[l.contexts[0].program]);
    placed += l.placement != NULL;
    commands++;
    launch_clear(&l);
  }
  fclose(f);
  assert_in_range(commands, 11, 100);
  assert_int_equal(placed, commands - 3); /* machinefiles (hydra, intel) and the wrapper */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(command_lines_are_understood),
      cmocka_unit_test(what_berth_write_says_is_understood),
      cmocka_unit_test(odd_command_lines_are_refused),
      cmocka_unit_test(settings_go_to_the_right_places),
      cmocka_unit_test(settings_that_cannot_be_passed_are_refused),
      cmocka_unit_test(the_environment_is_kept_in_lists),
      cmocka_unit_test(versions_are_asked_for),
      cmocka_unit_test(programs_tell_what_they_need),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
