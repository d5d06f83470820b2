// A parallel file scanner: threads walk a tree of directories and look for a word in its files. The shape of pfscan, the
// program measured in the Inspect dissertation (tables 4.1, 5.1, 7.1): a shared bounded queue of what is still to be
// looked at, guarded by a mutex and two condition variables, and totals under a mutex of their own.
#ifndef SCANNER_H
#define SCANNER_H

#include <stdbool.h>
#include <stddef.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef TREE
#define TREE 1
#endif
// What is wrong: 0 nothing, 1 the totals are not locked, 2 the last worker wakes only one of the others.
#ifndef BUG
#define BUG 0
#endif
// 1: main puts the root's entries into the queue one by one, like the arguments of a command line.
#ifndef ARGUMENTS
#define ARGUMENTS 0
#endif
#ifndef PLACES
#define PLACES 8
#endif
// 1: the tree is on disk. The file `listing` of the working directory says what is in it, and what it calls src/queue.c is
// the file src-queue.c.
#ifndef ON_DISK
#define ON_DISK 0
#endif

enum { MOST_LINES = 8, NAME = 24, PATH = 64, ON_DISK_SIZE = 512 };

// A directory or a file. Whoever took a node from the queue is the only one to write its results.
struct node {
    char name[NAME];
    struct node *parent, *first_child, *last_child, *next;
    bool directory;
    const char *text; // of a file
    size_t size;
    unsigned matches;           // result: lines that contain the word
    unsigned lines[MOST_LINES]; // result: the first of them
#if ON_DISK
    char loaded[ON_DISK_SIZE];
#endif
};

// The tree.
struct node *tree_build(void);
unsigned tree_count(const struct node *node, bool directories);
void tree_free(struct node *node);
void tree_load(struct node *file); // reads a file's text, if it is on disk

// The search in one text.
struct pattern {
    const char *word;
    size_t length;
    unsigned char skip[256];
};
void pattern_set(struct pattern *pattern, const char *word);
const char *pattern_find(const struct pattern *pattern, const char *text, size_t size);
void scan_file(const struct pattern *pattern, struct node *file);

// The queue.
void queue_open(void);
void queue_put(struct node *node);   // waits for a place
bool queue_offer(struct node *node); // false if there is no place
void queue_close(void);              // nothing more comes from outside
struct node *queue_next(bool finished); // waits for a node, none when all is done; `finished`: the last one is
void queue_check_empty(void);

#endif
