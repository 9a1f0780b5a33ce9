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
    """A certificate chain and its private key in PEM format."""

    cert: str | bytes
    """The certificate chain in PEM format, starting with the server's certificate."""
    key: str | bytes
    """The private key in PEM format."""


class ServerLimits(TypedDict):
    """Limits of a mock server. If a request exceeds a size limit, the server rejects it, and the test fails with an error
    that identifies the limit.
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
    """Maximum number of bytes that generators produce for one response. When it is exceeded, the server sends the
    examples instead and logs a warning. Default: the contract's option.
    """
    connections: NotRequired[int]
    """Maximum number of open connections. The server responds to further connections with status 503. Default: 4096."""
    header_timeout: NotRequired[int]
    """Maximum time to receive the head of a request after its first byte, in milliseconds. Default: 30000."""
    idle_timeout: NotRequired[int]
    """Maximum time that a connection may be idle, in milliseconds. Default: 300000."""
    request_timeout: NotRequired[int]
    """Maximum time to receive the request body and to send the response, in milliseconds. Default: 600000."""
    handshake_timeout: NotRequired[int]
    """Maximum duration of a TLS handshake in milliseconds. Default: 10000."""
    stop_timeout: NotRequired[int]
    """Maximum time that requests in progress may take to finish when the server stops, in milliseconds. Default: 500."""


class PluginOptions(TypedDict):
    """Plugin directories and timeouts."""

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
    """Part of the request, response, or message in which the difference occurred."""
    kind: str
    """Stable name of the kind of mismatch: ``not-equal``, ``missing``, ``unexpected``, ``keys``, ``length``, ``type``, ``regex``, …"""
    place: str
    """Location of the difference, such as ``status``, ``header X-Id``, ``query parameter page[1]``, ``$.items[0].id`` in a
    body, or ``metadata topic``. Other fields contain the parts of this location.
    """
    parameter: NotRequired[str]
    """Name of the query parameter."""
    key: NotRequired[str]
    """Name of the header or metadata entry."""
    index: NotRequired[int]
    """Index of the value if a header or parameter has several values. Starts at 0."""
    path: NotRequired[str]
    """Path expression in the body, or in a metadata entry that is an object or an array: ``$.items[0].id``."""
    pointer: NotRequired[str]
    """The same path as a JSON pointer: ``/items/0/id``."""
    expected: NotRequired[Json]
    """The expected value."""
    actual: NotRequired[Json]
    """The received value."""
    rule: NotRequired[Json]
    """The matching rule that failed, as written in contract files. Missing if the values were compared for equality."""
    mismatch: str
    """Description of the difference in one sentence."""
    explanation: NotRequired[str]
    """Additional information, such as a diff, the closest candidate, or advice."""


class FailedVariant(TypedDict):
    """A variant with which a test failed."""

    name: str
    """The name, which ``CONTRACT_VARIANT`` accepts. Names of a combination are separated by `` + ``."""
    interaction: str
    """The description of the interaction."""
    place: str
    """Location of the value that was changed, such as ``$.status``. Locations of a combination are separated by `` + ``."""
    rule: str
    """Why the contract allows the value. Reasons of a combination are separated by `` + ``."""
    value: str
    """The value that was served. Values of a combination are separated by `` + ``."""
    reason: str
    """How the test failed: ``error``, ``requests``, ``timeout``, ``unstable``, ``not-isolated``, or
    ``unread``.
    """
    run: int
    """The number of the run that failed, starting with 0."""


class ServedInteractionName(TypedDict):
    """Identifies an interaction of a mock server."""

    index: int
    """Index among the interactions of the server."""
    description: str
    """The description."""
    states: NotRequired[list[ServedState]]
    """The provider states, if any."""
    key: NotRequired[str]
    """The key of the interaction, if it has one."""


class ClosestInteraction(TypedDict):
    """The interaction that is closest to a request."""

    interaction: ServedInteractionName
    """The closest interaction."""
    method: str
    """The expected method."""
    path: str
    """The expected path."""
    mismatches: list[Mismatch]
    """Mismatches between the interaction and the request."""
    omitted: NotRequired[int]
    """Number of additional mismatches."""


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
    """Number of additional mismatches."""
    request: ReceivedRequest
    """The received request."""
    count: int
    """Number of times this request was received."""


class RequestNotFound(TypedDict):
    """An unexpected request."""

    type: Literal["request-not-found"]
    method: str
    """The received method."""
    path: str
    """The received path."""
    request: ReceivedRequest
    """The received request."""
    closest: NotRequired[ClosestInteraction]
    """The closest interaction. Missing if no interaction is similar."""
    reason: NotRequired[str]
    """Reason if the request could not be compared, for example because its body exceeds the limit."""
    count: int
    """Number of times this request was received."""


class RequestRefused(TypedDict):
    """A request that was rejected before it could be compared, for example because its head exceeds the limit."""

    type: Literal["request-refused"]
    status: NotRequired[int]
    """Status of the response. Missing if no response was sent."""
    code: str
    """Stable name of the reason, such as ``head-too-large``."""
    reason: str
    """The reason, and what to do about it."""
    count: int
    """Number of times such a request was rejected."""


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
    """Maximum number of requests. Missing if there is no maximum."""
    actual: int
    """Number of received requests."""


class PluginMismatch(TypedDict):
    """A mismatch that the mock server of a plugin reported."""

    type: Literal["plugin-mismatch"]
    plugin: str
    """Name of the plugin."""
    transport: str
    """Name of the transport."""
    path: NotRequired[str]
    """The name that the plugin uses for the request."""
    error: NotRequired[str]
    """Error message of the plugin."""
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
    """A received request and its outcome. Unlike messages and errors, it contains secrets."""

    at: int
    """Time at which the last byte was received, in milliseconds since 1970-01-01 UTC."""
    method: str
    path: str
    """The path without the query string."""
    query: dict[str, list[str | None]]
    """Decoded query parameters with their values in order. A parameter without a value has the value ``None``."""
    headers: dict[str, list[str]]
    """Headers with their values in order."""
    body: str | dict[str, str]
    """The body as text, or as base64 for binary content. Long bodies are truncated, and bodies of old requests are
    removed.
    """
    bodyLength: int
    """Size of the complete body in bytes."""
    outcome: Literal["matched", "mismatched", "not-found", "preflight"]
    """The outcome: ``matched``, ``mismatched``, ``not-found`` if no interaction has this method and path, or ``preflight`` if
    the server responded to a CORS preflight request.
    """
    interaction: str | None
    """The description of the interaction that provided the response, or of the closest interaction. ``None`` if there is
    neither.
    """
    mismatches: list[Mismatch]
    unexpectedFields: list[str]
    """JSON pointers to body fields that the contract does not define."""


InteractionStatus = Literal["passed", "failed", "pending", "skipped"]
"""Result of an interaction. ``pending`` means that the interaction failed, but the failure does not count. ``skipped``
means that it was not verified.
"""


class InteractionError(TypedDict):
    """Reason why an interaction could not be compared."""

    code: str
    """Stable error code (``ERR_CONTRACT_…``)."""
    message: str
    """Error message: what failed, where, and what to do."""


class ReportedHeader(TypedDict):
    """A header with all its values."""

    name: str
    """Name of the header."""
    values: list[str]
    """Values in order. Secrets are redacted."""


class ReportedBody(TypedDict):
    """Body of a request, response, or message. Secrets are redacted. Long bodies are truncated."""

    contentType: NotRequired[str]
    """Content type of the body, either declared or detected."""
    size: int
    """Size of the decompressed body in bytes."""
    encoding: Literal["text", "base64"]
    """Encoding of ``content``: ``text``, or ``base64`` for a binary body."""
    content: str
    """The content, encoded as specified by ``encoding``."""
    truncated: bool
    """True if ``content`` is truncated."""


class Expectation(TypedDict):
    """Summary of the expected response."""

    status: NotRequired[int]
    """Expected status code. Missing for a message."""
    headers: list[ReportedHeader]
    """Expected headers."""
    metadata: NotRequired[Json]
    """Expected metadata."""
    body: bool
    """True if the contract contains a body."""


class ReportedRequest(TypedDict):
    """The request that was sent. Headers and body are included if the interaction did not pass. Secrets are redacted."""

    method: str
    """Method, in upper case."""
    url: str
    """URL, including the query string."""
    headers: NotRequired[list[ReportedHeader]]
    """Headers from the contract, custom headers, and headers added by filters."""
    body: NotRequired[ReportedBody]
    """The body that was sent."""


class ReportedResponse(TypedDict):
    """The response that was received. Headers and body are included if the interaction did not pass. Secrets are redacted."""

    status: NotRequired[int]
    """Received status code. Missing for a message."""
    headers: NotRequired[list[ReportedHeader]]
    """The received headers."""
    metadata: NotRequired[Json]
    """The metadata of a message."""
    body: NotRequired[ReportedBody]
    """The received body."""


class InteractionTiming(TypedDict):
    """Durations of the steps of an interaction, in milliseconds."""

    statesMs: float
    """Time to set up the provider states."""
    requestMs: float
    """Time from sending the request to receiving the last byte of the response."""
    teardownMs: float
    """Time to tear down the provider states."""
    totalMs: float
    """Total time of all steps."""


class InteractionReport(TypedDict):
    """Result of one interaction."""

    description: str
    """Description of the interaction."""
    states: list[ProviderState]
    """The provider states, in order."""
    key: NotRequired[str]
    """Key of the interaction in the contract."""
    id: NotRequired[str]
    """ID of the interaction in the broker."""
    fingerprint: str
    """Fingerprint of the interaction, which is the same in every run. Filters accept it as ``id``."""
    kind: str
    """Type of the interaction, such as ``Synchronous/HTTP``."""
    pending: bool
    """True if a failure is reported but does not fail the verification."""
    testName: NotRequired[str]
    """Name of the consumer test that wrote the interaction."""
    line: NotRequired[int]
    """Line of the contract file at which the interaction starts. Starts at 1."""
    comments: NotRequired[dict[str, Json]]
    """Comments that the consumer added to the interaction."""
    status: InteractionStatus
    """Result of the verification."""
    durationMs: float
    """Time taken to verify the interaction, in milliseconds."""
    timing: InteractionTiming
    """Durations of the individual steps."""
    expected: NotRequired[Expectation]
    """Summary of the expected response."""
    request: NotRequired[ReportedRequest]
    """The request, if it was sent."""
    response: NotRequired[ReportedResponse]
    """The response, if it was received."""
    unhandledStates: NotRequired[list[str]]
    """Provider states without a handler."""
    mismatches: list[Mismatch]
    """Differences between the expected and the received response or message."""
    diff: NotRequired[str]
    """Diff of the body. Each line starts with ``-`` (expected), ``+`` (actual), or a space."""
    error: NotRequired[InteractionError]
    """Error that prevented the interaction from being compared."""
    output: NotRequired[list[str]]
    """Lines that a plugin printed while it verified the interaction."""
    teardownError: NotRequired[InteractionError]
    """Error that occurred while provider states were torn down."""


class ContractOrigin(TypedDict):
    """Source of a contract."""

    kind: Literal["file", "url", "document", "broker"]
    """Kind of the source: a file, a URL, a document from the calling process, or a broker."""
    broker: NotRequired[str]
    """Base URL of the broker."""
    name: NotRequired[str]
    """Name of the contract in the broker, which includes the version of the consumer."""
    selection: NotRequired[str]
    """Reason why the broker selected the contract, in the words of the broker: ``latest from main branch``."""
    wip: NotRequired[bool]
    """True if the contract is work in progress (WIP)."""


class ContractNotice(TypedDict):
    """Notice of a broker about a contract."""

    moment: Literal["before", "after"]
    """Whether the notice is displayed before or after the verification."""
    text: str
    """Text of the notice."""


class ContractPublication(TypedDict):
    """Result of publishing the verification result of one contract."""

    published: bool
    """True if the broker accepted the result."""
    url: NotRequired[str]
    """URL of the published result."""
    reason: NotRequired[str]
    """Reason why the result was not published."""


class Publication(TypedDict):
    """Result of publishing the verification results."""

    version: str
    """Version of the provider."""
    branch: NotRequired[str]
    """Branch of the provider version."""
    tags: NotRequired[list[str]]
    """Tags of the provider version."""
    published: int
    """Number of contracts whose results were published."""
    error: NotRequired[str]
    """Error that prevented the results from being published. It fails the verification."""


class ContractReport(TypedDict):
    """Results of one contract."""

    consumer: str
    """Name of the consumer."""
    provider: str
    """Name of the provider."""
    source: str
    """Source of the contract, such as a file or a URL."""
    origin: NotRequired[ContractOrigin]
    """Details about the source."""
    pending: bool
    """True if the complete contract is pending."""
    notices: NotRequired[list[ContractNotice]]
    """Notices of the broker about the contract."""
    publication: NotRequired[ContractPublication]
    """Result of publishing the verification result of this contract."""
    interactions: list[InteractionReport]
    """Results of the interactions, in the order of the contract."""


class VerificationSummary(TypedDict):
    """Number of interactions, by result."""

    total: int
    """Number of interactions after filtering."""
    passed: int
    """Number of interactions that passed."""
    failed: int
    """Number of interactions that failed and are not pending."""
    pending: int
    """Number of interactions that failed but are pending."""
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
    """Shell command that started the verification, if known."""
    date: NotRequired[str]
    """Time at which the verification ended, in UTC: ``2026-11-22T23:00:00Z``."""
    providerVersion: NotRequired[str]
    """Version of the provider, from the publish options or the CI system."""
    providerBranch: NotRequired[str]
    """Branch of the provider, from the options or the CI system."""
    buildUrl: NotRequired[str]
    """URL of the build, from the publish options or the CI system."""
    success: bool
    """True if every non-pending interaction passed and all requested results were published."""
    summary: VerificationSummary
    """Number of interactions, by result."""
    warnings: list[str]
    """Warnings about the verification."""
    publication: NotRequired[Publication]
    """Result of publishing the verification results, if it was requested."""
    contracts: list[ContractReport]
    """Results of the contracts, in the order of the sources."""
