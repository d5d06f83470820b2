// A thread that nobody joins refreshes a version for ever. A service is shut down in two phases: the closer says
// that it is closing, and closes it if no user is inside. A user looks whether it is closing, and counts itself in a
// second step: both phases can come in between, and the user finds the service closed. USERS threads come and go.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned version;
static atomic_int closing, users, closed, used;

static void *refresh(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        int is_last = ++version == 4000000000u;
        pthread_mutex_unlock(&lock);
        if (is_last)
            return unused;
    }
}

static void *use(void *needs_service) {
#ifdef CORRECT
    atomic_fetch_add(&users, 1);
    int may_enter = !atomic_load(&closing);
#else
    int may_enter = !atomic_load(&closing);
    atomic_fetch_add(&users, 1);
#endif
    if (may_enter) {
        assert(!needs_service || !atomic_load(&closed)); // BUG: assertion
        atomic_fetch_add(&used, 1);
    }
    atomic_fetch_sub(&users, 1);
    return NULL;
}

static void *close_service(void *unused) {
    for (int i = 0; i < LATER; i++)
        atomic_fetch_add(&used, 1);
    atomic_store(&closing, 1);
    if (atomic_load(&users) == 0)
        atomic_store(&closed, 1);
    return unused;
}

int main(void) {
    pthread_t refreshing, threads[USERS], closer;
    pthread_create(&refreshing, NULL, refresh, NULL);
    for (int i = 0; i < USERS; i++)
        pthread_create(&threads[i], NULL, use, i == USERS - 1 ? &used : NULL);
    pthread_create(&closer, NULL, close_service, NULL);
    for (int i = 0; i < USERS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(closer, NULL);
    return 0;
}
