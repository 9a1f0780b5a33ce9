/* Tests correct and incorrect uses of the C interface. Runs directly and under valgrind. The last line is `N passed, N failed`. */
#define _POSIX_C_SOURCE 200809L
#include <contract.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../../examples/c/http.h"

/* Each test is a function that contains any number of checks. */
static int passed = 0, failed = 0, wrong = 0;

static void check(int is_true, const char *label) {
    if (is_true) return;
    __atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
    printf("not ok: %s\n", label);
}

static void test(const char *name, void (*run)(void)) {
    wrong = 0;
    run();
    if (wrong == 0) {
        passed++;
    } else {
        failed++;
        printf("failed: %s\n", name);
    }
}

/* Returns true if a call failed with this status and code. */
static int fails_with(contract_status status, contract_status expected, contract_text *error, const char *code) {
    int is_expected = status == expected && error->data != NULL && strlen(error->data) == error->length &&
             strstr(error->data, code) != NULL && strstr(error->data, "\"message\":") != NULL;
    if (!is_expected) printf("  received %d: %s\n", (int)status, error->data == NULL ? "null" : error->data);
    contract_text_free(error);
    return is_expected;
}

static int succeeds(contract_status status, contract_text *error) {
    int is_expected = status == CONTRACT_OK && error->data == NULL && error->length == 0;
    if (!is_expected) printf("  received %d: %s\n", (int)status, error->data == NULL ? "null" : error->data);
    contract_text_free(error);
    return is_expected;
}

#define TEXT(text) (text), strlen(text)
#define CONTRACT "{\"consumer\": \"web\", \"provider\": \"orders\"}"

static contract_handle new_contract(void) {
    contract_handle contract = 0;
    contract_text error;
    check(succeeds(contract_new(TEXT(CONTRACT), &contract, &error), &error), "a contract");
    return contract;
}

static contract_handle request(contract_handle contract, const char *path) {
    contract_handle interaction = 0;
    contract_text error;
    char json[512];
    snprintf(json, sizeof json, "{\"upon_receiving\": {\"description\": \"a request for %s\"}}", path);
    check(succeeds(contract_apply(contract, TEXT(json), TEXT("suite.c:1"), &interaction, &error), &error), "an interaction");
    snprintf(json, sizeof json, "{\"with_request\": {\"method\": \"GET\", \"path\": \"%s\"}}", path);
    check(succeeds(contract_interaction_apply(interaction, TEXT(json), NULL, &error), &error), "the request");
    const char *response = "{\"will_respond_with\": {\"status\": 200, \"body\": {\"id\": 7}}}";
    check(succeeds(contract_interaction_apply(interaction, TEXT(response), NULL, &error), &error), "the response");
    return interaction;
}

static void versions(void) {
    contract_text out, error;
    check(contract_abi_version() == CONTRACT_ABI_VERSION, "the version of the interface is returned");
    check(succeeds(contract_version(&out, &error), &error), "the version of the core");
    check(out.length > 0 && out.data[out.length] == 0, "a zero byte follows a text");
    contract_text_free(&out);
    check(out.data == NULL && out.length == 0, "a text that was freed is null");
    contract_text_free(&out);
    contract_text_free(NULL);
}

static void null_pointers(void) {
    contract_text out, error;
    contract_handle handle, contract = new_contract(), interaction = request(contract, "/null");
    const char *object = "{}";
    const char *null = "ERR_CONTRACT_NULL";
#define FAILS_WITH_NULL(call) check(fails_with(call, CONTRACT_MISUSE, &error, null), #call)
    FAILS_WITH_NULL(contract_version(NULL, &error));
    FAILS_WITH_NULL(contract_new(NULL, 0, &handle, &error));
    FAILS_WITH_NULL(contract_new(NULL, 7, &handle, &error));
    FAILS_WITH_NULL(contract_new(TEXT(CONTRACT), NULL, &error));
    FAILS_WITH_NULL(contract_apply(contract, NULL, 0, NULL, 0, &handle, &error));
    FAILS_WITH_NULL(contract_apply(contract, TEXT(object), NULL, 0, NULL, &error));
    FAILS_WITH_NULL(contract_interaction_apply(interaction, NULL, 0, NULL, &error));
    FAILS_WITH_NULL(contract_interactions(contract, NULL, 0, NULL, &error));
    FAILS_WITH_NULL(contract_write_file(contract, NULL, 0, NULL, &error));
    FAILS_WITH_NULL(contract_serve(contract, NULL, 0, NULL, 0, NULL, &error));
    FAILS_WITH_NULL(contract_servers_end(NULL, 0, TEXT(object), &out, &error));
    FAILS_WITH_NULL(contract_servers_end(NULL, 5, TEXT(object), &out, &error));
    FAILS_WITH_NULL(contract_servers_end(&handle, 1, NULL, 0, NULL, &error));
    FAILS_WITH_NULL(contract_server_describe(1, NULL, &error));
    FAILS_WITH_NULL(contract_server_outcome(1, NULL, &error));
    FAILS_WITH_NULL(contract_server_requests(1, NULL, &error));
    FAILS_WITH_NULL(contract_server_log(1, NULL, &error));
    FAILS_WITH_NULL(contract_messages_take(contract, NULL, 0, &handle, &error));
    FAILS_WITH_NULL(contract_messages_take(contract, TEXT(object), NULL, &error));
    FAILS_WITH_NULL(contract_messages_list(1, NULL, &error));
    FAILS_WITH_NULL(contract_messages_finish(1, NULL, &error));
    FAILS_WITH_NULL(contract_matcher(NULL, 0, TEXT(object), &out, &error));
    FAILS_WITH_NULL(contract_matcher(TEXT("match.int"), TEXT(object), NULL, &error));
    FAILS_WITH_NULL(contract_example(NULL, 0, &out, &error));
    FAILS_WITH_NULL(contract_verifier_new(NULL, 0, &handle, &error));
    FAILS_WITH_NULL(contract_verifier_new(TEXT("orders"), NULL, &error));
    FAILS_WITH_NULL(contract_verifier_run(1, NULL, 0, NULL, &error));
    FAILS_WITH_NULL(contract_verifier_interactions(1, NULL, &error));
    FAILS_WITH_NULL(contract_verifier_verify_one(1, 0, NULL, &error));
    FAILS_WITH_NULL(contract_verifier_finish(1, NULL, &error));
    FAILS_WITH_NULL(contract_verifier_last(1, NULL, &error));
    FAILS_WITH_NULL(contract_report_format(NULL, 0, TEXT("json"), &out, &error));
    FAILS_WITH_NULL(contract_report_format(TEXT(object), TEXT("json"), NULL, &error));
    FAILS_WITH_NULL(contract_log_to_stderr(NULL, 0, &error));
    FAILS_WITH_NULL(contract_log_to_file(NULL, 0, TEXT("OFF"), &error));
    FAILS_WITH_NULL(contract_log_to_file(TEXT("x"), NULL, 0, &error));
    /* The error parameter may be null. */
    check(contract_new(NULL, 0, &handle, NULL) == CONTRACT_MISUSE, "a null error parameter");
    check(contract_free(interaction, NULL) == CONTRACT_OK && contract_free(contract, NULL) == CONTRACT_OK, "freed");
}

static void invalid_texts(void) {
    contract_text out, error;
    contract_handle handle, contract = new_contract();
    const char *bad = "{\"upon_receiving\": {\"description\": \"\xff\xfe\"}}";
    check(fails_with(contract_apply(contract, bad, strlen(bad), NULL, 0, &handle, &error), CONTRACT_MISUSE, &error,
                  "ERR_CONTRACT_UTF8"), "invalid UTF-8 in an operation");
    check(fails_with(contract_new("\xc3", 1, &handle, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_UTF8"),
          "an incomplete character");
    check(fails_with(contract_verifier_new("\xed\xa0\x80", 3, &handle, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_UTF8"),
          "a surrogate");
    check(fails_with(contract_new("x", (size_t)-1, &handle, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_LENGTH"),
          "a length larger than the address space");
    const char *none[] = {"", "{", "null", "[]", "7", "{\"consumer\": 7}", "\"x\"", "{}"};
    for (size_t at = 0; at < sizeof none / sizeof *none; at++) {
        check(fails_with(contract_new(TEXT(none[at]), &handle, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT"), none[at]);
        check(fails_with(contract_apply(contract, TEXT(none[at]), NULL, 0, &handle, &error), CONTRACT_ARGUMENT, &error,
                      "ERR_CONTRACT"), "an invalid operation");
    }
    check(fails_with(contract_matcher(TEXT("match.int"), TEXT("{\"example\": \"x\"}"), &out, &error), CONTRACT_ARGUMENT, &error,
                  "ERR_CONTRACT_MATCHER"), "an invalid argument of a matcher");
    check(fails_with(contract_matcher(TEXT("match.nothing"), TEXT("{}"), &out, &error), CONTRACT_ARGUMENT, &error, "unknown matcher"),
          "an unknown matcher");
    check(fails_with(contract_example(TEXT("{\"a\": "), &out, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_JSON"),
          "invalid JSON");
    check(fails_with(contract_report_format(TEXT("{}"), TEXT("pdf"), &out, &error), CONTRACT_ARGUMENT, &error, "pdf"),
          "an unknown format");
    check(fails_with(contract_log_to_stderr(TEXT("LOUD"), &error), CONTRACT_ARGUMENT, &error, "LOUD"), "an unknown log level");
    check(fails_with(contract_write_file(contract, TEXT("[]"), &out, &error), CONTRACT_MISUSE, &error, "options"),
          "invalid options");
    check(fails_with(contract_write_file(contract, TEXT("{\"directory\": 7}"), &out, &error), CONTRACT_MISUSE, &error, "options"),
          "an invalid directory");
    /* The next call succeeds. */
    check(succeeds(contract_matcher(TEXT("match.int"), TEXT("{\"example\": 7}"), &out, &error), &error), "a matcher");
    check(strcmp(out.data, "{\"contract:matcher:type\":\"integer\",\"value\":7}") == 0, "matcher JSON");
    contract_text_free(&out);
    contract_free(contract, NULL);
}

static void invalid_handles(void) {
    contract_text out, error;
    contract_handle handle, contract = new_contract(), interaction = request(contract, "/handles"), verifier;
    check(succeeds(contract_verifier_new(TEXT("orders"), &verifier, &error), &error), "a verifier");
    contract_handle none[] = {0, (contract_handle)-1, 1ull << 40};
    for (size_t at = 0; at < sizeof none / sizeof *none; at++) {
        check(fails_with(contract_interactions(none[at], NULL, 0, &out, &error), CONTRACT_MISUSE, &error, "is not a handle"),
              "an invalid handle");
        check(fails_with(contract_free(none[at], &error), CONTRACT_MISUSE, &error, "is not a handle"), "freeing an invalid handle");
    }
    check(fails_with(contract_interactions(interaction, NULL, 0, &out, &error), CONTRACT_MISUSE, &error, "does not refer to a contract"),
          "a handle of another kind");
    check(fails_with(contract_server_log(contract, &out, &error), CONTRACT_MISUSE, &error, "does not refer to a server"),
          "a handle of another kind");
    check(fails_with(contract_interaction_apply(verifier, TEXT("{}"), NULL, &error), CONTRACT_MISUSE, &error, "an interaction"),
          "a handle of another kind");
    contract_handle list[] = {contract, 0};
    check(fails_with(contract_serve(contract, NULL, 0, list, 2, &handle, &error), CONTRACT_MISUSE, &error, "an interaction"),
          "an array with a handle of another kind");
    check(succeeds(contract_free(interaction, &error), &error), "freed");
    check(fails_with(contract_free(interaction, &error), CONTRACT_MISUSE, &error, "was freed"), "freed twice");
    check(fails_with(contract_interaction_apply(interaction, TEXT("{}"), NULL, &error), CONTRACT_MISUSE, &error, "was freed"),
          "used after it was freed");
    check(succeeds(contract_free(verifier, &error), &error), "freed");
    check(fails_with(contract_verifier_run(verifier, NULL, 0, &out, &error), CONTRACT_MISUSE, &error, "was freed"),
          "used after it was freed");
    check(succeeds(contract_interactions(contract, TEXT("HTTP"), &out, &error), &error), "the interactions of the contract");
    check(strstr(out.data, "/handles") != NULL, "the freed interaction in the contract");
    contract_text_free(&out);
    contract_free(contract, NULL);
}

static int port_of(contract_handle server) {
    contract_text out, error;
    int port = 0;
    if (succeeds(contract_server_describe(server, &out, &error), &error)) port = atoi(strstr(out.data, "\"port\":") + 7);
    contract_text_free(&out);
    return port;
}

static void serving(void) {
    contract_text out, error;
    char answer[4096];
    contract_handle contract = new_contract(), interaction = request(contract, "/one"), server;
    check(succeeds(contract_serve(contract, TEXT("{\"port\": 0}"), NULL, 0, &server, &error), &error), "a server");
    check(http_request(port_of(server), "GET", "/one", "", answer, sizeof answer) == 200, "a response");
    check(strcmp(answer, "{\"id\":7}") == 0, "the response body");
    check(succeeds(contract_server_outcome(server, &out, &error), &error) && strstr(out.data, "\"matched\":true") != NULL,
          "matched");
    contract_text_free(&out);
    check(succeeds(contract_server_requests(server, &out, &error), &error) && strstr(out.data, "\"/one\"") != NULL, "the requests");
    contract_text_free(&out);
    check(succeeds(contract_server_log(server, &out, &error), &error) && strstr(out.data, "GET /one") != NULL, "the log");
    contract_text_free(&out);
    check(fails_with(contract_servers_end(&server, 1, TEXT("{\"end\": \"maybe\"}"), &out, &error), CONTRACT_ARGUMENT, &error, "end"),
          "an invalid end");
    check(succeeds(contract_servers_end(&server, 1, TEXT("{\"end\": \"passed\"}"), &out, &error), &error), "the end of the test");
    check(strstr(out.data, "\"mismatched\":null") != NULL, "all matched");
    contract_text_free(&out);
    check(succeeds(contract_free(server, &error), &error), "freed");

    check(succeeds(contract_serve(contract, NULL, 0, &interaction, 1, &server, &error), &error), "a server for one interaction");
    check(http_request(port_of(server), "GET", "/other", "", answer, sizeof answer) == 500,
          "a request that is not in the contract");
    check(succeeds(contract_servers_end(&server, 1, TEXT("{\"end\": \"passed\"}"), &out, &error), &error), "the end of the test");
    check(strstr(out.data, "GET /other") != NULL, "the mismatch");
    contract_text_free(&out);
    contract_free(server, NULL);
    check(fails_with(contract_serve(contract, NULL, 0, NULL, 0, &server, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_NOTHING"),
          "nothing to serve");
    check(fails_with(contract_serve(contract, TEXT("{\"host\": \"no host\", \"all\": true}"), NULL, 0, &server, &error),
                  CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_OPTIONS"), "an invalid host");
    check(fails_with(contract_serve(contract, TEXT("{\"host\": \"192.0.2.1\", \"all\": true}"), NULL, 0, &server, &error),
                  CONTRACT_SERVER, &error, "ERR_CONTRACT_ADDRESS"), "an address of another machine");
    /* Freeing a running server stops it. */
    check(succeeds(contract_serve(contract, TEXT("{\"all\": true}"), NULL, 0, &server, &error), &error), "a server");
    int port = port_of(server);
    check(succeeds(contract_free(server, &error), &error), "freed");
    check(http_request(port, "GET", "/one", "", answer, sizeof answer) == 0, "the server no longer listens");
    contract_free(interaction, NULL);
    contract_free(contract, NULL);
}

static void messages(void) {
    contract_text out, error;
    contract_handle contract = new_contract(), interaction, taken;
    const char *begin = "{\"upon_receiving\": {\"description\": \"an event\", \"kind\": \"Async\"}}";
    check(succeeds(contract_apply(contract, TEXT(begin), NULL, 0, &interaction, &error), &error), "a message");
    check(succeeds(contract_interaction_apply(interaction, TEXT("{\"with_body\": {\"body\": {\"id\": 7}}}"), &out, &error), &error),
          "the contents of the message");
    check(out.data == NULL, "no warnings");
    check(fails_with(contract_messages_take(contract, TEXT("{\"kind\": \"HTTP\"}"), &taken, &error), CONTRACT_ARGUMENT, &error,
                  "ERR_CONTRACT_KIND"), "an invalid kind of message");
    check(succeeds(contract_messages_take(contract, TEXT("{\"kind\": \"Async\", \"all\": true}"), &taken, &error), &error),
          "the messages");
    check(succeeds(contract_messages_list(taken, &out, &error), &error) && strstr(out.data, "an event") != NULL, "the list");
    contract_text_free(&out);
    check(fails_with(contract_messages_handled(taken, 0, TEXT("\"perhaps\""), &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT"),
          "an invalid result");
    check(fails_with(contract_messages_handled(taken, 1, TEXT("\"passed\""), &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_INDEX"),
          "an index that does not exist");
    check(fails_with(contract_messages_handled(taken, (size_t)-1, TEXT("\"passed\""), &error), CONTRACT_MISUSE, &error,
                  "ERR_CONTRACT_INDEX"), "an index that does not exist");
    check(succeeds(contract_messages_handled(taken, 0, TEXT("{\"threw\": \"no database\"}"), &error), &error),
          "a result of a handler that threw an error");
    check(succeeds(contract_messages_finish(taken, &out, &error), &error) && strstr(out.data, "no database") != NULL,
          "the verdict");
    contract_text_free(&out);
    contract_free(taken, NULL);
    check(succeeds(contract_messages_take(contract, TEXT("{\"kind\": \"Async\", \"all\": true}"), &taken, &error), &error),
          "the same messages again");
    check(succeeds(contract_messages_finish(taken, &out, &error), &error) && strstr(out.data, "no result was reported") != NULL,
          "a message without a result fails");
    contract_text_free(&out);
    contract_free(taken, NULL);
    contract_free(interaction, NULL);
    contract_free(contract, NULL);
}

/* A failed call sets its output parameters to null or 0. */
static void outputs_of_failed_calls(void) {
    contract_text out, error;
    contract_handle handle, contract = new_contract(), interaction = request(contract, "/places");
#define DIRTY() (memset(&out, 0x5a, sizeof out), memset(&error, 0x5a, sizeof error), handle = 0x5a5a)
#define EMPTY(call) DIRTY(); check((call) != CONTRACT_OK && out.data == NULL && out.length == 0, #call); contract_text_free(&error)
#define ZERO(call) DIRTY(); check((call) != CONTRACT_OK && handle == 0, #call); contract_text_free(&error)
    EMPTY(contract_interactions(99999, NULL, 0, &out, &error));
    EMPTY(contract_write_file(contract, TEXT("{\"directory\": \"/dev/null/x\"}"), &out, &error));
    EMPTY(contract_interaction_apply(interaction, TEXT("{\"with_nothing\": {}}"), &out, &error));
    EMPTY(contract_interaction_apply(99999, TEXT("{}"), &out, &error));
    EMPTY(contract_matcher(TEXT("match.nothing"), NULL, 0, &out, &error));
    EMPTY(contract_example(TEXT("{"), &out, &error));
    EMPTY(contract_report_format(TEXT("{}"), TEXT("json"), &out, &error));
    EMPTY(contract_server_log(contract, &out, &error));
    EMPTY(contract_servers_end(&contract, 1, TEXT("{\"end\": \"passed\"}"), &out, &error));
    EMPTY(contract_verifier_run(contract, NULL, 0, &out, &error));
    ZERO(contract_new(TEXT("{}"), &handle, &error));
    ZERO(contract_apply(contract, TEXT("{\"upon_receiving\": {}}"), NULL, 0, &handle, &error));
    ZERO(contract_serve(contract, TEXT("[]"), NULL, 0, &handle, &error));
    ZERO(contract_messages_take(contract, TEXT("{}"), &handle, &error));
    ZERO(contract_verifier_new(TEXT(""), &handle, &error));
    contract_free(interaction, NULL);
    contract_free(contract, NULL);
}

/* Large and deeply nested values do not cause a crash. */
static void large_texts(void) {
    contract_text out, error;
    size_t length = 1 << 20;
    char *text = malloc(length + 1);
    memset(text, '[', length);
    text[length] = 0;
    check(fails_with(contract_example(text, length, &out, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_JSON"),
          "a million brackets");
    for (size_t at = 0; at + 6 <= length; at += 6) memcpy(text + at, "{\"a\": ", 6);
    check(fails_with(contract_example(text, length, &out, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_JSON"),
          "nested objects");
    memset(text, '9', length);
    check(succeeds(contract_example(text, length, &out, &error), &error) && out.length == length, "a million digits");
    contract_text_free(&out);
    memset(text, 'a', length);
    text[0] = text[length - 1] = '"';
    check(succeeds(contract_example(text, length, &out, &error), &error) && out.length == length, "a million letters");
    contract_text_free(&out);
    check(fails_with(contract_example("\"a\0b\"", 5, &out, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_JSON"),
          "a zero byte in JSON");
    check(succeeds(contract_example("\"a\\u0000b\"", 10, &out, &error), &error) && out.length == 10, "an escaped zero byte");
    contract_text_free(&out);
    free(text);
}

static int respond(const char *method, const char *path, const char *body, char *answer, size_t size) {
    (void)method, (void)path, (void)body;
    snprintf(answer, size, "{\"id\": 7}");
    return 200;
}

enum behavior { ANSWERS, FAILS, NO_JSON, CALLS_BACK, TWICE, LATER, RUNS_AGAIN, FREES, SILENT, NEVER_RETURNS };

struct user {
    enum behavior behavior;
    contract_handle verifier;
    int calls;
    sem_t end;
};

static void *answer_later(void *call) {
    struct timespec soon = {0, 20000000};
    nanosleep(&soon, NULL);
    contract_answer(*(uint64_t *)call, TEXT("{\"id\": 7}"), NULL, 0, NULL);
    free(call);
    return NULL;
}

static void callback(void *pointer, uint64_t call, uint32_t function, const char *role, size_t role_length, const char *arguments,
                   size_t arguments_length) {
    struct user *user = pointer;
    contract_text out, error;
    contract_handle handle;
    pthread_t thread;
    uint64_t *copy;
    __atomic_add_fetch(&user->calls, 1, __ATOMIC_SEQ_CST);
    check(function == 3 && role_length == 5 && memcmp(role, "state", 5) == 0, "function and role");
    check(arguments_length > 2 && arguments[0] == '[' && arguments[arguments_length - 1] == ']', "arguments");
    switch (user->behavior) {
        case ANSWERS:
            check(succeeds(contract_answer(call, NULL, 0, NULL, 0, &error), &error), "a response");
            break;
        case FAILS:
            check(succeeds(contract_answer(call, NULL, 0, TEXT("the database is unavailable"), &error), &error),
                  "an error message as answer");
            break;
        case NO_JSON:
            check(fails_with(contract_answer(call, TEXT("{"), NULL, 0, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_JSON"),
                  "an answer that is not JSON");
            check(succeeds(contract_answer(call, TEXT("{}"), NULL, 0, &error), &error), "a valid answer after an invalid one");
            break;
        case CALLS_BACK:
            check(succeeds(contract_matcher(TEXT("match.int"), TEXT("{}"), &out, &error), &error), "a call from a callback");
            contract_text_free(&out);
            check(succeeds(contract_verifier_last(user->verifier, &out, &error), &error), "a call with the same verifier");
            contract_text_free(&out);
            check(succeeds(contract_verifier_apply(user->verifier, TEXT("{\"set_request_timeout\": {\"milliseconds\": 9000}}"), &error),
                       &error), "an operation on the same verifier");
            check(succeeds(contract_verifier_new(TEXT("other"), &handle, &error), &error), "another verifier");
            check(contract_verifier_run(handle, NULL, 0, &out, &error) == CONTRACT_VERIFICATION, "a run inside a run");
            contract_text_free(&error);
            contract_free(handle, NULL);
            check(succeeds(contract_answer(call, NULL, 0, NULL, 0, &error), &error), "a response");
            break;
        case TWICE:
            check(succeeds(contract_answer(call, NULL, 0, NULL, 0, &error), &error), "a response");
            check(fails_with(contract_answer(call, NULL, 0, NULL, 0, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_CALL"),
                  "a second answer");
            break;
        case LATER:
            copy = malloc(sizeof *copy);
            *copy = call;
            pthread_create(&thread, NULL, answer_later, copy);
            pthread_detach(thread);
            break;
        case RUNS_AGAIN:
            /* The handler starts a verification with the verifier that is waiting for this handler. */
            if (user->calls == 1) {
                contract_status status = contract_verifier_run(user->verifier, NULL, 0, &out, &error);
                check(status == CONTRACT_OK ? out.data != NULL : error.data != NULL, "a run of the same verifier inside its run");
                contract_text_free(&out);
                contract_text_free(&error);
            }
            check(succeeds(contract_answer(call, NULL, 0, NULL, 0, &error), &error), "a response");
            break;
        case FREES:
            check(succeeds(contract_verifier_set_callback(user->verifier, NULL, NULL, &error), &error), "removing the callback");
            check(succeeds(contract_free(user->verifier, &error), &error), "freed inside its run");
            check(fails_with(contract_verifier_last(user->verifier, &out, &error), CONTRACT_MISUSE, &error, "was freed"),
                  "used inside its run after it was freed");
            check(succeeds(contract_answer(call, NULL, 0, NULL, 0, &error), &error), "a response");
            break;
        case SILENT:
            break;
        case NEVER_RETURNS:
            while (sem_wait(&user->end) != 0) continue;
            check(fails_with(contract_answer(call, NULL, 0, NULL, 0, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_CALL"),
                  "an answer after the timeout");
            sem_post(&user->end);
            break;
    }
}

static void verifying(void) {
    static struct user users[NEVER_RETURNS + 1];
    contract_text out, error;
    char json[512];
    const char *contract = "{\"json\": {\"consumer\": {\"name\": \"web\"}, \"provider\": {\"name\": \"orders\"}, \"interactions\": [{"
                           "\"description\": \"a request\", \"type\": \"Synchronous/HTTP\", \"providerStates\": [{\"name\": \"a state\"}],"
                           "\"request\": {\"method\": \"GET\", \"path\": \"/\"}, \"response\": {\"status\": 200}}],"
                           "\"metadata\": {\"pactSpecification\": {\"version\": \"4.0\"}}}}";
    int port = http_serve(respond);
    for (int at = ANSWERS; at <= NEVER_RETURNS; at++) {
        struct user *user = &users[at];
        user->behavior = (enum behavior)at;
        sem_init(&user->end, 0, 0);
        check(succeeds(contract_verifier_new(TEXT("orders"), &user->verifier, &error), &error), "a verifier");
        char source[1024];
        snprintf(source, sizeof source, "{\"add_source\": {\"source\": %s}}", contract);
        check(succeeds(contract_verifier_apply(user->verifier, TEXT(source), &error), &error), "a contract");
        snprintf(json, sizeof json, "{\"add_transport\": {\"transport\": \"http://127.0.0.1:%d\"}}", port);
        check(succeeds(contract_verifier_apply(user->verifier, TEXT(json), &error), &error), "a transport");
        const char *handler =
            "{\"state_handler\": {\"handler\": {\"a state\": {\"contract:value\": \"function\", \"id\": 3}}}}";
        check(succeeds(contract_verifier_apply(user->verifier, TEXT(handler), &error), &error), "a handler");
        if (at == ANSWERS) {
            check(succeeds(contract_verifier_run(user->verifier, NULL, 0, &out, &error), &error), "a run without a callback");
            check(strstr(out.data, "no callback is set") != NULL, "the error of a missing callback");
            contract_text_free(&out);
        }
        if (at == SILENT || at == NEVER_RETURNS)
            check(succeeds(contract_verifier_apply(user->verifier, TEXT("{\"set_callback_timeout\": {\"milliseconds\": 100}}"), &error),
                       &error), "a short timeout");
        check(succeeds(contract_verifier_set_callback(user->verifier, callback, user, &error), &error), "a callback");
        check(succeeds(contract_verifier_run(user->verifier, TEXT("{\"concurrency\": 2}"), &out, &error), &error), "a run");
        int has_passed = strstr(out.data, "\"failures\":null") != NULL;
        check(has_passed == (at != FAILS && at != SILENT && at != NEVER_RETURNS), "the result");
        if (at == FAILS) check(strstr(out.data, "the database is unavailable") != NULL && strstr(out.data, "\"call\":") != NULL,
              "the error message");
        check(user->calls == (at == RUNS_AGAIN ? 2 : 1), "one call for each run");
        contract_text_free(&out);
        if (at == NEVER_RETURNS) {
            sem_post(&user->end);
            struct timespec soon = {0, 1000000};
            for (int turn = 0; turn < 10000; turn++) {
                nanosleep(&soon, NULL);
                if (sem_trywait(&user->end) == 0) break;
            }
        }
        if (at == ANSWERS) {
            check(succeeds(contract_verifier_interactions(user->verifier, &out, &error), &error) &&
                      strstr(out.data, "a request, given a state") != NULL, "the interactions");
            contract_text_free(&out);
            check(fails_with(contract_verifier_verify_one(user->verifier, 0, &out, &error), CONTRACT_ARGUMENT, &error,
                          "call start before"), "verifying before the start");
            check(succeeds(contract_verifier_start(user->verifier, &error), &error), "the start");
            check(fails_with(contract_verifier_verify_one(user->verifier, 9, &out, &error), CONTRACT_ARGUMENT, &error,
                          "interaction 9 does not exist"), "an index that does not exist");
            check(succeeds(contract_verifier_verify_one(user->verifier, 0, &out, &error), &error), "verifying one interaction");
            contract_text_free(&out);
            check(succeeds(contract_verifier_finish(user->verifier, &out, &error), &error) && out.data != NULL, "finishing");
            contract_text_free(&out);
            check(succeeds(contract_verifier_finish(user->verifier, &out, &error), &error) && out.data == NULL, "finishing twice");
            check(succeeds(contract_verifier_last(user->verifier, &out, &error), &error) && out.data != NULL, "the last result");
            contract_text_free(&out);
        }
        if (at != FREES) check(succeeds(contract_free(user->verifier, &error), &error), "freed");
    }
}

/* Creates a verifier for the provider on this port, with a state handler that has the function ID 3. */
static contract_handle verifier_of(int port) {
    contract_handle verifier = 0;
    contract_text error;
    char json[1024];
    const char *contract = "{\"consumer\": {\"name\": \"web\"}, \"provider\": {\"name\": \"orders\"}, \"interactions\": [{"
                           "\"description\": \"a request\", \"type\": \"Synchronous/HTTP\", \"providerStates\": [{\"name\": \"a state\"}],"
                           "\"request\": {\"method\": \"GET\", \"path\": \"/\"}, \"response\": {\"status\": 200}}],"
                           "\"metadata\": {\"pactSpecification\": {\"version\": \"4.0\"}}}";
    check(succeeds(contract_verifier_new(TEXT("orders"), &verifier, &error), &error), "a verifier");
    snprintf(json, sizeof json, "{\"add_source\": {\"source\": {\"json\": %s}}}", contract);
    check(succeeds(contract_verifier_apply(verifier, TEXT(json), &error), &error), "a contract");
    snprintf(json, sizeof json, "{\"add_transport\": {\"transport\": \"http://127.0.0.1:%d\"}}", port);
    check(succeeds(contract_verifier_apply(verifier, TEXT(json), &error), &error), "a transport");
    const char *handler = "{\"state_handler\": {\"handler\": {\"a state\": {\"contract:value\": \"function\", \"id\": 3}}}}";
    check(succeeds(contract_verifier_apply(verifier, TEXT(handler), &error), &error), "a handler");
    return verifier;
}

/* Polls until an event occurs. The caller must free it. */
static contract_text next_event(contract_handle verifier) {
    contract_text out, error;
    do {
        check(succeeds(contract_poll_event(verifier, 1000, &out, &error), &error), "an event");
    } while (out.data == NULL && wrong == 0);
    return out;
}

/* Functions run on this thread: calls are received as events and answered between two events. */
static void polling(void) {
    contract_text out, error;
    contract_handle verifier = verifier_of(http_serve(respond));
    const char *works[] = {"{\"run\": {}}", "{\"verify_one\": 0}", "{\"run\": {\"concurrency\": 2}}"};
    check(fails_with(contract_poll_event(verifier, 0, &out, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_NOT_RUNNING"),
          "polling before the start");
    check(fails_with(contract_verifier_begin(verifier, TEXT("{\"walk\": {}}"), &error), CONTRACT_MISUSE, &error, "verify_one"),
          "an unknown kind of work");
    check(fails_with(contract_verifier_begin(verifier, TEXT("{\"run\": {\"concurrency\": 0}}"), &error), CONTRACT_ARGUMENT, &error,
                  "concurrency"), "an invalid option");
    for (int at = 0; at < 3; at++) {
        if (at == 1) {
            check(succeeds(contract_verifier_interactions(verifier, &out, &error), &error), "the interactions");
            contract_text_free(&out);
            check(succeeds(contract_verifier_start(verifier, &error), &error), "starting to verify interactions one at a time");
        }
        check(succeeds(contract_verifier_begin(verifier, TEXT(works[at]), &error), &error), "starting in the background");
        check(fails_with(contract_verifier_begin(verifier, TEXT(works[at]), &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_BUSY"),
              "starting twice at the same time");
        check(fails_with(contract_verifier_run(verifier, NULL, 0, &out, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_BUSY"),
              "a run at the same time");
        contract_text event = next_event(verifier);
        unsigned long long call = 0;
        check(event.data != NULL && sscanf(event.data, "{\"event\":\"call\",\"call\":%llu,\"function\":3,", &call) == 1 &&
                  strstr(event.data, "\"role\":\"state\",\"arguments\":[\"setup\"") != NULL, "a call");
        contract_text_free(&event);
        check(succeeds(contract_poll_event(verifier, 0, &out, &error), &error) && out.data == NULL, "no event before the answer");
        if (at == 2)
            check(succeeds(contract_answer(call, NULL, 0, TEXT("the database is unavailable"), &error), &error),
                  "an error message as answer");
        else
            check(succeeds(contract_answer(call, TEXT("{\"id\": 7}"), NULL, 0, &error), &error), "a response");
        event = next_event(verifier);
        check(event.data != NULL && strncmp(event.data, "{\"event\":\"ended\",\"result\":{\"report\":", 36) == 0,
              "the end of the test");
        if (event.data != NULL) {
            check((strstr(event.data, "\"failures\":null") != NULL) == (at != 2), "the result");
            check((strstr(event.data, "the database is unavailable") != NULL) == (at == 2), "the error message");
        }
        contract_text_free(&event);
        check(fails_with(contract_poll_event(verifier, 0, &out, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_NOT_RUNNING"),
              "polling after the end");
        if (at == 1) {
            check(succeeds(contract_verifier_finish(verifier, &out, &error), &error), "finishing");
            contract_text_free(&out);
        }
    }
    check(succeeds(contract_free(verifier, &error), &error), "freed");
}

static void polling_ends_early(void) {
    contract_text out, error;
    /* Free the verifier while a call is not yet answered. */
    contract_handle verifier = verifier_of(http_serve(respond));
    unsigned long long call = 0;
    check(succeeds(contract_verifier_begin(verifier, TEXT("{\"run\": {}}"), &error), &error), "starting in the background");
    contract_text event = next_event(verifier);
    check(event.data != NULL && sscanf(event.data, "{\"event\":\"call\",\"call\":%llu", &call) == 1, "a call");
    contract_text_free(&event);
    check(succeeds(contract_free(verifier, &error), &error), "freed while it is running");
    check(fails_with(contract_poll_event(verifier, 0, &out, &error), CONTRACT_MISUSE, &error, "was freed"),
          "polled after it was freed");
    /* A verification that cannot run ends with an error. */
    check(succeeds(contract_verifier_new(TEXT("orders"), &verifier, &error), &error), "a verifier without sources");
    check(succeeds(contract_verifier_begin(verifier, TEXT("{\"run\": {}}"), &error), &error), "starting in the background");
    event = next_event(verifier);
    check(event.data != NULL && strncmp(event.data, "{\"event\":\"ended\",\"result\":null,\"error\":{\"kind\":\"", 47) == 0,
          "an end with an error");
    contract_text_free(&event);
    check(succeeds(contract_free(verifier, &error), &error), "freed");
}

static void operations(void) {
    contract_text out, error;
    check(succeeds(contract_operations(&out, &error), &error), "the table");
    const char *parts[] = {"\"operations\":", "\"with_header\"", "\"functions\":", "\"match.each_like\"", "\"shapes\":",
                           "\"VerificationReport\": {", "\"Verdict\": {", "\"Event\": {"};
    for (size_t at = 0; at < sizeof parts / sizeof *parts; at++) check(strstr(out.data, parts[at]) != NULL, parts[at]);
    contract_text_free(&out);
}

/* One thread uses a handle while another thread frees it. Each call either succeeds or fails with CONTRACT_MISUSE. */
static void *use_handle(void *handle) {
    contract_text out, error;
    for (int turn = 0; turn < 200; turn++) {
        contract_status status = contract_interactions(*(contract_handle *)handle, NULL, 0, &out, &error);
        check(status == CONTRACT_OK ? out.data != NULL : status == CONTRACT_MISUSE && out.data == NULL,
              "used while another thread frees it");
        contract_text_free(&out);
        contract_text_free(&error);
    }
    return NULL;
}

static void freed_by_another_thread(void) {
    contract_text error;
    pthread_t all[3];
    for (int turn = 0; turn < 10; turn++) {
        contract_handle contract = new_contract();
        for (int at = 0; at < 3; at++) pthread_create(&all[at], NULL, use_handle, &contract);
        check(succeeds(contract_free(contract, &error), &error), "freed while other threads use it");
        for (int at = 0; at < 3; at++) pthread_join(all[at], NULL);
    }
}

static void *serve_on_thread(void *number) {
    contract_text out, error;
    char answer[256], path[32];
    contract_handle contract = new_contract(), server;
    for (int turn = 0; turn < 5; turn++) {
        snprintf(path, sizeof path, "/%d/%d", *(int *)number, turn);
        contract_handle interaction = request(contract, path);
        check(succeeds(contract_serve(contract, NULL, 0, NULL, 0, &server, &error), &error), "a server on a thread");
        check(http_request(port_of(server), "GET", path, "", answer, sizeof answer) == 200, "an answer on a thread");
        check(succeeds(contract_servers_end(&server, 1, TEXT("{\"end\": \"unknown\"}"), &out, &error), &error),
              "the end on a thread");
        contract_text_free(&out);
        contract_free(server, NULL);
        contract_free(interaction, NULL);
    }
    contract_free(contract, NULL);
    return NULL;
}

static void threads(void) {
    pthread_t all[4];
    int numbers[4];
    for (int at = 0; at < 4; at++) {
        numbers[at] = at;
        pthread_create(&all[at], NULL, serve_on_thread, &numbers[at]);
    }
    for (int at = 0; at < 4; at++) pthread_join(all[at], NULL);
}

static sem_t record_received;

static void logger(void *user, const char *level, size_t level_length, uint64_t milliseconds, const char *target,
                   size_t target_length, const char *message, size_t message_length) {
    (void)level, (void)level_length, (void)target, (void)message;
    if (*(int *)user == 7 && milliseconds > 0 && target_length > 0 && message_length > 0) sem_post(&record_received);
}

static void logging(void) {
    contract_text error;
    static int user = 7;
    sem_init(&record_received, 0, 0);
    check(fails_with(contract_set_logger(logger, &user, TEXT("LOUD"), &error), CONTRACT_ARGUMENT, &error, "LOUD"),
          "an unknown log level");
    check(succeeds(contract_set_logger(logger, &user, TEXT("TRACE"), &error), &error), "a logger");
    serving();
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    check(sem_timedwait(&record_received, &until) == 0, "a record");
    check(succeeds(contract_set_logger(NULL, NULL, NULL, 0, &error), &error), "removing the logger");
}

/* Runs in a separate process, in which the threads of the library are not running and limits can be lowered. */
static void without_threads(void) {
#ifdef __linux__
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        contract_text out, error;
        contract_handle verifier = verifier_of(9);
        struct rlimit one = {1, 1};
        check(setrlimit(RLIMIT_NPROC, &one) == 0, "setting the limit");
        /* The limit does not apply to root, so switch to another user. */
        if (getuid() == 0) check(setgid(65534) == 0 && setuid(65534) == 0, "another user");
        check(fails_with(contract_verifier_begin(verifier, TEXT("{\"run\": {}}"), &error), CONTRACT_INTERNAL, &error,
                      "ERR_CONTRACT_THREADS"), "starting in the background without threads");
        check(fails_with(contract_poll_event(verifier, 0, &out, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_NOT_RUNNING"),
              "polling after a failed start");
        check(fails_with(contract_verifier_run(verifier, NULL, 0, &out, &error), CONTRACT_INTERNAL, &error, "ERR_CONTRACT_THREADS"),
              "a run without threads");
        contract_free(verifier, NULL);
        fflush(stdout);
        _exit(wrong == 0 ? 0 : 1);
    }
    int status = 0;
    check(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child process");
#endif
}

/* Runs in a separate process, in which the threads of the library are not running and limits can be lowered. */
static void without_file_descriptors(void) {
#ifndef _WIN32
    fflush(stdout);
    for (rlim_t spare = 0; spare < 6; spare++) {
        pid_t child = fork();
        if (child == 0) {
            contract_text out, error;
            contract_handle verifier = verifier_of(9);
            int highest = dup(0);
            struct rlimit few;
            check(highest >= 0 && getrlimit(RLIMIT_NOFILE, &few) == 0, "reading the limit");
            few.rlim_cur = (rlim_t)highest + 1 + spare;
            check(setrlimit(RLIMIT_NOFILE, &few) == 0, "setting the limit");
            check(fails_with(contract_verifier_run(verifier, NULL, 0, &out, &error), CONTRACT_INTERNAL, &error,
                          "ERR_CONTRACT_OPEN_FILES"), "a run without file descriptors");
            contract_free(verifier, NULL);
            fflush(stdout);
            _exit(wrong == 0 ? 0 : 1);
        }
        int status = 0;
        check(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
              "the child process");
    }
#endif
}

int main(void) {
    /* This test must be the first one, because the threads of the library are not running yet. */
    test("a system without free threads", without_threads);
    /* valgrind emulates this limit and reports file descriptors as closed while the kernel still has them. */
    if (getenv("UNDER_VALGRIND") == NULL) test("a system without free file descriptors", without_file_descriptors);
    test("versions", versions);
    test("null pointers", null_pointers);
    test("invalid texts", invalid_texts);
    test("invalid handles", invalid_handles);
    test("serving", serving);
    test("messages", messages);
    test("output parameters of failed calls", outputs_of_failed_calls);
    test("large texts", large_texts);
    test("verifying", verifying);
    test("polling", polling);
    test("polling that ends early", polling_ends_early);
    test("the table of operations", operations);
    test("threads", threads);
    test("handles that another thread frees", freed_by_another_thread);
    test("logging", logging);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
