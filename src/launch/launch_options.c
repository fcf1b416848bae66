/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of launchers, and finding one in a command line. */
#include "launch/launch_options.h"

#include <string.h>

/* Open MPI 4.1 (mpirun --help all) and additions of 5.0. One or two dashes; values are separate
 * words. */
static const launch_option_t openmpi_options[] = {
    {"c n np", 1, USE_RANKS},
    {"map-by rank-by bind-to rf rankfile cpu-list cpu-set cpus-per-proc cpus-per-rank N npernode "
     "npersocket ppr",
     1, USE_PLACEMENT},
    {"bind-to-core bind-to-socket bind-to-none bycore bynode byslot bysocket pernode cpu-bind", 0,
     USE_PLACEMENT},
    {"wd wdir", 1, USE_FOLDER},
    {"x", 1, USE_SET},
    {"app", 1, USE_FILE},
    {"mca gmca pmca gpmixmca pmixmca prtemca omca gomca", 2, USE_MCA},
    {"am cf cartofile debugger default-hostfile dvm-uri fwd-environment H host hnp hostfile "
     "launch-agent machinefile max-restarts max-vm-size ompi-server output output-filename path "
     "personality prefix preload-files report-events report-pid report-uri runtime-options stdin "
     "timeout spawn-timeout tune xml-file xterm display add-host add-hostfile",
     1, USE_NOTHING},
    {"allow-run-as-root continuous d debug-devel debug debug-daemons debug-daemons-file "
     "disable-recovery display-allocation display-devel-allocation display-devel-map "
     "display-diffable-map display-map display-topo do-not-launch do-not-resolve dvm "
     "enable-instant-on-support enable-recovery forward-signals fwd-mpirun-port get-stack-traces "
     "index-argv-by-rank leave-session-attached merge-stderr-to-stdout nolocal nooversubscribe "
     "noprefix novm output-proctable oversubscribe q quiet report-bindings "
     "report-child-jobs-separately report-state-on-timeout s preload-binary "
     "set-cwd-to-session-dir show-progress stream-buffering tag-output timestamp-output tv "
     "use-hwthread-cpus use-regexp v verbose qv xml h help V version",
     0, USE_NOTHING},
};

/* Hydra of MPICH 4.0 (mpiexec.hydra --help). One or two dashes; -name value or -name=value. */
static const launch_option_t hydra_options[] = {
    {"n np", 1, USE_RANKS},
    {"bind-to map-by membind ppn order-nodes binding", 1, USE_PLACEMENT},
    {"genv env", 2, USE_SET_PAIR},
    {"configfile", 1, USE_FILE},
    {"wdir", 1, USE_FOLDER},
    {"genvlist envlist f hostfile machinefile machine machines machinelist host hosts hostlist "
     "output-from prepend-pattern outfile-pattern errfile-pattern outfile errfile launcher "
     "launcher-exec bootstrap bootstrap-exec rmk topolib demux iface nameserver localhost usize "
     "gpus-per-proc",
     1, USE_NOTHING},
    {"genvnone genvall envnone envall enable-x disable-x verbose v debug info version V "
     "print-all-exitcodes profile prepend-rank l disable-auto-cleanup enable-auto-cleanup dac "
     "disable-hostname-propagation enable-hostname-propagation pmi-port skip-launch-node h help",
     0, USE_NOTHING},
};

/* srun of Slurm 20.11 to 24.05. Long options have two dashes, and =VALUE or the next word. */
static const launch_option_t slurm_options[] = {
    {"n ntasks", 1, USE_RANKS},
    {"m distribution cpu-bind mem-bind cpus-per-task c ntasks-per-node ntasks-per-core "
     "ntasks-per-socket ntasks-per-gpu hint B extra-node-info sockets-per-node cores-per-socket "
     "threads-per-core r relative gpu-bind w nodelist",
     1, USE_PLACEMENT},
    {"exact exclusive-cpu spread-job", 0, USE_PLACEMENT},
    {"D chdir", 1, USE_FOLDER},
    {"export", 1, USE_EXPORT},
    {"multi-prog", 0, USE_FILE},
    {"A account acctg-freq bb bbf cluster-constraint M clusters comment compress "
     "container C constraint core-spec S cpu-freq deadline delay-boot d dependency e error x "
     "exclude epilog export-file gpu-freq gpus G gpus-per-node gpus-per-socket gpus-per-task gres "
     "gres-flags i input J job-name jobid licenses L mail-type mail-user mem mem-per-cpu "
     "mem-per-gpu mincpus mpi msg-timeout network nice N nodes nodefile F o output open-mode p "
     "partition power prefer priority prolog profile q qos reservation signal slurmd-debug "
     "switches task-epilog task-prolog thread-spec T threads t time time-min tmp tres-bind "
     "tres-per-task uid gid W wait wckey het-group",
     1, USE_NOTHING},
    {"bcast exclusive I immediate K kill-on-bad-exit k no-kill propagate", OPTION_MAYBE,
     USE_NOTHING},
    {"accel-bind contiguous disable-status X E preserve-env H hold interactive-mpi l label "
     "no-allocate Z O overcommit overlap s oversubscribe pty Q quiet quit-on-interrupt reboot "
     "send-libs test-only u unbuffered use-min-nodes v verbose V version h help usage",
     0, USE_NOTHING},
};

static bool has_word(const char *words, const char *word, size_t n)
{
  for (const char *w = words; w; w = strchr(w, ' '), w = w ? w + 1 : NULL)
    if (strncmp(w, word, n) == 0 && (w[n] == ' ' || w[n] == '\0')) return true;
  return false;
}

static const launch_option_t *find(launcher_kind_t kind, const char *name, size_t n)
{
  static const struct {
    const launch_option_t *options;
    size_t n;
  } tables[] = {
      [LAUNCHER_OPENMPI] = {openmpi_options, sizeof openmpi_options / sizeof *openmpi_options},
      [LAUNCHER_HYDRA] = {hydra_options, sizeof hydra_options / sizeof *hydra_options},
      [LAUNCHER_SLURM] = {slurm_options, sizeof slurm_options / sizeof *slurm_options},
  };
  for (size_t i = 0; n > 0 && i < tables[kind].n; i++)
    if (has_word(tables[kind].options[i].names, name, n)) return &tables[kind].options[i];
  return NULL;
}

/* Finds the option's name in its word, and the value if it is in the same word. */
static void split_word(launcher_kind_t kind, const char *word, option_match_t *m)
{
  bool two = word[1] == '-';
  const char *name = word + 1 + two, *equals = strchr(name, '=');
  size_t n = strlen(name);
  *m = (option_match_t){.words = 1};
  if (kind == LAUNCHER_SLURM && !two) { /* getopt: -n4, -n 4, -vv, -ln4 */
    m->option = find(kind, name, 1);
    while (n > 1 && m->option && m->option->arity == 0) m->option = find(kind, ++name, 1), n--;
    if (n > 1) m->value = name + 1;
  } else {
    if (equals && kind != LAUNCHER_OPENMPI) n = (size_t)(equals - name), m->value = equals + 1;
    m->option = find(kind, name, n);
  }
  m->joined = m->value != NULL;
}

int option_match(launcher_kind_t kind, size_t argc, const char *const *argv, size_t i,
                 option_match_t *m, berth_error_t *err)
{
  split_word(kind, argv[i], m);
  if (!m->option || (m->joined && (m->option->arity == 0 || m->option->arity == 2)))
    return berth_fail(
        err, BERTH_USAGE,
        "found unknown launcher option '%s': berth can't tell where the program begins", argv[i]);
  if (m->joined || m->option->arity <= 0) return BERTH_OK;
  size_t need = (size_t)m->option->arity;
  bool pair_in_one = m->option->use == USE_SET_PAIR && i + 1 < argc && strchr(argv[i + 1], '=');
  if (pair_in_one) need = 1;
  if (i + need >= argc)
    return berth_fail(err, BERTH_USAGE,
                      "found nothing behind option '%s' of the launcher, expected %zu value%s",
                      argv[i], need, need > 1 ? "s" : "");
  m->words += need;
  m->value = argv[i + 1];
  return BERTH_OK;
}
