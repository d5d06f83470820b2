// Reads standard input in every run: each one must see all of it.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_int x;

static void *thread(void *arg) {
    atomic_fetch_add(&x, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    char text[16];
    ssize_t got = read(0, text, sizeof text);
    if (got != 6 || memcmp(text, "hello\n", 6) != 0)
        return 1;
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
