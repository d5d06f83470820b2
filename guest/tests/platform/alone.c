// alone: yes
// output: sum 4950000 mode 1\n
// With real threads, the real heap and real output.
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static void *work(void *argument) {
    long sum = 0;
    for (int i = 0; i < 100000; i++) { char *p = malloc(1 + i % 500); p = realloc(p, 600); memset(p, 1, 600); free(p); sum += i % 100; }
    return (void *)sum;
}
int main(void) {
    pthread_t a, b;
    void *x;
    void *aligned;
    if (pthread_create(&a, 0, work, 0) || pthread_create(&b, 0, work, 0)) return 1;
    pthread_join(a, &x);
    pthread_join(b, &x);
    if (posix_memalign(&aligned, 64, 10) || malloc_usable_size(aligned) < 10) return 2;
    printf("sum %ld mode %d\n", (long)x, time(0) != 1717000000);
    return 0;
}
