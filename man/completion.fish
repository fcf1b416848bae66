# fish completion for berth, made by `berth completion fish`
function __berth_at # COMMAND [ACTION...]: whether they stand behind berth
  set -l words (commandline -opc)
  test "$words[2]" = "$argv[1]"; or return
  test (count $argv) -eq 1; or contains -- "$words[3]" $argv[2..-1]
end
@places@
