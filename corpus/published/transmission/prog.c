// Transmission 1.42: the session starts its event thread and sets up the limits of bandwidth afterwards; the event thread
// uses them. Fixed by setting them up first. WRONG == 1: as it was.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct bandwidth {
    int limit;
};

struct session {
    struct bandwidth *bandwidth;
    pthread_t events;
};

static struct session session;

static void *runs_events(void *arg) {
    assert(session.bandwidth != 0); // BUG: data-race assertion
    session.bandwidth->limit++;
    return arg;
}

static void set_up(void) {
    session.bandwidth = calloc(1, sizeof *session.bandwidth); // BUG: data-race
}

int main(void) {
#if WRONG
    pthread_create(&session.events, 0, runs_events, 0);
    set_up();
#else
    set_up();
    pthread_create(&session.events, 0, runs_events, 0);
#endif
    pthread_join(session.events, 0);
    return session.bandwidth->limit != 1;
}
