// fsbench: threads allocate disk blocks for inodes, the idiom of the Frangipani file system.
// The program of Flanagan and Godefroid (POPL 2005); a mutex for each inode and for each block.
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef N
#define N 14
#endif

enum { BLOCKS = 26, INODES = 32 };

static pthread_mutex_t inode_locks[INODES] = {[0 ... INODES - 1] = PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t block_locks[BLOCKS] = {[0 ... BLOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};
static int inodes[INODES];
static bool busy[BLOCKS];

static void *allocate(void *arg) {
    int inode = (int)(intptr_t)arg % INODES;
    pthread_mutex_lock(&inode_locks[inode]);
    if (inodes[inode] == 0) {
        int block = inode * 2 % BLOCKS;
        for (;;) {
            pthread_mutex_lock(&block_locks[block]);
            if (!busy[block]) {
                busy[block] = true;
                inodes[inode] = block + 1;
                pthread_mutex_unlock(&block_locks[block]);
                break;
            }
            pthread_mutex_unlock(&block_locks[block]);
            block = (block + 1) % BLOCKS;
        }
    }
    pthread_mutex_unlock(&inode_locks[inode]);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, allocate, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
