/* Attributes of the process and of its threads. */
#include "headers.h"

static pthread_t first;
static pthread_key_t key;
static char name[40];

static void begin(void) {
    first = pthread_self();
    prctl(PR_SET_NAME, "main");
    pthread_key_create(&key, 0);
    snprintf(name, sizeof name, "/inspect-pairs-%d", getpid());
}

static long limit(int resource) {
    struct rlimit value;
    getrlimit(resource, &value);
    return value.rlim_cur == RLIM_INFINITY ? -2 : (long)value.rlim_cur;
}

static long end(void) {
    return limit(RLIMIT_CORE) * 2 + (sem_unlink(name) == 0);
}

static long mode_of_new(void) {
    struct stat status;
    int made = open("made", O_CREAT | O_RDWR, 0666);
    return fstat(made, &status) || unlink("made") ? -1 : (long)(status.st_mode & 0777);
}

static long limited(int resource, rlim_t soft) {
    struct rlimit value;
    getrlimit(resource, &value);
    value.rlim_cur = soft;
    return setrlimit(resource, &value);
}

static long old_limit(rlim_t soft) {
    struct rlimit value = {soft, RLIM_INFINITY}, old;
    getrlimit(RLIMIT_CORE, &old);
    value.rlim_max = old.rlim_max;
    return prlimit(0, RLIMIT_CORE, &value, &old) ? -1 : (long)(old.rlim_cur % 1000);
}

static long policy(void) {
    struct sched_param parameters;
    int found;
    return pthread_getschedparam(first, &found, &parameters) ? -1 : found;
}

static long processors(void) {
    cpu_set_t set;
    return pthread_getaffinity_np(first, sizeof set, &set) ? -1 : CPU_COUNT(&set);
}

static long made_key(void) {
    pthread_key_t made;
    return pthread_key_create(&made, 0) ? -1 : (long)made;
}

static long name_of_thread(void) {
    char text[16];
    return pthread_getname_np(first, text, sizeof text) ? -1 : text[0];
}

static long cwd(void) {
    char text[PATH_MAX];
    return getcwd(text, sizeof text) ? !strcmp(strrchr(text, '/'), "/d") : -1;
}

static long own_name(void) {
    char text[16];
    return prctl(PR_GET_NAME, text) ? -1 : text[0];
}

static long named_by(const char *text) {
    return prctl(PR_SET_NAME, text);
}

static long detached(void) {
    pthread_attr_t attributes;
    int state = -1;
    pthread_getattr_np(first, &attributes);
    pthread_attr_getdetachstate(&attributes, &state);
    return state;
}

static sem_t *opened(const char *name, int flags) {
    return sem_open(name, flags, 0600, 1);
}

#define CALLS(CALL) \
    CALL(umask(077)) \
    CALL(umask(022)) \
    CALL(limit(RLIMIT_CORE)) \
    CALL(limited(RLIMIT_CORE, 0)) \
    CALL(limit(RLIMIT_NOFILE)) \
    CALL(limited(RLIMIT_NOFILE, 100)) \
    CALL(limited(RLIMIT_STACK, 1 << 20)) \
    CALL(old_limit(0)) \
    CALL(sysconf(_SC_OPEN_MAX)) \
    CALL(getdtablesize()) \
    CALL(chdir("d")) \
    CALL(chdir("..")) \
    CALL(cwd()) \
    CALL(fchdir(open("d", O_RDONLY)) < 0) \
    CALL(access("f", F_OK)) \
    CALL(mode_of_new()) \
    CALL(getpriority(PRIO_PROCESS, 0)) \
    CALL(setpriority(PRIO_PROCESS, getpid(), 3)) \
    CALL(getpriority(PRIO_PROCESS, getpid())) \
    CALL(pthread_getconcurrency()) \
    CALL(pthread_setconcurrency(3)) \
    CALL(made_key()) \
    CALL(pthread_key_delete(key)) \
    CALL(pthread_setspecific(key, &key)) \
    CALL(pthread_getspecific(key) != 0) \
    CALL(policy()) \
    CALL(pthread_setschedparam(first, SCHED_BATCH, &(struct sched_param){0})) \
    CALL(sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0})) \
    CALL(processors()) \
    CALL(pthread_setname_np(first, "name")) \
    CALL(name_of_thread()) \
    CALL(own_name()) \
    CALL(named_by("own")) \
    CALL(pthread_setname_np(pthread_self(), "self")) \
    CALL(detached()) \
    CALL(nice(1)) \
    CALL(setpriority(PRIO_PROCESS, 0, 5)) \
    CALL(prctl(PR_SET_DUMPABLE, 0)) \
    CALL(prctl(PR_GET_DUMPABLE)) \
    CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) \
    CALL(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)) \
    CALL(opened(name, O_CREAT | O_EXCL) == SEM_FAILED ? -1 : 0) \
    CALL(opened(name, 0) == SEM_FAILED ? -1 : 0) \
    CALL(opened(name, O_CREAT) == SEM_FAILED ? -1 : 0) \
    CALL(sem_unlink(name)) \
    CALL(getpgid(0) == getpid()) \
    CALL(setpgid(0, 0)) \
    CALL(sbrk(0) != 0)

#include "driver.h"
