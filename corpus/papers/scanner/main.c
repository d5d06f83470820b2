// The scanner's threads, and the check of what they found against a plain search by main.
#include "scanner.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

static struct pattern pattern;

static pthread_mutex_t totals_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    unsigned files, directories, matches;
    size_t bytes;
} totals;

static void lock_totals(void) {
    if (BUG != 1)
        pthread_mutex_lock(&totals_lock);
}

static void unlock_totals(void) {
    if (BUG != 1)
        pthread_mutex_unlock(&totals_lock);
}

static void look_at(struct node *node);

// Hands the entries on to whoever has time; when the queue is full the walker goes on by itself.
static void walk(struct node *directory) {
    for (struct node *child = directory->first_child; child; child = child->next)
        if (!queue_offer(child))
            look_at(child);
}

static void look_at(struct node *node) {
    if (node->directory)
        walk(node);
    else
        scan_file(&pattern, node);
    lock_totals();
    if (node->directory) {
        totals.directories++; // BUG: data-race
    } else {
        totals.files++; // BUG: data-race
        totals.bytes += node->size; // BUG: data-race
        totals.matches += node->matches; // BUG: data-race
    }
    unlock_totals();
}

static void *worker(void *arg) {
    (void)arg;
    struct node *node = queue_next(false);
    while (node) {
        look_at(node);
        node = queue_next(true);
    }
    return NULL;
}

// Main's own search: how many lines of a text contain the word, and whether the node says the same.
static unsigned check_file(const struct node *file) {
    unsigned number = 1, matches = 0;
    const char *line = file->text, *end = file->text + file->size;
    while (line < end) {
        const char *stop = line;
        bool found = false;
        for (; stop < end && *stop != '\n'; stop++)
            if (*stop == *pattern.word && (size_t)(end - stop) >= pattern.length &&
                memcmp(stop, pattern.word, pattern.length) == 0)
                found = true;
        if (found) {
            assert(matches >= MOST_LINES || file->lines[matches] == number);
            matches++;
        }
        line = stop + 1;
        number++;
    }
    assert(file->matches == matches);
    return matches;
}

static unsigned check(const struct node *node, size_t *bytes) {
    unsigned matches = 0;
    if (!node->directory) {
        matches = check_file(node);
        *bytes += node->size;
    }
    for (const struct node *child = node->first_child; child; child = child->next)
        matches += check(child, bytes);
    return matches;
}

int main(void) {
    pthread_t workers[WORKERS];
    struct node *root = tree_build();
    pattern_set(&pattern, "needle");
    queue_open();
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    if (ARGUMENTS)
        for (struct node *entry = root->first_child; entry; entry = entry->next)
            queue_put(entry);
    else
        queue_put(root);
    queue_close();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    queue_check_empty();
    size_t bytes = 0;
    unsigned matches = check(root, &bytes);
    assert(BUG == 1 || (totals.matches == matches && totals.bytes == bytes));
    assert(BUG == 1 || totals.files == tree_count(root, false));
    assert(BUG == 1 || totals.directories + ARGUMENTS == tree_count(root, true));
    tree_free(root);
    return 0;
}
