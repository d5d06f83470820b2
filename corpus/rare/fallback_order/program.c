// Threads lock an account and then the journal. One of them tries first to have the journal at once; only if that
// fails does it wait for the journal, with the account locked. The auditor locks the journal first and then the
// account. So the two wait for each other only if the try has failed because of a writer, and the auditor has got
// the journal after it.
#include <pthread.h>

#include "../noise.h"

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER, journal = PTHREAD_MUTEX_INITIALIZER;
static int lines, amount;

static void *write_line(void *unused) {
    make_noise();
    pthread_mutex_lock(&journal);
    lines++;
    pthread_mutex_unlock(&journal);
    make_noise();
    return unused;
}

static void *book(void *unused) {
    make_noise();
    pthread_mutex_lock(&account);
    amount++;
    if (pthread_mutex_trylock(&journal) != 0) {
#ifdef CORRECT
        pthread_mutex_unlock(&account);
        pthread_mutex_lock(&journal);
        lines++;
        pthread_mutex_unlock(&journal);
        return unused;
#else
        pthread_mutex_lock(&journal); // BUG: deadlock
#endif
    }
    lines++;
    pthread_mutex_unlock(&journal);
    pthread_mutex_unlock(&account);
    make_noise();
    return unused;
}

static void *audit(void *unused) {
    for (int i = 0; i < LATER; i++)
        make_noise();
    pthread_mutex_lock(&journal);
    // What is being booked is left out.
    if (lines == WRITERS && pthread_mutex_lock(&account) == 0) { // BUG: deadlock
        lines += amount;
        pthread_mutex_unlock(&account);
    }
    pthread_mutex_unlock(&journal);
    make_noise();
    return unused;
}

int main(void) {
    pthread_t writers[WRITERS], booking, auditing;
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&writers[i], NULL, write_line, NULL);
    pthread_create(&booking, NULL, book, NULL);
    pthread_create(&auditing, NULL, audit, NULL);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    pthread_join(booking, NULL);
    pthread_join(auditing, NULL);
    return 0;
}
