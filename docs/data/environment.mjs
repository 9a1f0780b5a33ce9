// Every environment variable that users set. `npm run docs:reference` writes docs/reference/configuration.md from this table;
// __test__/docs.test.ts fails when a variable in the sources is missing here.
export const environment = {
  'Tests and files': {
    CONTRACT_OUTPUT_DIR: 'Directory for contract files, if the contract has none.',
    CONTRACT_RUN_ID:
      'Identifies a test run that consists of several commands. See [Parallel tests](../guides/parallel-tests.md).',
    CONTRACT_REMOVE_OBSOLETE: '`false` keeps interactions that no test defines any more.',
    CONTRACT_LOG_LEVEL: 'Log to standard error: `off` (default), `error`, `warn`, `info`, `debug` or `trace`.',
    CONTRACT_NATIVE_PATH: 'Path of the native library, instead of the platform package.',
    CONTRACT_PLUGIN_DIR:
      'Directories with plugins, separated as in `PATH`. Also `PACT_PLUGIN_DIR`. Default: `~/.pact/plugins`.',
    CONTRACT_PLUGIN_START_TIMEOUT: 'Time for a plugin to start, in milliseconds. Default: 60000.',
    NO_COLOR: 'Any value turns colors off. `FORCE_COLOR` turns them on.',
  },
  Verification: {
    CONTRACT_DESCRIPTION: 'Verify only interactions whose description matches this regular expression.',
    CONTRACT_PROVIDER_STATE: 'Verify only interactions with a provider state that matches this regular expression.',
    CONTRACT_PROVIDER_NO_STATE: '`true` verifies only interactions without provider states.',
    CONTRACT_URL: 'Verify only the contract at this URL. Also `PACT_URL`.',
    CONTRACT_PROVIDER_NAME: 'Default of `contract verify --provider-name`.',
    CONTRACT_PROVIDER_HOSTNAME: 'Default of `--hostname`.',
    CONTRACT_PROVIDER_PORT: 'Default of `--port`.',
    CONTRACT_PROVIDER_SCHEME: 'Default of `--scheme`.',
    CONTRACT_PROVIDER_BASE_PATH: 'Default of `--base-path`.',
    CONTRACT_PROVIDER_TRANSPORT: 'Default of `--transport`.',
    CONTRACT_PROVIDER_TRANSPORTS: 'Default of `--transports`.',
    CONTRACT_PROVIDER_REQUEST_TIMEOUT: 'Default of `--request-timeout`, in milliseconds.',
    CONTRACT_PROVIDER_STATE_CHANGE_URL: 'Default of `--state-change-url`.',
    CONTRACT_PROVIDER_STATE_CHANGE_AS_QUERY: 'Default of `--state-change-as-query`.',
    CONTRACT_PROVIDER_STATE_CHANGE_TEARDOWN: 'Default of `--state-change-teardown`.',
  },
  'Broker clients': {
    CONTRACT_BROKER_BASE_URL: 'Address of the broker.',
    CONTRACT_BROKER_USERNAME: 'User name.',
    CONTRACT_BROKER_PASSWORD: 'Password.',
    CONTRACT_BROKER_TOKEN: 'Bearer token, instead of user name and password.',
    CONTRACT_BROKER_HTTP_RETRIES:
      'Number of retries of idempotent requests. Default: 5, and 2 if the connection is refused.',
    CONTRACT_BROKER_PUBLISH_VERIFICATION_RESULTS: '`false` keeps a verification from publishing results.',
    CONTRACT_BROKER_CAN_I_DEPLOY_DRY_RUN: '`true` makes `can-i-deploy` exit with 0 whatever the verdict is.',
    CONTRACT_BROKER_LOG_LEVEL: 'Log level of the broker commands.',
  },
  'Broker server': {
    CONTRACT_BROKER_DATABASE_URL:
      'Default of `contract-broker serve --db`. Also in parts: `CONTRACT_BROKER_DATABASE_ADAPTER`, `_HOST`, `_PORT`, `_NAME`, `_USERNAME`, `_PASSWORD`, `_SSLMODE`.',
    CONTRACT_BROKER_LISTEN: 'Default of `--listen`. `CONTRACT_BROKER_PORT` sets the port alone.',
    CONTRACT_BROKER_BASIC_AUTH_USERNAME: 'User name with read and write access.',
    CONTRACT_BROKER_BASIC_AUTH_PASSWORD: 'Its password.',
    CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_USERNAME: 'User name with read access.',
    CONTRACT_BROKER_BASIC_AUTH_READ_ONLY_PASSWORD: 'Its password.',
    CONTRACT_BROKER_ALLOW_PUBLIC_READ: 'Default of `--public-read`.',
    CONTRACT_BROKER_ALLOW_ANONYMOUS: 'Default of `--allow-anonymous`.',
    CONTRACT_BROKER_ENABLE_PUBLIC_BADGE_ACCESS: 'Default of `--enable-public-badge-access`.',
    CONTRACT_BROKER_TLS_CERTIFICATE: 'Default of `--tls-certificate`.',
    CONTRACT_BROKER_TLS_KEY: 'Default of `--tls-key`.',
    CONTRACT_BROKER_LOG_FORMAT: 'Default of `--log-format`.',
    CONTRACT_BROKER_ALLOW_DANGEROUS_CONTRACT_MODIFICATION: 'Default of `--allow-dangerous-contract-modification`.',
    CONTRACT_BROKER_CHECK_FOR_POTENTIAL_DUPLICATE_PACTICIPANT_NAMES:
      'Default of `--check-for-potential-duplicate-pacticipant-names`.',
    CONTRACT_BROKER_CREATE_DEPLOYED_VERSIONS_FOR_TAGS: 'Default of `--create-deployed-versions-for-tags`.',
    CONTRACT_BROKER_USE_FIRST_TAG_AS_BRANCH: 'Default of `--use-first-tag-as-branch`.',
    CONTRACT_BROKER_USE_FIRST_TAG_AS_BRANCH_TIME_LIMIT:
      'Default of `--use-first-tag-as-branch-time-limit`, in seconds.',
    CONTRACT_BROKER_AUTO_DETECT_MAIN_BRANCH: 'Default of `--auto-detect-main-branch`.',
    CONTRACT_BROKER_MAIN_BRANCH_CANDIDATES: 'Default of `--main-branch-candidates`.',
    CONTRACT_BROKER_DATABASE_MAX_CONNECTIONS: 'Default of `--database-max-connections`.',
    CONTRACT_BROKER_DATABASE_STATEMENT_TIMEOUT: 'Default of `--database-statement-timeout`, in seconds.',
    CONTRACT_BROKER_DATABASE_CONNECT_MAX_RETRIES: 'Default of `--database-connect-max-retries`.',
  },
}
