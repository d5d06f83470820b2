// Main waits by CALL for what the other thread gives by GIVE; without GIVE it waits for ever.
#include "../fixtures.h"

static void *gives(void *arg) {
#ifdef GIVE
    GIVE;
#endif
    return arg;
}

int main(void) {
    pthread_t thread;
    use_all();
    fd = open("file", O_RDWR);
    SET_UP;
    pthread_create(&thread, 0, gives, 0);
    assert(CALL); // BUG: deadlock
    pthread_join(thread, 0);
    return 0;
}
