#define _POSIX_C_SOURCE 200809L
/*
 * Reads calls from standard input, one per line, and prints their results, one per line. Runs the cases of fixtures/operations.
 *
 *     new                          creates a contract
 *     contract JSON                applies an operation to the contract; an interaction that it defines becomes the current one
 *     interaction JSON             applies an operation to the current interaction
 *     interactions                 returns the interactions of the contract
 *     matcher NAME JSON            returns the matcher JSON of a call
 *     write JSON                   writes the contract file
 *     verify DIRECTORY URL         verifies the contracts in a directory
 *
 * A result is `ok` or `refused`, followed by JSON.
 */
#include <contract.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_result(contract_status status, contract_text *out, contract_text *error) {
    contract_text *result = status == CONTRACT_OK ? out : error;
    printf("%s %s\n", status == CONTRACT_OK ? "ok" : "refused", result->data == NULL ? "null" : result->data);
    fflush(stdout);
    if (status == CONTRACT_OK) contract_text_free(out);
    contract_text_free(error);
}

int main(void) {
    contract_handle contract = 0, interaction = 0;
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while ((length = getline(&line, &size, stdin)) > 0) {
        if (line[length - 1] == '\n') line[--length] = 0;
        char *word = line, *rest = strchr(line, ' ');
        size_t rest_length = 0;
        contract_text out = {NULL, 0}, error = {NULL, 0};
        contract_status status = CONTRACT_MISUSE;
        if (rest != NULL) *rest++ = 0, rest_length = strlen(rest);
        if (strcmp(word, "new") == 0) {
            const char *json = "{\"consumer\": \"web\", \"provider\": \"orders\"}";
            if (interaction != 0) contract_free(interaction, NULL);
            if (contract != 0) contract_free(contract, NULL);
            interaction = 0;
            status = contract_new(json, strlen(json), &contract, &error);
        } else if (strcmp(word, "contract") == 0) {
            contract_handle defined = 0;
            status = contract_apply(contract, rest, rest_length, NULL, 0, &defined, &error);
            if (defined != 0) {
                if (interaction != 0) contract_free(interaction, NULL);
                interaction = defined;
            }
        } else if (strcmp(word, "interaction") == 0) {
            status = contract_interaction_apply(interaction, rest, rest_length, NULL, &error);
        } else if (strcmp(word, "interactions") == 0) {
            status = contract_interactions(contract, NULL, 0, &out, &error);
        } else if (strcmp(word, "matcher") == 0) {
            char *json = strchr(rest, ' ');
            *json++ = 0;
            status = contract_matcher(rest, strlen(rest), json, strlen(json), &out, &error);
        } else if (strcmp(word, "write") == 0) {
            status = contract_write_file(contract, rest, rest_length, &out, &error);
            /* The path is not JSON, and the caller does not need it. */
            if (status == CONTRACT_OK) contract_text_free(&out);
        } else if (strcmp(word, "verify") == 0) {
            contract_handle verifier = 0;
            char *url = strchr(rest, ' '), json[4096];
            *url++ = 0;
            status = contract_verifier_new("orders", 6, &verifier, &error);
            snprintf(json, sizeof json, "{\"add_source\": {\"source\": \"%s\"}}", rest);
            if (status == CONTRACT_OK) status = contract_verifier_apply(verifier, json, strlen(json), &error);
            snprintf(json, sizeof json, "{\"add_transport\": {\"transport\": \"%s\"}}", url);
            if (status == CONTRACT_OK) status = contract_verifier_apply(verifier, json, strlen(json), &error);
            if (status == CONTRACT_OK) status = contract_verifier_run(verifier, NULL, 0, &out, &error);
            contract_free(verifier, NULL);
        }
        print_result(status, &out, &error);
    }
    if (interaction != 0) contract_free(interaction, NULL);
    if (contract != 0) contract_free(contract, NULL);
    free(line);
    return 0;
}
