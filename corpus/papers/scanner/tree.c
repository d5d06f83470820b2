// The tree to scan, built from a listing. In memory, TREE says how large it is.
#include "scanner.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if !ON_DISK
// Paths; those that end in '/' are directories. What contains something need not be listed.
static const char *const listing[] = {
#if TREE == 0
    "notes.txt",
#elif TREE == 1
    "readme.txt", "todo.txt",
#elif TREE == 2
    "readme.txt", "src/", "src/queue.c", "src/tree.c",
#else
    "readme.txt", "src/", "src/queue.c", "src/tree.c", "src/old/", "src/old/queue.c", "doc/", "doc/intro.txt",
    "doc/limits.txt", "empty/",
#endif
};

enum { LISTED = sizeof listing / sizeof *listing, MOST_WORDS = 60 };
#endif

static struct node *node_new(struct node *parent, const char *name, size_t length, bool directory) {
    struct node *node = calloc(1, sizeof *node);
    assert(node && length < NAME);
    memcpy(node->name, name, length);
    node->directory = directory;
    node->parent = parent;
    if (parent) {
        if (parent->last_child)
            parent->last_child->next = node;
        else
            parent->first_child = node;
        parent->last_child = node;
    }
    return node;
}

#if !ON_DISK
// Text that depends on the file's name: some lines of words, every seventh word is the one that is looked for.
static void write_text(struct node *file, unsigned seed) {
    static const char *const words[] = {"the", "needles", "hay", "need", "stack", "needle", "nee"};
    char *text = malloc(MOST_WORDS * 8 + 1);
    assert(text);
    size_t size = 0;
    unsigned count = 12 + seed % (MOST_WORDS - 12), state = seed;
    for (unsigned i = 0; i < count; i++) {
        state = state * 1103515245 + 12345;
        const char *word = words[(state >> 16) % 7];
        size_t length = strlen(word);
        memcpy(text + size, word, length);
        size += length;
        text[size++] = (state >> 20) % 3 == 0 ? '\n' : ' ';
    }
    file->text = text;
    file->size = size;
}
#endif

static struct node *child_named(struct node *directory, const char *name, size_t length) {
    for (struct node *child = directory->first_child; child; child = child->next)
        if (strlen(child->name) == length && memcmp(child->name, name, length) == 0)
            return child;
    return NULL;
}

// Adds one line of the listing.
static void add(struct node *root, const char *path, unsigned number) {
    struct node *directory = root;
    for (const char *slash; (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        struct node *child = child_named(directory, path, (size_t)(slash - path));
        directory = child ? child : node_new(directory, path, (size_t)(slash - path), true);
    }
    if (*path) {
        struct node *file = node_new(directory, path, strlen(path), false);
#if ON_DISK
        (void)file, (void)number;
#else
        write_text(file, 17 * number + (unsigned)strlen(path));
#endif
    }
}

#if ON_DISK
// The contents of a file as a string; its length.
static size_t read_file(const char *path, char *text) {
    int file = open(path, O_RDONLY);
    assert(file >= 0);
    size_t size = 0;
    ssize_t got;
    while ((got = read(file, text + size, ON_DISK_SIZE - 1 - size)) > 0)
        size += (size_t)got;
    assert(got == 0 && size < ON_DISK_SIZE - 1);
    close(file);
    text[size] = '\0';
    return size;
}

struct node *tree_build(void) {
    static char list[ON_DISK_SIZE];
    struct node *root = node_new(NULL, ".", 1, true);
    read_file("listing", list);
    for (char *line = list, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        add(root, line, 0);
    }
    return root;
}

// Writes a node's path, its parts joined by '-'; its length.
static size_t path_of(const struct node *node, char *path) {
    size_t used = node->parent->parent ? path_of(node->parent, path) : 0;
    size_t length = strlen(node->name);
    assert(used + length + 2 < PATH);
    if (used > 0)
        path[used++] = '-';
    memcpy(path + used, node->name, length + 1);
    return used + length;
}

void tree_load(struct node *file) {
    char path[PATH];
    path_of(file, path);
    file->size = read_file(path, file->loaded);
    file->text = file->loaded;
}
#else
struct node *tree_build(void) {
    struct node *root = node_new(NULL, ".", 1, true);
    for (unsigned i = 0; i < LISTED; i++)
        add(root, listing[i], i + 1);
    return root;
}

void tree_load(struct node *file) {
    assert(file->text);
}
#endif

unsigned tree_count(const struct node *node, bool directories) {
    unsigned count = node->directory == directories;
    for (const struct node *child = node->first_child; child; child = child->next)
        count += tree_count(child, directories);
    return count;
}

void tree_free(struct node *node) {
    for (struct node *child = node->first_child, *next; child; child = next) {
        next = child->next;
        tree_free(child);
    }
#if !ON_DISK
    free((char *)node->text);
#endif
    free(node);
}
