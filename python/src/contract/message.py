"""Messages: handed to the consumer's own code by ``Contract.verify``.

Source: section 6 of the API reference; messages of the Pact Specification, version 4.
"""

from __future__ import annotations

import base64
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

from . import _native
from ._asynchronous import Awaiter, Late, is_debugged
from .errors import ContractArgumentError, MessageError, MessageVerificationError, distinct, together

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ._native import NativeContract, NativeMessages
    from .types import Json

__all__ = ["Message", "MessageContents", "MessageState", "body_handler"]

__tracebackhide__ = True


@dataclass(frozen=True)
class MessageContents:
    """What a message holds and what travels beside it."""

    body: str | bytes | None
    """The contents: text, bytes where they are no text, or None when there are none."""
    raw: bytes
    """The contents as they would go over the wire."""
    content_type: str | None
    """The content type, when it is known."""
    metadata: Mapping[str, Json]
    """What the consumer named beside the contents, as values."""

    @property
    def json(self) -> Json:
        """The contents as values.

        :raises ValueError: when they are no JSON
        """
        return json.loads(self.raw)


@dataclass(frozen=True)
class MessageState:
    """A state of the provider, as handlers are told of it."""

    name: str
    parameters: Mapping[str, Json]


@dataclass(frozen=True)
class Message(MessageContents):
    """A message of a contract, its generators applied, as the consumer's handler gets it."""

    description: str = ""
    kind: Literal["Async", "Sync"] = "Async"
    key: str | None = None
    """The key of the interaction, if it has one."""
    provider_states: list[MessageState] = field(default_factory=lambda: [])
    responses: list[MessageContents] = field(default_factory=lambda: [])
    """The responses that a synchronous message defines, their generators applied; none for an asynchronous one."""


def body_handler(handle: Callable[[Any], Any]) -> Callable[[Any, Any, Message], Any]:
    """Make a handler of a function that takes the contents alone: as values when they are JSON, else as text or bytes.

    >>> contract.verify(body_handler(place_order), "Async")
    """

    def handler(body: object, _: object, message: Message) -> Any:
        return handle(message.json if _is_json(message.content_type) else body)

    return handler


def contents_of(handed: Mapping[str, Any]) -> MessageContents:
    """Contents as the core hands them over."""
    return MessageContents(*_contents(handed))


def _contents(handed: Mapping[str, Any]) -> tuple[str | bytes | None, bytes, str | None, dict[str, Json]]:
    given = handed["raw"]
    raw = given.encode() if isinstance(given, str) else base64.b64decode(given["base64"])
    form = handed["form"]
    body = None if form == "none" else raw if form == "bytes" else cast("str", given)
    return body, raw, handed["contentType"], handed["metadata"]


def verify_messages(
    contract: NativeContract,
    handler: Callable[..., Any],
    kind: str,
    options: Mapping[str, object],
    around: str,
    is_limited: bool,
) -> list[MessageError]:
    """Hand messages over, one after the other: handlers may share a database, and failures stand in order."""
    if not callable(handler):
        raise ContractArgumentError(
            f"verify: the handler must be a function, got a value of type {type(handler).__name__}",
            code="ERR_CONTRACT_OPTIONS",
            operation="verify",
            argument="handler",
        )
    session = _native.NativeMessages(contract, options, around)
    causes: dict[int, Exception] = {}
    call = _caller(handler)
    limit = session.timeout / 1000
    with Awaiter() as awaiter:
        for index, handed in enumerate(json.loads(session.messages())):
            if not handed["isReady"]:
                session.handled(index, "passed", None)
                continue
            message = _message(handed, kind)
            began = time.monotonic()

            def goes_on(began: float = began) -> bool:
                return not limit or time.monotonic() - began < limit or is_debugged()

            try:
                value = call(message)
                is_late = is_limited and not goes_on()
                value = awaiter.settled(value, goes_on)
            except Late:
                session.handled(index, "timed_out", None)
            except Exception as error:
                causes[index] = error
                session.handled(index, "threw", f"{type(error).__name__}: {error}")
            else:
                if is_late:
                    session.handled(index, "timed_out", None)
                else:
                    _judge(session, index, value)
    verdict = json.loads(session.finish())
    errors: list[MessageError] = []
    for failure in verdict["failures"]:
        made = MessageError(
            f'"{failure["description"]}": {failure["text"]}',
            code=failure["code"],
            description=failure["description"],
            mismatches=failure["mismatches"],
        )
        made.__cause__ = causes.get(failure["index"])
        errors.append(made)
    if errors and verdict["raises"]:
        cause = together("exceptions of the handler", distinct(one.__cause__ for one in errors))
        raise MessageVerificationError(verdict["text"], errors) from cause
    return errors


def _judge(session: NativeMessages, index: int, value: object) -> None:
    is_compared = value is not None and session.compared_with(index) > 0
    if not is_compared:
        session.handled(index, "passed", None)
        return
    session.handled(index, "returned", envelope(value))


def envelope(value: object) -> object:
    """A message as handlers return it, in the words of the core."""
    from collections.abc import Mapping

    if isinstance(value, list):
        return [envelope(one) for one in cast("list[object]", value)]
    names = {"contents", "content_type", "metadata"}
    if isinstance(value, Mapping) and "content_type" in value and names.issuperset(cast("Mapping[str, object]", value)):
        members = cast("Mapping[str, object]", value)
        return {"contentType" if name == "content_type" else name: member for name, member in members.items()}
    return value  # pyright: ignore[reportUnknownVariableType]


def _caller(handler: Callable[..., Any]) -> Callable[[Message], Any]:
    """How the handler is called: with body and metadata, with the message as well, or by name if it takes names alone."""
    import inspect

    def takes(*places: None, **names: None) -> bool:
        try:
            inspect.signature(handler).bind(*places, **names)
        except (TypeError, ValueError):
            # ValueError: a function without signature, as some of C.
            return False
        return True

    if takes(None, None, None):
        return lambda message: handler(message.body, message.metadata, message)
    if not takes(None, None) and takes(body=None, metadata=None, message=None):
        return lambda message: handler(body=message.body, metadata=message.metadata, message=message)
    return lambda message: handler(message.body, message.metadata)


def _message(handed: Mapping[str, Any], kind: str) -> Message:
    body, raw, content_type, metadata = _contents(handed)
    return Message(
        body,
        raw,
        content_type,
        metadata,
        description=handed["description"],
        kind="Sync" if kind.lower() == "sync" else "Async",
        key=handed["key"],
        provider_states=[MessageState(one["name"], one["parameters"]) for one in handed["providerStates"]],
        responses=[contents_of(one) for one in handed["responses"]],
    )


def _is_json(content_type: str | None) -> bool:
    essence = (content_type or "").partition(";")[0].strip().lower()
    return essence == "application/json" or essence.endswith("+json")
