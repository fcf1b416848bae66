#compdef berth
# zsh completion for berth, made by `berth completion zsh`
_berth_assign() { # NAME=...: one of them, then a file
  if compset -P '*='; then _files; else compadd -S '' -- $@; fi
}
_berth() {
  local curcontext=$curcontext state line place
  _arguments -C '1: :->command' '*:: :->rest' && return
  if [[ $state == command ]]; then
    local -a commands=(@commands@)
    _describe command commands
    return
  fi
  place=$words[1]
  (( CURRENT > 2 )) && case "$words[1,2]" in
@actions@  esac
  case $place in
@places@  esac
}
_berth "$@"
