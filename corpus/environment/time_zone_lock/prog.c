// The library frees and makes anew the name of the time zone at each call, under a lock of its own.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *convert(void *argument) {
    struct tm moment = { .tm_year = 100, .tm_mday = 1 };
    char text[64];
    time_t seconds = mktime(&moment);
    localtime_r(&seconds, &moment);
    strftime(text, sizeof text, "%c %Z", &moment);
    return argument;
}

int main(void) {
    pthread_t thread;
#ifdef ZONE
    setenv("TZ", ZONE, 1);
#else
    unsetenv("TZ");
#endif
    pthread_create(&thread, NULL, convert, NULL);
    convert(NULL);
    pthread_join(thread, NULL);
    return 0;
}
