#!/usr/bin/env bash
# `make install` into an empty folder: the program runs, a C program builds against the library by
# pkg-config and by the CMake package, the man pages are there.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
prefix=$work/prefix
cmake --install "$BERTH_BUILD_DIR" --prefix "$prefix" > "$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }

version=$(sed -n 's/^project(berth VERSION \([0-9.]*\) .*/\1/p' "$BERTH_SOURCE_DIR/CMakeLists.txt")
check "the program runs" [ "$("$prefix/bin/berth" --version)" = "berth $version" ]
for page in berth berth-map berth-cost; do
  check "man $page" [ -s "$prefix/share/man/man1/$page.1" ]
done
for page in man5/berth-pattern.5 man5/berth-cost.5 man5/berth-project.5 man7/berth-environment.7; do
  check "$page" [ -s "$prefix/share/man/$page" ]
done

for file in bash-completion/completions/berth zsh/site-functions/_berth \
  fish/vendor_completions.d/berth.fish doc/berth/{README,CHANGELOG,docs/tutorial}.md \
  doc/berth/examples/ladder/ladder.c doc/berth/rankfiles/ladder.rankfile; do
  check "$file" [ -s "$prefix/share/$file" ]
done
# The sanitizers name sources by their whole paths.
is_sanitized || check "no folder of the build is in what is installed" \
  [ -z "$(grep -rlF -e "$BERTH_BUILD_DIR" -e "$BERTH_SOURCE_DIR" "$prefix")" ]

# Lmod's shell code reads variables that aren't set.
load() { set +u; . /usr/share/lmod/lmod/init/bash; module use "$prefix/share/modulefiles"; module load "$1"; }
module_says() { # COMMAND…: in a shell with the module
  (load berth && "$@")
}
check "the module's program" [ "$(module_says command -v berth)" = "$prefix/bin/berth" ]
check "its manual" [ "$(module_says man -w berth-map)" = "$prefix/share/man/man1/berth-map.1" ]
check "its manual of formats" [ "$(module_says man -w berth-pattern)" = "$prefix/share/man/man5/berth-pattern.5" ]
check "its library" [ "$(module_says pkg-config --modversion berth)" = "$version" ]
check "its name" [ "$(module_says printenv LOADEDMODULES)" = "berth/$version" ]
check "a module that isn't there" [ -z "$( (load berth/0.0 && echo loaded) 2> /dev/null)" ]

if [ -e "$BERTH_BUILD_DIR/berth-search" ]; then
  check "berth-search is berth search" \
    grep -q "^Usage: berth search" <("$prefix/bin/berth-search" --help)
  check "libraries for jobs" \
    [ "$(find "$prefix" -name libberth-team.so | wc -l)" -eq 2 ]
fi

cat > "$work/use.c" <<'C'
#include <berth/map.h>
#include <stdio.h>
int main(void)
{
  size_t n;
  berth_mappers(&n);
  printf("%s %zu\n", BERTH_VERSION, n);
  return n < 4;
}
C
pc=$(find "$prefix" -name berth.pc -printf '%h')
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs berth)
lib=$(find "$prefix" -name libberth.so -printf '%h')
# shellcheck disable=SC2086
check "builds by pkg-config" gcc -std=c11 "$work/use.c" $flags -o "$work/use"
# A library with the address sanitizer wants it loaded before anything else.
sanitizer=$(ldd "$lib/libberth.so" | awk '/libasan/ { print $3 }')
check "the version of pkg-config" \
  [ "$(PKG_CONFIG_PATH=$pc pkg-config --modversion berth)" = "$version" ]
check "the library's name and version" \
  [ "$(readlink "$lib/libberth.so")/$(readlink "$lib/libberth.so.0")" = "libberth.so.0/libberth.so.$version" ]
check "runs by pkg-config" env LD_LIBRARY_PATH="$lib" LD_PRELOAD="$sanitizer" "$work/use"

mkdir "$work/project"
cp "$work/use.c" "$work/project"
cat > "$work/project/CMakeLists.txt" <<C
cmake_minimum_required(VERSION 3.25)
project(use C)
find_package(berth $version REQUIRED)
add_executable(use use.c)
target_link_libraries(use PRIVATE berth::berth)
C
check "configures by the CMake package" cmake -S "$work/project" -B "$work/project/build" \
  -DCMAKE_PREFIX_PATH="$prefix" --log-level=ERROR -Wno-dev > "$work/log"
check "builds by the CMake package" cmake --build "$work/project/build" > "$work/log"
check "runs by the CMake package" "$work/project/build/use"
finish
