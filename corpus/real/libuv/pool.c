/* One request of the thread pool, of one thread: the loop ends when its result has come. */
#include <assert.h>
#include <stdlib.h>
#include <uv.h>

static int input = 20, output, done;

static void work(uv_work_t *request)
{
    (void)request;
    output = input + 1;
}

static void after(uv_work_t *request, int status)
{
    (void)request;
    assert(status == 0 && output == 21);
    done = 1;
}

int main(void)
{
    setenv("UV_THREADPOOL_SIZE", "1", 1);
    uv_loop_t loop;
    uv_work_t request;
    assert(uv_loop_init(&loop) == 0);
    assert(uv_queue_work(&loop, &request, work, after) == 0);
    assert(uv_run(&loop, UV_RUN_DEFAULT) == 0);
    assert(done);
    assert(uv_loop_close(&loop) == 0);
    uv_library_shutdown();
    return 0;
}
