#!/usr/bin/env bash
# `berth recover`: folders of several jobs, some of whose tables are no good.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
corpus=$BERTH_SOURCE_DIR/tests/fuzz/corpus/spool
mkdir tables bad empty
cp "$corpus/header" tables/01-0.spool
cp "$corpus/whole" tables/02-0.spool
cp "$corpus/header" tables/02-1.spool
cp "$corpus/whole" tables/03-1.spool
cp "$corpus/header" bad/01-0.spool

"$berth" recover -o all.acp tables 2> err
check "a job without tables is an error" [ $? -eq 4 ]
check "which is the last line" [ "$(tail -n 1 err)" = \
  "berth recover: tables/01-0.spool: found no usable table of its job" ]
check "what is left out is named" [ "$(sed -n 's/.*: left out: \([^:]*\):.*/\1/p' err | xargs)" = \
  "tables/01-0.spool tables/02-1.spool" ]
check "the others have their traces" \
  [ "$(grep -c 'recovered from the tables of 1 of 3 ranks' err)" -eq 2 ]
for trace in all.acp all-2.acp; do
  check "$trace" "$berth" show "$trace" > /dev/null
done
check "tables stay" [ "$(find tables -type f | wc -l)" -eq 4 ]

"$berth" recover -o none.acp bad 2> err
check "no job has good tables" [ $? -eq 4 ]
check "and no trace" [ ! -e none.acp ]
expect 4 "berth recover: empty: found no tables of traced ranks" "$berth" recover empty
expect 4 "berth recover: empty: found no tables of traced ranks" \
  env BERTH_TRACE_SPOOL=empty "$berth" recover
mkdir tmp
default=tmp/berth-spool-$(id -u)
nothing="berth recover: found nothing to recover: no tables of ranks in $default, and nothing of a killed \`berth trace\` in tmp"
expect 4 "$nothing" env -u BERTH_TRACE_SPOOL TMPDIR=tmp "$berth" recover
mkdir -m 700 "$default"
expect 4 "$nothing" env -u BERTH_TRACE_SPOOL TMPDIR=tmp "$berth" recover
expect 4 "berth recover: missing: cannot open: No such file or directory" \
  env BERTH_TRACE_SPOOL=missing "$berth" recover
finish
