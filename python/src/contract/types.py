"""Shapes of what this package gives and takes: mismatches, requests, reports.

All of it is plain data, as JSON has it, under the names that every language of this project has.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    import os

    from typing_extensions import NotRequired

    from ._matcher import Matcher

Json = Any
"""What JSON can hold: None, bool, int, float, str, lists and dicts of them."""

Part = Literal["Request", "Response", "request", "response"]
"""The part of an interaction that a call is about."""

Kind = Literal["HTTP", "Sync", "Async"]
"""The kinds of interactions."""

NamedValue = Union[
    str, int, float, bool, "Matcher[Any]", Mapping[str, Any], Sequence[Any]
]
"""The value of a header or a query parameter: a text, a matcher, matcher JSON as a mapping, or several of them."""

StateAction = Literal["setup", "teardown"]
"""Whether a state is entered or left."""


class _Mismatch(TypedDict):
    type: str
    """``BodyMismatch``, ``HeaderMismatch``, ``QueryMismatch``, ``StatusMismatch`` and the like."""
    kind: str
    """The kind of difference, stable: ``not-equal``, ``missing``, ``type``, ``regex``, …"""
    place: str
    """Where, in one way for all types: ``status``, ``header X-Id``, ``$.items[0].id``."""
    mismatch: str
    """The difference in one line."""


class Mismatch(_Mismatch, total=False):
    """One difference between what a contract expects and what arrived."""

    expected: Json
    actual: Json
    rule: Json
    """The matching rule that failed; absent when plain equality was asked for."""
    explanation: str
    """More to read: a diff, the nearest candidate, what to do."""
    path: str
    """Where in a body, as a path expression."""
    pointer: str
    """Where in a body, as a JSON pointer."""
    parameter: str
    """The name of a query parameter."""
    key: str
    """The name of a header or an entry of metadata."""
    index: int
    """Which of several values."""


class _ServerMismatch(TypedDict):
    type: Literal["request-mismatch", "request-not-found", "request-refused", "missing-request", "times-mismatch"]


class ServerMismatch(_ServerMismatch, total=False):
    """What a mock server has to say against the consumer. ``type`` says which other members are there."""

    method: str
    path: str
    interaction: dict[str, Json]
    mismatches: list[Mismatch]
    request: dict[str, Json]
    closest: dict[str, Json]
    reason: str
    code: str
    status: int
    count: int
    """How often it came."""
    omitted: int
    """Differences beyond these."""
    min: int
    max: int | None
    actual: int


class JournalEntry(TypedDict):
    """A request that came, as it came, and what became of it. Unlike texts and errors it holds secrets."""

    at: int
    """When its last byte had come, in milliseconds since 1970."""
    method: str
    path: str
    query: dict[str, list[str | None]]
    headers: dict[str, list[str]]
    body: Json
    """Text, or ``{"base64": …}`` of what is no text."""
    bodyLength: int
    outcome: Literal["matched", "mismatched", "not-found", "preflight"]
    interaction: str | None
    mismatches: list[Mismatch]
    unexpectedFields: list[str]
    """JSON pointers to the fields of the body that the contract does not name."""


class InteractionError(TypedDict):
    """Why an interaction could not be compared."""

    code: str
    message: str


class _InteractionReport(TypedDict):
    description: str
    states: list[dict[str, Json]]
    fingerprint: str
    """The same in every run; ``filter(id=…)`` takes it."""
    kind: str
    pending: bool
    status: Literal["passed", "failed", "pending", "skipped"]
    """``pending`` is one that the provider does not honour and need not yet, ``skipped`` one that was not reached."""
    durationMs: float
    timing: dict[str, float]
    mismatches: list[Mismatch]


class InteractionReport(_InteractionReport, total=False):
    """One interaction, verified."""

    key: str
    id: str
    """The broker's name for it."""
    testName: str
    comments: dict[str, Json]
    expected: dict[str, Json]
    request: dict[str, Json]
    response: dict[str, Json]
    unhandledStates: list[str]
    diff: str
    error: InteractionError
    teardownError: InteractionError


class ContractReport(TypedDict):
    """One contract, verified."""

    consumer: str
    provider: str
    source: str
    pending: bool
    interactions: list[InteractionReport]


class VerificationSummary(TypedDict):
    """Counts of interactions."""

    total: int
    passed: int
    failed: int
    pending: int
    skipped: int
    filtered: int
    durationMs: float


class VerificationReport(TypedDict):
    """Everything that a verification found."""

    formatVersion: int
    provider: str
    command: NotRequired[str]
    success: bool
    summary: VerificationSummary
    warnings: list[str]
    contracts: list[ContractReport]
    publication: NotRequired[dict[str, Json]]
    """What became of the results that were to be published."""


class ServerTls(TypedDict):
    """A certificate with its chain and its key, as PEM."""

    cert: str | bytes
    key: str | bytes


class ServerLimits(TypedDict, total=False):
    """Bounds of a mock server: sizes in bytes, times in milliseconds."""

    body_size: int
    """Largest body of a request; a larger one is answered 413. Default: 67108864 (64 MiB)."""
    header_size: int
    """Largest head of a request, at least 8192. Default: 65536."""
    header_count: int
    """Most headers of a request. Default: 100."""
    generated_size: int
    """Bytes generated for one response. Default: 67108864."""
    connections: int
    """Connections open at a time. Default: 4096."""
    header_timeout: int
    """To send the head of a request, from its first byte. Default: 30000."""
    idle_timeout: int
    """In which nothing moves on a connection. Default: 300000."""
    request_timeout: int
    """To send the body of a request and take the answer. Default: 600000."""
    handshake_timeout: int
    """For a TLS handshake. Default: 10000."""
    stop_timeout: int
    """That a request in flight has left when the server stops. Default: 500."""


class PluginOptions(TypedDict, total=False):
    """Where plugins are, and how long they are waited for."""

    directories: Sequence[str | os.PathLike[str]]
    """Default: those of CONTRACT_PLUGIN_DIR, else of PACT_PLUGIN_DIR, else ``.pact/plugins`` in the home."""
    start_timeout: int
    """Milliseconds that one may take to start. Default: 60000."""
    timeout: int
    """Milliseconds that one may take for an answer. Default: 30000."""


class BrokerNotice(TypedDict):
    """What a broker wants people to know."""

    type: str
    """``debug``, ``info``, ``warning``, ``prompt``, ``success``, ``error`` or ``danger``."""
    text: str


class MessageEnvelope(TypedDict, total=False):
    """A message with what travels beside it: ``contents`` must be there."""

    contents: Json
    """JSON, text as it is, or bytes."""
    content_type: str
    """Default: JSON for values, ``application/octet-stream`` for bytes, for text what it looks like."""
    metadata: Mapping[str, Json]


StateValues = Union[Mapping[str, Any], None]
"""What a state handler may give back: values for generators and filters, or nothing."""

StateFunction = Callable[..., Union[StateValues, Awaitable[StateValues]]]
"""Handles states; called with those of ``state``, ``action`` and ``parameters`` that it names."""

StateMapping = Mapping[str, Union[StateFunction, Mapping[StateAction, StateFunction]]]
"""Handlers by state: a function of ``action`` and ``parameters``, or one of ``parameters`` for each action."""

MessageFunction = Callable[..., Any]
"""Makes the message that a description names; see ``Verifier.message_handler``."""
