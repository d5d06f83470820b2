/* Main learns from the count that the other thread has posted, which does not order its read after that thread's write.
   By its choice, the states after which it reads are the same with and without that order. */
#include <pthread.h>
#include <semaphore.h>

int inspect_choose(int alternatives);

static sem_t ready;
static int data, copy;

static void *posts(void *unused) {
    data = 1; // BUG: data-race
    sem_post(&ready);
    return unused;
}

int main(void) {
    pthread_t thread;
    int count;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, 0, posts, 0);
    if (inspect_choose(2)) {
        sem_wait(&ready);
        sem_post(&ready);
    }
    sem_getvalue(&ready, &count);
    if (count)
        copy = data; // BUG: data-race
    pthread_join(thread, 0);
}
