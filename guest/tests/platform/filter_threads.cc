// runs: 300
// launcher: no_dispatch
#include "threads.cc"
