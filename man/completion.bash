# bash completion for berth, made by `berth completion bash`
_berth_place() { # COMMAND WORD: sets place, the command or the command and its action
  place=$1
  case "$*" in
@actions@  esac
}
_berth() {
  local current previous place words= files= options= assigned=
  COMPREPLY=()
  current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  [ "$current" = = ] && current= assigned=yes
  [ "$previous" = = ] && previous=${COMP_WORDS[COMP_CWORD-2]} assigned=yes
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "help@commands@" -- "$current")
    return
  fi
  if [ "$COMP_CWORD" -eq 2 ]; then place=${COMP_WORDS[1]}
  else _berth_place "${COMP_WORDS[@]:1:2}"; fi
  case $place in
@places@    *) files=yes ;;
  esac
  [[ $current == -* ]] && words=$options files=
  [ -n "$assigned" ] && [[ $previous != -* ]] && files=yes # NAME=FILE
  if [ -n "$files" ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [ ${#COMPREPLY[@]} -eq 1 ] && [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _berth berth
