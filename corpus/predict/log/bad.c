// Reloading the configuration writes to the log under the lock of the configuration; turning over the log looks at the
// configuration under the lock of the log, after LINES lines. With COPIED it looks at the configuration before.
#include <pthread.h>

static pthread_mutex_t config_lock = PTHREAD_MUTEX_INITIALIZER, log_lock = PTHREAD_MUTEX_INITIALIZER;
static int level = 1, lines;

static void write_line(void) {
    pthread_mutex_lock(&log_lock); // BUG: deadlock
    lines++;
    pthread_mutex_unlock(&log_lock);
}

static void *reload(void *unused) {
    pthread_mutex_lock(&config_lock);
    level++;
    write_line();
    pthread_mutex_unlock(&config_lock);
    return unused;
}

static int current_level(void) {
    pthread_mutex_lock(&config_lock); // BUG: deadlock
    int now = level;
    pthread_mutex_unlock(&config_lock);
    return now;
}

static void *turn_over(void *unused) {
    for (int i = 0; i < LINES; i++)
        write_line();
#ifdef COPIED
    int now = current_level();
    pthread_mutex_lock(&log_lock);
#else
    pthread_mutex_lock(&log_lock);
    int now = current_level();
#endif
    lines = now > 0 ? 0 : lines;
    pthread_mutex_unlock(&log_lock);
    return unused;
}

int main(void) {
    pthread_t reloader, turner;
    pthread_create(&turner, NULL, turn_over, NULL);
    pthread_create(&reloader, NULL, reload, NULL);
    pthread_join(reloader, NULL);
    pthread_join(turner, NULL);
    pthread_mutex_destroy(&config_lock);
    pthread_mutex_destroy(&log_lock);
    return 0;
}
