// A run of two hundred thousand visible operations of one thread.
#include <stdatomic.h>

static atomic_int x;

int main(void) {
    for (int i = 0; i < 100 * 1000; i++) {
        atomic_fetch_add(&x, 1);
        (void)atomic_load(&x);
    }
    return 0;
}
