/*
 * A provider verification in C: verifies this service against the contracts in a directory.
 *
 *     cc provider.c http.c $(pkg-config --cflags --libs contract) -lpthread -o provider && ./provider contracts
 */
#include <contract.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"

static int known_order = 0;

/* The service. */
static int orders(const char *method, const char *path, const char *body, char *answer, size_t size) {
    int id = 0;
    (void)body;
    if (strcmp(method, "GET") == 0 && sscanf(path, "/orders/%d", &id) == 1 && id == known_order) {
        snprintf(answer, size, "{\"id\": %d, \"state\": \"open\", \"lines\": []}", id);
        return 200;
    }
    snprintf(answer, size, "{}");
    return 404;
}

/* Sets up the provider state of an interaction. */
static void state(void *user, uint64_t call, uint32_t function, const char *role, size_t role_length,
                  const char *arguments, size_t arguments_length) {
    /* ["setup", {"id": 7}] */
    char text[256];
    const char *id;
    (void)user, (void)function, (void)role, (void)role_length;
    snprintf(text, sizeof text, "%.*s", (int)arguments_length, arguments);
    id = strstr(text, "\"id\":");
    known_order = id == NULL ? 0 : atoi(id + 5);
    contract_answer(call, NULL, 0, NULL, 0, NULL);
}

static contract_handle verifier;

static void must(contract_status status, contract_text *error) {
    if (status == CONTRACT_OK) return;
    fprintf(stderr, "status %d: %s\n", (int)status, error->data == NULL ? "" : error->data);
    exit(1);
}

static void say(const char *operation) {
    contract_text error;
    must(contract_verifier_apply(verifier, operation, strlen(operation), &error), &error);
}

int main(int count, char **arguments) {
    contract_text error, text;
    char json[1024];

    must(contract_verifier_new("orders", 6, &verifier, &error), &error);
    snprintf(json, sizeof json, "{\"add_source\": {\"source\": \"%s\"}}", count > 1 ? arguments[1] : "contracts");
    say(json);
    snprintf(json, sizeof json, "{\"add_transport\": {\"transport\": \"http://127.0.0.1:%d\"}}", http_serve(orders));
    say(json);
    say("{\"state_handler\": {\"handler\": {\"an order exists\": {\"contract:value\": \"function\", \"id\": 1}}}}");
    must(contract_verifier_set_callback(verifier, state, NULL, &error), &error);

    must(contract_verifier_run(verifier, NULL, 0, &text, &error), &error);
    int passed = strstr(text.data, "\"failures\":null") != NULL;
    if (!passed) fprintf(stderr, "%s\n", text.data);
    contract_text_free(&text);
    must(contract_free(verifier, &error), &error);
    puts(passed ? "the provider satisfies its contracts" : "the provider does not satisfy its contracts");
    return passed ? 0 : 1;
}
