// Two threads wait for a turn with one condition variable and the mutex of the current group. A thread that opens a
// new group changes which mutex that is. If one thread waits with the old mutex when another one comes to wait with
// the new one, one condition variable is used with two mutexes at once. OTHERS threads count meanwhile.
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t changed[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static atomic_int group, open_groups, count;

static void *wait_for_turn(void *is_later) {
    for (int i = 0; is_later && i < LATER; i++)
        make_noise();
    int mine = atomic_load(&group);
#ifdef CORRECT
    pthread_cond_t *condition = &changed[mine];
#else
    pthread_cond_t *condition = &changed[0];
#endif
    pthread_mutex_lock(&mutexes[mine]);
    while (!(atomic_load(&open_groups) & (1 << mine)))
        pthread_cond_wait(condition, &mutexes[mine]); // BUG: cond-two-mutexes
    pthread_mutex_unlock(&mutexes[mine]);
    make_noise();
    return NULL;
}

static void open_group(int which) {
    pthread_mutex_lock(&mutexes[which]);
    atomic_fetch_or(&open_groups, 1 << which);
    pthread_cond_broadcast(&changed[0]);
    pthread_cond_broadcast(&changed[1]);
    pthread_mutex_unlock(&mutexes[which]);
}

static void *open_groups_in_order(void *unused) {
    make_noise();
    atomic_store(&group, 1);
    open_group(0);
    make_noise();
    open_group(1);
    return unused;
}

static void *other(void *unused) {
    make_noise();
    atomic_fetch_add(&count, 1);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t waiters[2], others[OTHERS], opener;
    pthread_create(&waiters[0], NULL, wait_for_turn, NULL);
    for (int i = 0; i < OTHERS; i++)
        pthread_create(&others[i], NULL, other, NULL);
    pthread_create(&waiters[1], NULL, wait_for_turn, &group);
    pthread_create(&opener, NULL, open_groups_in_order, NULL);
    for (int i = 0; i < OTHERS; i++)
        pthread_join(others[i], NULL);
    pthread_join(waiters[0], NULL);
    pthread_join(waiters[1], NULL);
    pthread_join(opener, NULL);
    return 0;
}
