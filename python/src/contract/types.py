"""Shapes of what this package gives and takes: mismatches, requests, reports.

All of it is plain data, as JSON has it, under the names that every language of this project has.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Union

from ._shapes import *

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    from ._functions import InteractionInfo, Request, RequestContext
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

_T = TypeVar("_T")

Pairs = Union[Sequence[tuple[str, _T]], Iterator[tuple[str, _T]]]
"""Pairs of a name and a value, in which a name may occur several times. Any iterable will do; a narrower type lets type checkers
infer the type of a mapping that is given instead."""

StateAction = Literal["setup", "teardown"]
"""Whether a state is entered or left."""


class ProviderState(TypedDict):
    """A provider state that an interaction needs."""

    name: str
    parameters: dict[str, Json]


class ServedState(TypedDict):
    """The same as mock servers name it: parameters are absent when there are none."""

    name: str
    parameters: NotRequired[dict[str, Json]]


class ReceivedRequest(TypedDict):
    """A request as a report shows it: secrets blanked out, a long body cut."""

    method: str
    path: str
    query: NotRequired[str]
    """As it stands in the URL, without ``?``."""
    headers: dict[str, str]
    """Several values of a header are joined by commas."""
    body: NotRequired[Json]
    """A JSON document as such, other text as text, what is no text in base64."""
    bodyEncoding: NotRequired[Literal["base64"]]
    bodyLength: NotRequired[int]
    """Bytes of the whole body."""


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

StateParameters = Union[dict[str, Any], None]
"""The parameters of a state: a mapping, or None when the state has none."""

_StateResult = Union[StateValues, Awaitable[StateValues]]

StateFunction = Union[
    Callable[[str, StateAction, StateParameters], _StateResult],
    Callable[[str, StateAction], _StateResult],
    Callable[[str], _StateResult],
    Callable[..., _StateResult],
]
"""Handles all states; called with those of ``state``, ``action`` and ``parameters`` that it names."""

OneStateFunction = Union[
    Callable[[StateAction, StateParameters], _StateResult],
    Callable[[StateAction], _StateResult],
    Callable[..., _StateResult],
]
"""Handles one state; called with those of ``action`` and ``parameters`` that it names."""

StateActionFunction = Union[Callable[[StateParameters], _StateResult], Callable[[], _StateResult]]
"""Sets a state up or tears it down; called with ``parameters``, if it takes any."""

StateMapping = Mapping[str, Union[OneStateFunction, Mapping[StateAction, StateActionFunction]]]
"""Handlers by state: a function of ``action`` and ``parameters``, or one of ``parameters`` for each action."""

FilterFunction = Union["Callable[[Request, RequestContext], Any]", "Callable[[Request], Any]"]
"""Changes a request; see ``Verifier.request_filter``."""

BeforeFunction = Union["Callable[[InteractionInfo], Any]", Callable[[], Any]]
"""Is called before an interaction; see ``Verifier.before_each``."""

AfterFunction = Union[
    "Callable[[InteractionInfo, dict[str, Any]], Any]", "Callable[[InteractionInfo], Any]", Callable[[], Any]
]
"""Is called after an interaction; see ``Verifier.after_each``."""

MessageFunction = Callable[..., Any]
"""Makes the message that a description names; see ``Verifier.message_handler``."""
