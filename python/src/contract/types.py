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
"""A JSON value: None, bool, int, float, str, or a list or dict of JSON values."""

Part = Literal["Request", "Response", "request", "response"]
"""The part of an interaction that a call applies to."""

Kind = Literal["HTTP", "Sync", "Async"]
"""The kinds of interactions."""

NamedValue = Union[
    str, int, float, bool, "Matcher[Any]", Mapping[str, Any], Sequence[Any]
]
"""The value of a header or query parameter: a primitive value, a matcher, matcher JSON as a mapping, or a sequence of these."""

_T = TypeVar("_T")

Pairs = Union[Sequence[tuple[str, _T]], Iterator[tuple[str, _T]]]
"""Pairs of names and values, in which names can be repeated. At run time, any iterable is accepted."""

StateAction = Literal["setup", "teardown"]
"""The action on a provider state: set it up or tear it down."""


class ProviderState(TypedDict):
    """A provider state of an interaction."""

    name: str
    parameters: dict[str, Json]


class ServedState(TypedDict):
    """A provider state in the results of a mock server. ``parameters`` is absent if the state has none."""

    name: str
    parameters: NotRequired[dict[str, Json]]


class ReceivedRequest(TypedDict):
    """A request in a report, with secrets redacted and long bodies truncated."""

    method: str
    path: str
    query: NotRequired[str]
    """The query string, without ``?``."""
    headers: dict[str, str]
    """Headers by name. If a header has several values, they are joined with commas."""
    body: NotRequired[Json]
    """Parsed JSON, a string for other text, or base64 for binary data."""
    bodyEncoding: NotRequired[Literal["base64"]]
    bodyLength: NotRequired[int]
    """Size of the complete body in bytes."""


class BrokerNotice(TypedDict):
    """A notice of a broker."""

    type: str
    """The type: ``debug``, ``info``, ``warning``, ``prompt``, ``success``, ``error``, or ``danger``."""
    text: str


class MessageEnvelope(TypedDict, total=False):
    """The contents of a message with its content type and metadata. ``contents`` is required."""

    contents: Json
    """A JSON value, a string that is sent unchanged, or bytes."""
    content_type: str
    """The content type. Default: ``application/json`` for values, ``application/octet-stream`` for bytes, and the detected
    type for strings.
    """
    metadata: Mapping[str, Json]


VariantSet = Literal["off", "default", "values", "all"]
"""The name of a set of variants. ``off`` serves no variants."""


# A class cannot have a member whose name is a keyword.
_ExceptOptions = TypedDict("_ExceptOptions", {"except": Sequence[str]}, total=False)


class VariantOptions(_ExceptOptions, total=False):
    """The variants that a test runs against. ``except`` contains locations in the body, such as ``$.internalNote``, that
    always have their example value.
    """

    include: Sequence[str]
    """The kinds of variants, or names of sets. Default: ``["default"]``."""
    max: int
    """Maximum number of responses or messages per test, not counting those that isolate a failure. Default: 30."""
    pairs: bool
    """Whether every pair of values at different locations is also tried in combination. Default: False."""
    seed: int
    """Seed for the strings that the kinds ``member`` and ``text`` generate. Default: 0."""
    unread: Literal["print", "error"]
    """Searches for fields of the body that the client does not read: neither another value nor their absence changes the
    result of the function. ``print`` prints them to standard error, and ``error`` fails the test. Default: they are not
    searched."""
    check: Callable[[Any, VariantAnswer], Any]
    """Compares the result of the function with the answer that it received. Called after each run, including the run with
    the example. If several interactions vary, the answer is the one that differs from its example.
    """


StateValues = Union[Mapping[str, Any], None]
"""The return value of a state handler: values for generators and request filters, or None."""

StateParameters = Union[dict[str, Any], None]
"""The parameters of a state: a mapping, or None if the state has none."""

_StateResult = Union[StateValues, Awaitable[StateValues]]

StateFunction = Union[
    Callable[[str, StateAction, StateParameters], _StateResult],
    Callable[[str, StateAction], _StateResult],
    Callable[[str], _StateResult],
    Callable[..., _StateResult],
]
"""A handler for all states. It receives those of ``state``, ``action``, and ``parameters`` that it declares.
"""

OneStateFunction = Union[
    Callable[[StateAction, StateParameters], _StateResult],
    Callable[[StateAction], _StateResult],
    Callable[..., _StateResult],
]
"""A handler for one state. It receives those of ``action`` and ``parameters`` that it declares."""

StateActionFunction = Union[Callable[[StateParameters], _StateResult], Callable[[], _StateResult]]
"""Sets up or tears down a state. It receives ``parameters`` if it declares a parameter."""

StateMapping = Mapping[str, Union[OneStateFunction, Mapping[StateAction, StateActionFunction]]]
"""Handlers by state name. A handler is a function of ``action`` and ``parameters``, or a mapping with one function of
``parameters`` per action.
"""

FilterFunction = Union["Callable[[Request, RequestContext], Any]", "Callable[[Request], Any]"]
"""Changes a request. See ``Verifier.request_filter``."""

BeforeFunction = Union["Callable[[InteractionInfo], Any]", Callable[[], Any]]
"""A function that is called before each interaction. See ``Verifier.before_each``."""

AfterFunction = Union[
    "Callable[[InteractionInfo, dict[str, Any]], Any]", "Callable[[InteractionInfo], Any]", Callable[[], Any]
]
"""A function that is called after each interaction. See ``Verifier.after_each``."""

MessageFunction = Callable[..., Any]
"""Creates the message for a description. See ``Verifier.message_handler``."""
