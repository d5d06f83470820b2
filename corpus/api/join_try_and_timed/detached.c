// Another thread detaches the one that main asks for: a mistake if that comes first.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_t asked;

static void *thread(void *arg) {
    return arg;
}

static void *detacher(void *arg) {
    pthread_detach(asked);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&asked, NULL, thread, NULL);
    pthread_create(&t, NULL, detacher, NULL);
    pthread_tryjoin_np(asked, NULL); // BUG: join-invalid
    pthread_join(t, NULL);
    pthread_exit(NULL);
}
