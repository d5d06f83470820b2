// lastzero (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014): N threads compute a[i] = a[i-1] + 1 while another one looks
// for the last element that is zero.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 5
#endif

static atomic_int a[N + 1];

static void *search(void *arg) {
    (void)arg;
    int i = N;
    while (atomic_load(&a[i]) != 0)
        i--;
    return NULL;
}

static void *fill(void *arg) {
    int i = (int)(intptr_t)arg;
    int before = atomic_load(&a[i - 1]);
    atomic_store(&a[i], before + 1);
    return NULL;
}

int main(void) {
    pthread_t threads[N + 1];
    pthread_create(&threads[0], NULL, search, NULL);
    for (int i = 1; i <= N; i++)
        pthread_create(&threads[i], NULL, fill, (void *)(intptr_t)i);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
