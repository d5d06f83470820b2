// The destructor of one key sets a value of another: that one's is called as well, in the next round if need be.
#include <assert.h>
#include <pthread.h>

static pthread_key_t first, second;
static int calls;

static void of_first(void *value) {
    calls++;
    pthread_setspecific(second, value);
}

static void of_second(void *value) {
    (void)value;
    calls += 10;
}

static void *thread(void *arg) {
    pthread_setspecific(first, &calls);
    pthread_exit(arg);
}

int main(void) {
    pthread_t t;
#ifdef OTHER_ORDER
    pthread_key_create(&second, of_second);
    pthread_key_create(&first, of_first);
#else
    pthread_key_create(&first, of_first);
    pthread_key_create(&second, of_second);
#endif
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    assert(calls == 11);
    return 0;
}
