// Every error code with its meaning, common causes, and fix. `npm run docs:reference` writes docs/reference/error-codes.md
// from this table; __test__/docs.test.ts fails when a code in the sources is missing here.
export const errorCodes = {
  'Consumer tests': {
    ERR_CONTRACT_MISMATCHES: [
      'The consumer sent a request that no interaction expects, or did not send an expected one.',
      'A different path, query parameter, header, or body; the client does not use `server.url`; the test ended too early.',
      'Read the closest interaction in the message. Fix the client, or the interaction.',
    ],
    ERR_CONTRACT_TIMEOUT: [
      'The callback of `serve`, or an interaction that `verify` was running, did not finish before the test timeout.',
      'The client waits for a response that it never receives, or retries requests.',
      'Check the requests in the message. Pass `timeout` to allow more time.',
    ],
    ERR_CONTRACT_VARIANTS: [
      'A test passes with the example, but fails with another response or message that the contract allows.',
      'The consumer does not handle null, an empty list, an unknown enum value, or an absent field.',
      'Handle the value in the consumer, or narrow the matcher. The message shows both. See [Consumer resilience](../guides/variants.md).',
    ],
    ERR_CONTRACT_VARIANTS_UNSTABLE: [
      'With variants, a test both failed and passed with the same response or message.',
      'The test depends on state that an earlier run left behind, on time, or on randomness.',
      'Reset the state at the start of the callback.',
    ],
    ERR_CONTRACT_VARIANTS_UNREAD: [
      'With the `unread` option of variants, the result of a test does not depend on a field of the response.',
      'The contract contains a field that the consumer does not read; the callback does not return everything that the client produces.',
      'Remove this field from the contract, or exclude its place with `except`.',
    ],
    ERR_CONTRACT_VARIANT_UNKNOWN: [
      '`CONTRACT_VARIANT` is not the name of a variant of the test.',
      'The name was misspelled, or the contract has changed; several tests run with the variable.',
      'Use one of the nearest names in the message, and run only the test that has the variant.',
    ],
    ERR_CONTRACT_NOTHING: [
      '`serve` found no interaction to serve.',
      'Nothing was defined since the last `serve`; an earlier call served and retired the interactions.',
      'Define an interaction, or pass `{ all: true }` or `{ only: […] }`.',
    ],
    ERR_CONTRACT_INCOMPLETE: [
      'An interaction is incomplete.',
      '`withRequest` was never called, or a call on the interaction threw and the error was caught.',
      'Complete the interaction, or remove it.',
    ],
    ERR_CONTRACT_UNUSED: [
      'A test of `contractTest` defined interactions and did not use them.',
      'Messages that were not verified; interactions that were defined after the first use of `mockServer`.',
      'Call `contract.verify`, or define all interactions before the first use of `mockServer`.',
    ],
    ERR_CONTRACT_RUNNER: [
      'A runner adapter, such as `contract/vitest`, cannot be used in this test file.',
      'Another test runner runs the file; two adapters in one file; a version of the runner that is too old.',
      'Import only the adapter of your test runner, and update the runner.',
    ],
    ERR_CONTRACT_SERVE: [
      'The contract cannot be served as requested.',
      '`only` contains an interaction of another contract, or mutually exclusive options were combined.',
      'Fix the options of `serve`.',
    ],
    ERR_CONTRACT_DUPLICATE: [
      'The same interaction was defined twice with different content.',
      'Two tests use the same description and provider states.',
      'Change one of the descriptions or states. The message contains both locations.',
    ],
    ERR_CONTRACT_FROZEN: [
      'The interaction is already being served and cannot be changed.',
      'A method of the interaction was called after `serve` started.',
      'Define the interaction completely before `serve`.',
    ],
    ERR_CONTRACT_NOT_RUNNING: [
      'The mock server is not running.',
      'The server was stopped, for example by an earlier call to `stop()`.',
      'Use the server only inside the callback, or before calling `stop()`.',
    ],
    ERR_CONTRACT_OTHER_THREAD: [
      'Interactions of the contract were started by another thread that is still running (Python).',
      'Tests in several threads that share one `Contract`.',
      'Use one contract per thread, or `interaction.serve()`.',
    ],
    ERR_CONTRACT_NO_LOOP: [
      'An asynchronous call without a running asyncio event loop (Python).',
      'Using `verify_async` or `async with contract.serve()` under trio.',
      'Use `verify()`, for example with `trio.to_thread.run_sync`, and `with contract.serve()`.',
    ],
    ERR_CONTRACT_ADDRESS_IN_USE: [
      'The port is already in use.',
      'Another process or test uses the same fixed `port`.',
      'Omit `port` to use a free port.',
    ],
    ERR_CONTRACT_ADDRESS: [
      'The address is not an address of this machine.',
      'The value of `host` is wrong.',
      'Use `127.0.0.1`, `::1`, or an address of this machine.',
    ],
    ERR_CONTRACT_ADDRESS_PERMISSION: [
      'The operating system does not allow this port.',
      'A port below 1024 without the required permission.',
      'Use a higher port, or omit `port`.',
    ],
    ERR_CONTRACT_SERVER: [
      'The mock server could not be started or failed.',
      'No file handles or threads are available.',
      'Read the cause in the message.',
    ],
    ERR_CONTRACT_TLS: [
      'The certificate or key of the mock server is invalid.',
      'The certificate or key is not PEM, or they do not match.',
      'Check `tls.cert` and `tls.key`, or omit them.',
    ],
    ERR_CONTRACT_TIMES: [
      'The number of requests passed to `times` is invalid.',
      'A negative number, or `min` above `max`.',
      'Pass a number, or `{ min, max }`.',
    ],
  },
  'Message tests': {
    ERR_CONTRACT_NO_MESSAGES: [
      'There are no unverified messages of this kind.',
      'No message was defined, or an earlier `verify` already tested them.',
      'Define a message, or pass `{ all: true }`.',
    ],
    ERR_CONTRACT_MESSAGES: [
      'At least one message failed.',
      'See the individual errors.',
      'Fix the handler, or the message.',
    ],
    ERR_CONTRACT_MESSAGE_HANDLER: [
      'The message handler threw.',
      'An error in the consumer, or in the function that builds the message.',
      'See `cause` for the original error.',
    ],
    ERR_CONTRACT_MESSAGE_TIMEOUT: [
      'The message handler did not finish in time.',
      'The handler returned a promise that never settles.',
      'Pass `timeout` to allow more time.',
    ],
    ERR_CONTRACT_MESSAGE_RESULT: [
      'The handler returned a value that cannot be compared.',
      'A value that is not JSON, text, or bytes.',
      'Return the contents, or an object with `contents` and `metadata`.',
    ],
    ERR_CONTRACT_MESSAGE_RESPONSE: [
      'The response of a synchronous message does not match.',
      'The handler returned a value that differs from the contract.',
      'Fix the handler, or the interaction.',
    ],
    ERR_CONTRACT_MESSAGE_EMPTY: [
      'The message has no contents.',
      '`withBody` was not called.',
      'Set a body, or pass `{ allowEmpty: true }`.',
    ],
    ERR_CONTRACT_MESSAGE_UNTOLD: [
      'No result was reported for the message.',
      'A binding fetched the message but did not report its outcome.',
      'Report each message as passed or failed.',
    ],
    ERR_CONTRACT_MESSAGE_UNKNOWN: [
      'No handler is registered for this message.',
      'The description of the handler differs from the description in the contract.',
      'Add a handler with the description in the message.',
    ],
    ERR_CONTRACT_MESSAGE: [
      'The message endpoint could not respond.',
      'An invalid request, or a handler that failed.',
      'Read the error message.',
    ],
  },
  'Invalid arguments': {
    ERR_CONTRACT_OPTIONS: [
      'An option is unknown or has an invalid value.',
      'A typo, or a wrong type.',
      'Use one of the options listed in the message.',
    ],
    ERR_CONTRACT_ARGUMENTS: [
      'An argument is missing or has the wrong type.',
      'Arguments in the wrong order.',
      'Check the signature of the function.',
    ],
    ERR_CONTRACT_VALUE: [
      'A value cannot be represented as JSON.',
      '`undefined`, a function, `NaN`, or a cycle inside a body or parameters.',
      'Fix the value at the path in the message.',
    ],
    ERR_CONTRACT_JSON: [
      'A string is not valid JSON.',
      'JSON built by string concatenation.',
      'Pass an object instead of a string.',
    ],
    ERR_CONTRACT_KIND: [
      'The kind of interaction is unknown.',
      'A value other than `HTTP`, `Async`, or `Sync`.',
      'Use one of these three kinds.',
    ],
    ERR_CONTRACT_NAME: ['The name of the consumer or provider is invalid.', 'An empty name.', 'Pass a non-empty name.'],
    ERR_CONTRACT_SPECIFICATION: [
      'The specification version is unknown, or does not support writing.',
      '`V1`, which the library can only read; a feature that requires V4.',
      'Use `V2`, `V3`, or `V4`.',
    ],
    ERR_CONTRACT_DESCRIPTION: ['The description is empty.', '', 'Describe the request or message.'],
    ERR_CONTRACT_GIVEN_ARGS: [
      'The arguments of `given` contradict each other.',
      '`name` without `value`, or both together with `parameters`.',
      'Pass `{ parameters }`, or `{ name, value }`.',
    ],
    ERR_CONTRACT_MATCHER: [
      'A matcher or generator is invalid.',
      'An invalid pattern, format, or range.',
      'Fix the argument in the message.',
    ],
    ERR_CONTRACT_EXAMPLE: [
      'The example does not satisfy its own matcher.',
      'An example that does not match the pattern, format, or range.',
      'Change the example or the rule.',
    ],
    ERR_CONTRACT_METHOD: ['The method is not a valid HTTP method.', '', 'Use a method such as `GET`.'],
    ERR_CONTRACT_PATH: [
      'The path is invalid.',
      'It does not start with `/`, or contains a query string.',
      'Use `withQueryParameter` for the query.',
    ],
    ERR_CONTRACT_STATUS: [
      'The status code is invalid.',
      'A number outside 100 to 599.',
      'Use a valid status code, or `match.status`.',
    ],
    ERR_CONTRACT_HEADER: [
      'The header cannot be sent.',
      'A line break in the value, or a header that is set automatically.',
      'Fix the name or value.',
    ],
    ERR_CONTRACT_QUERY: ['The query parameter cannot be sent.', 'An invalid value.', 'Fix the value.'],
    ERR_CONTRACT_BODY: [
      'The body is not valid for its content type.',
      'Text that is not valid JSON or XML; a body with a status that does not allow one.',
      'Fix the body, or set a different content type.',
    ],
    ERR_CONTRACT_PART: [
      'The interaction does not have this part.',
      '`part` refers to the response of an asynchronous message, which has none.',
      'Omit `part`.',
    ],
    ERR_CONTRACT_METADATA: [
      'The interaction does not support metadata.',
      '`withMetadata` was called on an HTTP interaction.',
      'Use headers for HTTP.',
    ],
    ERR_CONTRACT_RULES: [
      'The matching rules or generators are invalid.',
      'An unknown rule, or an invalid path expression.',
      'Fix the rule at the path in the message.',
    ],
    ERR_CONTRACT_LOG_LEVEL: [
      'The log level is unknown.',
      '',
      'Use `OFF`, `ERROR`, `WARN`, `INFO`, `DEBUG`, or `TRACE`.',
    ],
    ERR_CONTRACT_DIRECTORY: [
      'The directory is invalid.',
      'An empty path, or a `file:` URL of another machine.',
      'Pass a directory.',
    ],
    ERR_CONTRACT_PLUGIN: [
      'A plugin is missing, did not start, or rejected the request.',
      'The plugin is not installed, its version is too old, or it cannot read the contents.',
      'Run `npx contract plugin doctor`.',
    ],
  },
  'Contract files': {
    ERR_CONTRACT_FILE: [
      'A file could not be read or written.',
      'Missing permissions, a missing directory, a full disk.',
      'Read the cause in the message. The previous content is unchanged.',
    ],
    ERR_CONTRACT_FILE_IO: [
      'The contract file could not be read or written.',
      'Missing permissions, a full disk.',
      'Read the cause in the message. The previous content is unchanged.',
    ],
    ERR_CONTRACT_FILE_UNREADABLE: [
      'The existing contract file is not a valid contract.',
      'A merge conflict, or a file edited by hand.',
      'Fix or delete the file.',
    ],
    ERR_CONTRACT_FILE_FOREIGN: [
      'The existing contract file belongs to another consumer or provider.',
      'Two pairs of consumer and provider with the same file name.',
      'Use a different directory.',
    ],
    ERR_CONTRACT_FILE_LOCKED: [
      'The contract file is locked by another process.',
      'A process that was stopped in a debugger; a slow network drive.',
      'Increase `lockTimeout`, or remove the lock file if no test is running.',
    ],
    ERR_CONTRACT_REPORT: [
      'A report could not be written.',
      'An unknown format, or a path that cannot be written.',
      'Check the format and path.',
    ],
    ERR_CONTRACT_UNREADABLE: [
      'An interaction in the contract cannot be read.',
      'The contract was written by a faulty tool, or edited by hand.',
      'Fix the contract in the consumer. Other interactions are still verified.',
    ],
  },
  'Contracts as mocks': {
    ERR_CONTRACT_CONFLICT: [
      'Two contracts respond differently to the same request in the same provider states, and `conflicts` is `reject`.',
      'Contracts of several consumers were written with different examples.',
      "Change one of the contracts, select one with `consumer`, or set `conflicts: 'warn'` to serve the first one.",
    ],
    ERR_CONTRACT_WASM: [
      'The matching engine of `contract/msw` and `routeContract` was not found.',
      'The installation is incomplete, or a bundler left out `engine-wasm.cjs`. In a checkout, it was not built.',
      'Install the package again. In a checkout, run `npm run build:wasm`.',
    ],
  },
  Verification: {
    ERR_CONTRACT_VERIFICATION: [
      'At least one interaction failed, or a result could not be published.',
      'See the message and `error.report`.',
      'Fix the provider, or change the contract together with the consumer.',
    ],
    ERR_CONTRACT_NO_SOURCE: [
      'The verifier has no source of contracts.',
      '`addSource` or `brokerSource` was not called.',
      'Add a source.',
    ],
    ERR_CONTRACT_NO_CONTRACT: [
      'The source contains no contract of this provider.',
      'The provider name is different, or the consumer tests have not run.',
      'Use one of the provider names in the message, or call `setErrorOnEmptyContract(false)`.',
    ],
    ERR_CONTRACT_NOTHING_TO_VERIFY: [
      'No interaction is left to verify.',
      'No interaction matches the filter.',
      'Change the filter.',
    ],
    ERR_CONTRACT_NO_TRANSPORT: [
      'The verifier has no transport for the interaction.',
      '`addTransport` was not called, or an interaction uses another transport.',
      'Add the transport in the message.',
    ],
    ERR_CONTRACT_SOURCE: [
      'A source of contracts cannot be read.',
      'A file or directory that does not exist, a URL that fails, or content that is not a contract.',
      'Check the path or URL.',
    ],
    ERR_CONTRACT_STATE_HANDLER: [
      'A state handler threw, or the state change URL failed.',
      'An error in the handler.',
      'See `cause` for the original error.',
    ],
    ERR_CONTRACT_STATE_UNKNOWN: [
      'No handler is registered for a provider state.',
      'A typo, or a new state.',
      'Add a handler. The message lists similar names.',
    ],
    ERR_CONTRACT_STATE_TIMEOUT: [
      'A state handler did not finish in time.',
      'The handler returned a promise that never settles.',
      'Increase the timeout with `setCallbackTimeout`.',
    ],
    ERR_CONTRACT_GENERATOR: [
      'A value could not be generated.',
      'A state handler did not return a value that an expression requires.',
      'Return the value in the message.',
    ],
    ERR_CONTRACT_RULE: [
      'A matching rule cannot be applied.',
      'A rule that this version does not support, or a pattern that is too large.',
      'Fix the contract in the consumer.',
    ],
    ERR_CONTRACT_REQUEST_FILTER: [
      'A request filter threw or returned an invalid request.',
      'An error in the filter.',
      'See `cause`.',
    ],
    ERR_CONTRACT_CUSTOM_HEADER: [
      'The function for a custom header threw or returned an invalid value.',
      'An error in the function.',
      'See `cause`.',
    ],
    ERR_CONTRACT_REQUEST_INVALID: [
      'The request of the contract cannot be sent.',
      'An invalid header or path in the contract.',
      'Fix the contract in the consumer.',
    ],
    ERR_CONTRACT_REQUEST_CONNECT: [
      'The provider is unreachable.',
      'The provider is not running, or listens on a different address.',
      'Check the URL passed to `addTransport`.',
    ],
    ERR_CONTRACT_REQUEST_CLOSED: [
      'The provider closed the connection without a complete response.',
      'The provider crashed.',
      "Check the provider's log.",
    ],
    ERR_CONTRACT_REQUEST_TIMEOUT: [
      'The provider did not respond in time.',
      'The request is slow or blocked.',
      'Increase the timeout with `setRequestTimeout`.',
    ],
    ERR_CONTRACT_REQUEST_TLS: [
      'The TLS connection to the provider failed.',
      'An unknown authority, a wrong host name, an expired certificate.',
      'Pass the authority with `tls({ ca })`.',
    ],
    ERR_CONTRACT_REQUEST_REDIRECT: [
      'A redirect of the provider could not be followed.',
      'Too many redirects, or an invalid `Location`.',
      'Fix the provider, or call `followRedirects(false)`.',
    ],
    ERR_CONTRACT_RESPONSE_TOO_LARGE: [
      'The response of the provider exceeds the limit.',
      '',
      'Increase the limit with `setBodyLimit`.',
    ],
    ERR_CONTRACT_RESPONSE_INVALID: [
      'The response is not valid HTTP.',
      'An invalid status line, header, or encoding.',
      'Fix the provider.',
    ],
    ERR_CONTRACT_TRANSPORT: ['A transport failed.', 'A plugin transport reported an error.', 'Read the error message.'],
    ERR_CONTRACT_HOOK: ['A hook threw.', 'An error in `beforeEach` or `afterEach`.', 'See `cause`.'],
    ERR_CONTRACT_INTERACTION_KIND: [
      'This kind of interaction cannot be verified with the configured transports.',
      'A message interaction without message handlers.',
      'Add message handlers, or the transport.',
    ],
  },
  Brokers: {
    ERR_CONTRACT_BROKER: [
      'The broker could not be used, or a broker started for a test did not start.',
      '',
      'Read the error message.',
    ],
    ERR_CONTRACT_BROKER_SETTINGS: [
      'The URL or the credentials of the broker are missing or contradictory.',
      'No URL; a token together with a user name.',
      'Set `CONTRACT_BROKER_BASE_URL` and one kind of credentials.',
    ],
    ERR_CONTRACT_BROKER_UNREACHABLE: [
      'The broker is unreachable.',
      'The URL is wrong, the broker is not running, or the network is unavailable.',
      'Check the URL.',
    ],
    ERR_CONTRACT_BROKER_TLS: [
      'The TLS connection to the broker failed.',
      'An unknown authority, a wrong host name, an expired certificate.',
      'Pass the authority with `--ssl-certificate` or `SSL_CERT_FILE`.',
    ],
    ERR_CONTRACT_BROKER_TIMEOUT: ['The broker did not respond in time.', '', 'Try again, or increase the timeout.'],
    ERR_CONTRACT_BROKER_UNAUTHORIZED: [
      'The broker rejected the credentials (401).',
      'A wrong or expired token or password.',
      'Run `npx contract-broker doctor`.',
    ],
    ERR_CONTRACT_BROKER_FORBIDDEN: [
      'The credentials do not allow this operation (403).',
      'Read-only credentials.',
      'Use credentials with write access.',
    ],
    ERR_CONTRACT_BROKER_NOT_FOUND: [
      'The resource does not exist in the broker (404).',
      'A typo, or a version that was never published.',
      'Check the names.',
    ],
    ERR_CONTRACT_BROKER_CONFLICT: [
      'The broker already has different content (409).',
      'The same consumer version was published with a different contract.',
      'Publish each commit as a separate version.',
    ],
    ERR_CONTRACT_BROKER_REFUSED: [
      'The broker rejected the request (4xx).',
      'Invalid data.',
      'Read the response of the broker in the message.',
    ],
    ERR_CONTRACT_BROKER_FAILED: ['The broker failed (5xx).', '', 'Try again later.'],
    ERR_CONTRACT_BROKER_NOT_A_BROKER: [
      'The server at this address is not a Pact-compatible broker.',
      'A login page, or a wrong path.',
      'Check the URL.',
    ],
    ERR_CONTRACT_BROKER_TOO_LARGE: [
      'The response of the broker exceeds the limit.',
      'A contract of more than 64 MiB, or a list of more than 128 MiB.',
      'For a verification, increase the limit with `setSourceLimit`. Other calls have a fixed limit.',
    ],
    ERR_CONTRACT_BROKER_UNSUPPORTED: [
      'The broker does not support this operation.',
      'An older Pact Broker.',
      'Update the broker.',
    ],
    ERR_CONTRACT_NO_VERSION: [
      'No version was passed or detected.',
      'The working directory is not a git repository, and no CI system was detected.',
      'Pass the version.',
    ],
    ERR_CONTRACT_NO_BRANCH: ['No branch could be detected.', 'A detached checkout.', 'Pass the branch.'],
    ERR_CONTRACT_TWO_SYSTEMS: [
      'Two CI systems report different values.',
      'Leftover environment variables.',
      'Pass the version and the branch.',
    ],
  },
  Runtime: {
    ERR_CONTRACT_NATIVE_LOAD: [
      'The native library could not be loaded.',
      'The platform package is missing, or Node is older than 20.',
      'Follow the advice in the message: reinstall the package on this platform, without `--omit=optional`, or install Node 20 or later.',
    ],
    ERR_CONTRACT_INTERNAL: ['An internal error.', 'A bug in this package.', 'Report the error with its message.'],
    ERR_CONTRACT_THREADS: [
      'The operating system could not start threads.',
      'A limit on threads or processes, such as `ulimit -u` or the limit of a container.',
      'Increase the limit, or stop other processes. A later call can succeed; the interactions of a rejected `serve` must be defined again, or served with `{ all: true }`.',
    ],
    ERR_CONTRACT_OPEN_FILES: [
      'The operating system could not open files or sockets.',
      'A limit on open files, such as `ulimit -n`; files or connections that are never closed.',
      'Increase the limit, or close files and connections. A later call can succeed; the interactions of a rejected `serve` must be defined again, or served with `{ all: true }`.',
    ],
    ERR_CONTRACT_APP: [
      'The ASGI application failed to start (Python). `__cause__` is the exception of its lifespan.',
      '',
      'Provide what the lifespan of the application requires, for example a database.',
    ],
    ERR_CONTRACT_STOPPED: [
      'The verification was stopped because `verify_async` was canceled (Python). The coroutine itself raises `asyncio.CancelledError`.',
      '',
      'No action is needed.',
    ],
    ERR_CONTRACT_FORK: [
      'The library cannot be used in a forked process (Python).',
      'multiprocessing with the start method `fork`.',
      'Use `spawn` or `forkserver`.',
    ],
    ERR_CONTRACT_UNKNOWN: [
      'An error of an unknown kind.',
      'The versions of the package and the native library do not match.',
      'Reinstall the package.',
    ],
    ERR_CONTRACT_HANDLE: [
      'An invalid handle (C interface).',
      'A handle that was freed, or that belongs to another kind of object.',
      'Use the handle before freeing it.',
    ],
    ERR_CONTRACT_NULL: ['A required pointer is null (C interface).', '', 'Pass the argument.'],
    ERR_CONTRACT_LENGTH: ['A length is invalid (C interface).', '', 'Pass the number of bytes.'],
    ERR_CONTRACT_UTF8: ['A string is not UTF-8 (C interface).', '', 'Convert the string to UTF-8.'],
    ERR_CONTRACT_INDEX: ['An index is out of range (C interface).', '', 'Use an index below the count.'],
    ERR_CONTRACT_BUSY: [
      'The verifier is already running, or another thread is already polling it (C interface).',
      'Two calls of `contract_verifier_begin` or `contract_poll_event` at the same time.',
      'Poll each verifier from one thread until its run has ended.',
    ],
    ERR_CONTRACT_CALL: [
      'The callback protocol was violated (C interface).',
      '`contract_answer` was called for a call that does not exist or was already answered.',
      'Answer each call once.',
    ],
  },
}
