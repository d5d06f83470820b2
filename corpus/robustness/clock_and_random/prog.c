// Uses every clock and every source of random numbers there is, and lets them decide which thread does what. Virtual
// time and seeded numbers make all runs alike.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_ulong x;

static unsigned long mixed(void) {
    struct timespec spec;
    struct timeval val;
    unsigned long bits = 0, more = 0;
    clock_gettime(CLOCK_REALTIME, &spec);
    bits ^= (unsigned long)spec.tv_nsec;
    clock_gettime(CLOCK_MONOTONIC, &spec);
    bits ^= (unsigned long)spec.tv_nsec << 3;
    gettimeofday(&val, NULL);
    bits ^= (unsigned long)val.tv_usec << 5;
    bits ^= (unsigned long)time(NULL) << 7;
    bits ^= (unsigned long)clock() << 11;
    if (getrandom(&more, sizeof more, 0) != (ssize_t)sizeof more)
        abort();
    bits ^= more;
#ifdef DEVICE
    int fd = open("/dev/urandom", O_RDONLY);
    if (fd >= 0 && read(fd, &more, sizeof more) == (ssize_t)sizeof more)
        bits ^= more;
    close(fd);
#endif
    srand((unsigned)bits);
    return bits ^ (unsigned long)rand();
}

static void *thread(void *arg) {
    unsigned long bits = *(unsigned long *)arg;
    for (int i = 0; i < 3; i++) {
        if (bits >> i * 8 & 1)
            atomic_fetch_add(&x, bits);
        else
            atomic_store(&x, bits);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    unsigned long bits[2] = {mixed(), mixed()};
    pthread_create(&a, 0, thread, &bits[0]);
    pthread_create(&b, 0, thread, &bits[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    struct timespec before, after, second = {.tv_sec = 1};
    clock_gettime(CLOCK_MONOTONIC, &before);
    nanosleep(&second, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    return after.tv_sec > before.tv_sec ? 0 : 1;
}
