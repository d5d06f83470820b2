// A file scanner in the shape of pfscan (table 2 of the paper about Inspect): main raises the limit on open files, walks a folder
// with ftw and puts the files into a bounded queue; workers map each file and count the lines that contain a word; the number of
// matches is the status of the process. As in the original, the queue signals after it has unlocked.
//
// BUG 1: the condition variable for space is used and never initialised. BUG 2: a worker adds to the total without the lock.
// BUG 3: mutexes are never destroyed. BUG 4: main does not wait for the workers, and returns. BUG 5: the end is told to one worker
// only, although all wait for it.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef BUG
#define BUG 0
#endif

enum { ROOM = 1 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t more, less;
    char *paths[ROOM];
    int first, count;
    int closed;
};

static struct queue files;
static const char *word;
static pthread_mutex_t matches_lock;
static int matches;

static void queue_init(struct queue *queue) {
    memset(queue, 0, sizeof *queue);
    pthread_mutex_init(&queue->lock, 0); // BUG: mutex-not-destroyed(queue)
    pthread_cond_init(&queue->more, 0); // BUG: cond-not-destroyed(more)
#if BUG != 1
    pthread_cond_init(&queue->less, 0); // BUG: cond-not-destroyed(less)
#endif
}

static void queue_destroy(struct queue *queue) {
#if BUG != 1
    pthread_cond_destroy(&queue->less);
#endif
    pthread_cond_destroy(&queue->more);
#if BUG != 3
    pthread_mutex_destroy(&queue->lock);
#endif
}

static void queue_put(struct queue *queue, char *path) {
    pthread_mutex_lock(&queue->lock);
    while (queue->count == ROOM)
        pthread_cond_wait(&queue->less, &queue->lock); // BUG: cond-zero-initialized(wait)
    queue->paths[(queue->first + queue->count) % ROOM] = path;
    queue->count++;
    pthread_mutex_unlock(&queue->lock);
    pthread_cond_signal(&queue->more);
}

static void queue_close(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    queue->closed = 1;
    pthread_mutex_unlock(&queue->lock);
#if BUG == 5
    pthread_cond_signal(&queue->more);
#else
    pthread_cond_broadcast(&queue->more);
#endif
}

static char *queue_take(struct queue *queue) {
    char *path = 0;
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0 && !queue->closed)
        pthread_cond_wait(&queue->more, &queue->lock); // BUG: deadlock
    if (queue->count > 0) {
        path = queue->paths[queue->first];
        queue->first = (queue->first + 1) % ROOM;
        queue->count--;
    }
    pthread_mutex_unlock(&queue->lock);
    if (path)
        pthread_cond_signal(&queue->less); // BUG: cond-zero-initialized(signal)
    return path;
}

static int lines_with_word(const char *text, size_t length) {
    int found = 0;
    const char *end = text + length;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t line = (size_t)((stop ? stop : end) - text);
        found += memmem(text, line, word, strlen(word)) != 0;
        text += line + 1;
    }
    return found;
}

static void scan(const char *path) {
    struct stat about;
    int file = open(path, O_RDONLY);
    assert(file >= 0);
    int found = 0;
    if (fstat(file, &about) == 0 && about.st_size > 0) {
        char *text = mmap(0, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        assert(text != MAP_FAILED);
        found = lines_with_word(text, (size_t)about.st_size);
        munmap(text, (size_t)about.st_size);
    }
    close(file);
    if (found > 0) {
#if BUG == 2
        matches += found; // BUG: data-race
#else
        pthread_mutex_lock(&matches_lock);
        matches += found;
        pthread_mutex_unlock(&matches_lock);
#endif
    }
}

static void *work(void *arg) {
    char *path;
    while ((path = queue_take(&files))) {
        scan(path);
        free(path);
    }
    return arg;
}

static int visit(const char *path, const struct stat *about, int kind) {
    (void)about;
    if (kind == FTW_F)
        queue_put(&files, strdup(path));
    return 0;
}

static void raise_limits(void) {
    struct rlimit limit;
    assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = limit.rlim_max;
    assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

int main(int count, char **arguments) {
    pthread_t workers[WORKERS];
    if (count != 3)
        return 100;
    word = arguments[1];
    raise_limits();
    queue_init(&files);
    pthread_mutex_init(&matches_lock, 0); // BUG: mutex-not-destroyed(matches)
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], 0, work, 0); // BUG: thread-not-joined
    ftw(arguments[2], visit, 8);
    queue_close(&files);
#if BUG != 4
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], 0);
#endif
    int found = matches;
#if BUG != 4
    queue_destroy(&files);
#if BUG != 3
    pthread_mutex_destroy(&matches_lock);
#endif
#endif
    return found;
} // BUG: missing-pthread-exit
