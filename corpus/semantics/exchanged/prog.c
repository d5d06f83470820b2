// Threads with one function that are exchanged, or must not be: TELL says what they do with what could tell them apart.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>
#include <string.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t workers[3];
static int count;
static int order[3];
static int results[3];
static int *shared;
static void *address;
static _Thread_local int mine;
static int *first_mine;
static uintptr_t hash;
static pthread_key_t key;
static int waiting, woken;
static _Atomic int turn;
static int *block;
static char *place;
static uint32_t draws[3];

static void enter(void) { pthread_mutex_lock(&lock); }
static void leave(void) { pthread_mutex_unlock(&lock); }

static void *worker(void *arg) {
#if TELL == 4 // an identity stored in memory by main, read by the worker from a shared list
    enter();
    int own = -1;
    for (int i = 0; i < 3; i++)
        if (pthread_equal(workers[i], pthread_self()))
            own = i;
    order[count++] = own;
    leave();
#elif TELL == 5 // a pointer into main's stack
    enter();
    *(int *)arg = ++count;
    leave();
#elif TELL == 6 // the address of a thread-local is kept by whoever comes first; main compares which
    enter();
    mine = ++count;
    if (count == 1)
        first_mine = &mine;
    leave();
    enter();
    if (first_mine == &mine)
        results[0] = mine;
    else
        results[1]++;
    leave();
#elif TELL == 7 // a block of the heap handed over: who gets it
    enter();
    if (!block) {
        block = malloc(sizeof *block);
        *block = 1;
        leave();
        enter();
        results[0] = *block * 10 + count;
        leave();
    } else {
        count++;
        leave();
    }
#elif TELL == 8 // waiters of a condition variable: first come
    enter();
    int own = waiting++;
    while (woken <= own)
        pthread_cond_wait(&cond, &lock);
    order[count++] = own;
    leave();
#elif TELL == 9 // who is signalled first
    enter();
    waiting++;
    while (!woken)
        pthread_cond_wait(&cond, &lock);
    woken--;
    int own = count++;
    leave();
    enter();
    order[own] += waiting--;
    leave();
#elif TELL == 10 // thread-specific data
    enter();
    int *own = pthread_getspecific(key);
    if (!own) {
        own = malloc(sizeof *own);
        *own = ++count;
        pthread_setspecific(key, own);
    }
    leave();
    enter();
    results[*own] = count + turn;
    turn++;
    leave();
#elif TELL == 11 // address of a local in shared memory
    int local = 0;
    enter();
    if (!shared)
        shared = &local;
    else if (count == 0) {
        *shared = 7;
        count = 1;
    }
    leave();
    enter();
    results[local == 7 ? 0 : 1]++;
    if (shared == &local)
        shared = NULL;
    leave();
#elif TELL == 12 // different arguments, used late
    enter();
    count++;
    leave();
    enter();
    order[count - 3 < 0 ? 0 : count - 3] = (int)(intptr_t)arg;
    count++;
    leave();
#elif TELL == 13 // address arithmetic is taken for granted; but a handle in the atomic turn
    enter();
    if (count++ == 0)
        address = (void *)pthread_self();
    leave();
#elif TELL == 14 // a loop counter that differs
    for (int i = 0; i < 2; i++) {
        enter();
        order[i] = order[i] * 2 + count++ % 2;
        leave();
    }
#elif TELL == 15 // alike only after a read that is dead, with a race before
    if (arg)
        atomic_store(&turn, 2);
    enter();
    count++; // BUG: data-race(read)
    leave();
    results[0] = count; // BUG: data-race(results)
#elif TELL == 16 // each a slot of an array by ticket, then works on that slot outside of the lock
    enter();
    int own = count++;
    leave();
    results[own] = own + 1; // BUG: data-race(results)
    enter();
    order[own] = results[0] + results[1] + results[2];
    leave();
#elif TELL == 17 // a random number each: threads that are alike until then
    enter();
    int own = count++;
    leave();
    uint32_t drawn = arc4random();
    enter();
    draws[own] = drawn;
    leave();
#endif
    return NULL;
}

static void *extra(void *arg) {
    (void)arg;
    enter();
    if (TELL == 15)
        assert(!(turn == 2 && count == 2)); // BUG: assertion(1)
    leave();
    return NULL;
}

int main(void) {
    int slots[3] = {0};
    (void)slots;
    if (TELL == 10)
        pthread_key_create(&key, free);
#if TELL == 4
    enter();
#endif
    int n = TELL == 15 ? 2 : 3;
    for (int i = 0; i < n; i++)
        pthread_create(&workers[i], NULL, worker, TELL == 5 ? (void *)&slots[i] : TELL == 12 ? (void *)(intptr_t)i : TELL == 15 ? (void *)(intptr_t)(i == 1) : NULL);
#if TELL == 4
    leave();
#endif
#if TELL == 8 || TELL == 9
    for (int i = 0; i < 3; i++) {
        enter();
        while (waiting == 0 && TELL == 9 && 0)
            ;
        woken++;
        if (TELL == 8) pthread_cond_broadcast(&cond); else pthread_cond_signal(&cond);
        leave();
    }
#endif
    pthread_t e;
    if (TELL == 15)
        pthread_create(&e, NULL, extra, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(workers[i], NULL);
    if (TELL == 15)
        pthread_join(e, NULL);
#if TELL == 4
    assert(order[0] != 2); // BUG: assertion(2)
    assert(!(order[0] == 1 && order[1] == 2)); // BUG: assertion(3)
#elif TELL == 5
    assert(slots[0] != 3); // BUG: assertion(4)
    assert(slots[1] != 1); // BUG: assertion(5)
#elif TELL == 6
    assert(!(results[0] == 1 && results[1] == 2)); // BUG: assertion(6)
#elif TELL == 7
    assert(results[0] != 10); // BUG: assertion(7)
    assert(results[0] != 12); // BUG: assertion(8)
#elif TELL == 8
    assert(!(order[0] == 0 && order[1] == 2)); // BUG: assertion(9)
    assert(!(order[0] == 1)); // BUG: assertion(10)
#elif TELL == 9
    assert(order[0] != 2); // BUG: assertion(11)
    assert(order[0] != 3); // BUG: assertion(12)
    assert(order[2] != 3); // BUG: assertion(13)
#elif TELL == 10
    assert(results[1] != 5); // BUG: assertion(14)
    assert(results[2] != 3); // BUG: assertion(15)
#elif TELL == 11
    assert(results[0] == 0); // BUG: assertion(16)
    assert(results[1] == 3); // BUG: assertion(17)
#elif TELL == 12
    assert(order[0] != 1 || order[1] != 0); // BUG: assertion(18)
    assert(order[0] != 2); // BUG: assertion(19)
    assert(order[2] != 0); // BUG: assertion(20)
#elif TELL == 13
    assert(address != (void *)workers[1]); // BUG: assertion(21)
    assert(address != (void *)workers[2]); // BUG: assertion(22)
#elif TELL == 14
    assert(order[0] != 1); // BUG: assertion(23)
    assert(order[1] != 3); // BUG: assertion(24)
    assert(order[1] != 5); // BUG: assertion(25)
#elif TELL == 16
    assert(order[0] != 1); // BUG: assertion(26)
    assert(order[2] != 3); // BUG: assertion(27)
    assert(order[1] != 5); // BUG: assertion(28)
    assert(order[0] != 6); // BUG: assertion(29)
#elif TELL == 17
    assert(draws[0] > draws[1]); // BUG: assertion(30)
    assert(draws[0] < draws[1]); // BUG: assertion(31)
#endif
    return 0;
}
