/*
 * A consumer test in C: defines what the client needs, runs it against a mock server, and writes contracts/c-web-orders.json.
 *
 *     cc consumer.c http.c $(pkg-config --cflags --libs contract) -lpthread -o consumer && ./consumer contracts
 */
#include <contract.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"

/* Prints the error of the library and ends the program. */
static void must(contract_status status, contract_text *error) {
    if (status == CONTRACT_OK) return;
    fprintf(stderr, "status %d: %s\n", (int)status, error->data == NULL ? "" : error->data);
    exit(1);
}

static contract_handle interaction, contract;

static void define(const char *operation) {
    contract_text error;
    must(contract_interaction_apply(interaction, operation, strlen(operation), NULL, &error), &error);
}

/* The client under test. */
static int state_of_order(int port, int id, char *state) {
    char path[64], answer[1024];
    snprintf(path, sizeof path, "/orders/%d", id);
    if (http_request(port, "GET", path, "", answer, sizeof answer) != 200) return 0;
    char *found = strstr(answer, "\"state\":\"");
    return found != NULL && sscanf(found + 9, "%15[a-z]", state) == 1;
}

int main(int count, char **arguments) {
    contract_text error, text;
    const char *begin = "{\"upon_receiving\": {\"description\": \"a request for an order\"}}";
    char json[1024];

    if (contract_abi_version() != CONTRACT_ABI_VERSION) return 1;
    snprintf(json, sizeof json, "{\"consumer\": \"c-web\", \"provider\": \"orders\", \"options\": {\"directory\": \"%s\"}}",
             count > 1 ? arguments[1] : "contracts");
    must(contract_new(json, strlen(json), &contract, &error), &error);
    must(contract_apply(contract, begin, strlen(begin), NULL, 0, &interaction, &error), &error);
    define("{\"given\": {\"state\": \"an order exists\", \"parameters\": {\"id\": 7}}}");
    define("{\"with_request\": {\"method\": \"GET\", \"path\": \"/orders/7\"}}");
    define("{\"will_respond_with\": {\"status\": 200}}");
    define("{\"with_body\": {\"body\": {\"id\": {\"contract:matcher:type\": \"integer\", \"value\": 7},"
           " \"state\": {\"contract:matcher:type\": \"regex\", \"regex\": \"open|shipped\", \"value\": \"open\"}}}}");

    contract_handle server;
    must(contract_serve(contract, NULL, 0, NULL, 0, &server, &error), &error);
    must(contract_server_describe(server, &text, &error), &error);
    int port = atoi(strstr(text.data, "\"port\":") + 7);
    contract_text_free(&text);

    char state[16] = "";
    int passed = state_of_order(port, 7, state) && strcmp(state, "open") == 0;

    const char *ending = passed ? "{\"end\": \"passed\"}" : "{\"end\": \"failed\"}";
    must(contract_servers_end(&server, 1, ending, strlen(ending), &text, &error), &error);
    passed = passed && strstr(text.data, "\"mismatched\":null") != NULL;
    if (!passed) fprintf(stderr, "%s\n", text.data);
    contract_text_free(&text);
    must(contract_free(server, &error), &error);
    must(contract_free(interaction, &error), &error);
    must(contract_free(contract, &error), &error);
    puts(passed ? "the consumer's test passed" : "the consumer's test failed");
    return passed ? 0 : 1;
}
