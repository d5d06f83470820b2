// A thread keeps the number of a slot; another one closes the slot, and a third one opens it again for itself. What the
// first one writes arrives with the third. OTHERS threads open slots of their own.
#include <assert.h>
#include <pthread.h>

#include "../noise.h"

enum { SLOTS = OTHERS + 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int owner[SLOTS] = {1}, generation[SLOTS];

static void *write_to(void *unused) {
    make_noise();
    pthread_mutex_lock(&lock);
    int mine = owner[0] == 1, seen = generation[0];
    pthread_mutex_unlock(&lock);
    if (!mine)
        return unused;
    pthread_mutex_lock(&lock);
#ifdef CORRECT
    if (generation[0] == seen)
        assert(owner[0] == 1);
#else
    (void)seen;
    assert(owner[0] != 2); // BUG: assertion
#endif
    pthread_mutex_unlock(&lock);
    make_noise();
    return unused;
}

static void *close_first(void *unused) {
    make_noise();
    pthread_mutex_lock(&lock);
    owner[0] = 0;
    generation[0]++;
    pthread_mutex_unlock(&lock);
    make_noise();
    return unused;
}

static void *open_one(void *number) {
    make_noise();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SLOTS; i++)
        if (owner[i] == 0) {
            owner[i] = (int)(long)number;
            break;
        }
    pthread_mutex_unlock(&lock);
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t writing, closing, opening[OTHERS];
    for (long i = 0; i < OTHERS; i++)
        pthread_create(&opening[i], NULL, open_one, (void *)(OTHERS + 1 - i));
    pthread_create(&closing, NULL, close_first, NULL);
    pthread_create(&writing, NULL, write_to, NULL);
    pthread_join(writing, NULL);
    pthread_join(closing, NULL);
    for (int i = 0; i < OTHERS; i++)
        pthread_join(opening[i], NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
