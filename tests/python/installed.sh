#!/usr/bin/env bash
# The Python module where people get it from: `cmake --install` and `pip install`, without a build tree.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
unset BERTH_LIBRARY PYTHONPATH LD_LIBRARY_PATH
prefix=$work/a/prefix
cmake --install "$BERTH_BUILD_DIR" --prefix "$prefix" > "$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
modules=lib/python3/dist-packages
lib=$(dirname "$(find "$prefix" -name libberth.so)")
sanitizer=$(ldd "$lib/libberth.so" | awk '/libasan/ { print $3 }')
run() { env LD_PRELOAD="$sanitizer" ASAN_OPTIONS=detect_leaks=0 "$@"; }

# cost FOLDER [VARIABLE=VALUE…]: by the module that is in the folder
cat > "$work/cost.py" <<'PY'
import sys, berth
pattern, topology = berth.load_pattern(sys.argv[1]), berth.load_topology(sys.argv[2])
print(berth.__file__.rsplit("/", 2)[0], f"{berth.cost(pattern, topology).cost_s:.3f}", berth.__version__)
PY
inputs=("$BERTH_SOURCE_DIR/examples/ladder/pattern.acp" "$BERTH_SOURCE_DIR/testbed/topology.json")
cost() {
  local folder=$1; shift
  (cd "$work" && run env PYTHONPATH="$folder" PYTHONDONTWRITEBYTECODE=1 "$@" \
    python3 cost.py "${inputs[@]}" 2>&1 | tail -n 1)
}
version=$(sed -n 's/.*BERTH_VERSION "\(.*\)"/\1/p' "$BERTH_BUILD_DIR/include/berth/version.h")

check "the module finds the library of its prefix" \
  [ "$(cost "$prefix/$modules")" = "$prefix/$modules 5.372 $version" ]
check "it has types" [ -e "$prefix/$modules/berth/py.typed" ]
check "every module is installed" diff \
  <(cd "$BERTH_SOURCE_DIR/python/berth" && find . -name '*.py' | sort) \
  <(cd "$prefix/$modules/berth" && find . -name '*.py' ! -name _installed.py | sort)
mv "$work/a" "$work/b"
check "in a prefix that was moved, too" \
  [ "$(cost "$work/b/prefix/$modules")" = "$work/b/prefix/$modules 5.372 $version" ]
lib=${lib/"$work/a"/"$work/b"}
check "Debian's python3 looks there under /usr" \
  grep -qx "/usr/$modules" <(python3 -c 'import sys; print(*sys.path, sep="\n")')

# pip builds from a copy, so that this test sees what it leaves there
mkdir "$work/source" "$work/home"
cp -r "$BERTH_SOURCE_DIR/python" "$BERTH_SOURCE_DIR/pyproject.toml" "$work/source"
(cd "$work/source" && find . -type f ! -path '*/__pycache__/*' | sort) > "$work/before"
pip() { # TARGET WHAT…
  local target=$1; shift
  run env HOME="$work/home" PYTHONDONTWRITEBYTECODE=1 python3 -m pip install --quiet --no-index \
    --root-user-action=ignore --disable-pip-version-check --target "$target" "$@"
}
check "pip install, without a network and other packages" pip "$work/env" "$work/source"
check "pip leaves nothing in the source folder" diff "$work/before" \
  <(cd "$work/source" && find . -type f ! -path '*/__pycache__/*' | sort)
check "pip's module is the same" diff -r -x __pycache__ "$BERTH_SOURCE_DIR/python/berth" "$work/env/berth"
check "pip's version" [ -d "$work/env/berth-$version.dist-info" ]
check "what pip is told of it" grep -qx "Requires-Python: >=3.9" \
  "$work/env/berth-$version.dist-info/METADATA"
(cd "$work/source/python" && python3 -c 'import berth_wheel as w; print(w.build_sdist("../.."))') \
  > "$work/name"
check "an archive of the sources" [ "$(cat "$work/name")" = "berth-$version.tar.gz" ]
check "pip installs that, too" pip "$work/from-archive" "$work/berth-$version.tar.gz"
check "as the same files" diff -r -x __pycache__ "$work/env/berth" "$work/from-archive/berth"
check "pip install -e" pip "$work/editable" -e "$work/source"
check "refers to the sources" [ "$(cat "$work/editable/berth.pth")" = "$work/source/python" ]
check "it finds the library by the loader" \
  [ "$(cost "$work/env" LD_LIBRARY_PATH="$lib")" = "$work/env 5.372 $version" ]
check "or by BERTH_LIBRARY" \
  [ "$(cost "$work/env" BERTH_LIBRARY="$lib/libberth.so.0")" = "$work/env 5.372 $version" ]
if ! ldconfig -p | grep -q libberth; then
  check "or says that there is none" grep -q \
    "^ImportError: berth: found no libberth.so.0 (.*). Install berth, or set BERTH_LIBRARY" \
    <(cost "$work/env")
fi
finish
