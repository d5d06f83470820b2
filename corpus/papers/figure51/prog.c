// Figure 5.1 of the Inspect dissertation: y is written under different locks if T2 reads x before T1 increments it.
#include <pthread.h>

static pthread_mutex_t f1 = PTHREAD_MUTEX_INITIALIZER, f2 = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z;

static void *t1(void *arg) {
    (void)arg;
    pthread_mutex_lock(&f1);
    x++;
    pthread_mutex_unlock(&f1);
    pthread_mutex_lock(&f2);
    y++; // BUG: data-race
    pthread_mutex_unlock(&f2);
    pthread_mutex_lock(&f1);
    z++;
    pthread_mutex_unlock(&f1);
    return NULL;
}

static void *t2(void *arg) {
    (void)arg;
    pthread_mutex_lock(&f1);
    pthread_mutex_lock(&f2);
    z++;
    int c = x;
    pthread_mutex_unlock(&f2);
    pthread_mutex_unlock(&f1);
    pthread_mutex_lock(&f1);
    if (c == 0)
        y++; // BUG: data-race
    pthread_mutex_unlock(&f1);
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
