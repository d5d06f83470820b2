/* One thread pushes two numbers, the other pops them in their order. */
#include <glib.h>

static gpointer pushes(gpointer queue)
{
    g_async_queue_push(queue, GINT_TO_POINTER(1));
    g_async_queue_push(queue, GINT_TO_POINTER(2));
    return NULL;
}

int main(void)
{
    GAsyncQueue *queue = g_async_queue_new();
    GThread *other = g_thread_new("pushes", pushes, queue);
    g_assert_cmpint(GPOINTER_TO_INT(g_async_queue_pop(queue)), ==, 1);
    g_assert_cmpint(GPOINTER_TO_INT(g_async_queue_pop(queue)), ==, 2);
    g_thread_join(other);
    g_async_queue_unref(queue);
    return 0;
}
