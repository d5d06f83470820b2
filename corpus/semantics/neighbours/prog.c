// Threads that write neighbouring bytes and fields of one word do not race.
#include <pthread.h>

static struct {
    char a, b;
    short c;
    int d;
} s;
static char bytes[8];

static void *first(void *arg) {
    (void)arg;
    s.a = 1;
    s.d = 1;
    for (int i = 0; i < 8; i += 2)
        bytes[i] = 1;
    return NULL;
}

static void *second(void *arg) {
    (void)arg;
    s.b = 1;
    s.c = 1;
    for (int i = 1; i < 8; i += 2)
        bytes[i] = 1;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
