// A segmented downloader: FETCHERS threads fetch one range each of a file from a server and count the bytes in one shared
// counter. The shape of aget, the program measured in the Inspect dissertation (tables 5.1, 6.1, 7.1).
#ifndef DOWNLOADER_H
#define DOWNLOADER_H

#include <stdbool.h>
#include <stddef.h>

#ifndef FETCHERS
#define FETCHERS 2
#endif
// Blocks of a range: a fetcher counts once a block.
#ifndef BLOCKS
#define BLOCKS 1
#endif
// 1: a thread of the program serves all fetchers; 0: the server is outside the program, as in the paper: each fetcher's
// request is answered at once, into a buffer that only this fetcher sees.
#ifndef SERVER
#define SERVER 1
#endif
// 1: the counter is not locked.
#ifndef RACY
#define RACY 0
#endif

enum { BLOCK = 32, SHORT = 5, FILE_SIZE = FETCHERS * BLOCKS * BLOCK - SHORT, LINE = 64 };

#define FILE_NAME "/pub/archive.tar"

// The file that is served.
unsigned char file_byte(size_t at);
unsigned checksum(const unsigned char *bytes, size_t size);

// A stream of bytes from one thread to another.
enum { PIPE_SIZE = 128 };
struct pipe;
struct pipe *pipe_new(void);
void pipe_free(struct pipe *pipe);
void pipe_write(struct pipe *pipe, const void *bytes, size_t size); // waits until all of it has a place
void pipe_read(struct pipe *pipe, void *bytes, size_t size);        // waits for all of it
size_t pipe_read_line(struct pipe *pipe, char *line, size_t size);

// A connection: one request, one response.
struct connection {
    char request[LINE];
    struct pipe *response;
    struct connection *next; // in the server's backlog
};

void server_start(void);
void server_stop(void);
void server_connect(struct connection *connection); // the response comes through its pipe
void serve(struct connection *connection);

#endif
