// The server. A request is one line, `GET path from-to`; the response is a line with a status and a length, then so many
// bytes in blocks.
#include "downloader.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t connected;
    struct connection *first, *last; // waiting to be served
    bool stopped;
    pthread_t thread;
} server = {.lock = PTHREAD_MUTEX_INITIALIZER, .connected = PTHREAD_COND_INITIALIZER};

// Reads `from-to`; false if that is no range of the file.
static bool parse_range(const char *text, size_t *from, size_t *to) {
    char *end;
    *from = strtoul(text, &end, 10);
    if (*end != '-')
        return false;
    *to = strtoul(end + 1, &end, 10);
    return (*end == '\n' || *end == '\0') && *from <= *to && *to < FILE_SIZE;
}

static void refuse(struct connection *connection, int status) {
    char line[LINE];
    int length = snprintf(line, sizeof line, "%d 0\n", status);
    pipe_write(connection->response, line, (size_t)length);
}

static void send_range(struct connection *connection, size_t from, size_t to) {
    unsigned char message[LINE + BLOCK];
    size_t used = (size_t)snprintf((char *)message, LINE, "206 %zu\n", to + 1 - from);
    while (from <= to) {
        size_t block = to + 1 - from < BLOCK ? to + 1 - from : BLOCK;
        for (size_t i = 0; i < block; i++)
            message[used++] = file_byte(from++);
        pipe_write(connection->response, message, used);
        used = 0;
    }
}

// Answers one request.
void serve(struct connection *connection) {
    static const char get[] = "GET " FILE_NAME " ";
    size_t from, to;
    if (strncmp(connection->request, "GET ", 4) != 0)
        refuse(connection, 400);
    else if (strncmp(connection->request, get, sizeof get - 1) != 0)
        refuse(connection, 404);
    else if (!parse_range(connection->request + sizeof get - 1, &from, &to))
        refuse(connection, 416);
    else
        send_range(connection, from, to);
}

// The next connection in the backlog; none once the server is stopped.
static struct connection *accept_next(void) {
    pthread_mutex_lock(&server.lock);
    while (!server.first && !server.stopped)
        pthread_cond_wait(&server.connected, &server.lock);
    struct connection *connection = server.first;
    if (connection) {
        server.first = connection->next;
        if (!server.first)
            server.last = NULL;
    }
    pthread_mutex_unlock(&server.lock);
    return connection;
}

static void *server_main(void *arg) {
    (void)arg;
    struct connection *connection;
    while ((connection = accept_next()) != NULL)
        serve(connection);
    return NULL;
}

void server_start(void) {
    if (SERVER)
        pthread_create(&server.thread, NULL, server_main, NULL);
}

void server_connect(struct connection *connection) {
    if (!SERVER) {
        serve(connection);
        return;
    }
    pthread_mutex_lock(&server.lock);
    connection->next = NULL;
    if (server.last)
        server.last->next = connection;
    else
        server.first = connection;
    server.last = connection;
    pthread_cond_signal(&server.connected);
    pthread_mutex_unlock(&server.lock);
}

void server_stop(void) {
    if (!SERVER)
        return;
    pthread_mutex_lock(&server.lock);
    server.stopped = true;
    pthread_cond_signal(&server.connected);
    pthread_mutex_unlock(&server.lock);
    pthread_join(server.thread, NULL);
}
