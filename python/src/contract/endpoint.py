"""Provides messages over HTTP to verifiers in any language."""

from __future__ import annotations

import threading
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from . import _native
from ._asynchronous import Awaiter
from ._call import without_unset
from ._functions import Functions
from .errors import ContractError
from .message import envelope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType

    from typing_extensions import Self

    from ._apps import RunningApp
    from .types import MessageFunction

__all__ = ["MessageEndpoint", "message_endpoint"]

__tracebackhide__ = True

_PHRASES = {status.value: status.phrase for status in HTTPStatus}


class MessageEndpoint:
    """Provides messages over HTTP to verifiers in any language. Created by ``message_endpoint``.

    As a context manager, it listens on a free port of 127.0.0.1 during the block. It is also a WSGI application, which you can
    run in your own server.
    """

    def __init__(self, handlers: MessageFunction | Mapping[str, Any], timeout: int | None) -> None:
        """Create an endpoint. Use ``message_endpoint`` instead."""
        from collections.abc import Mapping

        prepared: object = handlers
        if isinstance(handlers, Mapping):
            prepared = {name: envelope(value) for name, value in cast("Mapping[str, object]", handlers).items()}
        self._functions = Functions()
        self._core = _native.NativeMessageEndpoint(
            {"handlers": prepared, "options": without_unset({"timeout": timeout})}, self._functions.kept
        )
        self._running: RunningApp | None = None
        self._handler_lock = threading.Lock()

    @property
    def url(self) -> str:
        """The URL to pass to verifiers for the transport ``message``. Any path below it is accepted.

        :raises RuntimeError: if the endpoint is not running
        """
        if self._running is None:
            raise _not_running()
        return self._running.url

    def __enter__(self) -> Self:
        """Start listening, and return the endpoint."""
        from ._apps import start_app

        if self._running is None:
            self._running = start_app(self, "wsgi", Awaiter())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop listening."""
        running, self._running = self._running, None
        if running is not None:
            running.close()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Respond to a request as a WSGI application."""
        size = int(environ.get("CONTENT_LENGTH") or 0)
        # If a body is too large, the core only needs its beginning to reject it.
        body = environ["wsgi.input"].read(min(size, self._core.largest_request + 1))
        # Handlers are called one at a time, because they may share test data.
        with self._handler_lock, Awaiter() as awaiter:
            status, headers, content = self._core.answer(
                environ["REQUEST_METHOD"],
                environ.get("HTTP_ACCEPT"),
                body,
                self._functions.dispatcher(awaiter),
                {},
            )
        start_response(f"{status} {_PHRASES.get(status, '')}", [*headers, ("Content-Length", str(len(content)))])
        return [content]


def message_endpoint(
    handlers: MessageFunction | Mapping[str, Any], *, timeout: int | None = None
) -> MessageEndpoint:
    """Create an endpoint that provides messages over HTTP. Verifiers send the description and the provider states with POST.

    The response body contains the message, and the ``Pact-Message-Metadata`` header contains its metadata. The status is 404
    for unknown messages, and 500 if a handler raises an exception.

    >>> with message_endpoint({"an order was placed": lambda: order_placed(sample_order)}) as endpoint:
    ...     ...  # let a verifier run against endpoint.url

    :param handlers: see ``Verifier.message_handler``. They are called one at a time, on the threads of the server
    :param timeout: the timeout for a handler in milliseconds. Default: 30000
    :raises TypeError: if ``handlers`` is not a function or a mapping
    """
    return MessageEndpoint(handlers, timeout)


def _not_running() -> ContractError:
    return ContractError(
        "the message endpoint is not running. Use it in a with block, as in `with message_endpoint(handlers) as endpoint:`",
        code="ERR_CONTRACT_NOT_RUNNING",
    )
