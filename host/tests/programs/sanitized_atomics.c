/* All atomic operations, in variables of all sizes: two threads add to each, main does the rest when they have ended. */
#include <assert.h>
#include <pthread.h>

typedef unsigned __int128 wide;

static unsigned char bytes;
static unsigned short shorts;
static unsigned ints;
static unsigned long longs;
static _Alignas(16) wide wides;
static volatile int flag;

/* A carry out of the lower half, and something in the upper one. */
#define STEP ((wide)3 << 64 | 0x8000000000000001ul)

static void *adds(void *unused) {
    __atomic_fetch_add(&bytes, 3, __ATOMIC_RELAXED);
    __atomic_fetch_add(&shorts, 3, __ATOMIC_RELEASE);
    __atomic_fetch_add(&ints, 3, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&longs, 3, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&wides, STEP, __ATOMIC_SEQ_CST);
    return unused;
}

#define TRY(type, variable, start, one, other) \
    do { \
        type expected = (one); \
        assert(__atomic_load_n(&variable, __ATOMIC_ACQUIRE) == (type)(start)); \
        __atomic_store_n(&variable, (one), __ATOMIC_RELEASE); \
        assert(__atomic_exchange_n(&variable, (other), __ATOMIC_ACQ_REL) == (one)); \
        assert(!__atomic_compare_exchange_n(&variable, &expected, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
        assert(expected == (other)); \
        assert(__atomic_compare_exchange_n(&variable, &expected, (one), 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)); \
        assert(variable == (one)); \
        assert(__sync_val_compare_and_swap(&variable, (other), 0) == (one)); \
        assert(__sync_val_compare_and_swap(&variable, (one), (other)) == (one)); \
        assert(__atomic_fetch_sub(&variable, 1, __ATOMIC_SEQ_CST) == (other)); \
        assert(__atomic_fetch_and(&variable, (one), __ATOMIC_SEQ_CST) == (type)((other) - 1)); \
        assert(__atomic_fetch_or(&variable, 8, __ATOMIC_SEQ_CST) == (type)(((other) - 1) & (one))); \
        assert(__atomic_fetch_xor(&variable, 12, __ATOMIC_SEQ_CST) == (type)((((other) - 1) & (one)) | 8)); \
        __atomic_store_n(&variable, (one), __ATOMIC_SEQ_CST); \
        assert(__atomic_fetch_nand(&variable, (other), __ATOMIC_SEQ_CST) == (one)); \
        assert(variable == (type) ~((one) & (other))); \
    } while (0)

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, adds, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    TRY(unsigned char, bytes, 6, 0x5a, 0xf3);
    TRY(unsigned short, shorts, 6, 0x5a5a, 0xf3f3);
    TRY(unsigned, ints, 6, 0x5a5a5a5a, 0xf3f3f3f3);
    TRY(unsigned long, longs, 6, 0x5a5a5a5a5a5a5a5a, 0xf3f3f3f3f3f3f3f3);
    TRY(wide, wides, 2 * STEP, STEP << 7, STEP << 5 | 7);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    flag = 1;
    return flag != 1;
}
