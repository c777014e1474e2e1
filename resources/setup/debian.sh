#!/bin/sh
# Installs the Debian packages named as arguments where they are missing; where that is not allowed,
# names the exact command and goes on (the program says in plain words what it misses).
set -u
missing=""
for package in "$@"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "install ok installed" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
command="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "Not a Debian system: the window needs the libraries behind these Debian packages:$missing" >&2
  exit 0
fi
if [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo"
else
  echo "Some system libraries are missing and this account may not install them. Ask for: sudo $command" >&2
  exit 0
fi
echo "Installing system libraries:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q >/dev/null 2>&1
$as_root $command >/dev/null 2>&1 && exit 0
echo "Installing them failed. The exact command is: sudo apt-get update && sudo $command" >&2
exit 0
