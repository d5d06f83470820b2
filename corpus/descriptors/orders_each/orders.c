// CALL has the result that main expects until the other thread has done CHANGE, which nothing keeps from coming first. With
// BEFORE the thread begins after the call, and the program is right.
#include "../fixtures.h"

static void *changes(void *arg) {
    CHANGE; // BUG: data-race heap-use-after-free
    return arg;
}

int main(void) {
    pthread_t thread;
    use_all();
    fd = open("file", O_RDWR);
    SET_UP;
#ifdef BEFORE
    assert(CALL);
    pthread_create(&thread, 0, changes, 0);
#else
    pthread_create(&thread, 0, changes, 0);
    assert(CALL); // BUG: assertion data-race heap-use-after-free
#endif
    pthread_join(thread, 0);
    return 0;
}
