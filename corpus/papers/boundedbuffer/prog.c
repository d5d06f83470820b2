// A bounded buffer with PRODUCERS producers and CONSUMERS consumers, ITEMS items each, and SIZE places.
// The kind of program measured as bbuf in the Inspect dissertation, table 6.1. PRODUCERS must equal CONSUMERS.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef SIZE
#define SIZE 1
#endif
#ifndef ITEMS
#define ITEMS 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[SIZE];
static int count, in, out;

static void put(int item) {
    pthread_mutex_lock(&mutex);
    while (count == SIZE)
        pthread_cond_wait(&not_full, &mutex);
    buffer[in] = item;
    in = (in + 1) % SIZE;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
}

static int get(void) {
    pthread_mutex_lock(&mutex);
    while (count == 0)
        pthread_cond_wait(&not_empty, &mutex);
    int item = buffer[out];
    out = (out + 1) % SIZE;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
    return item;
}

static void *producer(void *arg) {
    int id = (int)(intptr_t)arg;
    for (int i = 0; i < ITEMS; i++)
        put(id * ITEMS + i + 1);
    return NULL;
}

static void *consumer(void *sum) {
    for (int i = 0; i < ITEMS; i++)
        *(int *)sum += get();
    return NULL;
}

int main(void) {
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
    int sums[CONSUMERS] = {0};
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], NULL, producer, (void *)(intptr_t)i);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], NULL, consumer, &sums[i]);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], NULL);
    int total = 0;
    for (int i = 0; i < CONSUMERS; i++)
        total += sums[i];
    assert(total == PRODUCERS * ITEMS * (PRODUCERS * ITEMS + 1) / 2);
    return 0;
}
