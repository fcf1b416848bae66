# SPDX-License-Identifier: BSD-3-Clause
"""MPI jobs with and without agents: on hosts of the testbed (root only), or on this host alone."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TESTBED = [str(ROOT / "testbed" / "testbed")]
# Hosts of both switches in turns: the first n of them are n hosts' worth of both.
HOSTS = ["h0", "h5", "h1", "h6", "h2", "h7", "h3", "h4"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
OF_UCX = {"UCX_TLS": "tcp,sysv,posix,self", "UCX_NET_DEVICES": "e0"}
AGENTS = {"BERTH_AGENTS": "1"}


def library(mpi):
    return str(ROOT / "build" / "lib" / "berth" / mpi / "libberth-coll.so")


def with_berth(mpi, **settings):
    """An arm: an MPI, and its ranks' variables."""
    return mpi, {"LD_PRELOAD": library(mpi), **settings}


def hosts_for(n):
    return sorted(HOSTS[:n])


def blocks(n_hosts, per_host):
    """The host of each rank."""
    return [host for host in hosts_for(n_hosts) for _ in range(per_host)]


class Testbed:
    """Ranks on shaped links."""

    def __init__(self, rate, mpis, work):
        self.rate, self.mpis, self.work = rate, mpis, work

    def __enter__(self):
        subprocess.run([*TESTBED, "--rate", str(self.rate), "up"], check=True, stdout=subprocess.DEVNULL)
        try:
            if "mpich" in self.mpis:  # UCX looks for networks in /sys
                for host in HOSTS:
                    subprocess.run([*TESTBED, "exec", host, "mount", "-t", "sysfs", "sysfs", "/sys"], check=True)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *failure):
        subprocess.run([*TESTBED, "down"], check=True)

    def command(self, mpi, settings, hosts, program):
        """The job's words and variables. Hosts of MPICH's ranks are blocks of one size."""
        if mpi == "mpich":
            names = list(dict.fromkeys(hosts))
            words = ["sh", "-c", 'exec mpiexec.mpich -launcher rsh -launcher-exec "$BERTH_TESTBED_STATE/agent.sh" "$@"', "sh",
                     "-hosts", ",".join(names), "-ppn", str(len(hosts) // len(names)), "-n", str(len(hosts))]
            return [*TESTBED, "exec", names[0], *words, *options_of_mpich(settings, self.work), *bound(len(hosts) // len(names)),
                    *program], OF_UCX
        slots = {host: 0 for host in hosts}
        lines = []
        for rank, host in enumerate(hosts):
            # All hosts share two cores: the ranks that speak for their hosts are spread over both.
            lines.append(f"rank {rank}={host} slot={(slots[host] + list(slots).index(host)) % 2}\n")
            slots[host] += 1
        (self.work / "rankfile").write_text("".join(lines))
        settings = {**settings, "OMPI_MCA_mpi_yield_when_idle": "1"}
        return [*TESTBED, "run", str(self.work / "rankfile"), *options_of_openmpi(settings), *program], {}


class Local:
    """The same ranks on this host: to try a benchmark. Messages go through memory."""

    def __init__(self, work):
        self.work = work

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        pass

    def command(self, mpi, settings, hosts, program):
        if mpi == "mpich":
            return ["mpiexec.mpich", "-n", str(len(hosts)), *options_of_mpich(settings, self.work), *program], {}
        settings = {**settings, "OMPI_MCA_mpi_yield_when_idle": "1"}
        return ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader", "--mca", "pml", "ob1",
                "-np", str(len(hosts)), *options_of_openmpi(settings), *program], AS_ROOT


def bound(per_host):
    """MPICH's ranks on the cores that Open MPI's rankfile gives them; so agents, too, have the same cores with both."""
    return ["sh", "-c", f'exec taskset -c $(((PMI_RANK % {per_host} + PMI_RANK / {per_host}) % 2)) "$@"', "sh"]


def options_of_openmpi(settings):
    return [word for name, value in settings.items() for word in ("-x", f"{name}={value}")]


def options_of_mpich(settings, work):
    """MPICH's ranks poll: where they share cores they would wait for their turn, but for idle.so."""
    preloaded = ":".join(filter(None, [settings.get("LD_PRELOAD"), str(work / "idle.so")]))
    return [word for name, value in {**settings, "LD_PRELOAD": preloaded}.items() for word in ("-env", name, value)]


def run(machine, arm, hosts, program, seconds=1200, last="end"):
    """The lines that the job prints, up to one that matches `last`. MPICH 4.0 over UCX sometimes hangs in MPI_Finalize, with and
    without berth: then the job is ended."""
    mpi, settings = arm
    command, variables = machine.command(mpi, settings, hosts, [str(word) for word in program])
    with tempfile.TemporaryFile("w+") as errors:
        # pylint: disable-next=consider-using-with
        job = subprocess.Popen(command, env={**os.environ, **variables}, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=errors)
        patience = threading.Timer(seconds, job.terminate)
        patience.start()
        lines = []
        try:
            for line in job.stdout:
                lines.append(line.rstrip("\n"))
                if re.fullmatch(last, lines[-1]):
                    break
        finally:
            patience.cancel()
            code = ended(job)
        if not lines or not re.fullmatch(last, lines[-1]):
            errors.seek(0)
            sys.exit(f"{' '.join(command)}: exit code {code}, found no line '{last}', expected one: {errors.read()[-800:]}")
    return lines


def ended(job):
    try:
        return job.wait(5)
    except subprocess.TimeoutExpired:
        job.terminate()
        return job.wait()


def compiled(work, source, mpis, *options):
    """Programs by MPI, and idle.so for MPICH's ranks."""
    for mpi in mpis:
        subprocess.run([f"mpicc.{mpi}", "-O2", "-o", work / f"{source.stem}.{mpi}", source, *options], check=True)
    if "mpich" in mpis:
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-w", "-o", work / "idle.so", ROOT / "tests" / "trace" / "idle.c"],
                       check=True)
    return {mpi: work / f"{source.stem}.{mpi}" for mpi in mpis}


def chosen(arms, only):
    """The arms whose names are in `only`, all if that is None."""
    names = list(arms) if only is None else only.split(",")
    for name in names:
        if name not in arms:
            sys.exit(f"--arms: found '{name}', expected some of {', '.join(arms)}")
    return {name: arms[name] for name in names}


def numbers(low, high):
    """A reader of lists of whole numbers: 2,4,8 or 2-8."""
    def read(text):
        found = []
        for part in text.split(","):
            first, _, last = part.partition("-")
            found += range(int(first), int(last or first) + 1)
        if not found or min(found) < low or max(found) > high:
            raise argparse.ArgumentTypeError(f"'{text}', expected whole numbers from {low} to {high}, as 2,4 or 2-4")
        return found
    return read


def arguments(doc, rounds):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds, help="jobs of each arm (%(default)s)")
    parser.add_argument("--rate", type=int, default=100, help="Mbit/s of every port (%(default)s)")
    parser.add_argument("--arms", help="names of arms, separated by commas (all)")
    parser.add_argument("--json", type=pathlib.Path, help="write all that was measured")
    return parser


def folder():
    """A folder for programs and files, which all hosts see."""
    work = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
    pathlib.Path(work.name).chmod(0o755)
    return work
