// runs: 300
// launcher: no_dispatch
// Without Syscall User Dispatch, a seccomp filter does its work.
#include "libc.c"
