// Two racing variables: once the flag is known to race and becomes visible, the exploration orders it, but C11 does not,
// so the data still race.
#include <pthread.h>

static int data, flag;

static void *sender(void *arg) {
    (void)arg;
    data = 1; // BUG: data-race(data)
    flag = 1; // BUG: data-race(flag)
    return NULL;
}

static void *receiver(void *arg) {
    if (flag) // BUG: data-race(flag)
        *(int *)arg = data; // BUG: data-race(data)
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int copy = 0;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, &copy);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
