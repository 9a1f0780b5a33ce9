"""Stores the user's functions, which the core calls by ID, and defines the types of their arguments."""

from __future__ import annotations

import base64
import inspect
import json
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union, cast

from .message import MessageContents, MessageState, contents_of, envelope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._asynchronous import Awaiter
    from ._native import NativeCall
    from .types import Json

__all__ = ["Headers", "InteractionInfo", "MessageRequest", "Request", "RequestContext"]

__tracebackhide__ = True

_Settled = Callable[[Any], Any]
_Value = Union[str, "list[str]"]


class Headers(MutableMapping[str, _Value]):
    """A mapping of headers, whose names are case-insensitive. A header with several values has a list as its value."""

    def __init__(self, values: Mapping[str, _Value]) -> None:
        """Create headers from a mapping."""
        self._values = dict(values)

    def _known(self, name: str) -> str:
        plain = name.lower()
        return next((known for known in self._values if known.lower() == plain), name)

    def __getitem__(self, name: str) -> _Value:
        """Return the header's value, or a list if it has several."""
        return self._values[self._known(name)]

    def __setitem__(self, name: str, value: _Value) -> None:
        """Set the header to a value, or to several values in a list."""
        self._values[self._known(name)] = value

    def __delitem__(self, name: str) -> None:
        """Remove the header."""
        del self._values[self._known(name)]

    def __iter__(self) -> Iterator[str]:
        """Return an iterator over the names."""
        return iter(self._values)

    def __len__(self) -> int:
        """Return the number of different header names."""
        return len(self._values)

    def __repr__(self) -> str:
        """Return the names without the values, which can be secrets."""
        return f"<Headers {', '.join(self._values)}>"


@dataclass
class Request:
    """The request that will be sent to the provider. A request filter can assign new values to its attributes."""

    method: str
    path: str
    """The path, relative to the transport's base URL."""
    query: dict[str, str | None | list[str | None]]
    """Query parameters by name. A parameter with several values has a list as its value. None means that a parameter has no value
    (``?name``).
    """
    headers: Headers
    body: str | bytes
    """The body: a string, or bytes if it is not UTF-8 text."""


@dataclass(frozen=True)
class InteractionInfo:
    """Information about an interaction that filters and hooks receive."""

    consumer: str
    provider: str
    description: str
    states: list[MessageState]
    kind: str
    """The interaction's type in contract files: ``Synchronous/HTTP``, ``Asynchronous/Messages``, or ``Synchronous/Messages``."""
    key: str | None
    id: str | None
    """The ID of the interaction in the broker, or None if the contract does not contain one."""
    fingerprint: str
    """A hash that identifies the interaction and is the same in every run. ``Verifier.filter`` accepts it as ``id``."""
    pending: bool
    test_name: str | None


@dataclass(frozen=True)
class RequestContext:
    """The context of a request, which request filters receive in addition to the request."""

    interaction: InteractionInfo
    state_values: Mapping[str, Json]
    """The parameters of the provider states, overridden by the values that state handlers returned."""


@dataclass(frozen=True)
class MessageRequest:
    """What a message handler receives to create a message."""

    description: str
    provider_states: list[MessageState]
    request: MessageContents | None
    """The consumer's request, for a synchronous message. None for an asynchronous message."""
    metadata: Mapping[str, Json]
    state_values: Mapping[str, Json]
    """The values that provider state handlers returned."""


class Functions:
    """The user's functions that one verifier or message endpoint calls."""

    def __init__(self) -> None:
        """Create an empty collection."""
        self.kept: list[Any] = []
        self.raised: dict[int, BaseException] = {}

    def dispatcher(self, awaiter: Awaiter) -> Callable[[int, str, str, NativeCall], object]:
        """Return the callback with which the core calls a function. It receives the function's ID, its role, and its arguments as
        JSON text.
        """

        def dispatch(number: int, role: str, arguments: str, call: NativeCall) -> object:
            function = self.kept[number]
            values = cast("list[Any]", json.loads(arguments))
            return _ROLES[role](function, values, lambda value: awaiter.settled(value, call.is_awaited))

        return dispatch


def _called(function: Any, names: Sequence[str], values: Sequence[Any]) -> Any:
    """Call a function. If all its parameter names are in ``names``, pass the values as keyword arguments. Otherwise, pass as many
    positional arguments as it accepts.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return function(*values)
    by_name = dict(zip(names, values))
    named = [param for param in parameters if param.kind in (param.POSITIONAL_OR_KEYWORD, param.KEYWORD_ONLY)]
    others = [param for param in parameters if param not in named]
    known = [param for param in named if param.name in by_name]
    is_named = all(param in known or param.default is not param.empty for param in named)
    if is_named and others and all(param.kind is param.VAR_KEYWORD for param in others):
        return function(**by_name)
    if is_named and not others and known:
        return function(**{param.name: by_name[param.name] for param in known})
    if any(param.kind is param.VAR_POSITIONAL for param in parameters):
        return function(*values)
    positional = [param for param in parameters if param.kind in (param.POSITIONAL_ONLY, param.POSITIONAL_OR_KEYWORD)]
    extra = {param.name: by_name[param.name] for param in named if param.kind is param.KEYWORD_ONLY and param.name in by_name}
    return function(*values[: len(positional)], **extra)


_STATE_NAMES = {1: ("parameters",), 2: ("action", "parameters"), 3: ("state", "action", "parameters")}


def _state(function: Any, values: list[Any], settled: _Settled) -> object:
    return settled(_called(function, _STATE_NAMES[len(values)], values))


def _header(function: Any, values: list[Any], settled: _Settled) -> object:
    return settled(function(*values))


def _message(function: Any, values: list[Any], settled: _Settled) -> object:
    message: dict[str, Any] = values[0]
    contents = message["request"]
    request = MessageRequest(
        message["description"],
        [MessageState(state["name"], state["parameters"]) for state in message["providerStates"]],
        None if contents is None else contents_of(contents),
        message["metadata"],
        message["stateValues"],
    )
    by_name = {
        "name": request.description,
        "metadata": request.metadata,
        "description": request.description,
        "provider_states": request.provider_states,
        "states": request.provider_states,
        "state_values": request.state_values,
    }
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return envelope(settled(function(request)))
    named = [param for param in parameters if param.kind in (param.POSITIONAL_OR_KEYWORD, param.KEYWORD_ONLY)]
    others = [param for param in parameters if param not in named]
    is_named = all(param.name in by_name or param.default is not param.empty for param in named)
    if not parameters:
        value = function()
    elif is_named and others and all(param.kind is param.VAR_KEYWORD for param in others):
        value = function(**by_name)
    elif is_named and not others:
        value = function(**{param.name: by_name[param.name] for param in named if param.name in by_name})
    elif len(parameters) == 1:
        value = function(request)
    else:
        value = function(request.description, request.metadata)
    return envelope(settled(value))


def _filter(function: Any, values: list[Any], settled: _Settled) -> object:
    native: dict[str, Any] = values[0]
    body = native["body"]
    request = Request(
        native["method"],
        native["path"],
        {name: _single(value) for name, value in native["query"].items()},
        Headers({name: _single(value) for name, value in native["headers"].items()}),
        body if isinstance(body, str) else base64.b64decode(body["base64"]),
    )
    context = RequestContext(_info(values[1]["interaction"]), values[1]["stateValues"])
    changed = settled(_called(function, ("request", "context"), (request, context)))
    request = request if changed is None else changed
    if not isinstance(request, Request):
        raise TypeError(f"a request filter must return a Request or None, received a value of type {type(request).__name__}")
    return {
        "method": request.method,
        "path": request.path,
        "query": request.query,
        "headers": dict(request.headers),
        "body": request.body,
    }


def _before(function: Any, values: list[Any], settled: _Settled) -> object:
    return settled(_called(function, ("interaction",), (_info(values[0]["interaction"]),)))


def _after(function: Any, values: list[Any], settled: _Settled) -> object:
    result: dict[str, Any] = values[1]
    for name in ("error", "teardownError"):
        if isinstance(result.get(name), dict):
            result[name].pop("token", None)
    return settled(_called(function, ("interaction", "result"), (_info(values[0]["interaction"]), result)))


_ROLES = {
    "state": _state,
    "header": _header,
    "message": _message,
    "requestFilter": _filter,
    "before": _before,
    "after": _after,
}


def _single(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _info(interaction: Mapping[str, Any]) -> InteractionInfo:
    return InteractionInfo(
        consumer=interaction["consumer"],
        provider=interaction["provider"],
        description=interaction["description"],
        states=[MessageState(state["name"], state["parameters"]) for state in interaction["states"]],
        kind=interaction["kind"],
        key=interaction["key"],
        id=interaction["id"],
        fingerprint=interaction["fingerprint"],
        pending=interaction["pending"],
        test_name=interaction["testName"],
    )
