// The downloader: divides the file into ranges, fetches them in parallel, checks what arrived.
#include "downloader.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// One range, and who fetches it.
struct range {
    size_t from, to;
    pthread_t fetcher;
};

static struct range ranges[FETCHERS];
static unsigned char output[FILE_SIZE];

static pthread_mutex_t written_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t written; // by all fetchers together

static void count(size_t bytes) {
    if (!RACY)
        pthread_mutex_lock(&written_lock);
    written += bytes; // BUG: data-race
    if (!RACY)
        pthread_mutex_unlock(&written_lock);
}

// Reads the response's first line; the length of what follows.
static size_t read_header(struct pipe *response) {
    char line[LINE], *rest;
    size_t length = pipe_read_line(response, line, sizeof line);
    assert(length > 1);
    unsigned long status = strtoul(line, &rest, 10);
    assert(status == 206);
    return strtoul(rest, NULL, 10);
}

static void *fetch(void *arg) {
    const struct range *range = arg;
    struct connection connection;
    snprintf(connection.request, sizeof connection.request, "GET %s %zu-%zu\n", FILE_NAME, range->from, range->to);
    connection.response = pipe_new();
    server_connect(&connection);
    size_t left = read_header(connection.response), at = range->from;
    assert(left == range->to + 1 - range->from);
    while (left > 0) {
        size_t block = left < BLOCK ? left : BLOCK;
        pipe_read(connection.response, output + at, block);
        at += block;
        left -= block;
        count(block);
    }
    pipe_free(connection.response);
    return NULL;
}

static void divide(void) {
    size_t size = BLOCKS * BLOCK;
    for (int i = 0; i < FETCHERS; i++) {
        ranges[i].from = (size_t)i * size;
        ranges[i].to = ranges[i].from + size - 1;
    }
    ranges[FETCHERS - 1].to = FILE_SIZE - 1;
}

static void check(void) {
    static unsigned char original[FILE_SIZE];
    for (size_t i = 0; i < FILE_SIZE; i++)
        original[i] = file_byte(i);
    for (size_t i = 0; i < FILE_SIZE; i++)
        assert(output[i] == original[i]);
    assert(checksum(output, FILE_SIZE) == checksum(original, FILE_SIZE));
    assert(written == FILE_SIZE); // BUG: assertion
}

int main(void) {
    divide();
    server_start();
    for (int i = 0; i < FETCHERS; i++)
        pthread_create(&ranges[i].fetcher, NULL, fetch, &ranges[i]);
    for (int i = 0; i < FETCHERS; i++)
        pthread_join(ranges[i].fetcher, NULL);
    server_stop();
    check();
    return 0;
}
