// Two threads open a file each. Who opens first gets the lower number.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>

static int descriptors[2];

static void *opens(void *argument) {
    const long own = (long)argument;
    descriptors[own] = open(own == 0 ? "data" : "other", O_RDONLY);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, opens, (void *)i);
    for (long i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(descriptors[0] RELATION descriptors[1]); // BUG: assertion
    return 0;
}
