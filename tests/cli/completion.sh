#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2317
# What shells complete, by the shells themselves: bash, and zsh and fish where they are installed.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
for shell in bash zsh fish; do "$berth" completion $shell > berth.$shell; done
mkdir -p files functions
touch files/any-file
cp berth.zsh functions/_berth

# ask_SHELL LINE...: what a line's end may be completed to, one a line, "end" behind each line's.
ask_bash() {
  local line
  compopt() { :; } # outside of a completion there is nothing to set
  . ../berth.bash
  for line; do
    # Readline parts words at these, and they are words, too.
    read -ra COMP_WORDS <<< "${line//=/ = }"
    [[ $line == *[' =']  ]] && COMP_WORDS+=("")
    [[ $line == *= ]] && unset 'COMP_WORDS[-1]'
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
    _berth
    printf '%s\n' "${COMPREPLY[@]}" end
  done
}
ask_fish() {
  fish --no-config -c 'source ../berth.fish
    for line in $argv; complete -C $line | string replace -r "\t.*" ""; echo end; end' "$@"
}
ask_zsh() { zsh -f "$BERTH_SOURCE_DIR/tests/cli/complete.zsh" ../functions "$@"; }

# Each of a shell's answers in one line, sorted; options without the = that bash puts behind them.
answers() { # SHELL LINE...
  local shell=$1; shift
  (cd files && "ask_$shell" "$@") | sed 's/^\(--.*\)=$/\1/' | sort_answers
}
sort_answers() {
  awk '$0 == "end" { n++; next } NF { print n + 0 "\t" $0 }' | LC_ALL=C sort -u -k 1,1n -k 2 |
    awk -F '\t' '{ line[$1] = line[$1] (line[$1] == "" ? "" : " ") $2; last = $1 }
      END { for (i = 0; i <= last; i++) print line[i] }'
}

formats() { # COMMAND...: those that it says it expects
  "$berth" "$@" 2>&1 | sed -n 's/.*expected one of //p' | tr -d ' ' | tr , '\n' | LC_ALL=C sort | xargs
}
writers=$("$berth" write --list | awk '/^  / { print $1 "=" }' | LC_ALL=C sort | xargs)
commands=$("$berth" --help | awk '/^  [a-z]/ { print $1 }')
cat > table <<END
berth comp|compare completion
berth topo |check discover export import make show
berth topo sh|show
berth topo discover --|--fabric --help --hosts --like --memory --name --output --quiet --slurm --version --xml
berth make --|--block --corners --element --grid --help --memory --message --mpi --output --periodic --quiet --ranks --steps --version
berth scale --|--against --grid --help --json --memory --output --quiet --strong --to --version --weak
berth topo make --|--help --like --link --memory --name --output --quiet --version
berth topo import --|--format --help --memory --name --output --version
berth topo import any-file --f|--format
berth topo export --|--format --help --memory --output --version
berth topo check --|--help --memory --version
berth topo show --|--help --json --memory --node --version
berth topo show any|any-file
berth topo import --format |$(formats topo import -f none x)
berth topo export -f |$(formats topo export -f none x)
berth import --format |$(formats import -f none x)
berth export --format |$(formats export -f none x)
berth export -f |$(formats export -f none x)
berth write sl|slurm=
berth write --oversubscribe sl|slurm=
berth write --mapping any|any-file
berth completion |bash fish zsh
berth help compa|compare compare.5
berth help pa|pattern
berth compare --o|--one-sided --oversubscribe
berth map --one-sided m|mpich-4.0
berth compare --ov|--oversubscribe
berth map --mod|--model
berth map --model f|flow
berth map --model=f|flow
berth map --algorithm m|metis multilevel
berth map --quality |eco fast strong
berth map --write sl|slurm=
berth trace --phases |auto off pcontrol
berth show any|any-file
END
for c in $commands; do
  echo "berth $c --|$("$berth" "$c" --help | sed -nE 's/^ {2,6}(-., )*(--[a-z-]+).*/\2/p' |
    grep -vx -- --usage | LC_ALL=C sort | xargs)"
done >> table
mapfile -t lines < <(cut -d '|' -f 1 table)

for shell in bash zsh fish; do
  command -v $shell > /dev/null || continue
  check "$shell takes it" $shell -n berth.$shell
  answers $shell "${lines[@]}" > answers
  # zsh and fish put what comes before = in front of the value
  sed -i 's/--model=flow/flow/' answers
  check "$shell answers" [ "$(wc -l < answers)" = ${#lines[@]} ]
  while IFS='|' read -r line expected; do
    read -r found <&3
    check "$shell: $line" [ "$found" = "$expected" ]
  done < table 3< answers
done
# formats have files behind them, and all are there
check "bash: a format's file" [ "$(answers bash 'berth write slurm=any' 'berth write slurm=')" = \
  "any-file
any-file" ]
check "bash: all formats" [ "$(answers bash 'berth write ')" = "$writers" ]
check "bash: all commands" [ "$(answers bash 'berth ')" = \
  "$( (echo help; echo "$commands") | LC_ALL=C sort | xargs)" ]

expect 2 "berth completion: found 'csh', expected bash, zsh or fish
Try \`berth completion --help' or \`berth completion --usage' for more
information." "$berth" completion csh
finish
