// The example of the Inspect dissertation, section 2.3.1.
#include <pthread.h>

static int x, y;

static void *t1(void *arg) {
    (void)arg;
    x = 1; // BUG: data-race
    x = 2; // BUG: data-race
    return NULL;
}

static void *t2(void *arg) {
    (void)arg;
    y = 1;
    x = 3; // BUG: data-race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, t1, NULL);
    pthread_create(&b, NULL, t2, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
