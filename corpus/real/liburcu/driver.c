/* A reader in a critical section sees the old record or the new one, and never a freed one; the writer replaces it, waits for
 * a grace period and frees the old one. */
#define _LGPL_SOURCE
#define URCU_API_MAP
#if defined(RCU_QSBR)
#include <urcu/urcu-qsbr.h>
#elif defined(RCU_MB)
#include <urcu/urcu-mb.h>
#elif defined(RCU_SIGNAL)
#include <urcu/urcu-signal.h>
#elif defined(RCU_BP)
#include <urcu/urcu-bp.h>
#else
#include <urcu/urcu-memb.h>
#endif
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu/static/pointer.h>

struct record {
    int value;
};

static struct record *current;

static struct record *made(int value)
{
    struct record *record = malloc(sizeof *record);
    assert(record);
    record->value = value;
    return record;
}

static void *reads(void *unused)
{
    (void)unused;
    rcu_register_thread();
    rcu_read_lock();
    struct record *record = rcu_dereference(current);
    assert(record->value == 1 || record->value == 2);
    rcu_read_unlock();
#ifdef RCU_QSBR
    rcu_quiescent_state();
#endif
    rcu_unregister_thread();
    return 0;
}

int main(void)
{
    pthread_t reader;
    current = made(1);
    pthread_create(&reader, 0, reads, 0);
    struct record *old = current;
    rcu_assign_pointer(current, made(2));
    synchronize_rcu();
    free(old);
    pthread_join(reader, 0);
    free(current);
    return 0;
}
