# complete.zsh FOLDER LINE...: what zsh completes the end of each line to, one a line, with "end" behind
# each line's. FOLDER has the function _berth. A zsh on a terminal of its own is asked, since it
# completes nowhere else; it notes what it would add.
zmodload zsh/zpty zsh/zselect
folder=${1:a} matches=${1:a}/matches
shift
: > $matches
zpty -b shell zsh -f -i
zpty -w shell "folder=$folder matches=$matches"
zpty -w shell 'PS1= ; stty -echo; fpath=($folder $fpath); autoload -Uz compinit; compinit -u -D
LISTMAX=100000; unsetopt beep
compadd() {
  local -a found
  (( ${argv[(I)-[OAD]*]} )) || builtin compadd -O found "$@"
  (( $#found )) && print -rl -- $found >> $matches
  builtin compadd "$@"
}
note() { print end >> $matches; zle kill-whole-line }
zle -N note; bindkey "^G" note; bindkey "^I" complete-word'
for line; do zpty -w -n shell "$line"$'\t\a'; done
for (( i = 0; i < 300; i++ )); do
  while zpty -rt shell text; do :; done # or it would wait for its terminal
  (( $(grep -c '^end$' $matches) == $# )) && break
  zselect -t 10
done
zpty -d shell
cat $matches
