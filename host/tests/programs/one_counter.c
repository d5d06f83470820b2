// Two threads add to one counter, COUNT times each: every addition of the one races with every addition of the other, so
// nearly each state of an execution has a thread that is left to try.
#include <pthread.h>
#include <stdatomic.h>

atomic_int counter;

void *add(void *argument) {
    for (int i = 0; i < COUNT; i++)
        counter++;
    return argument;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, add, 0);
    pthread_create(&second, 0, add, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
