// Two clerks move money between accounts and lock the one with the lower number first. The second clerk audits all
// accounts AUDITS times before its only transfer, which is the other way round.
#include <pthread.h>

static pthread_mutex_t locks[3];
static int balance[3] = {100, 100, 100};

static void transfer(int from, int to) {
    pthread_mutex_lock(&locks[from < to ? from : to]);
    pthread_mutex_lock(&locks[from < to ? to : from]);
    balance[from]--;
    balance[to]++;
    pthread_mutex_unlock(&locks[to]);
    pthread_mutex_unlock(&locks[from]);
}

static void *first_clerk(void *unused) {
    for (int i = 0; i < TRANSFERS; i++)
        transfer(i % 2, i % 2 + 1);
    return unused;
}

static void *second_clerk(void *unused) {
    int sum = 0;
    for (int i = 0; i < AUDITS; i++)
        for (int account = 0; account < 3; account++) {
            pthread_mutex_lock(&locks[account]);
            sum += balance[account];
            pthread_mutex_unlock(&locks[account]);
        }
    if (sum >= 0)
        transfer(1, 0);
    return unused;
}

int main(void) {
    pthread_t first, second;
    for (int i = 0; i < 3; i++)
        pthread_mutex_init(&locks[i], NULL);
    pthread_create(&second, NULL, second_clerk, NULL);
    pthread_create(&first, NULL, first_clerk, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    for (int i = 0; i < 3; i++)
        pthread_mutex_destroy(&locks[i]);
    return 0;
}
