/* Main gives a job to the thread that frees memory, and waits until it is done; the other two threads wait for jobs. What bio.c
 * needs of the server beside its own files is here. */
#include "server.h"
#include "bio.h"
#include <assert.h>

struct redisServer server;

void _serverLog(int level, const char *format, ...)
{
    (void)level;
    (void)format;
}

void _serverPanic(const char *file, int line, const char *format, ...)
{
    (void)file;
    (void)line;
    (void)format;
    abort();
}

void _serverAssert(const char *text, const char *file, int line)
{
    (void)text;
    (void)file;
    (void)line;
    abort();
}

void makeThreadKillable(void) {}

void redisSetCpuAffinity(const char *processors)
{
    (void)processors;
}

int reclaimFilePageCache(int descriptor, size_t offset, size_t length)
{
    (void)descriptor;
    (void)offset;
    (void)length;
    return 0;
}

static int freed;

static void frees(void **arguments)
{
    freed = *(int *)arguments[0];
    zfree(arguments[0]);
}

int main(void)
{
    int *value = zmalloc(sizeof *value);
    *value = 7;
    server.el = aeCreateEventLoop(64);
    assert(server.el);
    bioInit();
    bioCreateLazyFreeJob(frees, 1, value);
    bioDrainWorker(BIO_LAZY_FREE);
    assert(freed == 7);
    return 0;
}
