// A tryjoin of a thread that runs fails with EBUSY, of one that has ended joins it and gives its result.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int value;

static void *thread(void *arg) {
    value = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    void *result = NULL;
    pthread_create(&t, NULL, thread, &value);
    int error = pthread_tryjoin_np(t, &result);
    if (error) {
        assert(error == EBUSY && result == NULL);
        assert(pthread_join(t, &result) == 0);
    }
    assert(result == &value && value == 1);
    return 0;
}
