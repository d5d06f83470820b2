// Each thread has a table of its own, or both have one.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <string.h>

static struct hsearch_data common;

static void *user(void *argument) {
    struct hsearch_data own;
    memset(&own, 0, sizeof own);
    struct hsearch_data *table = &own;
    assert(hcreate_r(8, &own) != 0);
#ifdef RACE
    table = &common;
#endif
    ENTRY *entry;
    assert(hsearch_r((ENTRY){"key", "value"}, ENTER, &entry, table) != 0); // BUG: data-race
    assert(hsearch_r((ENTRY){"key", NULL}, FIND, &entry, table) != 0 && strcmp(entry->data, "value") == 0);
    hdestroy_r(&own);
    return argument;
}

int main(void) {
    pthread_t thread;
    hcreate_r(8, &common);
    pthread_create(&thread, NULL, user, NULL);
    user(NULL);
    pthread_join(thread, NULL);
    hdestroy_r(&common);
    return 0;
}
