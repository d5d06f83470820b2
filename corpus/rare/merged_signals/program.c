// Clients write down a request each and send a signal to one server, which waits for a signal and serves one request
// for each. A second signal that comes before the first one was taken is not kept, so its request is served only if
// the server takes the first one in time. Only the clients created last of all share a signal; the others have one
// each.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "../noise.h"

static atomic_int requests, served;
static pthread_t serving;

static void *serve(void *unused) {
    make_noise();
    sigset_t set;
    sigemptyset(&set);
    for (int i = 1; i < CLIENTS; i++)
        sigaddset(&set, SIGRTMIN + i);
    sigaddset(&set, SIGUSR1);
    while (atomic_load(&served) < CLIENTS) {
        int signal;
        sigwait(&set, &signal); // BUG: deadlock
#ifdef CORRECT
        atomic_store(&served, atomic_load(&requests));
#else
        atomic_fetch_add(&served, 1);
#endif
    }
    make_noise();
    return unused;
}

static void *ask(void *number) {
    int mine = (int)(long)number;
    for (int i = 0; mine == CLIENTS - 1 && i < LATER; i++)
        make_noise();
    atomic_fetch_add(&requests, 1);
    pthread_kill(serving, mine < CLIENTS - 2 ? SIGRTMIN + 1 + mine : SIGUSR1);
    make_noise();
    return NULL;
}

int main(void) {
    pthread_t clients[CLIENTS];
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_create(&serving, NULL, serve, NULL);
    for (long i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, ask, (void *)i);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    pthread_join(serving, NULL);
    return 0;
}
