// Functions that the program finds by their names: what the guest takes from the program's imports says nothing of these.
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count, objects;

// It has the name of a function of the C library, and does something else.
long a64l(const char *text) { return count + (text == NULL); }

static int sees(struct dl_phdr_info *info, size_t size, void *data) {
    ++*(int *)data;
    return info == NULL || size == 0;
}

static void look(void) {
#ifdef COMPUTES
    size_t (*length)(const char *) = (size_t (*)(const char *))dlsym(RTLD_DEFAULT, "strlen");
    assert(length("four") == 4);
#endif
#ifdef MISSING
    assert(dlsym(RTLD_DEFAULT, "no_function_has_this_name") == NULL);
#endif
#ifdef NOT_IMPORTED
    int (*sends)(pthread_t, int) = (int (*)(pthread_t, int))dlsym(RTLD_DEFAULT, "pthread_kill");
    sends(pthread_self(), SIGURG);
#endif
#ifdef NO_LISTS
    void *(*opens)(const char *) = (void *(*)(const char *))dlsym(RTLD_DEFAULT, "opendir");
    assert(opens != NULL);
#endif
#ifdef NOT_DESCRIBED
    Dl_info found;
    int (*asks)(const void *, Dl_info *) = (int (*)(const void *, Dl_info *))dlsym(RTLD_DEFAULT, "dladdr");
    if (asks == NULL)
        dladdr(&count, &found);
    else
        asks(&count, &found);
#endif
#ifdef OWN
    long (*counted)(const char *) = (long (*)(const char *))dlsym(RTLD_DEFAULT, "a64l");
    counted("");
#endif
#ifdef OBJECTS
    dl_iterate_phdr(sees, &objects);
    assert(objects > 1);
#endif
}

static void *thread(void *argument) {
#ifdef IMPORTED
    int (*unlock)(pthread_mutex_t *) = (int (*)(pthread_mutex_t *))dlsym(RTLD_DEFAULT, "pthread_mutex_unlock");
    assert(unlock != NULL);
#endif
    pthread_mutex_lock(&mutex);
    count++;
#ifdef IMPORTED
    if (unlock(&mutex) != 0)
#endif
        pthread_mutex_unlock(&mutex);
#ifdef BESIDE
    look();
#endif
    return argument;
}

int main(void) {
    pthread_t other;
#ifndef BESIDE
    look();
#endif
    pthread_create(&other, NULL, thread, NULL);
    thread(NULL);
    pthread_join(other, NULL);
    return sees == NULL;
}
