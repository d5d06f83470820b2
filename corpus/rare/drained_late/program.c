// An event loop sleeps in poll() until its event counter is raised. POSTERS threads add one task each, and raise the
// counter. The loop takes the tasks that it finds first and empties the counter then: what is added in between is
// neither taken nor announced.
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../noise.h"

static atomic_int tasks;
static int wakeup;

static void empty_counter(void) {
    uint64_t count;
    (void)!read(wakeup, &count, sizeof count);
}

static void *loop(void *unused) {
    make_noise();
    for (int done = 0; done < POSTERS;) {
        struct pollfd ready = {.fd = wakeup, .events = POLLIN};
        poll(&ready, 1, -1); // BUG: deadlock
#ifdef CORRECT
        empty_counter();
        done += atomic_exchange(&tasks, 0);
#else
        done += atomic_exchange(&tasks, 0);
        empty_counter();
#endif
    }
    make_noise();
    return unused;
}

static void *post(void *is_last) {
    for (int i = 0; is_last && i < LATER; i++)
        make_noise();
    atomic_fetch_add(&tasks, 1);
    uint64_t one = 1;
    (void)!write(wakeup, &one, sizeof one);
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t looping, posters[POSTERS];
    wakeup = eventfd(0, EFD_NONBLOCK);
    pthread_create(&looping, NULL, loop, NULL);
    for (int i = 0; i < POSTERS; i++)
        pthread_create(&posters[i], NULL, post, i == POSTERS - 1 ? &tasks : NULL);
    for (int i = 0; i < POSTERS; i++)
        pthread_join(posters[i], NULL);
    pthread_join(looping, NULL);
    close(wakeup);
    return 0;
}
