"""Messages that ``Contract.verify`` passes to the consumer's code."""

from __future__ import annotations

import base64
import json
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

from . import _native
from ._asynchronous import Awaiter, Late, is_debugged
from .errors import ContractArgumentError, MessageError, MessageVerificationError, combined, distinct, without_code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ._native import NativeContract, NativeMessages
    from .types import Json

__all__ = ["Message", "MessageContents", "MessageState", "body_handler"]

__tracebackhide__ = True


@dataclass(frozen=True)
class MessageContents:
    """The contents and metadata of a message."""

    body: str | bytes | None
    """The contents: a string, bytes if they are not text, or None if the message has no contents."""
    raw: bytes
    """The contents as the bytes that the provider would send."""
    content_type: str | None
    """The content type, or None if it is unknown."""
    metadata: Mapping[str, Json]
    """The metadata of the message."""

    @property
    def json(self) -> Json:
        """The parsed JSON contents.

        :raises ValueError: if the contents are not JSON
        """
        return json.loads(self.raw)


@dataclass(frozen=True)
class MessageState:
    """A provider state of a message."""

    name: str
    parameters: Mapping[str, Json]


@dataclass(frozen=True)
class Message(MessageContents):
    """A message that ``Contract.verify`` passes to the consumer's handler. Generated values are already inserted."""

    description: str = ""
    kind: Literal["Async", "Sync"] = "Async"
    key: str | None = None
    """The key of the interaction, or None if it has none."""
    provider_states: list[MessageState] = field(default_factory=lambda: [])
    responses: list[MessageContents] = field(default_factory=lambda: [])
    """The responses to a synchronous message, with generated values. Empty for an asynchronous message."""


def body_handler(handle: Callable[[Any], Any]) -> Callable[[Any, Any, Message], Any]:
    """Return a message handler that calls a function with the contents only. They are parsed JSON, a string for other text, or
    bytes.

    >>> contract.verify(body_handler(place_order), "Async")
    """

    def handler(body: object, _: object, message: Message) -> Any:
        return handle(message.json if _is_json(message.content_type) else body)

    return handler


def contents_of(data: Mapping[str, Any]) -> MessageContents:
    """Convert the contents of a message that the core returned."""
    return MessageContents(*_contents(data))


def _contents(data: Mapping[str, Any]) -> tuple[str | bytes | None, bytes, str | None, dict[str, Json]]:
    raw_data = data["raw"]
    raw = raw_data.encode() if isinstance(raw_data, str) else base64.b64decode(raw_data["base64"])
    form = data["form"]
    body = None if form == "none" else raw if form == "bytes" else cast("str", raw_data)
    return body, raw, data["contentType"], data["metadata"]


def verify_messages(
    contract: NativeContract,
    handler: Callable[..., Any],
    kind: str,
    options: Mapping[str, object],
    context: str,
    is_limited: bool,
) -> list[MessageError]:
    """Call the handler with each message, one at a time, because handlers may share a database."""
    if not callable(handler):
        raise ContractArgumentError(
            f"verify: the handler must be a function, received a value of type {type(handler).__name__}",
            code="ERR_CONTRACT_OPTIONS",
            operation="verify",
            argument="handler",
        )
    session = _native.NativeMessages(contract, options, context)
    causes: dict[int, Exception] = {}
    call = _caller(handler)
    limit = session.timeout / 1000
    with Awaiter() as awaiter:
        for index, data in enumerate(json.loads(session.messages())):
            if not data["isReady"]:
                session.handled(index, "passed", None)
                continue
            message = _message(data, kind)
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
                session.handled(index, "threw", without_code(f"{type(error).__name__}: {error}"))
            else:
                if is_late:
                    session.handled(index, "timed_out", None)
                else:
                    _report_result(session, index, value)
            _try_variants(session, index, data, kind, call, awaiter, is_limited, causes)
    verdict = json.loads(session.finish())
    errors: list[MessageError] = []
    for failure in verdict["failures"]:
        message_error = MessageError(
            f'"{failure["description"]}": {failure["text"]}',
            code=failure["code"],
            description=failure["description"],
            mismatches=failure["mismatches"],
        )
        message_error.__cause__ = causes.get(failure["index"])
        errors.append(message_error)
    if errors and verdict["raises"]:
        cause = combined("exceptions raised by the handler", distinct(error.__cause__ for error in errors))
        raise MessageVerificationError(verdict["text"], errors) from cause
    return errors


def _try_variants(
    session: NativeMessages,
    index: int,
    data: Mapping[str, Any],
    kind: str,
    call: Callable[[Message], Any],
    awaiter: Awaiter,
    is_limited: bool,
    causes: dict[int, Exception],
) -> None:
    """Call the handler with the message's variants. Does nothing if the message failed or has no variants."""
    from .variants import limit, settle

    raised: list[Exception | None] = []
    ended: dict[str, object] | None = None
    while True:
        step = json.loads(session.next_variant(index, None if ended is None else json.dumps(ended)))
        if step["next"] is None:
            if step["print"] is not None:
                print(step["print"], file=sys.stderr)
            if step["report"] is not None:
                run: int = step["report"]["failures"][0]["run"]
                cause = raised[run]
                if cause is not None:
                    causes[index] = cause
            return
        message = _message({**data, **step["message"]}, kind)
        goes_on = limit(step["next"]["timeout"])

        def attempt(message: Message = message, goes_on: Callable[[], bool] = goes_on) -> object:
            value = call(message)
            is_late = is_limited and not goes_on()
            value = awaiter.settled(value, goes_on)
            if is_late:
                raise Late
            return value

        _, ended, error = settle(attempt)
        raised.append(error)


def _report_result(session: NativeMessages, index: int, value: object) -> None:
    is_compared = value is not None and session.compared_with(index) > 0
    if not is_compared:
        session.handled(index, "passed", None)
        return
    session.handled(index, "returned", envelope(value))


def envelope(value: object) -> object:
    """Convert a handler's return value to JSON data for the core."""
    from collections.abc import Mapping

    if isinstance(value, list):
        return [envelope(item) for item in cast("list[object]", value)]
    names = {"contents", "content_type", "metadata"}
    if isinstance(value, Mapping) and "content_type" in value and names.issuperset(cast("Mapping[str, object]", value)):
        members = cast("Mapping[str, object]", value)
        return {"contentType" if name == "content_type" else name: member for name, member in members.items()}
    return value  # pyright: ignore[reportUnknownVariableType]


def _caller(handler: Callable[..., Any]) -> Callable[[Message], Any]:
    """Return a function that calls the handler with the arguments that it declares: body and metadata, optionally followed
    by the message, or keyword arguments.
    """
    import inspect

    def takes(*places: None, **names: None) -> bool:
        try:
            inspect.signature(handler).bind(*places, **names)
        except (TypeError, ValueError):
            # Some functions have no signature, for example functions written in C.
            return False
        return True

    if takes(None, None, None):
        return lambda message: handler(message.body, message.metadata, message)
    if not takes(None, None) and takes(body=None, metadata=None, message=None):
        return lambda message: handler(body=message.body, metadata=message.metadata, message=message)
    return lambda message: handler(message.body, message.metadata)


def _message(data: Mapping[str, Any], kind: str) -> Message:
    body, raw, content_type, metadata = _contents(data)
    return Message(
        body,
        raw,
        content_type,
        metadata,
        description=data["description"],
        kind="Sync" if kind.lower() == "sync" else "Async",
        key=data["key"],
        provider_states=[MessageState(state["name"], state["parameters"]) for state in data["providerStates"]],
        responses=[contents_of(response) for response in data["responses"]],
    )


def _is_json(content_type: str | None) -> bool:
    essence = (content_type or "").partition(";")[0].strip().lower()
    return essence == "application/json" or essence.endswith("+json")
