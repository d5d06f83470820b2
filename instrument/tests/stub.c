/* A runtime that says on standard error which hooks are called, if INSPECT_STUB is set. For the tests of the pass only.
   A line: hook, file:line:column, function, variable, the hook's other arguments. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct site {
  const char *file, *function, *variable;
  uint32_t line, column;
  uint8_t kind, reserved[7];
};

static void say(const char *hook, const struct site *site, const char *rest) {
  if (!getenv("INSPECT_STUB"))
    return;
  const char *slash = strrchr(site->file, '/');
  char line[600];
  int length = snprintf(line, sizeof line, "@%s %s:%" PRIu32 ":%" PRIu32 " %s %s %s\n", hook, slash ? slash + 1 : site->file,
                        site->line, site->column, site->function, *site->variable ? site->variable : "-", rest);
  fwrite(line, 1, (size_t)length, stderr);
}

#define PLAIN(name)                                                     \
  void __inspect_##name(void *at, uint64_t size, struct site *site) {   \
    char rest[64];                                                      \
    (void)at;                                                           \
    snprintf(rest, sizeof rest, "%" PRIu64, size);                      \
    say(#name, site, rest);                                             \
  }
PLAIN(read)
PLAIN(write)
PLAIN(volatile_read)
PLAIN(volatile_write)
PLAIN(end)
void __inspect_begin(void *at, uint64_t size) {
  char rest[64];
  (void)at;
  if (!getenv("INSPECT_STUB"))
    return;
  snprintf(rest, sizeof rest, "@begin %" PRIu64 "\n", size);
  fwrite(rest, 1, strlen(rest), stderr);
}
void __inspect_other_parts(void) {}
void __inspect_table_write(void *at, void *table, struct site *site) {
  (void)at;
  (void)table;
  say("table_write", site, "8");
}
PLAIN(check_read)
PLAIN(check_write)

void __inspect_atomic_load(void *at, uint64_t size, uint32_t order, struct site *site) {
  char rest[64];
  (void)at;
  snprintf(rest, sizeof rest, "%" PRIu64 " order %" PRIu32, size, order);
  say("atomic_load", site, rest);
}

void __inspect_atomic_store(void *at, uint64_t size, uint64_t value, uint32_t order, struct site *site) {
  char rest[96];
  (void)at;
  snprintf(rest, sizeof rest, "%" PRIu64 " value %" PRIx64 " order %" PRIu32, size, value, order);
  say("atomic_store", site, rest);
}

void __inspect_atomic_rmw(void *at, uint64_t size, uint32_t order, struct site *site) {
  char rest[64];
  (void)at;
  snprintf(rest, sizeof rest, "%" PRIu64 " order %" PRIu32, size, order);
  say("atomic_rmw", site, rest);
}

void __inspect_atomic_cas(void *at, uint64_t size, uint64_t low, uint64_t high, uint32_t orders, struct site *site) {
  char rest[128];
  (void)at;
  snprintf(rest, sizeof rest, "%" PRIu64 " expected %" PRIx64 " %" PRIx64 " order %" PRIu32 " %" PRIu32, size, low, high, orders & 255,
           orders >> 8);
  say("atomic_cas", site, rest);
}

void __inspect_fence(uint32_t order, struct site *site) {
  char rest[32];
  snprintf(rest, sizeof rest, "order %" PRIu32, order);
  say("fence", site, rest);
}

void __inspect_loop_head(uint64_t count, const uint64_t *values, struct site *site) {
  if (count == UINT64_MAX) {
    say("loop_head", site, values ? "entry with values" : "entry");
    return;
  }
  char rest[300] = "values";
  for (uint64_t i = 0; i < count; i++)
    snprintf(rest + strlen(rest), sizeof rest - strlen(rest), " %" PRIx64, values[i]);
  say("loop_head", site, rest);
}

void __inspect_opaque(struct site *site) { say("opaque", site, ""); }
void __inspect_leave_main(struct site *site) { say("leave_main", site, ""); }
void __inspect_frames(void *innermost, void *written) { (void)innermost, (void)written; }

struct record {
  struct record *caller;
  uint64_t returns_to;
  const uint32_t *site;
  uint64_t operations, identity[2], written, words[];
};

void __inspect_delta_frames(void *innermost) { (void)innermost; }
void __inspect_delta(struct record *record) {
  // Values follow the addresses of variables.
  for (uint32_t at = 0; at < record->site[0]; at++)
    record->identity[0] += record->words[record->site[1] + at];
}
void __inspect_delta_variable(struct record *record, const char *start, uint64_t size) {
  for (uint64_t at = 0; at < size; at++)
    record->identity[1] += (uint64_t)start[at];
}
static void say_delta(const char *name) {
  if (getenv("INSPECT_STUB"))
    fprintf(stderr, "@%s\n", name);
}
void __inspect_delta_through(struct record *record, uint64_t address, uint64_t size) {
  (void)record, (void)address, (void)size;
  say_delta("delta_through");
}
void __inspect_delta_called(struct record *record, uint64_t address) {
  record->written += address != 0;
  say_delta("delta_called");
}
void __inspect_delta_returned(struct record *record) {
  record->written = 0;
  say_delta("delta_returned");
}
void __inspect_unknown_delta(struct record *record) {
  (void)record;
  say_delta("unknown_delta");
}

void __inspect_call_only(const char *start, const char *end) {
  if (getenv("INSPECT_STUB_OBJECTS"))
    printf("%td\n", end - start);
}

void __inspect_uninitialised(void) { printf("uninitialised\n"); }
void __inspect_fresh(const char *block) { (void)block; }
void __inspect_filled(const char *object, uint64_t size) { (void)object, (void)size; }
void __inspect_filled_by(const char *target, const char *object, uint64_t size) { (void)target, (void)object, (void)size; }
void __inspect_forget_arguments(void) {}

void __inspect_facts(const uint64_t *words, uint64_t count) {
  (void)words;
  printf("facts %" PRIu64 "\n", count);
}
void __inspect_point(uint32_t point) { (void)point; }
void __inspect_branch(uint32_t point, uint32_t way, const char *activation) { (void)point, (void)way, (void)activation; }
void __inspect_join_point(uint32_t join_point, const char *activation) { (void)join_point, (void)activation; }

int inspect_choose(int n) { return n - n; }
void inspect_assume(int condition) { (void)condition; }
