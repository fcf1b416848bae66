#!/usr/bin/env bash
# install-packages.sh run|test|bench|packages: installs those packages of packages.txt that are missing.
# "run" is enough to build and use berth, "test" adds what the tests need, "bench" adds what bench/ needs,
# "packages" what tests/packages needs.
# Needs root only if one is missing.
set -eu
cd "$(dirname "$0")"
case ${1:-} in
  run) wanted='$1 == "run"' ;;
  test) wanted='$1 == "run" || $1 == "test"' ;;
  bench) wanted='$1 == "run" || $1 == "test" || $1 == "bench"' ;;
  packages) wanted='$1 == "run" || $1 == "test" || $1 == "packages"' ;;
  *) echo "usage: install-packages.sh run|test|bench|packages" >&2; exit 2 ;;
esac
missing=()
for package in $(awk "$wanted {print \$2}" packages.txt); do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "install-packages.sh: missing: ${missing[*]}" >&2
  echo "install-packages.sh: run as root: apt-get install ${missing[*]}" >&2
  exit 4
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
