// A work-stealing queue with the THE protocol of Cilk-5 (Frigo, Leiserson, Randall, PLDI 1998): main puts jobs into a
// bounded circular buffer and takes them back at its tail, a thief steals at its head. The program measured in Musuvathi and
// Qadeer's paper on context bounding has this shape (table 1: queues of size 3, 4 and 5).
// The owner takes without a lock unless the queue may be empty: it moves the tail first and looks at the head then, while
// the thief, under the lock, moves the head first and looks at the tail then.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef SIZE
#define SIZE 3
#endif
// How many jobs main puts in and takes out, and how often the thief tries.
#ifndef JOBS
#define JOBS SIZE
#endif
#ifndef STEALS
#define STEALS SIZE
#endif
#ifndef THIEVES
#define THIEVES 1
#endif
// 1: the owner is a thread of its own, so that it may start before or after the thief; 0: main is the owner.
#ifndef OWNER
#define OWNER 0
#endif
// What is wrong: 0 nothing, 1 the owner looks at the head before it moves the tail, 2 the owner never takes the lock.
#ifndef BUG
#define BUG 0
#endif

// A job: the sum of a function over an interval.
struct job {
    int number;
    long from, to;
    long sum;
    atomic_int runs;
};

// Head and tail only grow, apart from an attempt that is taken back; a job's place is its number modulo PLACES. A thief
// still reads the place before the head, so there is one place more than jobs.
enum { PLACES = SIZE + 1 };

static struct {
    atomic_long head, tail;
    pthread_mutex_t lock;
    struct job *places[PLACES];
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct job jobs[JOBS];

static struct job **place(long position) {
    return &queue.places[position % PLACES];
}

// Owner: false if there is no place.
static bool put(struct job *job) {
    long tail = atomic_load(&queue.tail);
    if (tail - atomic_load(&queue.head) >= SIZE)
        return false;
    *place(tail) = job;
    atomic_store(&queue.tail, tail + 1);
    return true;
}

// Owner, when the head was seen beyond the tail: the thief may be about to take its attempt back.
static struct job *take_carefully(long tail) {
    struct job *job = NULL;
    if (BUG != 2)
        pthread_mutex_lock(&queue.lock);
    atomic_store(&queue.tail, tail);
    if (atomic_load(&queue.head) > tail)
        atomic_store(&queue.tail, tail + 1);
    else
        job = *place(tail);
    if (BUG != 2)
        pthread_mutex_unlock(&queue.lock);
    return job;
}

// Owner: the job that was put last; none if there is none.
static struct job *take(void) {
    long tail = atomic_load(&queue.tail) - 1;
    long head = BUG == 1 ? atomic_load(&queue.head) : 0;
    atomic_store(&queue.tail, tail);
    if (BUG != 1)
        head = atomic_load(&queue.head);
    if (head <= tail)
        return *place(tail);
    atomic_store(&queue.tail, tail + 1);
    return take_carefully(tail);
}

// Thief: the job that was put first; none if there is none.
static struct job *steal(void) {
    struct job *job = NULL;
    pthread_mutex_lock(&queue.lock);
    long head = atomic_load(&queue.head);
    atomic_store(&queue.head, head + 1);
    if (head + 1 > atomic_load(&queue.tail))
        atomic_store(&queue.head, head);
    else
        job = *place(head);
    pthread_mutex_unlock(&queue.lock);
    return job;
}

static void run(struct job *job) {
    int before = atomic_fetch_add(&job->runs, 1);
    assert(before == 0); // BUG: assertion
    long sum = 0;
    for (long n = job->from; n < job->to; n++)
        sum += n * n % 17;
    job->sum = sum;
}

static void *thief(void *arg) {
    (void)arg;
    for (int i = 0; i < STEALS; i++) {
        struct job *job = steal();
        if (job)
            run(job);
    }
    return NULL;
}

static void check(void) {
    for (int i = 0; i < JOBS; i++) {
        long sum = 0;
        for (long n = jobs[i].from; n < jobs[i].to; n++)
            sum += n * n % 17;
        assert(atomic_load(&jobs[i].runs) == 1); // BUG: assertion
        assert(jobs[i].sum == sum);
    }
}

// Puts all jobs in, then takes back what is left.
static void *owner(void *arg) {
    for (int i = 0; i < JOBS; i++) {
        jobs[i].number = i;
        jobs[i].from = 10L * i;
        jobs[i].to = 10L * i + 10;
        if (!put(&jobs[i]))
            run(&jobs[i]);
    }
    struct job *job;
    while ((job = take()) != NULL)
        run(job);
    return arg;
}

int main(void) {
    pthread_t threads[THIEVES + 1];
    for (int i = 0; i < THIEVES; i++)
        pthread_create(&threads[i], NULL, thief, NULL);
    if (OWNER)
        pthread_create(&threads[THIEVES], NULL, owner, NULL);
    else
        owner(NULL);
    for (int i = 0; i < THIEVES + OWNER; i++)
        pthread_join(threads[i], NULL);
    check();
    return 0;
}
