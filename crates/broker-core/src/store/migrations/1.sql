-- {id} and {clustered} stand for text that depends on the database; see schema.rs.
-- Timestamps are milliseconds since 1970, booleans are 0 or 1. A "later" version has a greater id: versions are ordered by creation.
CREATE TABLE pacticipant (
  id {id},
  name TEXT NOT NULL UNIQUE,
  display_name TEXT,
  main_branch TEXT,
  repository_url TEXT,
  repository_name TEXT,
  repository_namespace TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT
);

CREATE TABLE label (
  pacticipant_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (pacticipant_id, name)
) {clustered};

CREATE TABLE version (
  id {id},
  pacticipant_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  number TEXT NOT NULL,
  build_url TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT,
  UNIQUE (pacticipant_id, number)
);
CREATE INDEX version_newest ON version (pacticipant_id, id);

-- head_version_id: the version that was added to the branch last.
CREATE TABLE branch (
  id {id},
  pacticipant_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  head_version_id BIGINT REFERENCES version (id) ON DELETE SET NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (pacticipant_id, name)
);
CREATE INDEX branch_head ON branch (head_version_id);
-- Contains all columns that the search for work in progress reads.
CREATE INDEX branch_listing ON branch (pacticipant_id, name, head_version_id);

CREATE TABLE branch_version (
  id {id},
  branch_id BIGINT NOT NULL REFERENCES branch (id) ON DELETE CASCADE,
  version_id BIGINT NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  automatic BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (branch_id, version_id)
);
CREATE INDEX branch_version_version ON branch_version (version_id);
CREATE INDEX branch_version_order ON branch_version (branch_id, id);

CREATE TABLE tag (
  version_id BIGINT NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  pacticipant_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (version_id, name)
) {clustered};
CREATE INDEX tag_versions ON tag (pacticipant_id, name, version_id);

-- The newest version with each tag.
CREATE TABLE tag_head (
  pacticipant_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  version_id BIGINT NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  PRIMARY KEY (pacticipant_id, name)
) {clustered};
CREATE INDEX tag_head_version ON tag_head (version_id);

CREATE TABLE integration (
  consumer_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  provider_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (consumer_id, provider_id)
) {clustered};
CREATE INDEX integration_provider ON integration (provider_id);

CREATE TABLE content (
  id {id},
  consumer_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  provider_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (consumer_id, provider_id, sha)
);
CREATE INDEX content_provider ON content (provider_id);

-- Separate from `content`, so that lists and joins do not read documents. size: of the document in bytes, before it is
-- compressed.
CREATE TABLE content_text (
  content_id BIGINT PRIMARY KEY REFERENCES content (id) ON DELETE CASCADE,
  size BIGINT NOT NULL,
  document {packed} NOT NULL
);

-- newest: 1 for the last revision of the contract of a consumer version with a provider.
CREATE TABLE publication (
  id {id},
  consumer_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  provider_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  version_id BIGINT NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  content_id BIGINT NOT NULL REFERENCES content (id),
  revision BIGINT NOT NULL,
  newest BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  UNIQUE (version_id, provider_id, revision)
);
-- Contains all columns that the search for work in progress reads.
CREATE INDEX publication_pair ON publication (consumer_id, provider_id, newest, version_id, content_id, created_at);
CREATE INDEX publication_provider ON publication (provider_id, newest, version_id);
CREATE INDEX publication_content ON publication (content_id, version_id);

CREATE TABLE result (
  id {id},
  content_id BIGINT NOT NULL REFERENCES content (id) ON DELETE CASCADE,
  version_id BIGINT NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  success BIGINT NOT NULL,
  wip BIGINT NOT NULL,
  build_url TEXT,
  test_results TEXT,
  verified_by TEXT,
  created_at BIGINT NOT NULL
);
CREATE INDEX result_content ON result (content_id, version_id, id);
CREATE INDEX result_version ON result (version_id);
-- Finds the first success of a content again after a deletion.
CREATE INDEX result_order ON result (content_id, id);

-- The last result of a content for each provider version. Verdicts read this table.
CREATE TABLE latest_result (
  content_id BIGINT NOT NULL REFERENCES content (id) ON DELETE CASCADE,
  version_id BIGINT NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  result_id BIGINT NOT NULL REFERENCES result (id) ON DELETE CASCADE,
  success BIGINT NOT NULL,
  PRIMARY KEY (content_id, version_id)
) {clustered};
CREATE INDEX latest_result_version ON latest_result (version_id);
CREATE INDEX latest_result_result ON latest_result (result_id);
-- Finds the last result of a content if thousands of provider versions verified it.
CREATE INDEX latest_result_newest ON latest_result (content_id, result_id);

-- When a content was first verified successfully by versions on a branch (kind b), with a tag (t), or by any version (a). Pending and
-- work in progress read this table. The rows of a provider are adjacent, because a selection reads many of them. first_chosen_at excludes
-- runs in which the content was work in progress.
CREATE TABLE first_success (
  provider_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  content_id BIGINT NOT NULL REFERENCES content (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  first_at BIGINT NOT NULL,
  first_chosen_at BIGINT,
  PRIMARY KEY (provider_id, content_id, kind, name)
) {clustered};
CREATE INDEX first_success_content ON first_success (content_id);

CREATE TABLE environment (
  id {id},
  uuid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  production BIGINT NOT NULL,
  contacts TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT
);

-- instance: the application instance, or an empty string. is_current: 1 until the version is replaced or undeployed.
CREATE TABLE deployment (
  id {id},
  uuid TEXT NOT NULL UNIQUE,
  version_id BIGINT NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  pacticipant_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  environment_id BIGINT NOT NULL REFERENCES environment (id) ON DELETE CASCADE,
  instance TEXT NOT NULL,
  is_current BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT
);
CREATE UNIQUE INDEX deployment_current ON deployment (environment_id, pacticipant_id, instance) WHERE is_current = 1;
CREATE INDEX deployment_pacticipant ON deployment (pacticipant_id, is_current);
CREATE INDEX deployment_version ON deployment (version_id);

CREATE TABLE released (
  id {id},
  uuid TEXT NOT NULL UNIQUE,
  version_id BIGINT NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  pacticipant_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  environment_id BIGINT NOT NULL REFERENCES environment (id) ON DELETE CASCADE,
  is_current BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT,
  UNIQUE (version_id, environment_id)
);
CREATE INDEX released_environment ON released (environment_id, is_current, pacticipant_id);
CREATE INDEX released_pacticipant ON released (pacticipant_id, is_current);

-- The queue of branches that a background job deletes.
CREATE TABLE branch_to_delete (
  branch_id BIGINT PRIMARY KEY REFERENCES branch (id) ON DELETE CASCADE
);

-- Jobs that one broker process at a time does, until expires_at.
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);

-- token_id: the public part of a token. hash: SHA-256 of the whole token, in hexadecimal. scopes: a JSON array. Revoked tokens stay, so
-- that a broker that once had a token never becomes open to everyone.
CREATE TABLE api_token (
  id {id},
  token_id TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL,
  label TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT,
  revoked_at BIGINT
);

-- actor_kind: token, user, ci, anonymous, or local. credential: the public part of the token. route: the path with the names of its
-- parameters. occurrences: the number of equal denied requests in a short time.
CREATE TABLE audit (
  id {id},
  at BIGINT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  credential TEXT,
  address TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  route TEXT NOT NULL,
  status BIGINT NOT NULL,
  resource TEXT,
  reason TEXT,
  occurrences BIGINT NOT NULL
);
CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_actor ON audit (actor, id);

-- Deleted applications and environments, which can be restored. kind: pacticipant or environment.
CREATE TABLE deletion (
  id {id},
  uuid TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX deletion_created ON deletion (created_at);

-- content: an object with the columns, and some rows of a table in JSON.
CREATE TABLE deleted_rows (
  id {id},
  deletion_id BIGINT NOT NULL REFERENCES deletion (id) ON DELETE CASCADE,
  table_name TEXT NOT NULL,
  content TEXT NOT NULL
);
CREATE INDEX deleted_rows_deletion ON deleted_rows (deletion_id, id);

-- password: an argon2id hash. scopes: a JSON array. Removed users stay without a password, so that a broker that once had a user never
-- becomes open to everyone.
CREATE TABLE account (
  id {id},
  name TEXT NOT NULL UNIQUE,
  password TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  removed_at BIGINT
);

-- hash: SHA-256 of the cookie, in hexadecimal. Either account_id or the following columns are set. provider_id: the issuer and the subject of
-- a person who signed in with a provider.
CREATE TABLE session (
  hash TEXT PRIMARY KEY,
  account_id BIGINT REFERENCES account (id) ON DELETE CASCADE,
  name TEXT,
  provider_id TEXT,
  scopes TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX session_account ON session (account_id);
CREATE INDEX session_expiry ON session (expires_at);

-- The contracts of a webhook: those of an application or of applications with a label, as consumer and as provider, or all. events: a
-- JSON array. request: JSON, in which secret values are null. secrets: the secret values, encrypted.
CREATE TABLE webhook (
  id {id},
  uuid TEXT NOT NULL UNIQUE,
  description TEXT,
  consumer_id BIGINT REFERENCES pacticipant (id) ON DELETE CASCADE,
  consumer_label TEXT,
  provider_id BIGINT REFERENCES pacticipant (id) ON DELETE CASCADE,
  provider_label TEXT,
  enabled BIGINT NOT NULL,
  events TEXT NOT NULL,
  request TEXT NOT NULL,
  secrets TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT
);
CREATE INDEX webhook_pair ON webhook (consumer_id, provider_id);
CREATE INDEX webhook_provider ON webhook (provider_id);

-- The requests that webhooks have to send, in the order of their ids, and those that they have sent. webhook_id is null after the webhook
-- was deleted. name: method and host. version_id: the consumer version. data: values of the template in JSON. is_waiting: 0 after the last
-- attempt. due_at: when to send the request, if it is waiting.
CREATE TABLE delivery (
  id {id},
  uuid TEXT NOT NULL UNIQUE,
  webhook_id BIGINT REFERENCES webhook (id) ON DELETE SET NULL,
  webhook_uuid TEXT NOT NULL,
  name TEXT NOT NULL,
  event TEXT NOT NULL,
  consumer_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  provider_id BIGINT NOT NULL REFERENCES pacticipant (id) ON DELETE CASCADE,
  version_id BIGINT NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  result_id BIGINT REFERENCES result (id) ON DELETE SET NULL,
  data TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  is_waiting BIGINT NOT NULL,
  due_at BIGINT,
  created_at BIGINT NOT NULL
);
CREATE INDEX delivery_queue ON delivery (webhook_id, is_waiting, id);
CREATE INDEX delivery_pair ON delivery (consumer_id, provider_id, id);
CREATE INDEX delivery_provider ON delivery (provider_id);
CREATE INDEX delivery_version ON delivery (version_id);
CREATE INDEX delivery_result ON delivery (result_id);
CREATE INDEX delivery_age ON delivery (is_waiting, created_at);

CREATE TABLE delivery_attempt (
  id {id},
  delivery_id BIGINT NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
  success BIGINT NOT NULL,
  log TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX delivery_attempt_delivery ON delivery_attempt (delivery_id, id);

-- Verifications that webhooks wait for. content_id: the contract to verify. version_id: the consumer version. data: values of the template
-- in JSON.
CREATE TABLE verification_deadline (
  id {id},
  content_id BIGINT NOT NULL REFERENCES content (id) ON DELETE CASCADE,
  version_id BIGINT NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  provider_version_id BIGINT NOT NULL REFERENCES version (id) ON DELETE CASCADE,
  data TEXT NOT NULL,
  due_at BIGINT NOT NULL,
  UNIQUE (content_id, version_id, provider_version_id)
);
CREATE INDEX verification_deadline_due ON verification_deadline (due_at);
CREATE INDEX verification_deadline_version ON verification_deadline (version_id);
CREATE INDEX verification_deadline_provider_version ON verification_deadline (provider_version_id);
