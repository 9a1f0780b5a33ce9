"""Types of arguments and results, such as mismatches, requests, and reports.

Results are plain JSON data. Their members have the same names in all languages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Union

from ._shapes import *

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    from ._functions import InteractionInfo, Request, RequestContext
    from ._matcher import Matcher
    from .variants import VariantAnswer

Json = Any
"""A JSON value: None, a bool, int, float, or str, or a list or dict of JSON values."""

Part = Literal["Request", "Response", "request", "response"]
"""The part of an interaction to which a call applies."""

Kind = Literal["HTTP", "Sync", "Async"]
"""A kind of interactions: ``HTTP``, ``Async`` (message without a response), or ``Sync`` (message with responses)."""

NamedValue = Union[
    str, int, float, bool, "Matcher[Any]", Mapping[str, Any], Sequence[Any]
]
"""The value of a header or query parameter: a str, int, float, or bool, a matcher, matcher JSON as a mapping, or a sequence of
these.
"""

_T = TypeVar("_T")

Pairs = Union[Sequence[tuple[str, _T]], Iterator[tuple[str, _T]]]
"""Pairs of names and values, in which names can be repeated. At run time, any iterable is accepted."""

StateAction = Literal["setup", "teardown"]
"""What a state handler must do: set up the provider state or tear it down."""


class ProviderState(TypedDict):
    """A provider state of an interaction."""

    name: str
    parameters: dict[str, Json]


class ServedState(TypedDict):
    """A provider state in the results of a mock server. ``parameters`` is absent if the state has none."""

    name: str
    parameters: NotRequired[dict[str, Json]]


class ReceivedRequest(TypedDict):
    """A request in a report. Secrets are redacted, and long bodies are truncated."""

    method: str
    path: str
    query: NotRequired[str]
    """The query string, without the question mark. Absent if the request has no query."""
    headers: dict[str, str]
    """Headers by name. Several values of a header are joined by commas."""
    body: NotRequired[Json]
    """The body: parsed JSON, a string for other text, or base64 for binary data. Absent if the body is empty."""
    bodyEncoding: NotRequired[Literal["base64"]]
    bodyLength: NotRequired[int]
    """Size of the complete body in bytes."""


class BrokerNotice(TypedDict):
    """A notice in a broker's response."""

    type: str
    """The type of the notice: ``debug``, ``info``, ``warning``, ``prompt``, ``success``, ``error``, or ``danger``."""
    text: str


class MessageEnvelope(TypedDict, total=False):
    """The contents of a message, with their content type and metadata. Only ``contents`` is required."""

    contents: Json
    """The contents: a JSON value, a string that is sent unchanged, or bytes."""
    content_type: str
    """The content type. Default: ``application/json`` for values, ``application/octet-stream`` for bytes, and the detected
    type for strings.
    """
    metadata: Mapping[str, Json]


VariantSet = Literal["off", "default", "values", "all"]
"""A set of variants: ``off`` (none), ``default``, ``values``, or ``all``."""


# A class cannot have a member whose name is a keyword.
_ExceptOptions = TypedDict("_ExceptOptions", {"except": Sequence[str]}, total=False)


class VariantOptions(_ExceptOptions, total=False):
    """Which variants a test runs against. ``except`` contains locations in the body, such as ``$.internalNote``, at which only
    the example value is served.
    """

    include: Sequence[str]
    """Kinds of variants to include, or names of sets. Default: ``["default"]``."""
    max: int
    """Maximum number of responses or messages per test. Those that narrow down a failure do not count. Default: 30."""
    pairs: bool
    """Whether each pair of values at different locations is also served in combination. Default: False."""
    seed: int
    """Seed for the strings that the kinds ``member`` and ``text`` generate. Default: 0."""
    unread: Literal["print", "error"]
    """What to do about fields of the body that the client does not read, because neither another value nor the absence of the
    field changes the function's result. ``print`` prints them to standard error, and ``error`` fails the test. By default, such
    fields are not searched for.
    """
    check: Callable[[Any, VariantAnswer], Any]
    """A function that compares the test's result with the answer that the test received, and raises an exception if they do not
    fit. It is called after each run, including the run with the example. If several interactions vary, it receives the answer
    that differs from its example.
    """


StateValues = Union[Mapping[str, Any], None]
"""The return value of a state handler: values for generators and request filters, or None."""

StateParameters = Union[dict[str, Any], None]
"""The parameters of a provider state: a mapping, or None if the state has none."""

_StateResult = Union[StateValues, Awaitable[StateValues]]

StateFunction = Union[
    Callable[[str, StateAction, StateParameters], _StateResult],
    Callable[[str, StateAction], _StateResult],
    Callable[[str], _StateResult],
    Callable[..., _StateResult],
]
"""A handler for all provider states. It receives those of the arguments ``state``, ``action``, and ``parameters`` that it
declares.
"""

OneStateFunction = Union[
    Callable[[StateAction, StateParameters], _StateResult],
    Callable[[StateAction], _StateResult],
    Callable[..., _StateResult],
]
"""A handler for one provider state. It receives those of the arguments ``action`` and ``parameters`` that it declares."""

StateActionFunction = Union[Callable[[StateParameters], _StateResult], Callable[[], _StateResult]]
"""Sets up or tears down a state. It receives ``parameters`` if it declares a parameter."""

StateMapping = Mapping[str, Union[OneStateFunction, Mapping[StateAction, StateActionFunction]]]
"""Handlers by state name. A handler is a function of ``action`` and ``parameters``, or a mapping with one function of
``parameters`` per action.
"""

FilterFunction = Union["Callable[[Request, RequestContext], Any]", "Callable[[Request], Any]"]
"""A function that can change each request before it is sent. See ``Verifier.request_filter``."""

BeforeFunction = Union["Callable[[InteractionInfo], Any]", Callable[[], Any]]
"""A function that is called before each interaction. See ``Verifier.before_each``."""

AfterFunction = Union[
    "Callable[[InteractionInfo, dict[str, Any]], Any]", "Callable[[InteractionInfo], Any]", Callable[[], Any]
]
"""A function that is called after each interaction. See ``Verifier.after_each``."""

MessageFunction = Callable[..., Any]
"""A function that creates the message for a description. See ``Verifier.message_handler``."""
