/* Locks of ranges that belong to open descriptions. */
#include "headers.h"

static int file, again;

static void begin(void) {
    file = open("a", O_RDWR);
    again = open("a", O_RDWR);
}

static long asked(int number, int command, short kind, off_t start, off_t len) {
    struct flock lock = {.l_type = kind, .l_whence = SEEK_SET, .l_start = start, .l_len = len};
    return fcntl(number, command, &lock) ? -errno : lock.l_type * 100 + lock.l_start * 10 + lock.l_len;
}

static long end(void) {
    return asked(file, F_OFD_GETLK, F_WRLCK, 2, 1) * 100 + asked(again, F_OFD_GETLK, F_WRLCK, 2, 1);
}

#define CALLS(CALL) \
    CALL(asked(file, F_OFD_SETLK, F_WRLCK, 0, 4)) \
    CALL(asked(file, F_OFD_SETLK, F_RDLCK, 0, 4)) \
    CALL(asked(file, F_OFD_SETLK, F_UNLCK, 0, 0)) \
    CALL(asked(again, F_OFD_SETLK, F_WRLCK, 0, 4)) \
    CALL(asked(again, F_OFD_SETLK, F_RDLCK, 2, 4)) \
    CALL(asked(again, F_OFD_SETLK, F_WRLCK, 8, 4)) \
    CALL(asked(again, F_OFD_SETLK, F_UNLCK, 0, 4)) \
    CALL(asked(again, F_OFD_GETLK, F_WRLCK, 0, 4)) \
    CALL(asked(again, F_OFD_SETLK, F_RDLCK, 0, 4) + asked(again, F_OFD_SETLK, F_WRLCK, 0, 4)) \
    CALL(close(again)) \
    CALL(fcntl(again, F_DUPFD, 0))

#include "driver.h"
