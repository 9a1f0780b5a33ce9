/*
 * contract: consumer-driven contract testing. Made from the sources by crates/capi/tests/header.rs; not to be edited.
 *
 * Texts go in as UTF-8 with their length in bytes; no zero byte is needed behind them, and they are borrowed for the call. Texts
 * come out as contract_text, which is the caller's and is freed with contract_text_free. Operations, options and results are JSON;
 * their names are those of fixtures/operations, in snake_case.
 *
 * Functions give a status. `error` may be null; else it gets {"kind", "code", "message", …} as JSON when the call failed, and null
 * when it did not. A place for a result must not be null unless it says so; it is written to without looking at what is
 * there, so free an earlier text first, and holds null or 0 when the call failed.
 *
 * Every function may be called on every thread, and from callbacks; calls with one handle may overlap. Callbacks come on threads of
 * the library's, never while a lock is held. In a process that was forked after the library had begun to work there, nothing is
 * promised. No panic and no exception leaves the library.
 */
#ifndef CONTRACT_H
#define CONTRACT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A contract, an interaction, a server, messages or a verifier: a number, never 0. Handles may be used on any thread. One that
 * was freed, or never was, is refused with CONTRACT_MISUSE.
 */
typedef uint64_t contract_handle;

/* What a function says: 0 is CONTRACT_OK, anything else a kind of failure. */
typedef int32_t contract_status;

/* All went well. */
#define CONTRACT_OK 0

/* An argument makes no sense; the error says which and why. Nothing of the call stays. */
#define CONTRACT_ARGUMENT 1

/* A file could not be read or written; what was on disk is as it was. */
#define CONTRACT_FILE 2

/* The mock server could not be started. */
#define CONTRACT_SERVER 3

/* The verification could not be carried out. A provider that does not honour its contract is no failure but a report. */
#define CONTRACT_VERIFICATION 4

/* The library was used in a wrong way: a null pointer where none may be, text that is no UTF-8, a handle that is none. */
#define CONTRACT_MISUSE 5

/* The library itself failed; please report it. */
#define CONTRACT_INTERNAL 6

/* The version of this interface. It grows when something that a program relies on goes or means something else. */
#define CONTRACT_ABI_VERSION 1

/*
 * Text that the library gives: UTF-8, with its length in bytes. It is the caller's, who frees it with contract_text_free. A
 * zero byte follows it, which `length` does not count.
 */
typedef struct contract_text {
    /* The bytes; null when there is no text. */
    char *data;
    /* How many there are. */
    size_t length;
} contract_text;

/*
 * Called for each function that was named to a verifier by `{"contract:value": "function", "id": function}`: `role` says what for
 * (`state`, `message`, `requestFilter`, `header`, `before`, `after`), `arguments` is a JSON list; both are borrowed for the call.
 * It answers with contract_answer, in the call or later, on any thread. It is called on a thread of the library's, several calls
 * may be under way, no lock is held, and it may call every function of the library. It must not let a C++ exception or a longjmp
 * out. One that does not answer fails its interaction after the time of `set_callback_timeout` (default: 30 s).
 */
typedef void (*contract_callback)(
    void *user,
    uint64_t call,
    uint32_t function,
    const char *role,
    size_t role_length,
    const char *arguments,
    size_t arguments_length);

/*
 * Called with each thing that the core has to tell: its level (`ERROR`, `WARN`, `INFO`, `DEBUG`, `TRACE`), milliseconds since 1970,
 * the part of the core, and the text; texts are borrowed for the call. It is called on one thread of the library's, one call after
 * another; no lock is held. Of more than ten thousand records that wait, the latest are left out.
 */
typedef void (*contract_logger)(
    void *user,
    const char *level,
    size_t level_length,
    uint64_t milliseconds,
    const char *target,
    size_t target_length,
    const char *message,
    size_t message_length);

/*
 * Gives the version of the interface that the library has; a program compares it with the CONTRACT_ABI_VERSION that it was
 * compiled with.
 */
uint32_t contract_abi_version(void);

/* Gives the version of the core, such as `1.2.3`, in `out`, which the caller frees. */
contract_status contract_version(contract_text *out, contract_text *error);

/* Frees a text that the library gave, and sets it to null. Null, and a text that was freed in this way before, are left alone. */
void contract_text_free(contract_text *text);

/*
 * Gives what a binding is made from, a JSON object: `operations`, the operations of contracts, interactions, verifiers and
 * selectors with their arguments and options; `functions`, the matchers and generators of contract_matcher; `shapes`, a JSON
 * Schema for each result, such as `VerificationReport`, `Verdict`, `Event` and `Error`. It is installed as
 * share/contract/operations.json, too.
 */
contract_status contract_operations(contract_text *out, contract_text *error);

/*
 * Frees what a handle stands for. A server that runs is stopped, and what did not match on it is not told; an interaction stays
 * part of its contract. A call that is under way with the handle comes to its end first.
 */
contract_status contract_free(contract_handle handle, contract_text *error);

/*
 * Makes a contract from `{"consumer", "provider", "options"}`; options may hold `specification`, `directory`, `write_mode`,
 * `unexpected_fields`, `seed`, `lock_timeout`, `timeout`, `generated_size` and `plugins`. The caller frees the handle.
 */
contract_status contract_new(
    const char *json,
    size_t json_length,
    contract_handle *out,
    contract_text *error);

/*
 * Carries out an operation of a contract, such as `{"upon_receiving": {"description": "a request"}}`. `origin` says where in the
 * user's code, such as `orders_test.c:12`, or is null. An operation that begins an interaction gives its handle in
 * `interaction`, which the caller frees; others give 0 there.
 */
contract_status contract_apply(
    contract_handle contract,
    const char *operation,
    size_t operation_length,
    const char *origin,
    size_t origin_length,
    contract_handle *interaction,
    contract_text *error);

/*
 * Carries out an operation of an interaction, such as `{"with_header": {"name": "X-Id", "value": "7"}}`. `warnings` may be null;
 * else it gets a JSON list of texts about how other tools would misread what was defined, or null when there are none.
 */
contract_status contract_interaction_apply(
    contract_handle interaction,
    const char *operation,
    size_t operation_length,
    contract_text *warnings,
    contract_text *error);

/*
 * Gives the interactions as they stand, a JSON list in the form of V4 files: those of a kind (`HTTP`, `Sync`, `Async`), or all
 * when `kind` is null.
 */
contract_status contract_interactions(
    contract_handle contract,
    const char *kind,
    size_t kind_length,
    contract_text *out,
    contract_text *error);

/*
 * Writes the contract file: interactions that passed and those never served, never one that failed. Options are
 * `{"directory", "overwrite"}`, or null: the directory is then that of the contract, else the environment variable
 * CONTRACT_OUTPUT_DIR, else the current one. Gives the path of the file in `out`.
 */
contract_status contract_write_file(
    contract_handle contract,
    const char *json,
    size_t json_length,
    contract_text *out,
    contract_text *error);

/*
 * Gives the matcher JSON of a call such as `match.int` with `{"example": 7}`, `generate.uuid` or `xml.element`. It is put into
 * bodies and values where the example would stand.
 */
contract_status contract_matcher(
    const char *name,
    size_t name_length,
    const char *json,
    size_t json_length,
    contract_text *out,
    contract_text *error);

/* Gives the example of a template: the template with each matcher replaced by its example. */
contract_status contract_example(
    const char *json,
    size_t json_length,
    contract_text *out,
    contract_text *error);

/*
 * Starts a mock server for the interactions defined since the last time; options, such as `{"port": 8080}`, may be null. With
 * `only`, for exactly these `only_count` interactions; null is no such list. The test calls its URL, then contract_servers_end.
 */
contract_status contract_serve(
    contract_handle contract,
    const char *json,
    size_t json_length,
    const contract_handle *only,
    size_t only_count,
    contract_handle *out,
    contract_text *error);

/*
 * Gives what a server is: `{"url", "host", "port", "transport", "caCertificate", "timeout"}`. The certificate is PEM, or null; the
 * time that a test may take is in milliseconds, and nobody but the test keeps to it.
 */
contract_status contract_server_describe(contract_handle server, contract_text *out, contract_text *error);

/* Gives what a server has to say so far: `{"matched", "mismatches", …}`. */
contract_status contract_server_outcome(contract_handle server, contract_text *out, contract_text *error);

/* Gives the requests that came, a JSON list; the latest ten thousand. Unlike texts they hold secrets. */
contract_status contract_server_requests(contract_handle server, contract_text *out, contract_text *error);

/* Gives what happened, a line for each request; the latest thousand. Secrets are blanked out. */
contract_status contract_server_log(contract_handle server, contract_text *out, contract_text *error);

/*
 * Writes the interactions of a server that passed, while it runs those that passed so far. Options are
 * `{"directory", "overwrite"}`; the directory must be given. Gives the path of the file in `out`.
 */
contract_status contract_server_write_file(
    contract_handle server,
    const char *json,
    size_t json_length,
    contract_text *out,
    contract_text *error);

/*
 * Ends a test: stops its servers, gives their interactions back, and writes those that passed. `json` says how the test itself
 * ended: `{"end": "passed"}`, `failed`, `timed_out` or `unknown`; `name` may stand beside it for texts. Gives the verdict
 * `{"mismatched", "late", "print"}`: the test failed unless `mismatched` and `late` are null; else each has its `text`. What is in
 * `print` is for standard error. The handles are still to be freed.
 */
contract_status contract_servers_end(
    const contract_handle *servers,
    size_t count,
    const char *json,
    size_t json_length,
    contract_text *out,
    contract_text *error);

/*
 * Takes the messages of one kind that were defined since the last time, for a test of the consumer's own code. Options hold
 * `kind`, `Async` or `Sync`, and may hold `raises`, `check_response`, `allow_empty`, `all`, `seed` and `generated_size`. The caller
 * tells of each message how it was taken, calls contract_messages_finish, and frees the handle.
 */
contract_status contract_messages_take(
    contract_handle contract,
    const char *json,
    size_t json_length,
    contract_handle *out,
    contract_text *error);

/*
 * Gives the messages, a JSON list of `{"description", "raw", "contentType", "metadata", "isReady", …}`. One that is not ready is
 * not for the handler.
 */
contract_status contract_messages_list(contract_handle messages, contract_text *out, contract_text *error);

/*
 * Takes down how the user's code took the message at `index`: `"passed"`, `"timed_out"`, `{"threw": "why"}`, or
 * `{"returned": …}` with a response that is compared with the defined one. A message that is not ready `passed`; one that nobody
 * told of has failed in the end. The last word on a message holds.
 */
contract_status contract_messages_handled(
    contract_handle messages,
    size_t index,
    const char *json,
    size_t json_length,
    contract_text *error);

/*
 * Gives the messages back and writes those that passed. Gives the verdict `{"raises", "failures", "text"}`: the test failed unless
 * `failures` is empty. The handle is still to be freed.
 */
contract_status contract_messages_finish(contract_handle messages, contract_text *out, contract_text *error);

/*
 * Answers a call of a contract_callback or an event of contract_poll_event: with a JSON value, where null is JSON null, or with
 * `problem`, a text that says why the user's code failed; a null `problem` says that it did not. A call that was answered, that nobody waits for any more, or that never was
 * is CONTRACT_MISUSE. Failures in reports name the call by the number in `causes`.
 */
contract_status contract_answer(
    uint64_t call,
    const char *json,
    size_t json_length,
    const char *problem,
    size_t problem_length,
    contract_text *error);

/* Makes a verifier for a provider of this name. The caller frees the handle. */
contract_status contract_verifier_new(
    const char *provider,
    size_t provider_length,
    contract_handle *out,
    contract_text *error);

/*
 * Carries out an operation of a verifier, such as `{"add_source": {"source": "./contracts"}}` or
 * `{"state_handler": {"handler": {"an order exists": {"contract:value": "function", "id": 1}}}}`. Functions are named by numbers of
 * the caller's.
 */
contract_status contract_verifier_apply(
    contract_handle verifier,
    const char *operation,
    size_t operation_length,
    contract_text *error);

/*
 * Sets who is called for functions, with a pointer that is handed on as it is; null takes it away. Both must hold until they are
 * replaced or the verifier is freed, and no call is under way.
 */
contract_status contract_verifier_set_callback(
    contract_handle verifier,
    contract_callback callback,
    void *user,
    contract_text *error);

/*
 * Runs the verification, on this thread; options are `{"exit_first", "last_failed", "concurrency", "progress"}`, or null. Gives
 * `{"report", "failures", "text", "log", "causes"}`: the provider honours its contracts when `failures` is null; else it is a text
 * for people.
 */
contract_status contract_verifier_run(
    contract_handle verifier,
    const char *json,
    size_t json_length,
    contract_text *out,
    contract_text *error);

/* Gives the interactions to verify, a JSON list of `{"contract", "group", "title"}`, for one test each. Reads all sources. */
contract_status contract_verifier_interactions(contract_handle verifier, contract_text *out, contract_text *error);

/* Gets ready to verify the interactions one by one. */
contract_status contract_verifier_start(contract_handle verifier, contract_text *error);

/*
 * Verifies the interaction at `index` of contract_verifier_interactions, after contract_verifier_start; gives what is about it
 * alone, as contract_verifier_run does. One after another: they share the provider's state.
 */
contract_status contract_verifier_verify_one(
    contract_handle verifier,
    size_t index,
    contract_text *out,
    contract_text *error);

/*
 * Ends what contract_verifier_start began: publishes results that are to be published, lets go of connections, and gives what was
 * found in all, as contract_verifier_run does; null when nothing was started.
 */
contract_status contract_verifier_finish(contract_handle verifier, contract_text *out, contract_text *error);

/* Gives what the last run found, or what was verified one by one so far, as contract_verifier_run does; null before the first. */
contract_status contract_verifier_last(contract_handle verifier, contract_text *out, contract_text *error);

/* Gives a report, the JSON text of one, in a format: `json`, `junit`, `markdown`, `html` or `github`. */
contract_status contract_report_format(
    const char *report,
    size_t report_length,
    const char *format,
    size_t format_length,
    contract_text *out,
    contract_text *error);

/*
 * Begins what contract_verifier_run or contract_verifier_verify_one does, and returns at once: `{"run": {options}}` or
 * `{"verify_one": index}`. From then on contract_poll_event gives the calls of functions; no callback is called. For languages whose
 * functions must not be called on threads of the library's. Only one such work may be under way per verifier;
 * contract_free of the verifier ends it.
 */
contract_status contract_verifier_begin(
    contract_handle verifier,
    const char *json,
    size_t json_length,
    contract_text *error);

/*
 * Gives the next event of what contract_verifier_begin began, waiting for it for at most `timeout` milliseconds; null when none came.
 * `{"event": "call", "call", "function", "role", "arguments"}` is a call of a function, see contract_callback; it is answered with
 * contract_answer, before or after further events. `{"event": "ended", "result", "error"}` is the last one: `result` is what
 * contract_verifier_run gives, or null when `error` says why there is none. Poll from one thread at a time.
 */
contract_status contract_poll_event(
    contract_handle verifier,
    uint32_t timeout,
    contract_text *out,
    contract_text *error);

/*
 * Turns the core's log on standard error on, off or to another level, for the whole process: `OFF`, `ERROR`, `WARN`, `INFO`, `DEBUG`
 * or `TRACE`. It is off until then.
 */
contract_status contract_log_to_stderr(const char *level, size_t level_length, contract_text *error);

/* Appends the core's log to a file, for the whole process; the level `OFF` closes it. */
contract_status contract_log_to_file(
    const char *path,
    size_t path_length,
    const char *level,
    size_t level_length,
    contract_text *error);

/*
 * Gives the core's log, up to a level, to a function, with a pointer that is handed on as it is; a null function takes it away.
 * Records that wait may still come for a while.
 */
contract_status contract_set_logger(
    contract_logger logger,
    void *user,
    const char *level,
    size_t level_length,
    contract_text *error);

#ifdef __cplusplus
}
#endif

#endif
