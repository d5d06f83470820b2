#!/bin/sh
# Fetches the upstream sources of real multithreaded programs from the Debian archive and unpacks them, unmodified:
#
#   fetch-real-program.sh FOLDER PACKAGE...
#
# Each ends in FOLDER/PACKAGE. What is there already is not fetched again. apt-get does it, with lists and a cache of its
# own in FOLDER: the machine's own lists stay as they are, and no privilege is needed. Status 1 and a message if a source
# could not be had.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 FOLDER PACKAGE..." >&2; exit 2; }
folder=$1
shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

wanted() { # wanted PACKAGE...: those that are not there
  for package in "$@"; do
    [ -d "$folder/$package" ] || printf '%s ' "$package"
  done
}

apt() { # apt SUITE ARGUMENTS...
  suite=$1
  shift
  state=$folder/apt/$suite
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  printf 'deb-src %s %s main\n' "$mirror" "$suite" >"$state/sources.list"
  apt-get -qq -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" -o APT::Sandbox::User= \
    -o APT::Get::List-Cleanup=0 -o Acquire::Languages=none -o Acquire::Retries=1 -o Acquire::http::Timeout=15 "$@"
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
  # Newest stable release first; another one where a file is gone from the mirror.
  for suite in trixie bookworm sid; do
    apt "$suite" update >&2 || continue
    for package in $missing; do
      rm -rf "$folder/download"
      mkdir "$folder/download"
      (cd "$folder/download" && apt "$suite" source --download-only --tar-only "$package" >&2) || continue
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
