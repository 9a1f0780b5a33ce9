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
    """Maximum number of bytes that generators produce for one response. When it is exceeded, the server sends the
    examples instead and logs a warning. Default: the option of the contract.
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
    """Maximum time for the start of a plugin, in milliseconds. Default: ``CONTRACT_PLUGIN_START_TIMEOUT``, otherwise
    60000.
    """
    timeout: NotRequired[int]
    """Maximum time for one call to a plugin, in milliseconds. Default: 30000."""


class Mismatch(TypedDict):
    """A difference between an expected and a received value: place, message, and values, without secrets and limited in
    size.
    """

    type: Literal["MethodMismatch", "PathMismatch", "StatusMismatch", "QueryMismatch", "HeaderMismatch", "BodyTypeMismatch", "BodyMismatch", "MetadataMismatch"]
    """The part of the request, response, or message."""
    kind: str
    """The stable kind of mismatch: ``not-equal``, ``missing``, ``unexpected``, ``keys``, ``length``, ``type``, ``regex``, …"""
    place: str
    """The place, in the same form for all types: ``status``, ``header X-Id``, ``query parameter page[1]``, ``$.items[0].id``
    in a body, ``metadata topic``. Other fields contain its parts.
    """
    parameter: NotRequired[str]
    """The name of a query parameter."""
    key: NotRequired[str]
    """The name of a header or metadata entry."""
    index: NotRequired[int]
    """The index, if there are several values."""
    path: NotRequired[str]
    """The path expression in the body, or in a metadata entry that is an object or a list: ``$.items[0].id``."""
    pointer: NotRequired[str]
    """The same as a JSON pointer: ``/items/0/id``."""
    expected: NotRequired[Json]
    """The expected value."""
    actual: NotRequired[Json]
    """The received value."""
    rule: NotRequired[Json]
    """The matching rule that failed, in the form of contract files; absent for plain equality."""
    mismatch: str
    """The difference in one line."""
    explanation: NotRequired[str]
    """Further explanation: a diff, the nearest candidate, what to do."""


class ServedInteractionName(TypedDict):
    """Identifies an interaction of a mock server."""

    index: int
    """Its index among the interactions of the server."""
    description: str
    """The description."""
    states: NotRequired[list[ServedState]]
    """The provider states, if any."""
    key: NotRequired[str]
    """The key, if it has one."""


class ClosestInteraction(TypedDict):
    """The interaction closest to a request."""

    interaction: ServedInteractionName
    """The interaction."""
    method: str
    """The expected method."""
    path: str
    """The expected path."""
    mismatches: list[Mismatch]
    """The mismatches."""
    omitted: NotRequired[int]
    """Number of further mismatches."""


class RequestMismatch(TypedDict):
    """An expected request that differs."""

    type: Literal["request-mismatch"]
    method: str
    """The expected method."""
    path: str
    """The expected path."""
    interaction: ServedInteractionName
    """The closest interaction."""
    mismatches: list[Mismatch]
    """The mismatches."""
    omitted: NotRequired[int]
    """Number of further mismatches."""
    request: ReceivedRequest
    """The request as received."""
    count: int
    """Number of times it was received."""


class RequestNotFound(TypedDict):
    """An unexpected request."""

    type: Literal["request-not-found"]
    method: str
    """The request as received."""
    path: str
    """The request as received."""
    request: ReceivedRequest
    """The request as received."""
    closest: NotRequired[ClosestInteraction]
    """The closest interaction, if one is close."""
    reason: NotRequired[str]
    """Why it could not be compared, for example because its body exceeds the limit."""
    count: int
    """Number of times it was received."""


class RequestRefused(TypedDict):
    """A request that was rejected before it could be compared, for example because its head exceeds the limit."""

    type: Literal["request-refused"]
    status: NotRequired[int]
    """The status of the response; absent if there was none."""
    code: str
    """A stable name for the reason, such as ``head-too-large``."""
    reason: str
    """Why, and what to do."""
    count: int
    """Number of times."""


class MissingRequest(TypedDict):
    """A missing request: an interaction that was never requested."""

    type: Literal["missing-request"]
    method: str
    """The expected method."""
    path: str
    """The expected path."""
    interaction: ServedInteractionName
    """The interaction."""
    request: ReceivedRequest
    """The expected request."""


class TimesMismatch(TypedDict):
    """An interaction that was requested too often, or not often enough."""

    type: Literal["times-mismatch"]
    method: str
    """The expected method."""
    path: str
    """The expected path."""
    interaction: ServedInteractionName
    """The interaction."""
    min: int
    """Minimum number of requests."""
    max: int | None
    """Maximum number of requests; absent if unlimited."""
    actual: int
    """Number of received requests."""


class PluginMismatch(TypedDict):
    """A mismatch reported by the mock server of a plugin."""

    type: Literal["plugin-mismatch"]
    plugin: str
    """The plugin."""
    transport: str
    """The protocol."""
    path: NotRequired[str]
    """The request, as the protocol names it."""
    error: NotRequired[str]
    """What went wrong."""
    mismatches: list[Mismatch]
    """The mismatches."""


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
    """The outcome. ``not-found`` means that no interaction has this method and path. ``preflight`` means that the server
    answered a preflight request of a browser.
    """
    interaction: str | None
    """The description of the interaction that provided the response, or of the closest interaction."""
    mismatches: list[Mismatch]
    unexpectedFields: list[str]
    """JSON pointers to body fields that the contract does not define."""


InteractionStatus = Literal["passed", "failed", "pending", "skipped"]
"""Result of an interaction: ``pending`` failed but does not count as a failure, ``skipped`` was not verified."""


class InteractionError(TypedDict):
    """Why an interaction could not be compared."""

    code: str
    """Stable error code, ``ERR_CONTRACT_…``."""
    message: str
    """What happened, where, and what to do."""


class ReportedHeader(TypedDict):
    """A header with all its values."""

    name: str
    """The name."""
    values: list[str]
    """In order; secrets are redacted."""


class ReportedBody(TypedDict):
    """A body, possibly truncated; secrets are redacted."""

    contentType: NotRequired[str]
    """Declared or detected content type."""
    size: int
    """Size in bytes, decompressed."""
    encoding: Literal["text", "base64"]
    """``base64`` for binary content."""
    content: str
    """The content in the form that ``encoding`` specifies."""
    truncated: bool
    """Whether ``content`` is truncated."""


class Expectation(TypedDict):
    """A summary of the expected response."""

    status: NotRequired[int]
    """The status code; absent for a message."""
    headers: list[ReportedHeader]
    """The expected headers."""
    metadata: NotRequired[Json]
    """The expected metadata."""
    body: bool
    """Whether a body is expected."""


class ReportedRequest(TypedDict):
    """The request that was sent. Headers and body are present if the interaction did not pass; secrets are redacted."""

    method: str
    """Method, in upper case."""
    url: str
    """URL, including the query string."""
    headers: NotRequired[list[ReportedHeader]]
    """Headers from the contract, custom headers, and headers from filters."""
    body: NotRequired[ReportedBody]
    """The body that was sent."""


class ReportedResponse(TypedDict):
    """The response that was received. Headers and body are present if the interaction did not pass; secrets are redacted."""

    status: NotRequired[int]
    """The status code; absent for a message."""
    headers: NotRequired[list[ReportedHeader]]
    """The received headers."""
    metadata: NotRequired[Json]
    """The metadata of a message."""
    body: NotRequired[ReportedBody]
    """The received body."""


class InteractionTiming(TypedDict):
    """Duration of the steps of an interaction, in milliseconds."""

    statesMs: float
    """Setting up provider states."""
    requestMs: float
    """From sending the request to the last byte of the response."""
    teardownMs: float
    """Tearing down provider states."""
    totalMs: float
    """All steps."""


class InteractionReport(TypedDict):
    """The result of one interaction."""

    description: str
    """The description."""
    states: list[ProviderState]
    """The provider states, in order."""
    key: NotRequired[str]
    """The key in the contract."""
    id: NotRequired[str]
    """The identifier at the broker."""
    fingerprint: str
    """A fingerprint that is the same in every run; filters accept it as ``id``."""
    kind: str
    """The kind, such as ``Synchronous/HTTP``."""
    pending: bool
    """Whether a failure is only reported."""
    testName: NotRequired[str]
    """The consumer test that wrote the interaction."""
    line: NotRequired[int]
    """The line of the contract file on which it begins, counted from 1."""
    comments: NotRequired[dict[str, Json]]
    """The consumer's comments."""
    status: InteractionStatus
    """The result."""
    durationMs: float
    """Duration in milliseconds."""
    timing: InteractionTiming
    """Duration of the steps."""
    expected: NotRequired[Expectation]
    """A summary of the expected response."""
    request: NotRequired[ReportedRequest]
    """The request, if it was sent."""
    response: NotRequired[ReportedResponse]
    """The response, if one was received."""
    unhandledStates: NotRequired[list[str]]
    """Provider states without a handler."""
    mismatches: list[Mismatch]
    """The mismatches."""
    diff: NotRequired[str]
    """A diff of the body: lines start with ``-`` (expected), ``+`` (actual), or a space."""
    error: NotRequired[InteractionError]
    """Why the interaction could not be compared."""
    output: NotRequired[list[str]]
    """Lines that a plugin printed about its verification of the interaction."""
    teardownError: NotRequired[InteractionError]
    """Why a provider state could not be torn down."""


class ContractOrigin(TypedDict):
    """Where a contract came from."""

    kind: Literal["file", "url", "document", "broker"]
    """The kind of source: a file, a URL, a document from the calling process, or a broker."""
    broker: NotRequired[str]
    """The base URL of the broker."""
    name: NotRequired[str]
    """The broker's name for the contract, which includes the consumer version."""
    selection: NotRequired[str]
    """Why the broker selected the contract, in its words: ``latest from main branch``."""
    wip: NotRequired[bool]
    """Whether it is a WIP contract."""


class ContractNotice(TypedDict):
    """A notice of a broker about a contract."""

    moment: Literal["before", "after"]
    """Whether the notice is shown before or after the verification."""
    text: str
    """The text of the broker."""


class ContractPublication(TypedDict):
    """Whether the result of one contract was published."""

    published: bool
    """Whether the broker has the result."""
    url: NotRequired[str]
    """The URL of the result."""
    reason: NotRequired[str]
    """Why the result was not published."""


class Publication(TypedDict):
    """The outcome of publishing results."""

    version: str
    """The version of the provider."""
    branch: NotRequired[str]
    """The branch of the version."""
    tags: NotRequired[list[str]]
    """Tags of the version."""
    published: int
    """Number of contracts whose results were published."""
    error: NotRequired[str]
    """Why results could not be published. The verification has failed."""


class ContractReport(TypedDict):
    """The results of one contract."""

    consumer: str
    """The name of the consumer."""
    provider: str
    """The name of the provider."""
    source: str
    """The file, URL, or other source."""
    origin: NotRequired[ContractOrigin]
    """Details of the source."""
    pending: bool
    """Whether the whole contract is pending."""
    notices: NotRequired[list[ContractNotice]]
    """The broker's notices."""
    publication: NotRequired[ContractPublication]
    """Whether its result was published."""
    interactions: list[InteractionReport]
    """In the order of the contract."""


class VerificationSummary(TypedDict):
    """Number of interactions."""

    total: int
    """Interactions after filtering."""
    passed: int
    """Interactions that passed."""
    failed: int
    """Interactions that failed."""
    pending: int
    """Interactions that failed but are pending."""
    skipped: int
    """Interactions that were not verified because an earlier one failed."""
    filtered: int
    """Interactions excluded by filters."""
    durationMs: float
    """Duration in milliseconds."""


class VerificationReport(TypedDict):
    """The report of a verification."""

    formatVersion: int
    """The version of this format. It is incremented when a field is removed or redefined, but not when one is added."""
    provider: str
    """The name of the provider."""
    command: NotRequired[str]
    """How the verification was started, as a shell command, if known."""
    date: NotRequired[str]
    """When the verification ended, in UTC: ``2026-11-22T23:00:00Z``."""
    providerVersion: NotRequired[str]
    """The provider's version, from the publish options or the CI system."""
    providerBranch: NotRequired[str]
    """The provider's branch, from the options or the CI system."""
    buildUrl: NotRequired[str]
    """The page of the build, from the publish options or the CI system."""
    success: bool
    """True if every non-pending interaction passed and all requested results were published."""
    summary: VerificationSummary
    """Number of interactions."""
    warnings: list[str]
    """Warnings."""
    publication: NotRequired[Publication]
    """The outcome of publishing results, if requested."""
    contracts: list[ContractReport]
    """In the order of the sources."""
