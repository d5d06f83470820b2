/* Two threads and a library that the build system makes an archive of. */
#include "counter.h"
#include <assert.h>
#include <pthread.h>

static void *adds(void *amount)
{
    counter_add(*(int *)amount);
    return 0;
}

int main(void)
{
    pthread_t other;
    int two = 2;
    pthread_create(&other, 0, adds, &two);
    counter_add(1);
    pthread_join(other, 0);
    assert(counter_value() == 3);
    return 0;
}
