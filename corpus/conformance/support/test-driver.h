// The part of glibc's test driver that its tests see.
#pragma once
#include "check.h"
#define verbose_printf(...) ((void)0)
static int test_verbose __attribute__((unused));
static const char *test_dir __attribute__((unused)) = ".";

static inline void write_message(const char *message) {
    fputs(message, stdout);
}
