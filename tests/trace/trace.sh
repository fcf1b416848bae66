#!/usr/bin/env bash
# The command `berth trace`: what it refuses, what it says, where files go.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
compile openmpi "$here/crash.c" crash.openmpi
compile mpich "$here/crash.c" crash.mpich

expect 4 "berth trace: mpirun.absent: found no such program, expected a launcher in PATH" \
  "$berth" trace -- mpirun.absent -n 2 ./app
expect 4 "berth trace: ./absent: found no such program" "$berth" trace -- ./absent
expect 2 "berth trace: /bin/ls: found neither a launcher nor a program linked with Open MPI or MPICH; say which it uses: --mpi openmpi or --mpi mpich" \
  "$berth" trace -- /bin/ls
# a static program, started directly and by a launcher. It reads its input, because MPICH's launcher
# may end by SIGPIPE if the program is over before it gets that.
printf '#include <stdio.h>\nint main(void)\n{\n  while (getchar() != EOF) {}\n  return 0;\n}\n' > static.c
gcc -static -o static static.c || exit 1
gcc -static-pie -o static-pie static.c || exit 1
for program in static static-pie; do
  expect 2 "berth trace: ./$program: found a static program, into which nothing can be preloaded; expected one linked with the shared library of Open MPI or MPICH" \
    "$berth" trace -- "./$program"
  expect 4 "berth trace: no trace: no process called MPI_Init; the program is static, so nothing can be preloaded into it" \
    "$berth" trace -- mpiexec.mpich -n 1 "./$program"
done
# a TMPDIR that is missing, a file, and one that may not be written
echo > file
for tmp in "$work/missing" "$work/file"; do
  TMPDIR=$tmp "$berth" trace -o tmp.acp -- mpiexec.mpich -n 1 ./crash.mpich end > out 2> err
  check "TMPDIR=$tmp: exit code $?" [ $? = 0 ]
  check "TMPDIR=$tmp: it is said" says "berth trace: TMPDIR: found no folder that can be written, expected one; tables are in /tmp"
  check "TMPDIR=$tmp: there is a trace" [ -s tmp.acp ]
  rm -f tmp.acp
  TMPDIR=$tmp launch mpich 1 env LD_PRELOAD="$lib/mpich/libberth-trace.so" BERTH_TRACE_FILE="$work/tmp.acp" ./crash.mpich end > out 2> err
  check "TMPDIR=$tmp: there is a trace of the library alone" [ -s tmp.acp ]
  check "TMPDIR=$tmp: doctor takes /tmp" grep -q 'folder for tables.* /tmp' <(TMPDIR=$tmp "$berth" doctor)
  rm -f tmp.acp
done
expect 2 "berth trace: ./crash.mpich: found a program linked with mpich, expected openmpi as the launcher is" \
  "$berth" trace -- mpirun.openmpi -n 2 ./crash.mpich end
expect 2 "berth trace: ./crash.openmpi: found a program linked with openmpi, expected mpich as --mpi says" \
  "$berth" trace --mpi mpich -- ./crash.openmpi end
expect 4 "berth trace: no/x.acp: cannot write: No such file or directory" \
  "$berth" trace -o no/x.acp -- ./crash.openmpi end
# no trace: OPTION… EXIT CODE of the job and of berth trace, with an old file of the name and without
none="berth trace: no trace: no process called MPI_Init"
old="
berth trace: stale.acp is from an earlier run and unchanged"
echo old > stale.acp
while read -r job code option; do
  expect "$code" "$none" "$berth" trace $option -- mpirun.openmpi -q -n 1 sh -c "exit $job"
  expect "$code" "$none$old" "$berth" trace $option -o stale.acp -- mpirun.openmpi -q -n 1 sh -c "exit $job"
done <<'TABLE'
0 4
0 0 --optional
3 3
3 3 --optional
TABLE
check "the old file is as it was" [ "$(cat stale.acp)" = old ]
rm stale.acp
expect 4 "berth trace: -o: found an empty name, expected a file's" \
  "$berth" trace -o '' -- ./crash.openmpi end
mkdir folder
expect 4 "berth trace: folder: cannot write: Is a directory" "$berth" trace -o folder -- ./crash.openmpi end
expect 4 "berth trace: new/: cannot write: Is a directory" "$berth" trace -o new/ -- ./crash.openmpi end
long=$(printf 'x%.0s' $(seq 240))
expect 4 "berth trace: $long: cannot write: File name too long" \
  "$berth" trace -o "$long" -- ./crash.openmpi end
check "options need sense" bash -c "'$berth' trace --sites 17 -- ./x 2>&1 | grep -q 'from 0 to 16'"
check "an MPI needs sense" bash -c "'$berth' trace --mpi lam -- ./x 2>&1 | grep -q 'openmpi or mpich'"
for wrong in "--mpi mpich --library openmpi" "--library openmpi --mpi mpich" "--library=openmpi --mpi mpich"; do
  check "two MPIs: $wrong" bash -c "'$berth' trace $wrong 2>&1 | grep -q 'expected one MPI'"
done
check "--library lam" bash -c "'$berth' trace --library lam 2>&1 | grep -q \"found 'lam', expected openmpi or mpich\""
check "--library mpich mpich" [ "$("$berth" trace --mpi mpich --library mpich)" = "$("$berth" trace --library=mpich)" ]
for wrong in 255KiB 65GiB 4X 4MB M -1 4Mi 99999999999999999999G; do
  check "--memory $wrong" bash -c "'$berth' trace --memory $wrong -- ./x 2>&1 | grep -qF -- \"--memory: found '$wrong', expected a size from 256.0 KiB to 64.00 GiB\""
done
check "nothing was written by these" [ -z "$(ls ./*.acp* 2> /dev/null)" ]
check "the libraries' paths" [ "$("$berth" trace --library mpich)" = "$(realpath "$lib")/mpich/libberth-trace.so" ]

# names
"$berth" trace -- mpirun.openmpi -n 1 ./crash.openmpi end 2> err
check "the default name" [ -s berth-crash.openmpi.acp.zst ]
"$berth" trace -- timeout 60 ./crash.openmpi end 2> err
check "an old trace is kept" [ -s berth-crash.openmpi.acp.zst.old ]
check "started directly, behind a wrapper" says "1 rank, 101 messages"
env LD_PRELOAD= bash -c "'$berth' trace -o env.acp -- env A=b mpirun.openmpi -n 2 ./crash.openmpi end" 2> err
check "a launcher behind a wrapper" says "env.acp: 2 ranks"
"$berth" trace -o mpmd.acp -- mpirun.openmpi -n 1 ./crash.openmpi end : -n 2 ./crash.openmpi end 2> err
check "several programs, Open MPI" says "mpmd.acp: 3 ranks, 306 messages"
"$berth" trace -o mpmd.acp -- mpiexec.mpich -n 1 ./crash.mpich end : -n 2 ./crash.mpich end 2> err
check "several programs, MPICH" says "mpmd.acp: 3 ranks, 306 messages"

# a script with two jobs, a shell and a program without MPI
cat > job.sh << 'SCRIPT'
#!/bin/bash
mpirun.openmpi -n 1 ./crash.openmpi end
(date | cat) > date.out
mpirun.openmpi -n 2 ./crash.openmpi exit
SCRIPT
chmod +x job.sh
"$berth" trace --mpi openmpi -o job.acp -- ./job.sh > /dev/null 2> err
check "the script's exit code" [ $? -eq 3 ]
check "the shell's children ran" [ -s date.out ]
check "its first job" says "job.acp: 1 rank, 101 messages"
check "its second job" says "job-2.acp: 2 ranks, 203 messages"
check "the second was recovered" says "recovered from the tables of 2 of 2 ranks"

# a library of the user's own is preloaded too, behind the tracer
echo 'int berth_test_own = 1;' > own.c && gcc -shared -fPIC -o own.so own.c
"$berth" trace -o own.acp -- mpirun.openmpi -n 1 -x LD_PRELOAD="$work/own.so" \
  bash -c 'echo "$LD_PRELOAD"; ./crash.openmpi end' > preload 2> err
check "LD_PRELOAD is kept" grep -q "libberth-trace.so:$work/own.so$" preload
check "a shell may start the program" says "own.acp: 1 rank"

# a trace that cannot be written when the job has ended is kept, in the working folder for a device
"$berth" trace -o /dev/full -- ./crash.openmpi code 2> err
check "the exit code is the program's" [ $? -eq 5 ]
check "why it isn't there" says "berth trace: /dev/full: cannot write: No space left on device"
"$berth" trace -o /dev/full -- ./crash.openmpi end 2> err2
check "without a trace a job that succeeded didn't" [ $? -eq 4 ]
rm "$(sed -n 's/.*: the trace is kept, its call sites not resolved, as //p' err2)"
kept=$(sed -n 's/.*: the trace is kept, its call sites not resolved, as //p' err)
"$berth" resolve "$kept" -o kept.acp 2> err
check "it is kept" [ "$(acp pairs kept.acp)" = "0 0 101 64" ]
rm "$kept"

# the same of a job that crashed: its tables are kept, and the line says by which command they are taken
mkdir "a b"
TMPDIR="$work/a b" "$berth" trace -o /dev/full -- mpirun.openmpi -n 2 ./crash.openmpi abort 2> err
check "why it isn't there" says "berth trace: /dev/full: cannot write: No space left on device"
sed -n 's/.*: the counts of the ranks are kept in .*; `\(.*\)` makes a trace of it$/\1 -o taken.acp/p' err > hint
PATH=$BERTH_BUILD_DIR:$PATH bash hint 2> err2
check "the command that is named takes the tables: $(cat hint err2)" "$berth" show taken.acp > /dev/null
rm -r "a b"

# only what berth itself puts into names is expanded
mkdir 'd%job%%' && cp crash.openmpi 'd%job%%/a%jb'
(cd 'd%job%%' && "$berth" trace -- mpirun.openmpi -n 1 './a%jb' end) 2> err
check "percent signs" [ "$(acp pairs 'd%job%%/berth-a%jb.acp.zst')" = "0 0 101 64" ]
deep=$work
for _ in 1 2 3 4 5 6; do deep=$deep/$(printf 'x%.0s' $(seq 200)); done
mkdir -p "$deep"
(cd "$deep" && TMPDIR=$deep "$berth" trace -o deep.acp -- "$work/crash.openmpi" end) 2> err
check "a folder of 1200 characters" [ "$(acp pairs "$deep/deep.acp")" = "0 0 101 64" ]
# Open MPI's daemon of a program without a launcher may outlive it, and its folder with it
check "nothing is left beside it" [ "$(ls -A "$deep" | grep -v '^ompi\.')" = deep.acp ]
for _ in $(seq 15); do deep=$deep/$(printf 'x%.0s' $(seq 200)); done
BERTH_TRACE_FILE=$deep BERTH_TRACE_SPOOL=$work/spool LD_PRELOAD=$lib/openmpi/libberth-trace.so \
  ./crash.openmpi end 2> err
check "a name that is too long" says "berth: cannot write the trace: its file's name is too long"
check "and the tables are kept" [ "$(find spool -name '*.spool' | wc -l)" -eq 1 ]
rm -r spool

# a trace of the default name stays as it is when a run yields none
mkdir none && cp berth-crash.openmpi.acp.zst none/berth-bash.acp.zst
(cd none && "$berth" trace --mpi openmpi -- bash -c true) 2> err
check "an old trace stays where it is" [ "$(ls none)" = berth-bash.acp.zst ]

# a trace that cannot be written: one line of rank 0, the program goes on, tables are kept
BERTH_TRACE_FILE=/proc/none/x.acp BERTH_TRACE_SPOOL=$work/spool \
  LD_PRELOAD=$lib/openmpi/libberth-trace.so ./crash.openmpi end > out 2> err
check "the program's exit code stays" [ $? -eq 0 ]
check "one line says why" [ "$(grep -c '^berth: cannot write the trace: /proc/none/x.acp: cannot write' err)" -eq 1 ]
check "nothing on standard output" [ ! -s out ]
check "what was counted is kept" [ "$(find spool -name '*.spool' | wc -l)" -eq 1 ]
"$berth" recover -o kept.acp spool 2> err
check "and can be made a trace of" says "kept.acp: 1 rank, 101 messages"

# no folder for tables: they live in memory
touch file
BERTH_TRACE_FILE=mem.acp BERTH_TRACE_SPOOL=$work/file LD_PRELOAD=$lib/mpich/libberth-trace.so \
  ./crash.mpich end 2> err
check "tables without a file" [ "$(acp pairs mem.acp)" = "0 0 101 64" ]
check "a folder that was named is missed" says "berth: BERTH_TRACE_SPOOL: cannot make a file in \"$work/file\"; tables are kept in memory, which a crash loses"
(cd none && TMPDIR=$work/file LD_PRELOAD=$lib/mpich/libberth-trace.so ../crash.mpich end) 2> err
check "one by default isn't" [ ! -s err ]
mkdir planted elsewhere
default=$work/planted/berth-spool-$(id -u)
for plant in "ln -s $work/elsewhere" touch mkfifo "mkdir -m 777" "install -d -o 65534"; do
  [[ $plant == install* && $(id -u) != 0 ]] && continue
  (umask 0 && $plant "$default")
  rm -f mem.acp
  TMPDIR=$work/planted BERTH_TRACE_FILE=mem.acp LD_PRELOAD=$lib/openmpi/libberth-trace.so \
    ./crash.openmpi end 2> err
  check "$plant: the trace is there" [ "$(acp pairs mem.acp)" = "0 0 101 64" ]
  check "$plant: the default folder is missed: $(cat err)" [ "$(cat err)" = \
    "berth: \"$default\": cannot make a file in this folder; tables are kept in memory, which a crash loses" ]
  check "$plant: nothing is written there" [ -z "$(find elsewhere "$default/" -type f 2> /dev/null)" ]
  rm -rf "$default"
done

# environment variables: one line for a value that isn't one, none for others
set_to() { # VARIABLE VALUE [LINE]: what rank 0 says
  env "$1=$2" BERTH_TRACE_FILE="$work/set.acp" LD_PRELOAD=$lib/openmpi/libberth-trace.so \
    ./crash.openmpi end > out 2> err
  check "$1=$2: the job goes on" [ $? -eq 0 ]
  check "$1=$2: found '$(cat err)', expected '${3:-}'" \
    [ "$(cat err)" = "${3:+berth: BERTH_TRACE_$3}" ]
}
for value in '' 0 16; do set_to BERTH_TRACE_SITES "$value"; done
for value in 17 99 -1 abc; do
  set_to BERTH_TRACE_SITES "$value" \
    "SITES: found \"$value\", expected a whole number from 0 to 16; taken as 4"
done
for value in '' off pcontrol; do set_to BERTH_TRACE_PHASES "$value"; done
set_to BERTH_TRACE_PHASES foo 'PHASES: found "foo", expected auto, pcontrol or off; taken as auto'
for value in '' 0 1; do set_to BERTH_TRACE_ORDER "$value"; done
set_to BERTH_TRACE_ORDER yes 'ORDER: found "yes", expected 0 or 1; taken as 0'
for value in '' 0 1; do set_to BERTH_TRACE_TIMES "$value"; done
set_to BERTH_TRACE_TIMES no 'TIMES: found "no", expected 1 or 0; taken as 1'
for value in '' 0 2147483647; do set_to BERTH_TRACE_EAGER "$value"; done
for value in 4294967296 2147483648 1e9 -1; do
  set_to BERTH_TRACE_EAGER "$value" \
    "EAGER: found \"$value\", expected a whole number from 0 to 2147483647; taken as 65536"
done
for value in '' 0 4194304 68719476736; do set_to BERTH_TRACE_MEMORY "$value"; done
for value in 4M 68719476737; do
  set_to BERTH_TRACE_MEMORY "$value" \
    "MEMORY: found \"$value\", expected a whole number from 0 to 68719476736; taken as 4194304"
done
LD_PRELOAD=$lib/mpich/libberth-trace.so ./crash.mpich end
check "the default name of a job's own trace" [ "$(ls berth-crash.mpich-*.acp | wc -l)" -eq 1 ]

# spawned processes are a job of their own; what passes between the two is counted by name
compile openmpi "$here/spawn.c" spawn.openmpi
OMPI_MCA_btl=self,vader,tcp "$berth" trace -o spawn.acp -- mpirun.openmpi -n 2 ./spawn.openmpi 2> err
check "spawned processes" says "berth: spawned processes, which have a trace of their own: 2"
check "their trace" says "berth trace: spawn-2.acp: 2 ranks, 3 messages"
parents=spawn.acp children=spawn-2.acp # whichever job ends first
check "the first job's calls" [ "$(acp lines $parents)" = \
  $'p2p 0 1 4 3\nunmodelled MPI_Barrier 2\nunmodelled MPI_Comm_spawn 2\nunmodelled MPI_Neighbor_allgather_init 6\nunmodelled MPI_Send 1' ]
check "the spawned job's calls" [ "$(acp lines $children)" = \
  $'p2p 0 1 4 3\nunmodelled MPI_Barrier 2\nunmodelled MPI_Neighbor_allgather_init 6' ]
check "messages to them, at each start" \
  says "outside MPI_COMM_WORLD): messages: 4, collective calls (of all ranks): 8"
check "messages of theirs" \
  says "outside MPI_COMM_WORLD): messages: 3, collective calls (of all ranks): 8"

# the line stays one line, and nobody need read it
odd=$'odd\n\xff.acp'
"$berth" trace -o "$odd" -- ./crash.openmpi end 2> err
check "an odd name" [ "$(acp pairs "$odd")" = "0 0 101 64" ]
check "an odd name's line" [ "$(cat err)" = "berth trace: odd??.acp: 1 rank, 101 messages, 64 B, 1 collective call, 3 call sites (3 resolved)" ]
"$berth" resolve "$odd" 2> err
check "resolved already" says "3 call sites (already resolved)"
mkdir unread && (cd unread && "$berth" trace -o x.acp -- ../crash.openmpi end 2>&1 | true)
check "nobody reads the line" [ "$(ls -A unread)" = x.acp ]

# installed
cmake --install "$BERTH_BUILD_DIR" --prefix "$work/prefix" > /dev/null
"$work/prefix/bin/berth" trace -o installed.acp -- mpirun.openmpi -n 2 ./crash.openmpi end 2> err
check "installed" says "installed.acp: 2 ranks"
check "installed: its own library" [ "$("$work/prefix/bin/berth" trace --library)" = \
  "$(realpath "$work"/prefix/lib*/berth/openmpi/libberth-trace.so "$work"/prefix/lib/*/berth/openmpi/libberth-trace.so 2> /dev/null | head -1)" ]
mv prefix 'pre fix'
here_lib=$(ls -d 'pre fix'/lib*/berth 'pre fix'/lib/*/berth 2> /dev/null | head -1)/openmpi/libberth-trace.so
expect 4 "berth trace: $here_lib: LD_PRELOAD cannot hold a path with a space or colon; install berth below one without" \
  "pre fix/bin/berth" trace -- ./crash.openmpi end
finish
