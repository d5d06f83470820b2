// CALL yields the error ERROR, which the manual page names for it; one thread.
#include "../fixtures.h"

// The error of a call that returns -1, or 0.
static inline int number(long result) {
    return result == -1 ? errno : 0;
}

int main(void) {
    use_all();
    fd = open("file", O_RDWR);
    SET_UP;
    assert((CALL) == ERROR);
    return 0;
}
