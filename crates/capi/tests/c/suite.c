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

/* Each function that main calls is one test with any number of checks. */
static int passed = 0, failed = 0, wrong = 0;

static void check(int holds, const char *what) {
    if (holds) return;
    __atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
    printf("not ok: %s\n", what);
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

/* Returns whether a call failed with this status and code. */
static int refused(contract_status status, contract_status wanted, contract_text *error, const char *code) {
    int is = status == wanted && error->data != NULL && strlen(error->data) == error->length &&
             strstr(error->data, code) != NULL && strstr(error->data, "\"message\":") != NULL;
    if (!is) printf("  got %d: %s\n", (int)status, error->data == NULL ? "null" : error->data);
    contract_text_free(error);
    return is;
}

static int well(contract_status status, contract_text *error) {
    int is = status == CONTRACT_OK && error->data == NULL && error->length == 0;
    if (!is) printf("  got %d: %s\n", (int)status, error->data == NULL ? "null" : error->data);
    contract_text_free(error);
    return is;
}

#define TEXT(text) (text), strlen(text)
#define CONTRACT "{\"consumer\": \"web\", \"provider\": \"orders\"}"

static contract_handle new_contract(void) {
    contract_handle contract = 0;
    contract_text error;
    check(well(contract_new(TEXT(CONTRACT), &contract, &error), &error), "a contract");
    return contract;
}

static contract_handle request(contract_handle contract, const char *path) {
    contract_handle interaction = 0;
    contract_text error;
    char json[512];
    snprintf(json, sizeof json, "{\"upon_receiving\": {\"description\": \"a request for %s\"}}", path);
    check(well(contract_apply(contract, TEXT(json), TEXT("suite.c:1"), &interaction, &error), &error), "an interaction");
    snprintf(json, sizeof json, "{\"with_request\": {\"method\": \"GET\", \"path\": \"%s\"}}", path);
    check(well(contract_interaction_apply(interaction, TEXT(json), NULL, &error), &error), "its request");
    const char *response = "{\"will_respond_with\": {\"status\": 200, \"body\": {\"id\": 7}}}";
    check(well(contract_interaction_apply(interaction, TEXT(response), NULL, &error), &error), "its response");
    return interaction;
}

static void versions(void) {
    contract_text out, error;
    check(contract_abi_version() == CONTRACT_ABI_VERSION, "the version of the interface is returned");
    check(well(contract_version(&out, &error), &error), "the version of the core");
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
#define REFUSES(call) check(refused(call, CONTRACT_MISUSE, &error, null), #call)
    REFUSES(contract_version(NULL, &error));
    REFUSES(contract_new(NULL, 0, &handle, &error));
    REFUSES(contract_new(NULL, 7, &handle, &error));
    REFUSES(contract_new(TEXT(CONTRACT), NULL, &error));
    REFUSES(contract_apply(contract, NULL, 0, NULL, 0, &handle, &error));
    REFUSES(contract_apply(contract, TEXT(object), NULL, 0, NULL, &error));
    REFUSES(contract_interaction_apply(interaction, NULL, 0, NULL, &error));
    REFUSES(contract_interactions(contract, NULL, 0, NULL, &error));
    REFUSES(contract_write_file(contract, NULL, 0, NULL, &error));
    REFUSES(contract_serve(contract, NULL, 0, NULL, 0, NULL, &error));
    REFUSES(contract_servers_end(NULL, 0, TEXT(object), &out, &error));
    REFUSES(contract_servers_end(NULL, 5, TEXT(object), &out, &error));
    REFUSES(contract_servers_end(&handle, 1, NULL, 0, NULL, &error));
    REFUSES(contract_server_describe(1, NULL, &error));
    REFUSES(contract_server_outcome(1, NULL, &error));
    REFUSES(contract_server_requests(1, NULL, &error));
    REFUSES(contract_server_log(1, NULL, &error));
    REFUSES(contract_messages_take(contract, NULL, 0, &handle, &error));
    REFUSES(contract_messages_take(contract, TEXT(object), NULL, &error));
    REFUSES(contract_messages_list(1, NULL, &error));
    REFUSES(contract_messages_finish(1, NULL, &error));
    REFUSES(contract_matcher(NULL, 0, TEXT(object), &out, &error));
    REFUSES(contract_matcher(TEXT("match.int"), TEXT(object), NULL, &error));
    REFUSES(contract_example(NULL, 0, &out, &error));
    REFUSES(contract_verifier_new(NULL, 0, &handle, &error));
    REFUSES(contract_verifier_new(TEXT("orders"), NULL, &error));
    REFUSES(contract_verifier_run(1, NULL, 0, NULL, &error));
    REFUSES(contract_verifier_interactions(1, NULL, &error));
    REFUSES(contract_verifier_verify_one(1, 0, NULL, &error));
    REFUSES(contract_verifier_finish(1, NULL, &error));
    REFUSES(contract_verifier_last(1, NULL, &error));
    REFUSES(contract_report_format(NULL, 0, TEXT("json"), &out, &error));
    REFUSES(contract_report_format(TEXT(object), TEXT("json"), NULL, &error));
    REFUSES(contract_log_to_stderr(NULL, 0, &error));
    REFUSES(contract_log_to_file(NULL, 0, TEXT("OFF"), &error));
    REFUSES(contract_log_to_file(TEXT("x"), NULL, 0, &error));
    /* The error parameter may be null. */
    check(contract_new(NULL, 0, &handle, NULL) == CONTRACT_MISUSE, "no place for the error");
    check(contract_free(interaction, NULL) == CONTRACT_OK && contract_free(contract, NULL) == CONTRACT_OK, "freed");
}

static void texts_that_are_none(void) {
    contract_text out, error;
    contract_handle handle, contract = new_contract();
    const char *bad = "{\"upon_receiving\": {\"description\": \"\xff\xfe\"}}";
    check(refused(contract_apply(contract, bad, strlen(bad), NULL, 0, &handle, &error), CONTRACT_MISUSE, &error,
                  "ERR_CONTRACT_UTF8"), "no UTF-8 in an operation");
    check(refused(contract_new("\xc3", 1, &handle, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_UTF8"), "half a character");
    check(refused(contract_verifier_new("\xed\xa0\x80", 3, &handle, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_UTF8"),
          "a surrogate");
    check(refused(contract_new("x", (size_t)-1, &handle, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_LENGTH"),
          "a length larger than the address space");
    const char *none[] = {"", "{", "null", "[]", "7", "{\"consumer\": 7}", "\"x\"", "{}"};
    for (size_t at = 0; at < sizeof none / sizeof *none; at++) {
        check(refused(contract_new(TEXT(none[at]), &handle, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT"), none[at]);
        check(refused(contract_apply(contract, TEXT(none[at]), NULL, 0, &handle, &error), CONTRACT_ARGUMENT, &error,
                      "ERR_CONTRACT"), "no operation");
    }
    check(refused(contract_matcher(TEXT("match.int"), TEXT("{\"example\": \"x\"}"), &out, &error), CONTRACT_ARGUMENT, &error,
                  "ERR_CONTRACT_MATCHER"), "an argument of a matcher");
    check(refused(contract_matcher(TEXT("match.nothing"), TEXT("{}"), &out, &error), CONTRACT_ARGUMENT, &error, "unknown matcher"),
          "no matcher");
    check(refused(contract_example(TEXT("{\"a\": "), &out, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_JSON"), "no JSON");
    check(refused(contract_report_format(TEXT("{}"), TEXT("pdf"), &out, &error), CONTRACT_ARGUMENT, &error, "pdf"), "an unknown format");
    check(refused(contract_log_to_stderr(TEXT("LOUD"), &error), CONTRACT_ARGUMENT, &error, "LOUD"), "an unknown log level");
    check(refused(contract_write_file(contract, TEXT("[]"), &out, &error), CONTRACT_MISUSE, &error, "options"), "invalid options");
    check(refused(contract_write_file(contract, TEXT("{\"directory\": 7}"), &out, &error), CONTRACT_MISUSE, &error, "options"),
          "no directory");
    /* The next call succeeds. */
    check(well(contract_matcher(TEXT("match.int"), TEXT("{\"example\": 7}"), &out, &error), &error), "a matcher");
    check(strcmp(out.data, "{\"contract:matcher:type\":\"integer\",\"value\":7}") == 0, "matcher JSON");
    contract_text_free(&out);
    contract_free(contract, NULL);
}

static void handles_that_are_none(void) {
    contract_text out, error;
    contract_handle handle, contract = new_contract(), interaction = request(contract, "/handles"), verifier;
    check(well(contract_verifier_new(TEXT("orders"), &verifier, &error), &error), "a verifier");
    contract_handle none[] = {0, (contract_handle)-1, 1ull << 40};
    for (size_t at = 0; at < sizeof none / sizeof *none; at++) {
        check(refused(contract_interactions(none[at], NULL, 0, &out, &error), CONTRACT_MISUSE, &error, "is not a handle"), "none");
        check(refused(contract_free(none[at], &error), CONTRACT_MISUSE, &error, "is not a handle"), "freeing none");
    }
    check(refused(contract_interactions(interaction, NULL, 0, &out, &error), CONTRACT_MISUSE, &error, "does not refer to a contract"),
          "another kind");
    check(refused(contract_server_log(contract, &out, &error), CONTRACT_MISUSE, &error, "does not refer to a server"), "another kind");
    check(refused(contract_interaction_apply(verifier, TEXT("{}"), NULL, &error), CONTRACT_MISUSE, &error, "an interaction"),
          "another kind");
    contract_handle list[] = {contract, 0};
    check(refused(contract_serve(contract, NULL, 0, list, 2, &handle, &error), CONTRACT_MISUSE, &error, "an interaction"),
          "a list of others");
    check(well(contract_free(interaction, &error), &error), "freed");
    check(refused(contract_free(interaction, &error), CONTRACT_MISUSE, &error, "was freed"), "freed twice");
    check(refused(contract_interaction_apply(interaction, TEXT("{}"), NULL, &error), CONTRACT_MISUSE, &error, "was freed"),
          "used after it was freed");
    check(well(contract_free(verifier, &error), &error), "freed");
    check(refused(contract_verifier_run(verifier, NULL, 0, &out, &error), CONTRACT_MISUSE, &error, "was freed"),
          "used after it was freed");
    check(well(contract_interactions(contract, TEXT("HTTP"), &out, &error), &error), "the interaction stays in its contract");
    check(strstr(out.data, "/handles") != NULL, "the interaction");
    contract_text_free(&out);
    contract_free(contract, NULL);
}

static int port_of(contract_handle server) {
    contract_text out, error;
    int port = 0;
    if (well(contract_server_describe(server, &out, &error), &error)) port = atoi(strstr(out.data, "\"port\":") + 7);
    contract_text_free(&out);
    return port;
}

static void serving(void) {
    contract_text out, error;
    char answer[4096];
    contract_handle contract = new_contract(), interaction = request(contract, "/one"), server;
    check(well(contract_serve(contract, TEXT("{\"port\": 0}"), NULL, 0, &server, &error), &error), "a server");
    check(http_request(port_of(server), "GET", "/one", "", answer, sizeof answer) == 200, "an answer");
    check(strcmp(answer, "{\"id\":7}") == 0, "its body");
    check(well(contract_server_outcome(server, &out, &error), &error) && strstr(out.data, "\"matched\":true") != NULL, "matched");
    contract_text_free(&out);
    check(well(contract_server_requests(server, &out, &error), &error) && strstr(out.data, "\"/one\"") != NULL, "the requests");
    contract_text_free(&out);
    check(well(contract_server_log(server, &out, &error), &error) && strstr(out.data, "GET /one") != NULL, "the log");
    contract_text_free(&out);
    check(refused(contract_servers_end(&server, 1, TEXT("{\"end\": \"maybe\"}"), &out, &error), CONTRACT_ARGUMENT, &error, "end"),
          "no end");
    check(well(contract_servers_end(&server, 1, TEXT("{\"end\": \"passed\"}"), &out, &error), &error), "the end");
    check(strstr(out.data, "\"mismatched\":null") != NULL, "all matched");
    contract_text_free(&out);
    check(well(contract_free(server, &error), &error), "freed");

    check(well(contract_serve(contract, NULL, 0, &interaction, 1, &server, &error), &error), "exactly this one");
    check(http_request(port_of(server), "GET", "/other", "", answer, sizeof answer) == 500, "not in the contract");
    check(well(contract_servers_end(&server, 1, TEXT("{\"end\": \"passed\"}"), &out, &error), &error), "the end");
    check(strstr(out.data, "GET /other") != NULL, "what did not match");
    contract_text_free(&out);
    contract_free(server, NULL);
    check(refused(contract_serve(contract, NULL, 0, NULL, 0, &server, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_NOTHING"),
          "nothing to serve");
    check(refused(contract_serve(contract, TEXT("{\"host\": \"no host\", \"all\": true}"), NULL, 0, &server, &error),
                  CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_OPTIONS"), "no host");
    check(refused(contract_serve(contract, TEXT("{\"host\": \"192.0.2.1\", \"all\": true}"), NULL, 0, &server, &error),
                  CONTRACT_SERVER, &error, "ERR_CONTRACT_ADDRESS"), "not an address of this machine");
    /* A server that was not stopped is stopped when it is freed. */
    check(well(contract_serve(contract, TEXT("{\"all\": true}"), NULL, 0, &server, &error), &error), "a server");
    int port = port_of(server);
    check(well(contract_free(server, &error), &error), "freed");
    check(http_request(port, "GET", "/one", "", answer, sizeof answer) == 0, "the server no longer listens");
    contract_free(interaction, NULL);
    contract_free(contract, NULL);
}

static void messages(void) {
    contract_text out, error;
    contract_handle contract = new_contract(), interaction, taken;
    const char *begin = "{\"upon_receiving\": {\"description\": \"an event\", \"kind\": \"Async\"}}";
    check(well(contract_apply(contract, TEXT(begin), NULL, 0, &interaction, &error), &error), "a message");
    check(well(contract_interaction_apply(interaction, TEXT("{\"with_body\": {\"body\": {\"id\": 7}}}"), &out, &error), &error),
          "its contents");
    check(out.data == NULL, "no warnings");
    check(refused(contract_messages_take(contract, TEXT("{\"kind\": \"HTTP\"}"), &taken, &error), CONTRACT_ARGUMENT, &error,
                  "ERR_CONTRACT_KIND"), "no kind of messages");
    check(well(contract_messages_take(contract, TEXT("{\"kind\": \"Async\", \"all\": true}"), &taken, &error), &error), "taken");
    check(well(contract_messages_list(taken, &out, &error), &error) && strstr(out.data, "an event") != NULL, "the list");
    contract_text_free(&out);
    check(refused(contract_messages_handled(taken, 0, TEXT("\"perhaps\""), &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT"),
          "no way to take it");
    check(refused(contract_messages_handled(taken, 1, TEXT("\"passed\""), &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_INDEX"),
          "no such message");
    check(refused(contract_messages_handled(taken, (size_t)-1, TEXT("\"passed\""), &error), CONTRACT_MISUSE, &error,
                  "ERR_CONTRACT_INDEX"), "no such message");
    check(well(contract_messages_handled(taken, 0, TEXT("{\"threw\": \"no database\"}"), &error), &error), "it threw");
    check(well(contract_messages_finish(taken, &out, &error), &error) && strstr(out.data, "no database") != NULL, "the verdict");
    contract_text_free(&out);
    contract_free(taken, NULL);
    check(well(contract_messages_take(contract, TEXT("{\"kind\": \"Async\", \"all\": true}"), &taken, &error), &error), "again");
    check(well(contract_messages_finish(taken, &out, &error), &error) && strstr(out.data, "no result was reported") != NULL,
          "a message without a result fails");
    contract_text_free(&out);
    contract_free(taken, NULL);
    contract_free(interaction, NULL);
    contract_free(contract, NULL);
}

/* A failed call leaves nothing to free or to use. */
static void places_of_results(void) {
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

/* Large and deeply nested values result in an error or a value, not in a crash. */
static void large_texts(void) {
    contract_text out, error;
    size_t length = 1 << 20;
    char *text = malloc(length + 1);
    memset(text, '[', length);
    text[length] = 0;
    check(refused(contract_example(text, length, &out, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_JSON"), "a million brackets");
    for (size_t at = 0; at + 6 <= length; at += 6) memcpy(text + at, "{\"a\": ", 6);
    check(refused(contract_example(text, length, &out, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_JSON"), "nested objects");
    memset(text, '9', length);
    check(well(contract_example(text, length, &out, &error), &error) && out.length == length, "a million digits");
    contract_text_free(&out);
    memset(text, 'a', length);
    text[0] = text[length - 1] = '"';
    check(well(contract_example(text, length, &out, &error), &error) && out.length == length, "a million letters");
    contract_text_free(&out);
    check(refused(contract_example("\"a\0b\"", 5, &out, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_JSON"), "a zero byte in JSON");
    check(well(contract_example("\"a\\u0000b\"", 10, &out, &error), &error) && out.length == 10, "one that is escaped");
    contract_text_free(&out);
    free(text);
}

static int found(const char *method, const char *path, const char *body, char *answer, size_t size) {
    (void)method, (void)path, (void)body;
    snprintf(answer, size, "{\"id\": 7}");
    return 200;
}

enum behaviour { ANSWERS, FAILS, NO_JSON, CALLS_BACK, TWICE, LATER, RUNS_AGAIN, FREES, SILENT, NEVER_RETURNS };

struct user {
    enum behaviour behaviour;
    contract_handle verifier;
    int calls;
    sem_t end;
};

static void *answers_later(void *call) {
    struct timespec soon = {0, 20000000};
    nanosleep(&soon, NULL);
    contract_answer(*(uint64_t *)call, TEXT("{\"id\": 7}"), NULL, 0, NULL);
    free(call);
    return NULL;
}

static void called(void *pointer, uint64_t call, uint32_t function, const char *role, size_t role_length, const char *arguments,
                   size_t arguments_length) {
    struct user *user = pointer;
    contract_text out, error;
    contract_handle handle;
    pthread_t thread;
    uint64_t *copy;
    __atomic_add_fetch(&user->calls, 1, __ATOMIC_SEQ_CST);
    check(function == 3 && role_length == 5 && memcmp(role, "state", 5) == 0, "function and role");
    check(arguments_length > 2 && arguments[0] == '[' && arguments[arguments_length - 1] == ']', "arguments");
    switch (user->behaviour) {
        case ANSWERS:
            check(well(contract_answer(call, NULL, 0, NULL, 0, &error), &error), "an answer");
            break;
        case FAILS:
            check(well(contract_answer(call, NULL, 0, TEXT("the database is gone"), &error), &error), "a problem");
            break;
        case NO_JSON:
            check(refused(contract_answer(call, TEXT("{"), NULL, 0, &error), CONTRACT_ARGUMENT, &error, "ERR_CONTRACT_JSON"),
                  "an answer that is not JSON");
            check(well(contract_answer(call, TEXT("{}"), NULL, 0, &error), &error), "and then one that is");
            break;
        case CALLS_BACK:
            check(well(contract_matcher(TEXT("match.int"), TEXT("{}"), &out, &error), &error), "a call from a callback");
            contract_text_free(&out);
            check(well(contract_verifier_last(user->verifier, &out, &error), &error), "of the same verifier");
            contract_text_free(&out);
            check(well(contract_verifier_apply(user->verifier, TEXT("{\"set_request_timeout\": {\"milliseconds\": 9000}}"), &error),
                       &error), "an operation of it");
            check(well(contract_verifier_new(TEXT("other"), &handle, &error), &error), "another verifier");
            check(contract_verifier_run(handle, NULL, 0, &out, &error) == CONTRACT_VERIFICATION, "a run inside of a run");
            contract_text_free(&error);
            contract_free(handle, NULL);
            check(well(contract_answer(call, NULL, 0, NULL, 0, &error), &error), "an answer");
            break;
        case TWICE:
            check(well(contract_answer(call, NULL, 0, NULL, 0, &error), &error), "an answer");
            check(refused(contract_answer(call, NULL, 0, NULL, 0, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_CALL"),
                  "a second answer");
            break;
        case LATER:
            copy = malloc(sizeof *copy);
            *copy = call;
            pthread_create(&thread, NULL, answers_later, copy);
            pthread_detach(thread);
            break;
        case RUNS_AGAIN:
            /* A handler that starts a verification with the verifier that is waiting for the handler. */
            if (user->calls == 1) {
                contract_status status = contract_verifier_run(user->verifier, NULL, 0, &out, &error);
                check(status == CONTRACT_OK ? out.data != NULL : error.data != NULL, "the same verifier inside of its run");
                contract_text_free(&out);
                contract_text_free(&error);
            }
            check(well(contract_answer(call, NULL, 0, NULL, 0, &error), &error), "an answer");
            break;
        case FREES:
            check(well(contract_verifier_set_callback(user->verifier, NULL, NULL, &error), &error), "nobody is called any more");
            check(well(contract_free(user->verifier, &error), &error), "freed inside of its run");
            check(refused(contract_verifier_last(user->verifier, &out, &error), CONTRACT_MISUSE, &error, "was freed"),
                  "used inside of its run after it was freed");
            check(well(contract_answer(call, NULL, 0, NULL, 0, &error), &error), "an answer");
            break;
        case SILENT:
            break;
        case NEVER_RETURNS:
            while (sem_wait(&user->end) != 0) continue;
            check(refused(contract_answer(call, NULL, 0, NULL, 0, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_CALL"),
                  "an answer that nobody waits for any more");
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
    int port = http_serve(found);
    for (int at = ANSWERS; at <= NEVER_RETURNS; at++) {
        struct user *user = &users[at];
        user->behaviour = (enum behaviour)at;
        sem_init(&user->end, 0, 0);
        check(well(contract_verifier_new(TEXT("orders"), &user->verifier, &error), &error), "a verifier");
        char source[1024];
        snprintf(source, sizeof source, "{\"add_source\": {\"source\": %s}}", contract);
        check(well(contract_verifier_apply(user->verifier, TEXT(source), &error), &error), "a contract");
        snprintf(json, sizeof json, "{\"add_transport\": {\"transport\": \"http://127.0.0.1:%d\"}}", port);
        check(well(contract_verifier_apply(user->verifier, TEXT(json), &error), &error), "a transport");
        const char *handler =
            "{\"state_handler\": {\"handler\": {\"a state\": {\"contract:value\": \"function\", \"id\": 3}}}}";
        check(well(contract_verifier_apply(user->verifier, TEXT(handler), &error), &error), "a handler");
        if (at == ANSWERS) {
            check(well(contract_verifier_run(user->verifier, NULL, 0, &out, &error), &error), "a run without a callback");
            check(strstr(out.data, "no callback is set") != NULL, "nobody is called");
            contract_text_free(&out);
        }
        if (at == SILENT || at == NEVER_RETURNS)
            check(well(contract_verifier_apply(user->verifier, TEXT("{\"set_callback_timeout\": {\"milliseconds\": 100}}"), &error),
                       &error), "little time");
        check(well(contract_verifier_set_callback(user->verifier, called, user, &error), &error), "a callback");
        check(well(contract_verifier_run(user->verifier, TEXT("{\"concurrency\": 2}"), &out, &error), &error), "a run");
        int is_well = strstr(out.data, "\"failures\":null") != NULL;
        check(is_well == (at != FAILS && at != SILENT && at != NEVER_RETURNS), "what came of it");
        if (at == FAILS) check(strstr(out.data, "the database is gone") != NULL && strstr(out.data, "\"call\":") != NULL, "why");
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
            check(well(contract_verifier_interactions(user->verifier, &out, &error), &error) &&
                      strstr(out.data, "a request, given a state") != NULL, "the interactions");
            contract_text_free(&out);
            check(refused(contract_verifier_verify_one(user->verifier, 0, &out, &error), CONTRACT_ARGUMENT, &error,
                          "call start before"), "before the start");
            check(well(contract_verifier_start(user->verifier, &error), &error), "the start");
            check(refused(contract_verifier_verify_one(user->verifier, 9, &out, &error), CONTRACT_ARGUMENT, &error,
                          "interaction 9 does not exist"), "no such interaction");
            check(well(contract_verifier_verify_one(user->verifier, 0, &out, &error), &error), "one");
            contract_text_free(&out);
            check(well(contract_verifier_finish(user->verifier, &out, &error), &error) && out.data != NULL, "the finish");
            contract_text_free(&out);
            check(well(contract_verifier_finish(user->verifier, &out, &error), &error) && out.data == NULL, "once");
            check(well(contract_verifier_last(user->verifier, &out, &error), &error) && out.data != NULL, "the last");
            contract_text_free(&out);
        }
        if (at != FREES) check(well(contract_free(user->verifier, &error), &error), "freed");
    }
}

/* Creates a verifier for this service, with a state handler whose function has the ID 3. */
static contract_handle verifier_of(int port) {
    contract_handle verifier = 0;
    contract_text error;
    char json[1024];
    const char *contract = "{\"consumer\": {\"name\": \"web\"}, \"provider\": {\"name\": \"orders\"}, \"interactions\": [{"
                           "\"description\": \"a request\", \"type\": \"Synchronous/HTTP\", \"providerStates\": [{\"name\": \"a state\"}],"
                           "\"request\": {\"method\": \"GET\", \"path\": \"/\"}, \"response\": {\"status\": 200}}],"
                           "\"metadata\": {\"pactSpecification\": {\"version\": \"4.0\"}}}";
    check(well(contract_verifier_new(TEXT("orders"), &verifier, &error), &error), "a verifier");
    snprintf(json, sizeof json, "{\"add_source\": {\"source\": {\"json\": %s}}}", contract);
    check(well(contract_verifier_apply(verifier, TEXT(json), &error), &error), "a contract");
    snprintf(json, sizeof json, "{\"add_transport\": {\"transport\": \"http://127.0.0.1:%d\"}}", port);
    check(well(contract_verifier_apply(verifier, TEXT(json), &error), &error), "a transport");
    const char *handler = "{\"state_handler\": {\"handler\": {\"a state\": {\"contract:value\": \"function\", \"id\": 3}}}}";
    check(well(contract_verifier_apply(verifier, TEXT(handler), &error), &error), "a handler");
    return verifier;
}

/* Polls until there is an event; the caller frees it. */
static contract_text next_event(contract_handle verifier) {
    contract_text out, error;
    do {
        check(well(contract_poll_event(verifier, 1000, &out, &error), &error), "an event");
    } while (out.data == NULL && wrong == 0);
    return out;
}

/* Runs on this thread: calls are received as events, and answered between two events. */
static void polling(void) {
    contract_text out, error;
    contract_handle verifier = verifier_of(http_serve(found));
    const char *works[] = {"{\"run\": {}}", "{\"verify_one\": 0}", "{\"run\": {\"concurrency\": 2}}"};
    check(refused(contract_poll_event(verifier, 0, &out, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_NOT_RUNNING"),
          "nothing is under way");
    check(refused(contract_verifier_begin(verifier, TEXT("{\"walk\": {}}"), &error), CONTRACT_MISUSE, &error, "verify_one"),
          "no such work");
    check(refused(contract_verifier_begin(verifier, TEXT("{\"run\": {\"concurrency\": 0}}"), &error), CONTRACT_ARGUMENT, &error,
                  "concurrency"), "an option that makes no sense");
    for (int at = 0; at < 3; at++) {
        if (at == 1) {
            check(well(contract_verifier_interactions(verifier, &out, &error), &error), "the interactions");
            contract_text_free(&out);
            check(well(contract_verifier_start(verifier, &error), &error), "the start of one by one");
        }
        check(well(contract_verifier_begin(verifier, TEXT(works[at]), &error), &error), "the beginning");
        check(refused(contract_verifier_begin(verifier, TEXT(works[at]), &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_BUSY"),
              "once at a time");
        check(refused(contract_verifier_run(verifier, NULL, 0, &out, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_BUSY"),
              "no run meanwhile");
        contract_text event = next_event(verifier);
        unsigned long long call = 0;
        check(event.data != NULL && sscanf(event.data, "{\"event\":\"call\",\"call\":%llu,\"function\":3,", &call) == 1 &&
                  strstr(event.data, "\"role\":\"state\",\"arguments\":[\"setup\"") != NULL, "a call");
        contract_text_free(&event);
        check(well(contract_poll_event(verifier, 0, &out, &error), &error) && out.data == NULL, "nothing more until it is answered");
        if (at == 2)
            check(well(contract_answer(call, NULL, 0, TEXT("the database is gone"), &error), &error), "a problem");
        else
            check(well(contract_answer(call, TEXT("{\"id\": 7}"), NULL, 0, &error), &error), "an answer");
        event = next_event(verifier);
        check(event.data != NULL && strncmp(event.data, "{\"event\":\"ended\",\"result\":{\"report\":", 36) == 0, "the end");
        if (event.data != NULL) {
            check((strstr(event.data, "\"failures\":null") != NULL) == (at != 2), "what came of it");
            check((strstr(event.data, "the database is gone") != NULL) == (at == 2), "why");
        }
        contract_text_free(&event);
        check(refused(contract_poll_event(verifier, 0, &out, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_NOT_RUNNING"),
              "it is over");
        if (at == 1) {
            check(well(contract_verifier_finish(verifier, &out, &error), &error), "the finish");
            contract_text_free(&out);
        }
    }
    check(well(contract_free(verifier, &error), &error), "freed");
}

static void polling_ends_early(void) {
    contract_text out, error;
    /* Frees the verifier while a call is not answered. */
    contract_handle verifier = verifier_of(http_serve(found));
    unsigned long long call = 0;
    check(well(contract_verifier_begin(verifier, TEXT("{\"run\": {}}"), &error), &error), "the beginning");
    contract_text event = next_event(verifier);
    check(event.data != NULL && sscanf(event.data, "{\"event\":\"call\",\"call\":%llu", &call) == 1, "a call");
    contract_text_free(&event);
    check(well(contract_free(verifier, &error), &error), "freed while it works");
    check(refused(contract_poll_event(verifier, 0, &out, &error), CONTRACT_MISUSE, &error, "was freed"), "polled after it was freed");
    /* A verification that cannot run ends with an error. */
    check(well(contract_verifier_new(TEXT("orders"), &verifier, &error), &error), "a verifier without sources");
    check(well(contract_verifier_begin(verifier, TEXT("{\"run\": {}}"), &error), &error), "the beginning");
    event = next_event(verifier);
    check(event.data != NULL && strncmp(event.data, "{\"event\":\"ended\",\"result\":null,\"error\":{\"kind\":\"", 47) == 0,
          "an end with an error");
    contract_text_free(&event);
    check(well(contract_free(verifier, &error), &error), "freed");
}

static void operations(void) {
    contract_text out, error;
    check(well(contract_operations(&out, &error), &error), "the table");
    const char *parts[] = {"\"operations\":", "\"with_header\"", "\"functions\":", "\"match.each_like\"", "\"shapes\":",
                           "\"VerificationReport\": {", "\"Verdict\": {", "\"Event\": {"};
    for (size_t at = 0; at < sizeof parts / sizeof *parts; at++) check(strstr(out.data, parts[at]) != NULL, parts[at]);
    contract_text_free(&out);
}

/* One thread uses a handle while another frees it: a call completes or is rejected. */
static void *uses(void *handle) {
    contract_text out, error;
    for (int turn = 0; turn < 200; turn++) {
        contract_status status = contract_interactions(*(contract_handle *)handle, NULL, 0, &out, &error);
        check(status == CONTRACT_OK ? out.data != NULL : status == CONTRACT_MISUSE && out.data == NULL, "used while it is freed");
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
        for (int at = 0; at < 3; at++) pthread_create(&all[at], NULL, uses, &contract);
        check(well(contract_free(contract, &error), &error), "freed while others use it");
        for (int at = 0; at < 3; at++) pthread_join(all[at], NULL);
    }
}

static void *on_a_thread(void *given) {
    contract_text out, error;
    char answer[256], path[32];
    contract_handle contract = new_contract(), server;
    for (int turn = 0; turn < 5; turn++) {
        snprintf(path, sizeof path, "/%d/%d", *(int *)given, turn);
        contract_handle interaction = request(contract, path);
        check(well(contract_serve(contract, NULL, 0, NULL, 0, &server, &error), &error), "a server on a thread");
        check(http_request(port_of(server), "GET", path, "", answer, sizeof answer) == 200, "an answer on a thread");
        check(well(contract_servers_end(&server, 1, TEXT("{\"end\": \"unknown\"}"), &out, &error), &error), "the end on a thread");
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
        pthread_create(&all[at], NULL, on_a_thread, &numbers[at]);
    }
    for (int at = 0; at < 4; at++) pthread_join(all[at], NULL);
}

static sem_t told;

static void logger(void *user, const char *level, size_t level_length, uint64_t milliseconds, const char *target,
                   size_t target_length, const char *message, size_t message_length) {
    (void)level, (void)level_length, (void)target, (void)message;
    if (*(int *)user == 7 && milliseconds > 0 && target_length > 0 && message_length > 0) sem_post(&told);
}

static void logging(void) {
    contract_text error;
    static int user = 7;
    sem_init(&told, 0, 0);
    check(refused(contract_set_logger(logger, &user, TEXT("LOUD"), &error), CONTRACT_ARGUMENT, &error, "LOUD"), "an unknown log level");
    check(well(contract_set_logger(logger, &user, TEXT("TRACE"), &error), &error), "a logger");
    serving();
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    check(sem_timedwait(&told, &until) == 0, "a record");
    check(well(contract_set_logger(NULL, NULL, NULL, 0, &error), &error), "no logger any more");
}

/* Runs in a separate process, which has not started the library's threads and can lower its limits. */
static void threads_refused(void) {
#ifdef __linux__
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        contract_text out, error;
        contract_handle verifier = verifier_of(9);
        struct rlimit one = {1, 1};
        check(setrlimit(RLIMIT_NPROC, &one) == 0, "a limit");
        /* The limit does not apply to root. */
        if (getuid() == 0) check(setgid(65534) == 0 && setuid(65534) == 0, "another user");
        check(refused(contract_verifier_begin(verifier, TEXT("{\"run\": {}}"), &error), CONTRACT_INTERNAL, &error,
                      "ERR_CONTRACT_THREADS"), "polled work without threads");
        check(refused(contract_poll_event(verifier, 0, &out, &error), CONTRACT_MISUSE, &error, "ERR_CONTRACT_NOT_RUNNING"),
              "no work was started");
        check(refused(contract_verifier_run(verifier, NULL, 0, &out, &error), CONTRACT_INTERNAL, &error, "ERR_CONTRACT_THREADS"),
              "a run without threads");
        contract_free(verifier, NULL);
        fflush(stdout);
        _exit(wrong == 0 ? 0 : 1);
    }
    int status = 0;
    check(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child process");
#endif
}

/* In a process of its own, which has not started the library's threads and may lower its limits. */
static void open_files_refused(void) {
#ifndef _WIN32
    fflush(stdout);
    for (rlim_t spare = 0; spare < 6; spare++) {
        pid_t child = fork();
        if (child == 0) {
            contract_text out, error;
            contract_handle verifier = verifier_of(9);
            int highest = dup(0);
            struct rlimit few;
            check(highest >= 0 && getrlimit(RLIMIT_NOFILE, &few) == 0, "the limit");
            few.rlim_cur = (rlim_t)highest + 1 + spare;
            check(setrlimit(RLIMIT_NOFILE, &few) == 0, "a limit");
            check(refused(contract_verifier_run(verifier, NULL, 0, &out, &error), CONTRACT_INTERNAL, &error,
                          "ERR_CONTRACT_OPEN_FILES"), "a run without open files");
            contract_free(verifier, NULL);
            fflush(stdout);
            _exit(wrong == 0 ? 0 : 1);
        }
        int status = 0;
        check(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child process");
    }
#endif
}

int main(void) {
    /* Runs first, because later the library's threads are already running. */
    test("threads refused by the system", threads_refused);
    /* valgrind emulates this limit, and then reports closed file descriptors that the kernel still has. */
    if (getenv("UNDER_VALGRIND") == NULL) test("open files refused by the system", open_files_refused);
    test("versions", versions);
    test("null pointers", null_pointers);
    test("texts that are none", texts_that_are_none);
    test("handles that are none", handles_that_are_none);
    test("serving", serving);
    test("messages", messages);
    test("places of results", places_of_results);
    test("large texts", large_texts);
    test("verifying", verifying);
    test("polling", polling);
    test("polling that ends early", polling_ends_early);
    test("the table of operations", operations);
    test("threads", threads);
    test("freed by another thread", freed_by_another_thread);
    test("logging", logging);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
