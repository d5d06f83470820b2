// Searching one text: Horspool's algorithm, line by line.
#include "scanner.h"

#include <string.h>

void pattern_set(struct pattern *pattern, const char *word) {
    pattern->word = word;
    pattern->length = strlen(word);
    memset(pattern->skip, (int)pattern->length, sizeof pattern->skip);
    for (size_t i = 0; i + 1 < pattern->length; i++)
        pattern->skip[(unsigned char)word[i]] = (unsigned char)(pattern->length - 1 - i);
}

const char *pattern_find(const struct pattern *pattern, const char *text, size_t size) {
    const size_t length = pattern->length;
    size_t at = 0;
    while (at + length <= size) {
        size_t i = length;
        while (i > 0 && text[at + i - 1] == pattern->word[i - 1])
            i--;
        if (i == 0)
            return text + at;
        at += pattern->skip[(unsigned char)text[at + length - 1]];
    }
    return NULL;
}

// Fills in the results of a file.
void scan_file(const struct pattern *pattern, struct node *file) {
    tree_load(file);
    const char *line = file->text, *end = file->text + file->size;
    unsigned number = 1, matches = 0;
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end;
        if (pattern_find(pattern, line, (size_t)(stop - line))) {
            if (matches < MOST_LINES)
                file->lines[matches] = number;
            matches++;
        }
        line = newline ? newline + 1 : end;
        number++;
    }
    file->matches = matches;
}
