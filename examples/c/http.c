#define _POSIX_C_SOURCE 200809L
#include "http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in local(int port) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((unsigned short)port);
    return address;
}

static int send_all(int connection, const char *text, size_t length) {
    while (length > 0) {
        ssize_t sent = send(connection, text, length, MSG_NOSIGNAL);
        if (sent <= 0) return 0;
        text += sent;
        length -= (size_t)sent;
    }
    return 1;
}

/* Reads a message with head and body. Returns the start of the body, or NULL. */
static char *receive(int connection, char *buffer, size_t size) {
    size_t length = 0, wanted = 0;
    char *body = NULL;
    while (length + 1 < size) {
        ssize_t got = recv(connection, buffer + length, size - length - 1, 0);
        if (got <= 0) break;
        length += (size_t)got;
        buffer[length] = 0;
        if (body == NULL && (body = strstr(buffer, "\r\n\r\n")) != NULL) {
            body += 4;
            for (char *line = strstr(buffer, "\r\n"); line != NULL && line < body - 4; line = strstr(line + 2, "\r\n"))
                if (strncasecmp(line + 2, "content-length:", 15) == 0) wanted = (size_t)atol(line + 17);
        }
        if (body != NULL && (size_t)(buffer + length - body) >= wanted) break;
    }
    return body;
}

int http_request(int port, const char *method, const char *path, const char *body, char *answer, size_t size) {
    struct sockaddr_in address = local(port);
    int connection = socket(AF_INET, SOCK_STREAM, 0), status = 0;
    static _Thread_local char buffer[65536];
    if (size > 0) answer[0] = 0;
    int length = snprintf(buffer, sizeof buffer,
                          "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\nContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\n\r\n%s",
                          method, path, port, strlen(body), body);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0 &&
        send_all(connection, buffer, (size_t)length)) {
        char *content = receive(connection, buffer, sizeof buffer);
        if (content != NULL) {
            status = atoi(buffer + 9);
            snprintf(answer, size, "%s", content);
        }
    }
    close(connection);
    return status;
}

struct server {
    int listener;
    http_handler handler;
};

static void *answering(void *given) {
    struct server *server = given;
    char *buffer = malloc(65536), *answer = malloc(65536);
    for (;;) {
        int connection = accept(server->listener, NULL, NULL);
        if (connection < 0) continue;
        char *body;
        while ((body = receive(connection, buffer, 65536)) != NULL) {
            char method[16] = "", path[1024] = "";
            sscanf(buffer, "%15s %1023s", method, path);
            int status = server->handler(method, path, body, answer, 65536 - 256);
            char head[256];
            int length = snprintf(head, sizeof head,
                                  "HTTP/1.1 %d -\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                                  "Connection: close\r\n\r\n",
                                  status, strlen(answer));
            if (send_all(connection, head, (size_t)length)) send_all(connection, answer, strlen(answer));
            break;
        }
        close(connection);
    }
    return NULL;
}

int http_serve(http_handler handler) {
    struct sockaddr_in address = local(0);
    socklen_t length = sizeof address;
    struct server *server = malloc(sizeof *server);
    pthread_t thread;
    server->handler = handler;
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(server->listener, 64) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&address, &length) != 0 ||
        pthread_create(&thread, NULL, answering, server) != 0)
        return 0;
    pthread_detach(thread);
    return ntohs(address.sin_port);
}
