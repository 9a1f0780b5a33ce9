#define _POSIX_C_SOURCE 200809L
/*
 * Carries out calls that it reads, a line each, and tells what came of them, a line each: for the cases of fixtures/operations.
 *
 *     new                          a contract
 *     contract JSON                an operation of it; the interaction that it begins is the one that follows
 *     interaction JSON             an operation of the interaction
 *     interactions                 the interactions as they stand
 *     matcher NAME JSON            the matcher JSON of a call
 *     write JSON, verify DIRECTORY URL
 *
 * Answers are `ok` or `refused`, with JSON behind.
 */
#include <contract.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void answer(contract_status status, contract_text *out, contract_text *error) {
    contract_text *told = status == CONTRACT_OK ? out : error;
    printf("%s %s\n", status == CONTRACT_OK ? "ok" : "refused", told->data == NULL ? "null" : told->data);
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
        size_t left = 0;
        contract_text out = {NULL, 0}, error = {NULL, 0};
        contract_status status = CONTRACT_MISUSE;
        if (rest != NULL) *rest++ = 0, left = strlen(rest);
        if (strcmp(word, "new") == 0) {
            const char *json = "{\"consumer\": \"web\", \"provider\": \"orders\"}";
            if (interaction != 0) contract_free(interaction, NULL);
            if (contract != 0) contract_free(contract, NULL);
            interaction = 0;
            status = contract_new(json, strlen(json), &contract, &error);
        } else if (strcmp(word, "contract") == 0) {
            contract_handle begun = 0;
            status = contract_apply(contract, rest, left, NULL, 0, &begun, &error);
            if (begun != 0) {
                if (interaction != 0) contract_free(interaction, NULL);
                interaction = begun;
            }
        } else if (strcmp(word, "interaction") == 0) {
            status = contract_interaction_apply(interaction, rest, left, NULL, &error);
        } else if (strcmp(word, "interactions") == 0) {
            status = contract_interactions(contract, NULL, 0, &out, &error);
        } else if (strcmp(word, "matcher") == 0) {
            char *json = strchr(rest, ' ');
            *json++ = 0;
            status = contract_matcher(rest, strlen(rest), json, strlen(json), &out, &error);
        } else if (strcmp(word, "write") == 0) {
            status = contract_write_file(contract, rest, left, &out, &error);
            /* The path is no JSON, and is not asked for. */
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
        answer(status, &out, &error);
    }
    if (interaction != 0) contract_free(interaction, NULL);
    if (contract != 0) contract_free(contract, NULL);
    free(line);
    return 0;
}
