// Pipes. Between threads a pipe is a ring of bytes with a mutex and two condition variables; without a server thread only
// one thread ever sees it, and it is a buffer large enough for a whole response.
#include "downloader.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { RING = SERVER ? PIPE_SIZE : BLOCKS * BLOCK + LINE };

struct pipe {
    pthread_mutex_t lock;
    pthread_cond_t readable, writable;
    unsigned char ring[RING];
    size_t first, used;
};

static void enter(struct pipe *pipe) {
    if (SERVER)
        pthread_mutex_lock(&pipe->lock);
}

static void leave(struct pipe *pipe) {
    if (SERVER)
        pthread_mutex_unlock(&pipe->lock);
}

struct pipe *pipe_new(void) {
    struct pipe *pipe = calloc(1, sizeof *pipe);
    assert(pipe);
    pthread_mutex_init(&pipe->lock, NULL);
    pthread_cond_init(&pipe->readable, NULL);
    pthread_cond_init(&pipe->writable, NULL);
    return pipe;
}

void pipe_free(struct pipe *pipe) {
    pthread_cond_destroy(&pipe->writable);
    pthread_cond_destroy(&pipe->readable);
    pthread_mutex_destroy(&pipe->lock);
    free(pipe);
}

// A message is written as a whole or waits, so that a reader never sees half of one.
void pipe_write(struct pipe *pipe, const void *bytes, size_t size) {
    const unsigned char *from = bytes;
    assert(size <= RING);
    enter(pipe);
    while (RING - pipe->used < size)
        pthread_cond_wait(&pipe->writable, &pipe->lock);
    for (size_t i = 0; i < size; i++)
        pipe->ring[(pipe->first + pipe->used + i) % RING] = from[i];
    pipe->used += size;
    if (SERVER)
        pthread_cond_signal(&pipe->readable);
    leave(pipe);
}

// Takes bytes out; the lock is held.
static void take(struct pipe *pipe, unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        bytes[i] = pipe->ring[(pipe->first + i) % RING];
    pipe->first = (pipe->first + size) % RING;
    pipe->used -= size;
    if (SERVER)
        pthread_cond_signal(&pipe->writable);
}

void pipe_read(struct pipe *pipe, void *bytes, size_t size) {
    assert(size <= RING);
    enter(pipe);
    while (pipe->used < size)
        pthread_cond_wait(&pipe->readable, &pipe->lock);
    take(pipe, bytes, size);
    leave(pipe);
}

// The length of the line that is in the pipe, its end included; 0 if there is none.
static size_t line_length(const struct pipe *pipe) {
    for (size_t i = 0; i < pipe->used; i++)
        if (pipe->ring[(pipe->first + i) % RING] == '\n')
            return i + 1;
    return 0;
}

size_t pipe_read_line(struct pipe *pipe, char *line, size_t size) {
    size_t length;
    enter(pipe);
    while ((length = line_length(pipe)) == 0)
        pthread_cond_wait(&pipe->readable, &pipe->lock);
    assert(length < size);
    take(pipe, (unsigned char *)line, length);
    line[length] = '\0';
    leave(pipe);
    return length;
}
