"""Serves the messages of a producer over HTTP, for verifiers of other languages."""

from __future__ import annotations

import threading
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from . import _native
from ._asynchronous import Awaiter
from ._call import given
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

_PHRASES = {one.value: one.phrase for one in HTTPStatus}


class MessageEndpoint:
    """Messages of a producer over HTTP, in the form that verifiers of all languages know. Made by ``message_endpoint``.

    A context manager that listens on a free port of 127.0.0.1 while the block runs, and a WSGI application, for a server of
    your own.
    """

    def __init__(self, handlers: MessageFunction | Mapping[str, Any], timeout: int | None) -> None:
        """Not to be called: endpoints come from ``message_endpoint``."""
        from collections.abc import Mapping

        made: object = handlers
        if isinstance(handlers, Mapping):
            made = {name: envelope(value) for name, value in cast("Mapping[str, object]", handlers).items()}
        self._functions = Functions()
        self._core = _native.NativeMessageEndpoint(
            {"handlers": made, "options": given({"timeout": timeout})}, self._functions.kept
        )
        self._running: RunningApp | None = None
        self._one = threading.Lock()

    @property
    def url(self) -> str:
        """What verifiers are given as the URL of the transport ``message``; it answers on every path.

        :raises RuntimeError: when it does not listen
        """
        if self._running is None:
            raise _not_running()
        return self._running.url

    def __enter__(self) -> Self:
        """Listen."""
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
        """Answer a request, as WSGI has it."""
        size = int(environ.get("CONTENT_LENGTH") or 0)
        # The beginning of what is too large is enough for the core to refuse it.
        body = environ["wsgi.input"].read(min(size, self._core.largest_request + 1))
        # One after another: handlers are functions of tests, which share what they prepare.
        with self._one, Awaiter() as awaiter:
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
    """Serve the messages of a producer over HTTP: verifiers POST the description and the provider states.

    The answer's body is the contents, and the header ``Pact-Message-Metadata`` holds the metadata. What is not there is answered
    with 404, a handler that fails with 500.

    >>> with message_endpoint({"an order was placed": lambda: order_placed(sample_order)}) as endpoint:
    ...     ...  # let a verifier run against endpoint.url

    :param handlers: as those of ``Verifier.message_handler``; called on the threads that answer, one at a time
    :param timeout: how long a handler may take, in milliseconds. Default: 30000
    :raises TypeError: what is no function and no mapping
    """
    return MessageEndpoint(handlers, timeout)


def _not_running() -> ContractError:
    return ContractError(
        "the message endpoint does not listen: use it in a with block, as in `with message_endpoint(handlers) as endpoint:`",
        code="ERR_CONTRACT_NOT_RUNNING",
    )
