/* As much HTTP as the examples need: one request, and a server that answers by a function. */
#ifndef EXAMPLE_HTTP_H
#define EXAMPLE_HTTP_H

#include <stddef.h>

/* Sends a request to http://127.0.0.1:PORT and gives the status; the body of the answer goes into `answer`. 0 when it failed. */
int http_request(int port, const char *method, const char *path, const char *body, char *answer, size_t size);

/* Answers a request: fills `answer` with JSON and gives the status. */
typedef int (*http_handler)(const char *method, const char *path, const char *body, char *answer, size_t size);

/* Starts a server on a free port of 127.0.0.1, in a thread of its own, and gives the port; it runs as long as the process. */
int http_serve(http_handler handler);

#endif
