# Made from the structures of the core by crates/contract/tests/types; not to be edited.
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
    """A certificate with its chain and its key, as PEM."""

    cert: str | bytes
    """The chain, the server's own certificate first."""
    key: str | bytes
    """The key."""


class ServerLimits(TypedDict):
    """Bounds of a mock server. A request beyond those of size is refused, which fails the test with an error that names the
    bound.
    """

    body_size: NotRequired[int]
    """Largest body of a request in bytes; a larger one is answered 413. Default: 67108864 (64 MiB)."""
    header_size: NotRequired[int]
    """Largest head of a request in bytes, at least 8192; a larger one is answered 431. Default: 65536 (64 KiB)."""
    header_count: NotRequired[int]
    """Most headers of a request; one with more is answered 431. Default: 100."""
    generated_size: NotRequired[int]
    """Bytes generated for one response; beyond them the examples stand, which the log says. Default: that of the contract."""
    connections: NotRequired[int]
    """Connections open at a time; further ones are answered 503. Default: 4096."""
    header_timeout: NotRequired[int]
    """Milliseconds to send the head of a request, from its first byte. Default: 30000."""
    idle_timeout: NotRequired[int]
    """Milliseconds in which nothing moves on a connection. Default: 300000."""
    request_timeout: NotRequired[int]
    """Milliseconds to send the body of a request and take the answer. Default: 600000."""
    handshake_timeout: NotRequired[int]
    """Milliseconds for a TLS handshake. Default: 10000."""
    stop_timeout: NotRequired[int]
    """Milliseconds that a request in flight has left when the server stops. Default: 500."""


class PluginOptions(TypedDict):
    """Where plugins are, and how long they are waited for."""

    directories: NotRequired[Sequence[str | os.PathLike[str]]]
    """Directories that hold plugins, one directory with a ``pact-plugin.json`` for each. Default: those of the environment
    variable ``CONTRACT_PLUGIN_DIR``, else of ``PACT_PLUGIN_DIR`` (several are separated as in ``PATH``), else ``.pact/plugins`` in
    the home directory.
    """
    start_timeout: NotRequired[int]
    """Milliseconds that a plugin may take to start. Default: ``CONTRACT_PLUGIN_START_TIMEOUT``, else 60000."""
    timeout: NotRequired[int]
    """Milliseconds that a plugin may take for one answer. Default: 30000."""


class Mismatch(TypedDict):
    """One difference between what a contract expects and what arrived: its place, its sentence, and the values, without secrets
    and bounded in size.
    """

    type: Literal["MethodMismatch", "PathMismatch", "StatusMismatch", "QueryMismatch", "HeaderMismatch", "BodyTypeMismatch", "BodyMismatch", "MetadataMismatch"]
    """The part of the request, the answer or the message."""
    kind: str
    """The kind of difference, stable: ``not-equal``, ``missing``, ``unexpected``, ``keys``, ``length``, ``type``, ``regex``, …"""
    place: str
    """Where, in one way for all types: ``status``, ``header X-Id``, ``query parameter page[1]``, ``$.items[0].id`` in a body,
    ``metadata topic``. Other members have its parts.
    """
    parameter: NotRequired[str]
    """The name of a query parameter."""
    key: NotRequired[str]
    """The name of a header or of a metadata entry."""
    index: NotRequired[int]
    """Which of several values."""
    path: NotRequired[str]
    """Where in the body, or in a metadata entry's value if that is an object or a list, as a path expression:
    ``$.items[0].id``.
    """
    pointer: NotRequired[str]
    """The same as a JSON pointer: ``/items/0/id``."""
    expected: NotRequired[Json]
    """What the contract expects there."""
    actual: NotRequired[Json]
    """What arrived there."""
    rule: NotRequired[Json]
    """The matching rule that failed, as contract files write it; absent when plain equality was asked for."""
    mismatch: str
    """The difference in one line."""
    explanation: NotRequired[str]
    """More to read: a diff, the nearest candidate, what to do."""


class ServedInteractionName(TypedDict):
    """Names an interaction of a server."""

    index: int
    """Its place among the interactions of the server."""
    description: str
    """In words."""
    states: NotRequired[list[ServedState]]
    """The provider states that it needs; absent when it needs none."""
    key: NotRequired[str]
    """Its key, if it has one."""


class ClosestInteraction(TypedDict):
    """The interaction that a request comes closest to."""

    interaction: ServedInteractionName
    """Which."""
    method: str
    """The expected method."""
    path: str
    """The expected path."""
    mismatches: list[Mismatch]
    """What differs."""
    omitted: NotRequired[int]
    """Differences beyond these, if there are any."""


class RequestMismatch(TypedDict):
    """A request that is expected, but not like this."""

    type: Literal["request-mismatch"]
    method: str
    """The expected method."""
    path: str
    """The expected path."""
    interaction: ServedInteractionName
    """The interaction that comes closest."""
    mismatches: list[Mismatch]
    """What differs."""
    omitted: NotRequired[int]
    """Differences beyond these, if there are any."""
    request: ReceivedRequest
    """As received."""
    count: int
    """How often it came."""


class RequestNotFound(TypedDict):
    """A request that no interaction expects."""

    type: Literal["request-not-found"]
    method: str
    """As received."""
    path: str
    """As received."""
    request: ReceivedRequest
    """As received."""
    closest: NotRequired[ClosestInteraction]
    """The interaction that comes closest, when one is close."""
    reason: NotRequired[str]
    """Why it could not be compared at all, such as a body beyond the limit."""
    count: int
    """How often it came."""


class RequestRefused(TypedDict):
    """A request that was refused before it could be compared, such as one with a head beyond the limit."""

    type: Literal["request-refused"]
    status: NotRequired[int]
    """With which status; absent when there was no answer."""
    code: str
    """A stable name for the reason, such as ``head-too-large``."""
    reason: str
    """Why, and what to do."""
    count: int
    """How often."""


class MissingRequest(TypedDict):
    """An interaction that was never requested."""

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
    """How often it may be requested."""
    max: int | None
    """The most; nothing stands for no bound."""
    actual: int
    """How often it was."""


class PluginMismatch(TypedDict):
    """What the mock server of a plugin found wrong."""

    type: Literal["plugin-mismatch"]
    plugin: str
    """The plugin."""
    transport: str
    """The protocol."""
    path: NotRequired[str]
    """What was asked for, in the words of the protocol."""
    error: NotRequired[str]
    """What went wrong."""
    mismatches: list[Mismatch]
    """What differs."""


ServerMismatch = Union[
    RequestMismatch,
    RequestNotFound,
    RequestRefused,
    MissingRequest,
    TimesMismatch,
    PluginMismatch,
]
"""What a mock server has to say against the consumer."""


class JournalEntry(TypedDict):
    """A request that came, as it came, and what became of it. Unlike texts and errors it holds secrets."""

    at: int
    """When its last byte had come, in milliseconds since 1970."""
    method: str
    path: str
    """Without query."""
    query: dict[str, list[str | None]]
    """Names, decoded, with their values in order; ``None`` is a name without value."""
    headers: dict[str, list[str]]
    """Names with their values in order."""
    body: str | dict[str, str]
    """Text, or base64 of what is no text. The beginning of a long one; of old requests nothing."""
    bodyLength: int
    """Bytes of the whole body."""
    outcome: Literal["matched", "mismatched", "not-found", "preflight"]
    """``not-found``: no interaction has its method and path. ``preflight``: a browser asked for permission, and got it."""
    interaction: str | None
    """The description of the interaction that answered, or that came closest."""
    mismatches: list[Mismatch]
    unexpectedFields: list[str]
    """JSON pointers to the fields of the body that the contract does not name."""


InteractionStatus = Literal["passed", "failed", "pending", "skipped"]
"""How an interaction fared: ``pending`` is one that the provider does not honour and need not yet, ``skipped`` one that was
not reached.
"""


class InteractionError(TypedDict):
    """Why an interaction could not be compared."""

    code: str
    """Stable, ``ERR_CONTRACT_…``."""
    message: str
    """What happened, where, and what to do."""


class ReportedHeader(TypedDict):
    """A header with all its values."""

    name: str
    """Its name."""
    values: list[str]
    """In order; secrets are blanked out."""


class ReportedBody(TypedDict):
    """A body, or its beginning; secrets are blanked out."""

    contentType: NotRequired[str]
    """Its declared or detected type."""
    size: int
    """In bytes, decompressed."""
    encoding: Literal["text", "base64"]
    """``base64`` for what is no text."""
    content: str
    """As the encoding says."""
    truncated: bool
    """Whether ``content`` is the beginning only."""


class Expectation(TypedDict):
    """What a contract expects of an answer, in short."""

    status: NotRequired[int]
    """None for a message."""
    headers: list[ReportedHeader]
    """The headers that it names."""
    metadata: NotRequired[Json]
    """The metadata that it names."""
    body: bool
    """Whether it says something about the body."""


class ReportedRequest(TypedDict):
    """A request as it was sent. Headers and body are there if the interaction did not pass; secrets are blanked out."""

    method: str
    """In upper case."""
    url: str
    """With query."""
    headers: NotRequired[list[ReportedHeader]]
    """As the contract, custom headers and filters made them."""
    body: NotRequired[ReportedBody]
    """What was sent."""


class ReportedResponse(TypedDict):
    """A response as it came. Headers and body are there if the interaction did not pass; secrets are blanked out."""

    status: NotRequired[int]
    """None for a message."""
    headers: NotRequired[list[ReportedHeader]]
    """As they came."""
    metadata: NotRequired[Json]
    """That of a message."""
    body: NotRequired[ReportedBody]
    """What came."""


class InteractionTiming(TypedDict):
    """How long the steps of an interaction took, in milliseconds."""

    statesMs: float
    """Setting up the states."""
    requestMs: float
    """From sending the request to the last byte of the answer."""
    teardownMs: float
    """Tearing down the states."""
    totalMs: float
    """All of it."""


class InteractionReport(TypedDict):
    """One interaction, verified."""

    description: str
    """What it is, in words."""
    states: list[ProviderState]
    """States that it needs, in order."""
    key: NotRequired[str]
    """Its key in the contract."""
    id: NotRequired[str]
    """The broker's name for it."""
    fingerprint: str
    """The same in every run; a filter takes it as ``id``."""
    kind: str
    """``Synchronous/HTTP`` and the like."""
    pending: bool
    """Whether a failure is reported only."""
    testName: NotRequired[str]
    """The consumer's test that wrote it."""
    comments: NotRequired[dict[str, Json]]
    """The consumer's comments."""
    status: InteractionStatus
    """What became of it."""
    durationMs: float
    """How long all of it took, in milliseconds."""
    timing: InteractionTiming
    """How long its steps took."""
    expected: NotRequired[Expectation]
    """What the contract expects, in short."""
    request: NotRequired[ReportedRequest]
    """What was sent, if anything was."""
    response: NotRequired[ReportedResponse]
    """What came back, if anything did."""
    unhandledStates: NotRequired[list[str]]
    """States that no handler was there for."""
    mismatches: list[Mismatch]
    """What differed."""
    diff: NotRequired[str]
    """The body's differences in lines that begin with ``-`` (expected), ``+`` (actual) or a blank."""
    error: NotRequired[InteractionError]
    """What kept the interaction from being compared."""
    output: NotRequired[list[str]]
    """Lines that a plugin printed about its verification of the interaction."""
    teardownError: NotRequired[InteractionError]
    """Why a state could not be torn down."""


class ContractOrigin(TypedDict):
    """Where a contract came from."""

    kind: Literal["file", "url", "document", "broker"]
    """A file, the address of one contract, the caller's own process, or a broker that was asked for the provider's
    contracts.
    """
    broker: NotRequired[str]
    """The base URL of the broker that chose it."""
    name: NotRequired[str]
    """The broker's name for it, which tells the consumer's version."""
    selection: NotRequired[str]
    """Why the broker chose it, in its words: ``latest from main branch``."""
    wip: NotRequired[bool]
    """Whether it is work in progress: the broker added it to what the selectors chose."""


class ContractNotice(TypedDict):
    """What a broker has to say about a contract."""

    moment: Literal["before", "after"]
    """Whether it is about the contract before it was verified, or about what came out."""
    text: str
    """In the broker's words."""


class ContractPublication(TypedDict):
    """What became of the result of one contract."""

    published: bool
    """Whether a broker has it."""
    url: NotRequired[str]
    """Where it is at the broker."""
    reason: NotRequired[str]
    """Why it was not published."""


class Publication(TypedDict):
    """What became of the results of a verification that was to publish them."""

    version: str
    """The provider's version."""
    branch: NotRequired[str]
    """Its branch."""
    tags: NotRequired[list[str]]
    """Its tags."""
    published: int
    """How many contracts have a result at the broker now."""
    error: NotRequired[str]
    """Why results that should have been published were not; the verification has failed then."""


class ContractReport(TypedDict):
    """One contract, verified."""

    consumer: str
    """The consumer's name."""
    provider: str
    """The provider's name."""
    source: str
    """The file, or what else tells where it came from."""
    origin: NotRequired[ContractOrigin]
    """The kind of that place, and what is known of it."""
    pending: bool
    """Whether the whole contract is pending."""
    notices: NotRequired[list[ContractNotice]]
    """What a broker has to say about it."""
    publication: NotRequired[ContractPublication]
    """What became of its result, when results were to be published."""
    interactions: list[InteractionReport]
    """In the order of the contract."""


class VerificationSummary(TypedDict):
    """Counts of interactions."""

    total: int
    """All that the filters left."""
    passed: int
    """Those that the provider honours."""
    failed: int
    """Those that it does not."""
    pending: int
    """Not honoured, and need not be yet."""
    skipped: int
    """Not reached because an earlier one failed."""
    filtered: int
    """Taken out by filters."""
    durationMs: float
    """How long all took, in milliseconds."""


class VerificationReport(TypedDict):
    """Everything that a verification found."""

    formatVersion: int
    """The version of this form: new members keep it, members that are gone or mean something else raise it."""
    provider: str
    """The provider's name."""
    command: NotRequired[str]
    """What started the verification, as words of a shell, when that is known."""
    success: bool
    """Whether all that is not pending was honoured, and results that were to be published are."""
    summary: VerificationSummary
    """Counts."""
    warnings: list[str]
    """What is worth a look and no failure."""
    publication: NotRequired[Publication]
    """What became of the results, when they were to be published."""
    contracts: list[ContractReport]
    """In the order of the sources."""
