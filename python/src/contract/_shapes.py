# Generated from the types of the core by crates/contract/tests/types; do not edit.
from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, Union

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from typing_extensions import NotRequired

    from .types import Json, ProviderState, ReceivedRequest, ServedState

__all__ = [
    "ServerTls",
    "ServerLimits",
    "PluginOptions",
    "Mismatch",
    "FailedVariant",
    "ServedInteractionName",
    "ClosestInteraction",
    "RequestMismatch",
    "RequestNotFound",
    "RequestRefused",
    "MissingRequest",
    "TimesMismatch",
    "PluginMismatch",
    "ServerMismatch",
    "JournalEntry",
    "InteractionStatus",
    "InteractionError",
    "ReportedHeader",
    "ReportedBody",
    "Expectation",
    "ReportedRequest",
    "ReportedResponse",
    "InteractionTiming",
    "InteractionReport",
    "ContractOrigin",
    "ContractNotice",
    "ContractPublication",
    "Publication",
    "ContractReport",
    "VerificationSummary",
    "VerificationReport",
]


class ServerTls(TypedDict):
    """A certificate chain and its private key, both in PEM format."""

    cert: str | bytes
    """Certificate chain in PEM format. The server's certificate must be the first one. Required."""
    key: str | bytes
    """Private key of the server's certificate in PEM format. Required."""


class ServerLimits(TypedDict):
    """Limits for a mock server. The server rejects a request that exceeds a size limit, and the test fails with an error
    that names the limit.
    """

    body_size: NotRequired[int]
    """Maximum size of a request body in bytes. The server responds to larger bodies with status 413. Default: 67108864
    (64 MiB).
    """
    header_size: NotRequired[int]
    """Maximum size of a request head in bytes. The server responds to larger heads with status 431. Minimum: 8192.
    Default: 65536 (64 KiB).
    """
    header_count: NotRequired[int]
    """Maximum number of request headers. If there are more, the server responds with status 431. Default: 100."""
    generated_size: NotRequired[int]
    """Maximum number of bytes that generators produce for one response. If a response needs more, the server sends the
    examples instead and logs a warning. Default: the contract's option, otherwise 67108864 (64 MiB).
    """
    connections: NotRequired[int]
    """Maximum number of open connections. The server responds to further connections with status 503. Default: 4096."""
    header_timeout: NotRequired[int]
    """Maximum time from the first to the last byte of a request head, in milliseconds. Default: 30000."""
    idle_timeout: NotRequired[int]
    """Time after which an idle connection is closed, in milliseconds. Default: 300000."""
    request_timeout: NotRequired[int]
    """Maximum time to receive the request body and to send the response, in milliseconds. Default: 600000."""
    handshake_timeout: NotRequired[int]
    """Maximum duration of a TLS handshake in milliseconds. Default: 10000."""
    stop_timeout: NotRequired[int]
    """Maximum time to wait for requests in progress when the server stops, in milliseconds. Default: 500."""


class PluginOptions(TypedDict):

    directories: NotRequired[Sequence[str | os.PathLike[str]]]
    """Directories to search for plugins. Each plugin is a subdirectory with a ``pact-plugin.json``. Default: the
    environment variable ``CONTRACT_PLUGIN_DIR``, otherwise ``PACT_PLUGIN_DIR`` (both may contain several directories,
    separated as in ``PATH``), otherwise ``.pact/plugins`` in the home directory.
    """
    start_timeout: NotRequired[int]
    """Maximum time for a plugin to start, in milliseconds. Default: ``CONTRACT_PLUGIN_START_TIMEOUT``, otherwise 60000."""
    timeout: NotRequired[int]
    """Maximum time for one call to a plugin, in milliseconds. Default: 30000."""


class Mismatch(TypedDict):
    """A difference between an expected and a received value. Secrets are redacted, and long values are truncated."""

    type: Literal["MethodMismatch", "PathMismatch", "StatusMismatch", "QueryMismatch", "HeaderMismatch", "BodyTypeMismatch", "BodyMismatch", "MetadataMismatch"]
    """Part of the request, response, or message that contains the difference."""
    kind: str
    """Stable name of the kind of mismatch, such as ``not-equal``, ``missing``, ``unexpected``, ``keys``, ``length``, ``type``, or
    ``regex``.
    """
    place: str
    """Location of the difference, such as ``status``, ``header X-Id``, ``query parameter page[1]``, ``$.items[0].id`` in a
    body, or ``metadata topic``. ``parameter``, ``key``, ``index``, and ``path`` contain its components.
    """
    parameter: NotRequired[str]
    """Name of the query parameter. Missing for mismatches outside of the query."""
    key: NotRequired[str]
    """Name of the header or metadata entry. Missing for mismatches in other parts."""
    index: NotRequired[int]
    """Index of the value, starting at 0, if the header or query parameter has multiple values. Missing otherwise."""
    path: NotRequired[str]
    """Path expression, such as ``$.items[0].id``, in the body or in a metadata entry that is an object or an array.
    Missing for mismatches in other parts.
    """
    pointer: NotRequired[str]
    """The value of ``path`` as a JSON pointer, such as ``/items/0/id``. Missing if ``path`` is missing."""
    expected: NotRequired[Json]
    """The expected value. Missing if the mismatch does not concern a single value."""
    actual: NotRequired[Json]
    """The received value. Missing if no value was received, or if the mismatch does not concern a single value."""
    rule: NotRequired[Json]
    """The matching rule that failed, in the format of contract files. Missing if the values were compared for
    equality.
    """
    mismatch: str
    """Description of the difference in one sentence."""
    explanation: NotRequired[str]
    """Additional information, such as a diff, the closest array item, or advice. Missing if there is none."""


class FailedVariant(TypedDict):
    """A variant, or a combination of variants, with which a test failed. If the reason is ``unread``, a field that the
    consumer does not read.
    """

    name: str
    """Name of the variant, such as ``null@$.note``. ``CONTRACT_VARIANT`` accepts it to serve only this variant. Names of a
    combination are separated by `` + ``.
    """
    interaction: str
    """Description of the interaction."""
    place: str
    """Location of the changed value, such as ``$.status``. Locations of a combination are separated by `` + ``."""
    rule: str
    """Why the contract allows the value. Reasons of a combination are separated by `` + ``. Empty if the reason is
    ``unread``.
    """
    value: str
    """The value that was served. Values of a combination are separated by `` + ``. Empty if the reason is ``unread``."""
    reason: str
    """How the test failed: ``error`` (the callback threw an error), ``requests`` (the consumer's requests did not match),
    ``timeout``, ``unstable`` (the test both failed and passed with this answer), ``not-isolated`` (there was no time to
    find out which of these variants causes the failure), or ``unread`` (the result of the test does not depend on the
    field).
    """
    run: int
    """Number of the run that failed, starting with 0. 0 if the reason is ``unread``."""


class ServedInteractionName(TypedDict):
    """Identifies an interaction of a mock server."""

    index: int
    """Index of the interaction in the list of those that the server serves. Starts at 0."""
    description: str
    """Description of the interaction."""
    states: NotRequired[list[ServedState]]
    """Provider states of the interaction. Missing if it has none."""
    key: NotRequired[str]
    """Key of the interaction in the contract. Missing if it has none."""


class ClosestInteraction(TypedDict):
    """The interaction that is most similar to an unexpected request."""

    interaction: ServedInteractionName
    """Description and provider states of the interaction."""
    method: str
    """The expected method."""
    path: str
    """The expected path."""
    mismatches: list[Mismatch]
    """Mismatches between the interaction and the request."""
    omitted: NotRequired[int]
    """Number of mismatches that are not listed in ``mismatches``."""


class RequestMismatch(TypedDict):
    """A request that has the method and path of an interaction, but does not match it."""

    type: Literal["request-mismatch"]
    method: str
    """The expected method."""
    path: str
    """The expected path."""
    interaction: ServedInteractionName
    """The interaction that the request does not match."""
    mismatches: list[Mismatch]
    """Mismatches between the interaction and the request."""
    omitted: NotRequired[int]
    """Number of mismatches that are not listed in ``mismatches``."""
    request: ReceivedRequest
    """The received request."""
    count: int
    """Number of times that this request was received."""


class RequestNotFound(TypedDict):
    """A request that no interaction expects."""

    type: Literal["request-not-found"]
    method: str
    """The received method."""
    path: str
    """The received path."""
    request: ReceivedRequest
    """The received request."""
    closest: NotRequired[ClosestInteraction]
    """The closest interaction. Missing if no interaction is similar to the request."""
    reason: NotRequired[str]
    """Reason why the request could not be compared, for example because its body exceeds the limit. Missing if it
    was compared.
    """
    count: int
    """Number of times that this request was received."""


class RequestRefused(TypedDict):
    """A request that was rejected before it could be compared, for example because its head exceeds the limit."""

    type: Literal["request-refused"]
    status: NotRequired[int]
    """Status of the response, such as 431. Missing if no response was sent."""
    code: str
    """Stable name of the reason, such as ``head-too-large``."""
    reason: str
    """The reason in one or two sentences, with advice."""
    count: int
    """Number of times that such a request was rejected."""


class MissingRequest(TypedDict):
    """An interaction that was never requested."""

    type: Literal["missing-request"]
    method: str
    """The expected method."""
    path: str
    """The expected path."""
    interaction: ServedInteractionName
    """The interaction that was not requested."""
    request: ReceivedRequest
    """The expected request."""


class TimesMismatch(TypedDict):
    """An interaction that was requested too often or not often enough."""

    type: Literal["times-mismatch"]
    method: str
    """The expected method."""
    path: str
    """The expected path."""
    interaction: ServedInteractionName
    """The interaction that was requested the wrong number of times."""
    min: int
    """Minimum number of requests."""
    max: int | None
    """Maximum number of requests. Missing if the number is unlimited."""
    actual: int
    """Number of requests that were received."""


class PluginMismatch(TypedDict):
    """A mismatch that the mock server of a plugin found."""

    type: Literal["plugin-mismatch"]
    plugin: str
    """Name of the plugin."""
    transport: str
    """Name of the plugin's transport, such as ``grpc``."""
    path: NotRequired[str]
    """Name that the plugin uses for the request, such as the path of a gRPC method."""
    error: NotRequired[str]
    """Error message of the plugin. Missing if the plugin reported only mismatches."""
    mismatches: list[Mismatch]
    """Mismatches that the plugin found."""


ServerMismatch = Union[
    RequestMismatch,
    RequestNotFound,
    RequestRefused,
    MissingRequest,
    TimesMismatch,
    PluginMismatch,
]
"""A mismatch found by a mock server."""


class JournalEntry(TypedDict):
    """A request that a mock server received, and its outcome. Secrets are not redacted, unlike in messages and errors."""

    at: int
    """Time at which the last byte was received, in milliseconds since 1970-01-01 UTC."""
    method: str
    path: str
    """The path without the query string."""
    query: dict[str, list[str | None]]
    """Decoded query parameters as an object of arrays. The values of a parameter are in the order of the request. A
    parameter without ``=`` has the value ``None``.
    """
    headers: dict[str, list[str]]
    """Headers as an object of arrays. The values of a header are in the order of the request."""
    body: str | dict[str, str]
    """The body: a string if it is UTF-8 text, otherwise ``{ base64 }``. Long bodies are truncated, and the bodies of old
    requests are removed.
    """
    bodyLength: int
    """Size of the received body in bytes, before truncation."""
    outcome: Literal["matched", "mismatched", "not-found", "preflight"]
    """The outcome: ``matched``, ``mismatched`` if an interaction has this method and path but differs, ``not-found`` if no
    interaction has this method and path, or ``preflight`` if the server responded to a CORS preflight request.
    """
    interaction: str | None
    """Description of the interaction that matched, or else of the closest interaction. ``None`` if there is neither."""
    mismatches: list[Mismatch]
    unexpectedFields: list[str]
    """JSON pointers to fields of the body that the contract does not define, such as ``/customer/name``."""


InteractionStatus = Literal["passed", "failed", "pending", "skipped"]
"""Result of an interaction: ``passed``, ``failed``, ``pending`` (it failed, but the failure does not fail the verification),
or ``skipped`` (it was not verified, because an earlier interaction failed).
"""


class InteractionError(TypedDict):
    """Reason why an interaction could not be compared."""

    code: str
    """Stable error code, such as ``ERR_CONTRACT_STATE_HANDLER``."""
    message: str
    """Error message: what failed, where it failed, and what to do."""


class ReportedHeader(TypedDict):
    """A header with all its values."""

    name: str
    """Name of the header."""
    values: list[str]
    """Values in order. Secrets are redacted."""


class ReportedBody(TypedDict):
    """Body of a request, response, or message. Secrets are redacted. Long bodies are truncated."""

    contentType: NotRequired[str]
    """Content type of the body, either declared or detected. Missing if it is unknown."""
    size: int
    """Size of the decompressed body in bytes."""
    encoding: Literal["text", "base64"]
    """Encoding of ``content``: ``text``, or ``base64`` for a binary body."""
    content: str
    """The text of the body, or its bytes in base64, depending on ``encoding``."""
    truncated: bool
    """True if ``content`` is truncated."""


class Expectation(TypedDict):
    """Summary of the expected response or message."""

    status: NotRequired[int]
    """Expected status code. Missing for a message."""
    headers: list[ReportedHeader]
    """Expected headers. Empty for a message."""
    metadata: NotRequired[Json]
    """Expected metadata of a message. Missing for an HTTP response."""
    body: bool
    """True if the contract defines a body or message contents."""


class ReportedRequest(TypedDict):
    """The request that was sent to the provider. Headers and body are missing if the interaction passed. Secrets are
    redacted.
    """

    method: str
    """Method in uppercase, such as ``GET``."""
    url: str
    """URL including the query string."""
    headers: NotRequired[list[ReportedHeader]]
    """All headers: from the contract, custom headers, and headers that filters added. Missing if the interaction
    passed.
    """
    body: NotRequired[ReportedBody]
    """Body that was sent. Missing if it was empty or the interaction passed."""


class ReportedResponse(TypedDict):
    """The response or message that was received. Its details are missing if the interaction passed. Secrets are redacted."""

    status: NotRequired[int]
    """Received status code. Missing for a message."""
    headers: NotRequired[list[ReportedHeader]]
    """Received headers. Missing for a message, or if the interaction passed."""
    metadata: NotRequired[Json]
    """Received metadata of a message. Missing for an HTTP response."""
    body: NotRequired[ReportedBody]
    """Received body or message contents. Missing if there are none, or if the interaction passed."""


class InteractionTiming(TypedDict):
    """Durations of the steps of an interaction, in milliseconds."""

    statesMs: float
    """Time for setting up the provider states."""
    requestMs: float
    """Time from sending the request to receiving the last byte of the response."""
    teardownMs: float
    """Time for tearing down the provider states."""
    totalMs: float
    """Total time of all steps."""


class InteractionReport(TypedDict):
    """Result of one interaction."""

    description: str
    """Description of the interaction."""
    states: list[ProviderState]
    """Provider states of the interaction, in order."""
    key: NotRequired[str]
    """Key of the interaction in the contract. Missing if it has none."""
    id: NotRequired[str]
    """ID of the interaction in the broker. Missing if the contract does not contain one."""
    fingerprint: str
    """Hash that identifies the interaction and is the same in every run. Filters accept it as ``id``."""
    kind: str
    """Type of the interaction: ``Synchronous/HTTP``, ``Asynchronous/Messages``, or ``Synchronous/Messages``."""
    pending: bool
    """True if the interaction is pending: its failure is reported, but does not fail the verification."""
    testName: NotRequired[str]
    """Name of the consumer test that wrote the interaction. Missing if the contract does not contain it."""
    line: NotRequired[int]
    """Line of the contract file on which the interaction starts, counted from 1. Missing if it is unknown."""
    comments: NotRequired[dict[str, Json]]
    """Comments on the interaction in the contract. Missing if there are none."""
    status: InteractionStatus
    """Result of the verification."""
    durationMs: float
    """Duration of verifying the interaction, in milliseconds."""
    timing: InteractionTiming
    """Durations of the individual steps."""
    expected: NotRequired[Expectation]
    """Summary of the expected response or message. Missing if there is none, for example because the interaction was
    skipped.
    """
    request: NotRequired[ReportedRequest]
    """The request that was sent to the provider. Missing if none was sent."""
    response: NotRequired[ReportedResponse]
    """The response or message that was received. Missing if none was received or reported."""
    unhandledStates: NotRequired[list[str]]
    """Names of the provider states for which no handler is registered."""
    mismatches: list[Mismatch]
    """Differences between the expected and the received response or message. Empty if it matches or could not be
    compared.
    """
    diff: NotRequired[str]
    """Diff of the JSON body. Each line starts with ``-`` (expected), ``+`` (actual), or a space. Missing if the body
    matches, is not JSON, or is too large.
    """
    error: NotRequired[InteractionError]
    """Error because of which the interaction could not be compared. Missing if it was compared."""
    output: NotRequired[list[str]]
    """Lines that a plugin printed while it verified the interaction."""
    teardownError: NotRequired[InteractionError]
    """Error that occurred while the provider states were torn down. Missing if there was none."""


class ContractOrigin(TypedDict):
    """Where a contract comes from."""

    kind: Literal["file", "url", "document", "broker"]
    """Kind of the source: ``file``, ``url``, ``document`` (passed by the calling process), or ``broker``."""
    broker: NotRequired[str]
    """Base URL of the broker. Missing for other sources."""
    name: NotRequired[str]
    """The broker's name for the contract, which includes the consumer version. Missing for other sources."""
    selection: NotRequired[str]
    """Reason why the broker selected the contract, in the broker's words, such as ``latest from main branch``. Missing
    if the broker states none.
    """
    wip: NotRequired[bool]
    """True if the broker selected the contract as work in progress (WIP)."""


class ContractNotice(TypedDict):
    """A broker's notice about a contract."""

    moment: Literal["before", "after"]
    """When to display the notice: ``before`` or ``after`` the verification."""
    text: str
    """Text of the notice, with secrets redacted."""


class ContractPublication(TypedDict):
    """Outcome of publishing the verification result of one contract."""

    published: bool
    """True if the broker accepted the result."""
    url: NotRequired[str]
    """URL of the published result. Missing if the result was not published or the broker returned no URL."""
    reason: NotRequired[str]
    """Reason why the result was not published. Missing if it was published."""


class Publication(TypedDict):
    """Outcome of publishing all results of a verification."""

    version: str
    """Provider version for which the results were published."""
    branch: NotRequired[str]
    """Branch of the provider version. Missing if none is set."""
    tags: NotRequired[list[str]]
    """Tags of the provider version."""
    published: int
    """Number of contracts whose results were published."""
    error: NotRequired[str]
    """Error because of which results could not be published. The verification then fails. Missing if there was no
    error.
    """


class ContractReport(TypedDict):
    """Results of one contract."""

    consumer: str
    """Name of the consumer."""
    provider: str
    """Name of the provider."""
    source: str
    """Source of the contract, such as the path of a file or a URL."""
    origin: NotRequired[ContractOrigin]
    """Kind and details of the source. Missing if they are unknown."""
    pending: bool
    """True if the broker marked the contract as pending, so that its failures do not fail the verification."""
    notices: NotRequired[list[ContractNotice]]
    """The broker's notices about the contract. Empty for contracts from other sources."""
    publication: NotRequired[ContractPublication]
    """Outcome of publishing the result of this contract. Missing if publishing was not requested."""
    interactions: list[InteractionReport]
    """Results of the interactions, in the order in which the contract contains them."""


class VerificationSummary(TypedDict):
    """Numbers of interactions by status, and duration of a verification."""

    total: int
    """Number of interactions that the filters selected. It includes skipped interactions."""
    passed: int
    """Number of interactions that passed."""
    failed: int
    """Number of interactions that failed and are not pending."""
    pending: int
    """Number of interactions that failed but are pending, so that the verification can still succeed."""
    skipped: int
    """Number of interactions that were not verified because an earlier one failed."""
    filtered: int
    """Number of interactions that filters excluded."""
    durationMs: float
    """Duration of the verification in milliseconds."""


class VerificationReport(TypedDict):
    """The report of a verification."""

    formatVersion: int
    """Version of the report format. Incremented when a field is removed or redefined, but not when a field is added."""
    provider: str
    """Name of the provider."""
    command: NotRequired[str]
    """Shell command that started the verification. Missing if it is unknown."""
    date: NotRequired[str]
    """Time at which the verification ended, in UTC, such as ``2026-11-22T23:00:00Z``. Missing if it is unknown."""
    providerVersion: NotRequired[str]
    """Version of the provider, from the publish options or the CI system. Missing if neither provides it."""
    providerBranch: NotRequired[str]
    """Branch of the provider, from the options or the CI system. Missing if neither provides it."""
    buildUrl: NotRequired[str]
    """URL of the build, from the publish options or the CI system. Missing if neither provides it."""
    success: bool
    """True if every interaction that is not pending passed, and if all requested results were published."""
    summary: VerificationSummary
    """Numbers of interactions by status, and duration."""
    warnings: list[str]
    """Warnings about the verification, such as provider states without a handler."""
    publication: NotRequired[Publication]
    """Outcome of publishing the verification results. Missing if publishing was not requested."""
    contracts: list[ContractReport]
    """Results of the contracts, in the order of the sources."""
