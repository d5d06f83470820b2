#!/bin/sh
# Fetches the upstream sources of real multithreaded programs and unpacks them, unmodified:
#
#   fetch-real-program.sh FOLDER PACKAGE...
#
# Each ends in FOLDER/PACKAGE. What is there already is not fetched again. apt-get fetches them from wherever this
# machine's apt configuration has its packages from, with lists and a cache of its own in FOLDER: the machine's own lists
# stay as they are, and no privilege is needed. SUITES names other releases of Debian than those that are tried first.
# Status 1 and a message if a source could not be had.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 FOLDER PACKAGE..." >&2; exit 2; }
folder=$1
shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
state=$folder/apt

wanted() { # wanted PACKAGE...: those that are not there
  for package in "$@"; do
    [ -d "$folder/$package" ] || printf '%s ' "$package"
  done
}

# list_sources SUITE: the machine's sources of packages (`deb`), asked for sources (`deb-src`) of SUITE instead; of their
# own suites if it is empty. Both formats of apt are read.
list_sources() {
  rm -rf "$state/sources"
  mkdir -p "$state/sources"
  eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
  for file in "$list" "$parts"/*.list "$parts"/*.sources; do
    if [ ! -f "$file" ]; then continue; fi
    # One line of the older format: deb [OPTIONS] MIRROR SUITE COMPONENT...
    case $file in
      *.sources) sed "s/^Types:.*/Types: deb-src/;${1:+s/^Suites:.*/Suites: $1/}" "$file" ;;
      *) sed -En "s/^ *deb( +\[[^]]*\])?( +[^ ]+ +)([^ ]+)/deb-src\1\2${1:-\3}/p" "$file" ;;
    esac >"$state/sources/$(basename "$file")"
  done
}

apt() { # apt ARGUMENTS...
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$state/sources" \
    -o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" -o APT::Sandbox::User= \
    -o Acquire::Languages=none -o Acquire::Retries=1 -o Acquire::http::Timeout=15 "$@"
}

# unpack PACKAGE ARCHIVE: the archive holds one folder, which becomes FOLDER/PACKAGE.
unpack() {
  rm -rf "$folder/new"
  mkdir "$folder/new"
  tar -C "$folder/new" -xf "$2"
  mv "$folder/new"/* "$folder/$1"
  rmdir "$folder/new"
}

missing=$(wanted "$@")
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null 2>&1 || { echo "fetch-real-program: there is no apt-get" >&2; exit 1; }
  # The same versions on every Debian, from the newest stable release if the mirror has them; else another release, and
  # last what goes with this machine, which may not be a Debian.
  for suite in ${SUITES-trixie bookworm sid} ""; do
    list_sources "$suite"
    # Of several mirrors some may lack the suite; the lists of the others are there all the same.
    apt update >&2 || true
    for package in $missing; do
      rm -rf "$folder/download"
      mkdir "$folder/download"
      (cd "$folder/download" && apt source --download-only --tar-only "$package" >&2) || continue
      for archive in "$folder/download"/*.orig.tar.*; do
        case $archive in
          *.asc) ;;
          *) if [ -f "$archive" ]; then unpack "$package" "$archive"; fi ;;
        esac
      done
    done
    rm -rf "$folder/download"
    missing=$(wanted "$@")
    [ -n "$missing" ] || break
  done
fi
if [ -n "$missing" ]; then
  echo "fetch-real-program: these could not be fetched: $missing" >&2
  exit 1
fi
