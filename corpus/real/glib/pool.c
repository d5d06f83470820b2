/* A pool of one thread of its own does two jobs, and main waits for both. */
#include <glib.h>

static int sum;

static void adds(gpointer job, gpointer unused)
{
    (void)unused;
    g_atomic_int_add(&sum, GPOINTER_TO_INT(job));
}

int main(void)
{
    GError *error = NULL;
    GThreadPool *pool = g_thread_pool_new(adds, NULL, 1, TRUE, &error);
    g_assert_no_error(error);
    g_thread_pool_push(pool, GINT_TO_POINTER(1), NULL);
    g_thread_pool_push(pool, GINT_TO_POINTER(2), NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
    g_assert_cmpint(g_atomic_int_get(&sum), ==, 3);
    return 0;
}
