#!/bin/sh
# Builds and tests Inspect on a fresh machine: a minimal Debian in a folder, with only git, make and Rust added and a clean
# clone of HEAD in root's home, where no other user may enter.
#
#   test-fresh.sh [--folder FOLDER] [--keep] [MAKE-TARGET...]
#
# Runs the README's commands there: make demo, make install and make test, or the targets that are given. FOLDER is by
# default target/fresh; whatever is in it is removed first, and again at the end unless --keep is given. Debian comes from
# where this machine's apt configuration has its packages from; Rust, and the crates that are already fetched, are this
# machine's. Needs root, for mounts; these end with the script, however it ends. Status 0 if everything passed.
set -eu

fail() {
  echo "test-fresh: $*" >&2
  exit 1
}

repository=$(cd "$(dirname "$0")/.." && pwd)
folder=$repository/target/fresh
keep=no
while [ $# -gt 0 ]; do
  case $1 in
    --folder)
      [ $# -ge 2 ] || fail "--folder needs a folder"
      folder=$2
      shift 2
      ;;
    --keep)
      keep=yes
      shift
      ;;
    -*) fail "unknown option $1" ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || set -- demo install test
case $folder in
  /*) ;;
  *) folder=$PWD/$folder ;;
esac

[ "$(id -u)" -eq 0 ] || fail "mounts need root"
for tool in mmdebstrap unshare git rustc; do
  command -v "$tool" >/dev/null 2>&1 || fail "$tool is missing (make test-fresh installs all of it but Rust)"
done

# Once more in namespaces of its own: what is mounted and what runs there ends with it.
if [ "${TEST_FRESH_INSIDE:-no}" = no ]; then
  export TEST_FRESH_INSIDE=yes
  if [ "$keep" = yes ]; then set -- --keep "$@"; fi
  exec unshare --mount --propagation private --pid --fork --kill-child "$0" --folder "$folder" "$@"
fi

# The first process of a namespace gets only the signals that it asks for.
trap 'exit 130' INT TERM

rust=$(cd / && rustc --print sysroot)
[ -x "$rust/bin/cargo" ] && [ "$rust" != /usr ] || fail "Rust has to lie in a folder of its own, as rustup puts it"
cargo_home=${CARGO_HOME:-$HOME/.cargo}

# The machine's configuration of apt, without what it does after an installation, and its sources.
debian() {
  eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
  apt-config dump --no-empty --format '%f "%v";%n' Acquire >"$folder.apt"
  for file in "$list" "$parts"/*.list "$parts"/*.sources; do
    if [ -f "$file" ]; then set -- "$@" "$file"; fi
  done
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mmdebstrap --quiet --mode=root --variant=minbase --format=directory --include=git,make --aptopt="$folder.apt" \
    "$release" "$folder" "$@"
  rm "$folder.apt"
}

# What a container has: processes, a system folder that cannot be written to, and a few devices.
mounts() {
  mount -t proc proc "$folder/proc"
  mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$folder/sys"
  mount -t tmpfs -o mode=755,nosuid dev "$folder/dev"
  for device in null:3 zero:5 full:7 random:8 urandom:9; do
    mknod -m 666 "$folder/dev/${device%:*}" c 1 "${device#*:}"
  done
  mknod -m 666 "$folder/dev/tty" c 5 0
  mkdir "$folder/dev/pts" "$folder/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$folder/dev/pts"
  mount -t tmpfs -o mode=1777,nosuid,nodev shm "$folder/dev/shm"
  ln -s pts/ptmx "$folder/dev/ptmx"
  ln -s /proc/self/fd "$folder/dev/fd"
  for stream in stdin:0 stdout:1 stderr:2; do
    ln -s "/proc/self/fd/${stream#*:}" "$folder/dev/${stream%:*}"
  done
  # Names of other machines, for whatever still has to be fetched.
  for file in resolv.conf hosts; do
    if [ -e "/etc/$file" ]; then cat "/etc/$file" >"$folder/etc/$file"; fi
  done
}

rust() {
  mkdir -p "$folder/opt/rust" "$folder/root/.cargo"
  mount --bind "$rust" "$folder/opt/rust"
  mount -o remount,bind,ro "$folder/opt/rust"
  for file in config.toml config registry/index registry/cache; do
    if [ -e "$cargo_home/$file" ]; then
      mkdir -p "$(dirname "$folder/root/.cargo/$file")"
      cp -R "$cargo_home/$file" "$folder/root/.cargo/$file"
    fi
  done
}

# Nothing of this machine's environment but the way to other machines.
inside() {
  env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/rust/bin \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    ${no_proxy:+no_proxy="$no_proxy"} chroot "$folder" sh -euc "$@"
}

seconds() {
  echo "test-fresh: $1: $(($(date +%s) - started)) s"
  started=$(date +%s)
}

started=$(date +%s)
# A folder that something is mounted below, of this script or by others, is left alone.
if [ -e "$folder" ]; then rm -rf --one-file-system "$folder"; fi
mkdir -p "$(dirname "$folder")"
debian
mounts
rust
git -C "$repository" diff --quiet HEAD || echo "test-fresh: what is not committed is not tested" >&2
git clone --quiet --depth 1 "file://$repository" "$folder/root/inspect"
seconds "a minimal Debian with git, make, Rust and commit $(git -C "$folder/root/inspect" rev-parse --short HEAD)"

for target in "$@"; do
  inside 'cd /root/inspect && exec make "$1"' sh "$target" || fail "make $target failed"
  if [ "$target" = install ]; then
    status=0
    inside 'cp /root/inspect/corpus/papers/database/bad.c /tmp && cd /tmp && exec inspect check bad.c' || status=$?
    [ "$status" -eq 1 ] || fail "inspect check, as it was installed: status $status instead of 1, a violation"
  fi
  seconds "make $target"
done
if [ "$keep" = no ]; then
  umount -R "$folder/opt/rust" "$folder/dev" "$folder/sys" "$folder/proc"
  rm -rf --one-file-system "$folder"
fi
echo "test-fresh: make $* passed"
