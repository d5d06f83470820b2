// A pointer to a local variable gets to another thread through the C library: what the thread does there is a race.
#define _GNU_SOURCE
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *_Atomic published;
static FILE *file;

static void *thread(void *argument) {
#if defined TOKEN
    char local[8];
    strcpy(local, "a,b");
    published = strtok(local, ",");
    local[0] = 'x'; // BUG: data-race
#elif defined TABLE
    int local = 0;
    pthread_mutex_lock(&mutex);
    hsearch((ENTRY){"name", &local}, ENTER);
    pthread_mutex_unlock(&mutex);
    local = 1; // BUG: data-race
#elif defined POSITION
    int local = 0;
    pthread_mutex_lock(&mutex);
    fseek(file, (long)&local, SEEK_SET);
    pthread_mutex_unlock(&mutex);
    local = 1; // BUG: data-race
#endif
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t other;
    hcreate(8);
#ifdef POSITION
    file = fopen("data", "w+");
#endif
    pthread_create(&other, NULL, thread, NULL);
#if defined TOKEN
    char *token = published;
    if (token)
        *token = 'y'; // BUG: data-race
#elif defined TABLE
    pthread_mutex_lock(&mutex);
    ENTRY *entry = hsearch((ENTRY){"name", 0}, FIND);
    pthread_mutex_unlock(&mutex);
    if (entry)
        *(int *)entry->data = 2; // BUG: stack-use-after-return
#elif defined POSITION
    pthread_mutex_lock(&mutex);
    long position = ftell(file);
    pthread_mutex_unlock(&mutex);
    if (position)
        *(int *)position = 2; // BUG: stack-use-after-return
#endif
    pthread_join(other, NULL);
    return 0;
}
