#!/usr/bin/env bash
# What shells complete, by the shells themselves: bash, and zsh and fish where they are installed.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
"$berth" completion bash > berth.bash
"$berth" completion zsh > _berth
"$berth" completion fish > berth.fish
check "bash takes it" bash -n berth.bash
if command -v zsh > /dev/null; then check "zsh takes it" zsh -n _berth; fi

. ./berth.bash
compopt() { :; } # outside of a completion there is nothing to set
complete_line() { # WORD…: what the last one is completed to
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _berth
  echo "${COMPREPLY[*]}"
}
check "commands" [ "$(complete_line berth co)" = "cost compare completion" ]
check "options" [ "$(complete_line berth compare --o)" = "--oversubscribe" ]
check "options with a value" [ "$(complete_line berth map --obj)" = "--objective=" ]
check "their names" [ "$(complete_line berth map --objective = f)" = flow ]
check "their names behind a blank" [ "$(complete_line berth map --algorithm m)" = "metis multilevel" ]
check "formats to write" [ "$(complete_line berth map --write = s)" = "seq= slurm= split-key=" ]
touch some-file
check "files" [ "$(complete_line berth show some)" = some-file ]
all=$(complete_line berth "")
for c in $("$berth" --help | awk '/^  [a-z]/ {print $1}'); do
  check "$c is among the commands" grep -qw "$c" <<< "$all"
  for option in $("$berth" "$c" --help | grep -oE -- '--[a-z-]+' | sort -u); do
    case $option in --usage) continue ;; esac
    case " $(complete_line berth "$c" "$option") " in
      *" $option "* | *" $option= "*) found=true ;;
      *) found=false ;;
    esac
    # texts of --help name options of other programs, too
    "$berth" completion fish | grep -q -- "from $c' -l ${option#--} " && check "$c $option" $found
  done
done
if command -v fish > /dev/null; then
  check "fish: commands" [ "$(fish -c 'source berth.fish; complete -C "berth comp"' | cut -f 1 | xargs)" = "compare completion" ]
  check "fish: names" [ "$(fish -c 'source berth.fish; complete -C "berth map --quality "' | cut -f 1 | xargs)" = "eco fast strong" ]
fi
if command -v zsh > /dev/null; then
  check "zsh: it names every command" [ "$(grep -cE "^      [a-z]+\) _arguments" _berth)" = "$("$berth" --help | grep -cE '^  [a-z]')" ]
fi
expect 2 "berth completion: found 'csh', expected bash, zsh or fish
Try \`berth completion --help' or \`berth completion --usage' for more
information." "$berth" completion csh
finish
