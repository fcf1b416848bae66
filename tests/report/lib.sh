# shellcheck shell=bash
# Sourced by what needs a browser, with `here` the folder of this file and `work` one that goes away.

# The Python that has Selenium: another one may come before the system's.
python=
for candidate in $(type -ap python3); do
  "$candidate" -c 'import selenium' 2>/dev/null && { python=$candidate; break; }
done
for tool in chromium chromedriver; do
  command -v $tool > /dev/null || { echo "needs $tool"; exit 77; }
done
[ -n "$python" ] || { echo "needs python3-selenium"; exit 77; }

# in_browser PROGRAM ARGUMENT…: runs it with all that a browser leaves behind in $work.
in_browser() {
  local program=$1; shift
  mkdir -p "$work/home"
  HOME=$work/home TMPDIR=$work/home XDG_CONFIG_HOME=$work/home XDG_CACHE_HOME=$work/home \
    timeout 300 "$python" -B "$here/$program" "$@"
}
