#!/bin/sh
# Installs what building and testing Inspect needs and is not there yet: Debian packages and, if cargo is missing, a
# message (Rust is the one thing that is expected). Does nothing if everything is there.
set -eu

packages=""
need() { # need COMMAND PACKAGE
  command -v "$1" >/dev/null 2>&1 || packages="$packages $2"
}
need clang-22 clang-22
need ld.lld-22 lld-22
need llvm-nm-22 llvm-22
need cc gcc
need c++ g++
need gdb gdb
need xz xz-utils
need make make
[ -e /usr/include/llvm-22/llvm/IR/Module.h ] || [ -e /usr/lib/llvm-22/include/llvm/IR/Module.h ] ||
  packages="$packages llvm-22-dev"
[ -e /usr/lib/bfd-plugins/LLVMgold-22.so ] || [ -e /usr/lib/llvm-22/lib/LLVMgold.so ] ||
  packages="$packages llvm-22-linker-tools"
[ -e /usr/include/c++ ] || packages="$packages libstdc++-12-dev"

if [ -n "$packages" ]; then
  root=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
      echo "setup: these packages are missing and there is no sudo to install them:$packages" >&2
      exit 1
    }
    root="sudo"
  fi
  command -v apt-get >/dev/null 2>&1 || {
    echo "setup: these packages are missing and there is no apt-get to install them:$packages" >&2
    exit 1
  }
  echo "setup: installing$packages" >&2
  $root apt-get update -qq
  apt-cache show clang-22 >/dev/null 2>&1 || {
    echo "setup: this distribution has no package clang-22 (Debian 12 with its security archive does); install" \
      "clang-22, lld-22, llvm-22-dev and llvm-22-linker-tools from https://apt.llvm.org and run this again" >&2
    exit 1
  }
  # shellcheck disable=SC2086 # a list of words
  $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >&2
fi

command -v cargo >/dev/null 2>&1 || {
  echo "setup: cargo is missing; install Rust 1.88 or newer (https://rustup.rs)" >&2
  exit 1
}
