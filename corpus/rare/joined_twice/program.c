// A thread is to be joined by whoever needs its result first. Both the reader and the one who stops it look at a
// mark, join the thread if it is not set, and set the mark then: both join it if the second looks before the first
// has set it. OTHERS threads count meanwhile.
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static pthread_t computing;
static atomic_int joined, count;

static void *compute(void *unused) {
    return unused;
}

static void *other(void *unused) {
    make_noise();
    atomic_fetch_add(&count, 1);
    make_noise();
    return unused;
}

static void *need_result(void *is_later) {
    for (int i = 0; is_later && i < LATER; i++)
        make_noise();
#ifdef CORRECT
    if (!atomic_exchange(&joined, 1))
        pthread_join(computing, NULL);
#else
    if (!atomic_load(&joined)) {
        pthread_join(computing, NULL); // BUG: join-invalid
        atomic_store(&joined, 1);
    }
#endif
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t reader, stopper, others[OTHERS];
    pthread_create(&computing, NULL, compute, NULL);
    pthread_create(&reader, NULL, need_result, NULL);
    for (int i = 0; i < OTHERS; i++)
        pthread_create(&others[i], NULL, other, NULL);
    pthread_create(&stopper, NULL, need_result, &joined);
    for (int i = 0; i < OTHERS; i++)
        pthread_join(others[i], NULL);
    pthread_join(reader, NULL);
    pthread_join(stopper, NULL);
    return 0;
}
