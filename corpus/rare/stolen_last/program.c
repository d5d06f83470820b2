// A thread has a queue of TASKS tasks and takes them from its bottom; a thief steals from its top. For the last task
// the two have to agree, by a compare-exchange of the top. The owner does so only for the task with number 0: if the
// thief has stolen that one, the owner takes another one as the last, while the thief steals it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../noise.h"

static atomic_int top, bottom = TASKS, done[TASKS];

static void do_task(int task) {
    assert(atomic_fetch_add(&done[task], 1) == 0); // BUG: assertion
}

static void *own(void *unused) {
    make_noise();
    for (;;) {
        int task = atomic_load(&bottom) - 1;
        atomic_store(&bottom, task);
        int first = atomic_load(&top);
        if (task < first)
            break;
#ifdef CORRECT
        int is_agreed = task == first;
#else
        int is_agreed = task == first && task == 0;
#endif
        if (is_agreed) {
            if (atomic_compare_exchange_strong(&top, &first, first + 1))
                do_task(task);
            break;
        }
        do_task(task);
    }
    make_noise();
    return unused;
}

static void *steal(void *unused) {
    make_noise();
    for (int i = 0; i < STEALS; i++) {
        int first = atomic_load(&top);
        if (first < atomic_load(&bottom) && atomic_compare_exchange_strong(&top, &first, first + 1))
            do_task(first);
    }
    make_noise();
    return unused;
}

int main(void) {
    pthread_t owner, thief;
    pthread_create(&owner, NULL, own, NULL);
    pthread_create(&thief, NULL, steal, NULL);
    pthread_join(owner, NULL);
    pthread_join(thief, NULL);
    return 0;
}
