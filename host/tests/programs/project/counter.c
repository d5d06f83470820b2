/* The library: a counter with a lock, or without one where LOST_LOCK is defined. */
#include "counter.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

void counter_add(int amount)
{
#ifndef LOST_LOCK
    pthread_mutex_lock(&lock);
#endif
    value += amount;
#ifndef LOST_LOCK
    pthread_mutex_unlock(&lock);
#endif
}

int counter_value(void)
{
    pthread_mutex_lock(&lock);
    int result = value;
    pthread_mutex_unlock(&lock);
    return result;
}
