// Loads a shared object that has a race. Compiled with -DLIBRARY, this file is the shared object.
#include <dlfcn.h>
#include <pthread.h>

#ifdef LIBRARY
int shared;

void add(void) {
    shared++;
}
#else
static void (*add)(void);

static void *thread(void *arg) {
    add();
    return arg;
}

int main(int count, char **arguments) {
    void *library = dlopen(arguments[count - 1], RTLD_NOW);
    if (!library)
        return 2;
    *(void **)&add = dlsym(library, "add");
    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    add();
    pthread_join(other, NULL);
    return 0;
}
#endif
