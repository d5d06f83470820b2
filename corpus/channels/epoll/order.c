// Events are taken in the order in which they came; what is watched for levels goes to the end each time.
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int instance, counters[4];

static void post(int which) {
    uint64_t one = 1;
    assert(write(counters[which], &one, 8) == 8);
}

static void take(int which) {
    uint64_t value;
    assert(read(counters[which], &value, 8) == 8);
}

// Whether so many events at most are taken of the counters in this order.
static int takes(int most, const char *order) {
    struct epoll_event found[4];
    int count = epoll_wait(instance, found, most, 0);
    for (int i = 0; i < count; i++)
        if (found[i].data.u32 != (uint32_t)(order[i] - '0')) return 0;
    return count == (int)strlen(order);
}

int main(void) {
    instance = epoll_create1(0);
    for (int i = 0; i < 4; i++) {
        counters[i] = eventfd(0, EFD_NONBLOCK);
        struct epoll_event event = {EPOLLIN | (i == 3 ? EPOLLET : 0), {.u32 = i}};
        assert(epoll_ctl(instance, EPOLL_CTL_ADD, counters[i], &event) == 0);
    }
    post(2), post(0), post(3), post(1);
    assert(takes(1, "2") && takes(1, "0") && takes(2, "31"));
    // One that stays behind goes before those that were taken.
    assert(takes(2, "20") && takes(1, "1") && takes(4, "201"));
    take(0), post(3), post(0);
    assert(takes(4, "2013"));
    // A look takes those out that have nothing to report.
    take(0), take(2);
    assert(takes(4, "1"));
    post(0), post(2);
    assert(takes(4, "102"));
    take(0), take(1), take(2);
    assert(takes(4, ""));
    post(2), post(1), post(0);
    assert(takes(4, "210"));
    // Two descriptors of one counter: the one that is watched since later is woken first.
    take(0), take(1), take(2);
    assert(takes(4, ""));
    struct epoll_event other = {EPOLLIN, {.u32 = 4}};
    assert(epoll_ctl(instance, EPOLL_CTL_ADD, dup(counters[1]), &other) == 0);
    post(1);
    assert(takes(4, "41"));
    return 0;
}
