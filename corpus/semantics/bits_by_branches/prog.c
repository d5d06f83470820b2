// A thread learns the bits of a pointer by the ways that branches go, and puts the pointer together again. BY is how.
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static int object;
static int *hidden = &object;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) {
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
}

static void unlock(void) {
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
}

#define IF 1
#define CHOICE 2
#define SWITCH 3
#define NUMBERS 4
#define POINTERS 5
#define JUMP 6
#define BYTES 7
#define ROUNDS 8
#define FUNCTIONS 9

#if BY == FUNCTIONS
static uint64_t zero(void) {
    return 0;
}
static uint64_t one(void) {
    return 1;
}
static uint64_t (*const bit[])(void) = {zero, one};
#endif

static uint64_t learn(void) {
    uint64_t bits, found = 0;
    memcpy(&bits, &hidden, sizeof bits);
#if BY == IF
    for (int i = 0; i < 64; i++)
        if (bits >> i & 1)
            found |= UINT64_C(1) << i;
#elif BY == CHOICE
    for (int i = 0; i < 64; i++)
        found |= bits >> i & 1 ? UINT64_C(1) << i : 0;
#elif BY == SWITCH
    for (int i = 0; i < 64; i += 2)
        switch (bits >> i & 3) {
        case 1:
            found |= UINT64_C(1) << i;
            break;
        case 2:
            found |= UINT64_C(2) << i;
            break;
        case 3:
            found |= UINT64_C(3) << i;
            break;
        }
#elif BY == NUMBERS
    for (int i = 63; i >= 0; i--)
        if (bits >= (found | UINT64_C(1) << i))
            found |= UINT64_C(1) << i;
#elif BY == POINTERS
    for (int i = 46; i >= 0; i--)
        if ((char *)hidden >= (char *)(found | UINT64_C(1) << i))
            found |= UINT64_C(1) << i;
#elif BY == JUMP
    for (int i = 0; i < 64; i++) {
        static void *const ways[] = {&&no, &&yes};
        goto *ways[bits >> i & 1];
    yes:
        found |= UINT64_C(1) << i;
    no:;
    }
#elif BY == BYTES
    for (int i = 0; i < 8; i++)
        for (unsigned guess = 0; guess < 256; guess++) {
            unsigned char byte = (unsigned char)guess;
            if (memcmp((char *)&bits + i, &byte, 1) == 0)
                found |= (uint64_t)guess << 8 * i;
        }
#elif BY == ROUNDS
    for (int i = 0; i < 8; i++)
        for (uint64_t k = 0; k < (bits >> 8 * i & 255); k++)
            found += UINT64_C(1) << 8 * i;
#elif BY == FUNCTIONS
    for (int i = 0; i < 64; i++)
        found |= bit[bits >> i & 1]() << i;
#endif
    return found;
}

static void *writes(void *arg) {
    uint64_t found = learn();
    lock();
    *(int *)found = 1; // BUG: data-race
    unlock();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writes, NULL);
    lock();
    object = 2; // BUG: data-race
    unlock();
    pthread_join(thread, NULL);
    return 0;
}
