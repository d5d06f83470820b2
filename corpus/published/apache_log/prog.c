// Apache httpd, bug 25520 (mod_log_config with buffered logs): threads append to one buffer, and its length is read, used and
// written without a lock, so that lines overwrite each other. Fixed by a mutex for each log. WRONG == 1: as it was.
#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { SIZE = 64 };

static struct {
    pthread_mutex_t mutex;
    size_t length;
    char text[SIZE];
} log_ = {PTHREAD_MUTEX_INITIALIZER, 0, ""};

static void append(const char *line) {
    size_t size = strlen(line);
#if !WRONG
    pthread_mutex_lock(&log_.mutex);
#endif
    if (log_.length + size < SIZE) { // BUG: data-race
        memcpy(log_.text + log_.length, line, size); // BUG: data-race
        log_.length += size; // BUG: data-race
    }
#if !WRONG
    pthread_mutex_unlock(&log_.mutex);
#endif
}

static void *request(void *line) {
    append(line);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, request, "GET /one\n");
    pthread_create(&threads[1], 0, request, "GET /two\n");
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(log_.length == 18);
    return 0;
}
