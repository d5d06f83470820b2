// A balanced tree (AVL) behind a read-write lock. One thread inserts keys in order, which turns the tree; the other looks
// one up, and asks for the number of keys. WRONG == 1: the number is read without the lock; WRONG == 2: a lookup counts
// itself under the lock for reading.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key, height;
    struct node *left, *right;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct node *root;
static int size;
static int lookups;

static int height(const struct node *node) {
    return node ? node->height : 0;
}

static void measure(struct node *node) {
    int left = height(node->left), right = height(node->right);
    node->height = 1 + (left > right ? left : right);
}

static struct node *turn_right(struct node *node) {
    struct node *top = node->left;
    node->left = top->right;
    top->right = node;
    measure(node);
    measure(top);
    return top;
}

static struct node *turn_left(struct node *node) {
    struct node *top = node->right;
    node->right = top->left;
    top->left = node;
    measure(node);
    measure(top);
    return top;
}

static struct node *balance(struct node *node) {
    measure(node);
    int tilt = height(node->left) - height(node->right);
    if (tilt > 1) {
        if (height(node->left->left) < height(node->left->right)) node->left = turn_left(node->left);
        return turn_right(node);
    }
    if (tilt < -1) {
        if (height(node->right->right) < height(node->right->left)) node->right = turn_right(node->right);
        return turn_left(node);
    }
    return node;
}

static struct node *insert_below(struct node *node, struct node *new) {
    if (!node) return new;
    if (new->key < node->key) node->left = insert_below(node->left, new);
    else node->right = insert_below(node->right, new);
    return balance(node);
}

static void insert(int key) {
    struct node *new = calloc(1, sizeof *new);
    new->key = key;
    new->height = 1;
    pthread_rwlock_wrlock(&lock);
    root = insert_below(root, new);
    size++; // BUG: data-race(size)
    pthread_rwlock_unlock(&lock);
}

static int contains(int key) {
    pthread_rwlock_rdlock(&lock);
#if WRONG == 2
    lookups++; // BUG: data-race(lookups)
#endif
    const struct node *node = root;
    while (node && node->key != key) node = key < node->key ? node->left : node->right;
    pthread_rwlock_unlock(&lock);
    return node != 0;
}

static int count(void) {
#if WRONG == 1
    return size; // BUG: data-race(size)
#else
    pthread_rwlock_rdlock(&lock);
    int now = size;
    pthread_rwlock_unlock(&lock);
    return now;
#endif
}

static void *writer(void *arg) {
    insert(2);
    insert(3);
    return arg;
}

static void *reader(void *arg) {
    int before = count();
    assert(before >= 1 && before <= 3);
    assert(contains(1));
    return arg;
}

int main(void) {
    pthread_t threads[3];
    insert(1);
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
#if WRONG == 2
    pthread_create(&threads[2], 0, reader, 0);
    pthread_join(threads[2], 0);
#endif
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(root->key == 2 && root->left->key == 1 && root->right->key == 3 && root->height == 2 && count() == 3);
#if WRONG != 2
    assert(lookups == 0);
#endif
    return 0;
}
