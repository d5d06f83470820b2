// Two items through a buffer with two places: semaphores count the free and the full ones.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t free_places, full_places;
static int places[2];

static void *thread(void *arg) {
    for (int item = 0; item < 2; item++) {
        sem_wait(&free_places);
        places[item] = item + 1;
        sem_post(&full_places);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&free_places, 0, 2);
    sem_init(&full_places, 0, 0);
    pthread_create(&t, NULL, thread, NULL);
    for (int item = 0; item < 2; item++) {
        sem_wait(&full_places);
        assert(places[item] == item + 1);
        sem_post(&free_places);
    }
    pthread_join(t, NULL);
    return 0;
}
