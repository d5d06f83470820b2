// Two threads add an entry each, and OTHERS use the same lock. Entries are written in batches. The first one who
// adds an entry to an empty batch writes the batch later: it copies it under the lock, and empties it under the
// lock, but gives the lock back in between. An entry that is added in between is never written, and who added it
// waits for ever.
#include <threads.h>

#include "../noise.h"

static mtx_t lock;
static cnd_t written;
static int batch, number, used, done[3];

static void write_batch(void) {
    mtx_lock(&lock);
    int entries = batch;
#ifndef CORRECT
    mtx_unlock(&lock);
    mtx_lock(&lock);
#endif
    done[number++] = entries;
    batch = 0;
    cnd_broadcast(&written);
    mtx_unlock(&lock);
}

static int add(void *is_later) {
    for (int i = 0; is_later && i < LATER; i++)
        make_noise();
    mtx_lock(&lock);
    int mine = number, place = ++batch;
    mtx_unlock(&lock);
    if (place == 1)
        write_batch();
    mtx_lock(&lock);
    while (done[mine] < place)
        cnd_wait(&written, &lock); // BUG: deadlock
    mtx_unlock(&lock);
    make_noise();
    return 0;
}

static int use(void *unused) {
    (void)unused;
    make_noise();
    mtx_lock(&lock);
    used++;
    mtx_unlock(&lock);
    make_noise();
    return 0;
}

int main(void) {
    thrd_t adders[2], others[OTHERS];
    mtx_init(&lock, mtx_plain);
    cnd_init(&written);
    thrd_create(&adders[0], add, NULL);
    for (int i = 0; i < OTHERS; i++)
        thrd_create(&others[i], use, NULL);
    thrd_create(&adders[1], add, &lock);
    for (int i = 0; i < OTHERS; i++)
        thrd_join(others[i], NULL);
    thrd_join(adders[0], NULL);
    thrd_join(adders[1], NULL);
    cnd_destroy(&written);
    mtx_destroy(&lock);
    return 0;
}
