// A player in the shape of tplay (table 2 of the paper about Inspect, which found no error in it): one thread reads audio data
// ahead into a ring of blocks, another one writes them to the device, which is a file here.
//
// BUG 1: the flag that the file has ended is set without the lock. BUG 2: room is tested for, the lock is released, and the wait
// follows: a signal in between is lost.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#ifndef BUG
#define BUG 0
#endif

enum { BLOCK = 16, BLOCKS = 2 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t room, data;
    char blocks[BLOCKS][BLOCK];
    ssize_t lengths[BLOCKS];
    int read, written;
    int ended;
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER, .room = PTHREAD_COND_INITIALIZER, .data = PTHREAD_COND_INITIALIZER};

static int audio, device;

static int is_full(void) {
    return ring.read - ring.written == BLOCKS;
}

static void wait_for_room(void) {
#if BUG == 2
    pthread_mutex_lock(&ring.lock);
    int full = is_full();
    pthread_mutex_unlock(&ring.lock);
    pthread_mutex_lock(&ring.lock);
    if (full)
        pthread_cond_wait(&ring.room, &ring.lock); // BUG: deadlock
#else
    pthread_mutex_lock(&ring.lock);
    while (is_full())
        pthread_cond_wait(&ring.room, &ring.lock);
#endif
    pthread_mutex_unlock(&ring.lock);
}

static void *reads(void *arg) {
    for (;;) {
        wait_for_room();
        int slot = ring.read % BLOCKS;
        ssize_t length = read(audio, ring.blocks[slot], BLOCK);
        assert(length >= 0);
        if (length == 0)
            break;
        pthread_mutex_lock(&ring.lock);
        ring.lengths[slot] = length;
        ring.read++;
        pthread_cond_signal(&ring.data);
        pthread_mutex_unlock(&ring.lock);
    }
#if BUG == 1
    ring.ended = 1; // BUG: data-race
    pthread_mutex_lock(&ring.lock);
#else
    pthread_mutex_lock(&ring.lock);
    ring.ended = 1;
#endif
    pthread_cond_signal(&ring.data);
    pthread_mutex_unlock(&ring.lock);
    return arg;
}

static void *plays(void *arg) {
    for (;;) {
        pthread_mutex_lock(&ring.lock);
        while (ring.read == ring.written && !ring.ended) // BUG: data-race
            pthread_cond_wait(&ring.data, &ring.lock);
        int slot = ring.written % BLOCKS;
        int over = ring.read == ring.written;
        ssize_t length = ring.lengths[slot];
        pthread_mutex_unlock(&ring.lock);
        if (over)
            return arg;
        assert(write(device, ring.blocks[slot], (size_t)length) == length);
        pthread_mutex_lock(&ring.lock);
        ring.written++;
        pthread_cond_signal(&ring.room);
        pthread_mutex_unlock(&ring.lock);
    }
}

int main(int count, char **arguments) {
    pthread_t reader, player;
    if (count != 2)
        return 100;
    audio = open(arguments[1], O_RDONLY);
    device = open("device", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert(audio >= 0 && device >= 0);
    pthread_create(&reader, 0, reads, 0);
    pthread_create(&player, 0, plays, 0);
    pthread_join(reader, 0);
    pthread_join(player, 0);
    assert(lseek(device, 0, SEEK_END) == lseek(audio, 0, SEEK_END));
    close(device);
    close(audio);
    return 0;
}
