// Listings of folders that the program does not change.
#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <string.h>

static int contains(const char *name) {
    int found = 0;
    DIR *folder = opendir(".");
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL)
        found |= strcmp(entry->d_name, name) == 0;
    closedir(folder);
    return found;
}

static DIR *shared;

static void *thread(void *arg) {
#if defined(SHARED)
    readdir(shared); // BUG: data-race
#else
    assert(contains("old"));
#endif
    return arg;
}

int main(void) {
    pthread_t other;
    shared = opendir(".");
    pthread_create(&other, NULL, thread, NULL);
#if defined(SHARED)
    int seen = readdir(shared) == NULL; // BUG: data-race
#else
    int seen = !contains("old");
#endif
    pthread_join(other, NULL);
    return seen;
}
