// A block copied as a whole while another thread writes one byte in its middle.
#include <pthread.h>
#include <string.h>

static char block[64];

static void *copier(void *arg) {
    memcpy(arg, block, sizeof block); // BUG: data-race
    return NULL;
}

static void *writer(void *arg) {
    (void)arg;
    block[37] = 1; // BUG: data-race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    char copy[64];
    pthread_create(&a, NULL, copier, copy);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
