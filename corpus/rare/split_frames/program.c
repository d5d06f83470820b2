// WRITERS threads send records of a length and that many bytes through one pipe, TIMES each. Short records are written by
// one call. A long one, which the first thread sends last, is written by two calls, and another record can come between
// them: the reader takes that record for the bytes of the long one.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *send_records(void *number) {
    long mine = (long)number;
    for (int i = 0; i < TIMES; i++)
        (void)!write(ends[1], (char[]){1, 'a'}, 2);
    if (mine == 0) {
#ifdef CORRECT
        (void)!write(ends[1], (char[]){3, 'b', 'b', 'b'}, 4);
#else
        (void)!write(ends[1], (char[]){3}, 1);
        (void)!write(ends[1], (char[]){'b', 'b', 'b'}, 3);
#endif
    }
    return NULL;
}

static void *receive(void *unused) {
    for (int i = 0; i < WRITERS * TIMES + 1; i++) {
        char length, bytes[3];
        if (read(ends[0], &length, 1) != 1)
            return unused;
        for (int k = 0; k < length; k++) {
            (void)!read(ends[0], &bytes[k], 1);
            assert(bytes[k] == (length == 1 ? 'a' : 'b')); // BUG: assertion
        }
    }
    return unused;
}

int main(void) {
    pthread_t writers[WRITERS], receiving;
    (void)!pipe(ends);
    for (long i = 0; i < WRITERS; i++)
        pthread_create(&writers[i], NULL, send_records, (void *)i);
    pthread_create(&receiving, NULL, receive, NULL);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    pthread_join(receiving, NULL);
    close(ends[0]);
    close(ends[1]);
    return 0;
}
