// A splay tree behind a read-write lock. A lookup moves what it finds to the root, so it changes the tree. WRONG == 1: it has
// the lock for reading only, as lookups of other trees have.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *left, *right;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct node *root;

// The node with the key, or the last one on the way to it, comes to the root: top-down.
static struct node *splay(struct node *node, int key) {
    struct node trees = {0, 0, 0}, *left = &trees, *right = &trees;
    if (!node) return 0;
    for (;;) {
        if (key < node->key) {
            if (node->left && key < node->left->key) {
                struct node *top = node->left;
                node->left = top->right;
                top->right = node;
                node = top;
            }
            if (!node->left) break;
            right->left = node;
            right = node;
            node = node->left;
        } else if (key > node->key) {
            if (node->right && key > node->right->key) {
                struct node *top = node->right;
                node->right = top->left;
                top->left = node;
                node = top;
            }
            if (!node->right) break;
            left->right = node;
            left = node;
            node = node->right;
        } else {
            break;
        }
    }
    left->right = node->left;   // BUG: data-race
    right->left = node->right;  // BUG: data-race
    node->left = trees.right;   // BUG: data-race
    node->right = trees.left;   // BUG: data-race
    return node;
}

static void insert(int key) {
    struct node *new = calloc(1, sizeof *new);
    new->key = key;
    pthread_rwlock_wrlock(&lock);
    root = splay(root, key);
    if (root && key < root->key) {
        new->left = root->left;
        new->right = root;
        root->left = 0;
    } else if (root) {
        new->right = root->right;
        new->left = root;
        root->right = 0;
    }
    root = new;
    pthread_rwlock_unlock(&lock);
}

static int contains(int key) {
#if WRONG == 1
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    root = splay(root, key); // BUG: data-race
    int found = root && root->key == key;
    pthread_rwlock_unlock(&lock);
    return found;
}

static void *looks_for_1(void *arg) {
    assert(contains(1));
    return arg;
}

static void *looks_for_3(void *arg) {
    assert(contains(3));
    insert(4);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    insert(1);
    insert(2);
    insert(3);
    pthread_create(&threads[0], 0, looks_for_1, 0);
    pthread_create(&threads[1], 0, looks_for_3, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    for (int key = 1; key <= 4; key++) assert(contains(key));
    return 0;
}
