#!/bin/sh
# Installs what is needed and not there yet:
#
#   setup.sh              for building and testing Inspect
#   setup.sh cluster      for inspect-mpi: MPI, of which either implementation will do
#   setup.sh test-cluster for its tests under a batch system
#   setup.sh test-fresh   for `make test-fresh`, which builds and tests in a system of its own
#
# Each command and library is named here with its Debian package, as recommendations are not installed. Only Rust is
# expected: without cargo the script ends with a message. It does nothing if everything is there.
set -eu

packages=""
need() { # need COMMAND PACKAGE
  command -v "$1" >/dev/null 2>&1 || packages="$packages $2"
}
need_file() { # need_file PACKAGE PATH...: one of the paths exists
  package=$1
  shift
  for path in "$@"; do
    if [ -e "$path" ]; then return; fi
  done
  packages="$packages $package"
}

needs_of_build_and_tests() {
  # To build Inspect, and programs with it.
  need clang-22 clang-22
  need clang++-22 clang-22
  need ld.lld-22 lld-22
  need llvm-nm-22 llvm-22      # with llvm-ar-22, llvm-ranlib-22, llvm-objcopy-22, llvm-objdump-22, llvm-dwarfdump-22 and llvm-config-22
  need_file llvm-22-dev /usr/include/llvm-22/llvm/IR/Module.h /usr/lib/llvm-22/include/llvm/IR/Module.h
  # For inspect-llvm.
  need_file libclang-22-dev /usr/lib/llvm-22/lib/libclangFrontend.a
  need_file liblld-22 /usr/lib/llvm-22/lib/liblldELF.a
  need_file liblld-22-dev /usr/lib/llvm-22/include/lld/Common/Driver.h
  need_file llvm-22-linker-tools /usr/lib/bfd-plugins/LLVMgold-22.so /usr/lib/llvm-22/lib/LLVMgold.so
  need cc gcc
  need c++ g++
  need_file g++ /usr/include/c++   # the C++ library, for clang++ too
  need_file libc6-dev /usr/include/pthread.h
  need_file linux-libc-dev /usr/include/linux/futex.h
  need ar binutils             # with readelf and nm
  need make make
  # cargo fetches crates over TLS.
  need_file ca-certificates /etc/ssl/certs/ca-certificates.crt
  # For the tests.
  need_file libclang-rt-22-dev /usr/lib/llvm-22/lib/clang/22/lib/*/libclang_rt.profile*   # profiles
  need gdb gdb                 # inspect replay --gdb
  need bash bash               # the platform's tests, for a descriptor above 9
  need timeout coreutils
  need setpriv util-linux      # with setarch and unshare: other users, address layouts and mounts
  need tar tar                 # sources of real programs, and
  need xz xz-utils
  need bzip2 bzip2             # their archives
  need gzip gzip
  need cmake cmake             # build systems that programs come with
  need meson meson
  need ninja ninja-build
}

case ${1:-} in
  "") needs_of_build_and_tests ;;
  cluster)
    need mpicc libopenmpi-dev
    need mpirun openmpi-bin
    # What MPI's header declares is read with it.
    need_file libclang1-22 /usr/lib/llvm-*/lib/libclang*.so*
    ;;
  test-cluster)
    need slurmctld slurmctld
    need slurmd slurmd
    need sbatch slurm-client
    need_file slurm-wlm-basic-plugins /usr/lib/x86_64-linux-gnu/slurm-wlm/mpi_pmix*.so
    need munged munge
    need ip iproute2             # with tc: networks of their own
    ;;
  test-fresh)
    need mmdebstrap mmdebstrap
    need unshare util-linux
    need git git
    ;;
  *)
    echo "usage: $0 [cluster|test-cluster|test-fresh]" >&2
    exit 2
    ;;
esac
# A package is named once, whatever is missing of it.
packages=$(printf '%s\n' $packages | sort -u | tr '\n' ' ')
packages=${packages% }

if [ -n "$packages" ]; then
  root=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
      echo "setup: these packages are missing and there is no sudo to install them: $packages" >&2
      exit 1
    }
    root="sudo"
  fi
  command -v apt-get >/dev/null 2>&1 || {
    echo "setup: these packages are missing and there is no apt-get to install them: $packages" >&2
    exit 1
  }
  echo "setup: installing $packages" >&2
  $root apt-get update -qq
  apt-cache show clang-22 >/dev/null 2>&1 || {
    echo "setup: this distribution has no package clang-22 (Debian 12 with its security archive does); add a source" \
      "that has clang-22, lld-22, llvm-22-dev and llvm-22-linker-tools, as the LLVM project's own for Debian and" \
      "Ubuntu, and run this again" >&2
    exit 1
  }
  # shellcheck disable=SC2086 # a list of words
  $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >&2
fi

command -v cargo >/dev/null 2>&1 || {
  echo "setup: cargo is missing; install Rust 1.88 or newer (rustup has it)" >&2
  exit 1
}
