// A subject calls its listener under its own lock, and the listener takes its lock there. The listener leaves the
// subject under its lock, after DELAY other things. Without LISTENS it does not take its lock in the call.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t subject = PTHREAD_MUTEX_INITIALIZER, listener = PTHREAD_MUTEX_INITIALIZER;
static int listens = 1, heard;
static atomic_int other;

static void called_back(void) {
#ifdef LISTENS
    pthread_mutex_lock(&listener); // BUG: deadlock
    heard++;
    pthread_mutex_unlock(&listener);
#endif
}

static void *publish(void *unused) {
    pthread_mutex_lock(&subject);
    if (listens)
        called_back();
    pthread_mutex_unlock(&subject);
    return unused;
}

static void *leave(void *unused) {
    for (int i = 0; i < DELAY; i++)
        atomic_fetch_add(&other, 1);
    pthread_mutex_lock(&listener);
    heard = 0;
    pthread_mutex_lock(&subject); // BUG: deadlock
    listens = 0;
    pthread_mutex_unlock(&subject);
    pthread_mutex_unlock(&listener);
    return unused;
}

int main(void) {
    pthread_t publisher, leaver;
    pthread_create(&leaver, NULL, leave, NULL);
    pthread_create(&publisher, NULL, publish, NULL);
    pthread_join(publisher, NULL);
    pthread_join(leaver, NULL);
    pthread_mutex_destroy(&subject);
    pthread_mutex_destroy(&listener);
    return 0;
}
