"""The mock server, which acts as the provider while a test runs."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urljoin

from . import _native
from ._call import call_context, path_data
from ._unwritten import unwritten
from .errors import ContractArgumentError, ContractError, MismatchesError, ServeTimeoutError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator, Mapping, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from ._asynchronous import BlockLimit
    from ._native import NativeInteraction, NativeServer
    from .contract import Contract
    from .types import JournalEntry, ServerMismatch
    from .variants import VariantAnswer

__all__ = ["MockServer", "serve_all"]

__tracebackhide__ = True


class MockServer:
    """A mock server that acts as the provider. ``Contract.serve`` creates it, and ``with`` or ``async with`` starts it.

    The server stops at the end of the block. If it received all expected requests and no unexpected requests, the interactions
    are written to the contract file. Otherwise, ``MismatchesError`` is raised. Its ``__cause__`` is the exception of the block,
    if it raised one.
    """

    def __init__(
        self,
        contract: Contract,
        options: Mapping[str, object],
        only: Sequence[NativeInteraction] | None,
        origin: str,
        is_limited: bool = False,
        check: Callable[[Any, VariantAnswer], Any] | None = None,
        start: Callable[[str], NativeServer] | None = None,
        variant: str | None = None,
    ) -> None:
        """Create a server. Use ``Contract.serve`` instead."""
        self._contract = contract
        self._options = dict(options)
        self._only = only
        self._origin = origin
        self._is_limited = is_limited
        self._native: NativeServer | None = None
        self._running = False
        self._began = 0.0
        self._limit: BlockLimit | None = None
        self._check = check
        # Starts a server with one variant.
        self._start = start
        self._variant = variant
        self._repeats = False

    def __enter__(self) -> Self:
        """Start the server, and return it."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server, check the received requests, and write the contract file."""
        self._end_block(error, _is_late([self], error))

    def _end_block(self, error: BaseException | None, is_late: bool, name: str | None = None) -> None:
        """End a block. If the server responded with a variant, a failure is raised as a ``VariantsError``."""
        if self._start is None:
            _end([self], error, is_late, name)
            return
        from .variants import variants_error

        try:
            _end([self], error, is_late, name)
        except (MismatchesError, ServeTimeoutError) as ended:
            raised = variants_error(self._started(), ended)
        else:
            if not isinstance(error, Exception):
                return
            raised = variants_error(self._started(), error)
        if raised is not error:
            raise raised

    async def __aenter__(self) -> Self:
        """Start the server. If the block exceeds the timeout, it is canceled. See ``Contract.serve``."""
        from ._asynchronous import BlockLimit, running_loop

        # Check this before a server is started, because it would never be stopped.
        running_loop("async with serve()", "`with contract.serve() as server:`")
        self.start()
        self._limit = BlockLimit(self._started().timeout)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server, check the received requests, and write the contract file."""
        import asyncio

        limit, self._limit = self._limit, None
        is_late = limit is not None and limit.end(error)
        name = f"The block of serve at {self._origin}"
        # Stop in an executor, because clients on this loop may still have requests in progress.
        await asyncio.get_running_loop().run_in_executor(None, self._end_block, error, is_late, name)

    def start(self) -> Self:
        """Start the server without a ``with`` block. Call ``stop`` to stop it. Does nothing if the server is already running."""
        if self._running:
            return self
        native = self._contract._native  # pyright: ignore[reportPrivateUsage]
        if self._options.get("variants") not in (None, "off") and not self._repeats:
            native.retire()
            raise ContractArgumentError(
                "serve: \"variants\" requires a function, which runs once for each answer; use `contract.serve(variants=…).run(test)`",
                code="ERR_CONTRACT_OPTIONS",
                operation="serve",
                argument="variants",
            )
        unserved = self._contract._unserved  # pyright: ignore[reportPrivateUsage]
        if self._start is not None:
            self._native = self._start(call_context(self._origin))
            self._running = True
            self._began = time.monotonic()
            return self
        if self._only is not None:
            unserved.take_these(self._only)
        elif not self._options.get("all"):
            unserved.take("serve", "HTTP")
        self._native = native.serve(self._options, self._only, call_context(self._origin))
        self._running = True
        self._began = time.monotonic()
        return self

    def run(self, test: Callable[[MockServer], Any]) -> Any:
        """Start the server, call a function with it, stop the server, and return the function's value.

        With ``variants``, the function is also called with the other answers that the contract allows. The value with the example
        is returned. A coroutine function runs in an event loop that this method creates, and is canceled after the timeout.

        >>> view = contract.serve(variants="default").run(lambda server: load(server.url))

        :param test: the function to call. It must accept all answers that the contract allows
        :raises MismatchesError: if the requests do not match the contract. ``__cause__`` is the exception of the function
        :raises VariantsError: if the function fails with a variant. ``__cause__`` is its exception
        :raises ServeTimeoutError: if the function took longer than the timeout
        """
        from ._asynchronous import Awaiter, Late
        from .variants import limit, run_variants

        if self._start is not None:
            raise ContractArgumentError(
                "run: the server responds with one variant; use it in a with block",
                code="ERR_CONTRACT_OPTIONS",
                operation="run",
            )
        self._repeats = True
        self.start()
        error: BaseException | None = None
        is_late = False
        value: Any = None
        with Awaiter() as awaiter:
            goes_on = limit(self._started().timeout)
            try:
                value = awaiter.settled(test(self), goes_on)
                is_late = _is_late([self], None)
                if not is_late:
                    run_variants(self, test, self._check, value, awaiter)
            except Late:
                is_late = True
            except BaseException as raised:
                error = raised
        self._end_block(error, is_late)
        if error is not None:
            raise error
        return value

    @property
    def variant(self) -> str | None:
        """The name of the variant with which the server responds, such as ``null@$.note``. None for the example."""
        return self._variant

    def stop(self) -> None:
        """Stop the server and write the contract file. Does nothing if the server is already stopped.

        :raises MismatchesError: if there are mismatches or missing requests
        """
        if self._running:
            _stop([self], "unknown", None)

    def _started(self) -> NativeServer:
        if self._native is None:
            raise ContractError(
                "the mock server has not been started; use it in a with block, as in `with contract.serve() as server:`",
                code="ERR_CONTRACT_NOT_RUNNING",
            )
        return self._native

    @property
    def url(self) -> str:
        """The base URL, without a trailing slash."""
        return self._started().url

    @property
    def host(self) -> str:
        """The host in the URL."""
        return self._started().host

    @property
    def port(self) -> int | None:
        """The port, or None if the server is not running."""
        return self._started().port if self._running else None

    @property
    def address(self) -> str:
        """The address as ``host:port``, which gRPC clients and sockets use."""
        host, port = self._started().host, self._started().port
        return f"[{host}]:{port}" if ":" in host and not host.startswith("[") else f"{host}:{port}"

    @property
    def transport(self) -> str:
        """``http``, ``https``, or the transport of a plugin."""
        return self._started().transport

    @property
    def ca_certificate(self) -> str | None:
        """The certificate of the certificate authority that clients must trust, in PEM format. None for plain HTTP, and if you
        passed a certificate.
        """
        return self._started().ca_certificate

    @property
    def matched(self) -> bool:
        """True if the server has received all expected requests and no unexpected requests so far.

        :raises RuntimeError: if the server was not started
        """
        return bool(json.loads(self._started().outcome())["matched"])

    @property
    def mismatches(self) -> list[ServerMismatch]:
        """One entry for each unexpected request and each missing request so far."""
        return cast("list[ServerMismatch]", json.loads(self._started().outcome())["mismatches"])

    @property
    def requests(self) -> list[JournalEntry]:
        """The last 10,000 received requests, in order. Secrets are not redacted."""
        return cast("list[JournalEntry]", json.loads(self._started().received()))

    @property
    def logs(self) -> str:
        """The last 1,000 lines of the log. There is one line per request, starting with the time (UTC). Secrets are redacted.
        """
        return self._started().log()

    def verify(self) -> None:
        """Check the requests that have been received so far. The server keeps running.

        :raises MismatchesError: if there are mismatches or missing requests
        """
        mismatched = json.loads(self._started().mismatched())
        if mismatched is not None:
            raise _mismatches_error(mismatched)

    def write_file(self, directory: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the interactions that have passed on this server so far to the contract file in ``directory``. Return the path of
        the file.
        """
        path = path_data("write_file", "directory", directory)
        self._started().write_file(path, overwrite)
        unwritten.written(self._contract.consumer, self._contract.provider)

    def resolve(self, path: str) -> str:
        """Return the URL of a path on this server. ``server / "users"`` is equivalent to ``server.resolve("users")``.

        :raises ContractArgumentError: if the path refers to another server, such as ``//host/x``
        """
        url = urljoin(self.url + "/", path)
        if not url.startswith(self.url + "/"):
            message = f"resolve: {path!r} is not on this server, {self.url}"
            raise ContractArgumentError(message, operation="resolve", argument="path")
        return url

    def __truediv__(self, path: str) -> str:
        """Return the URL of a path on this server."""
        return f"{self.url}/{path.lstrip('/')}"

    def __str__(self) -> str:
        """Return the base URL."""
        return self.url

    def __repr__(self) -> str:
        """Return the base URL, or that the server is not running."""
        where = self.url if self._running and self._native is not None else "not running"
        return f"<MockServer {where}>"


@contextmanager
def serve_all(*contracts: Contract, **options: Any) -> Generator[tuple[MockServer, ...], None, None]:
    """Start a mock server for each contract, and stop all of them at the end of the block. Each server has its own port.

    The options are those of ``Contract.serve``. Mismatches of all servers are raised as one ``MismatchesError``.

    >>> with serve_all(users, orders) as (users_server, orders_server):
    ...     Shop(users_server.url, orders_server.url).checkout()
    """
    servers: list[MockServer] = []
    try:
        for contract in contracts:
            servers.append(contract.serve(**options).start())
    except BaseException:
        for server in servers:
            _stop([server], "failed", None)
        raise
    try:
        yield tuple(servers)
    except BaseException as error:
        _end(servers, error)
        raise
    else:
        _end(servers, None, is_late=_is_late(servers, None))


def _is_late(servers: Sequence[MockServer], error: BaseException | None) -> bool:
    """Return whether a synchronous block exceeded its timeout."""
    if error is not None:
        return False
    now = time.monotonic()
    for server in servers:
        native = server._native  # pyright: ignore[reportPrivateUsage]
        if server._is_limited and native is not None and native.timeout:  # pyright: ignore[reportPrivateUsage]
            return now - server._began > native.timeout / 1000  # pyright: ignore[reportPrivateUsage]
    return False


def _end(
    servers: Sequence[MockServer], error: BaseException | None, is_late: bool = False, name: str | None = None
) -> None:
    """Check the received requests at the end of a block. Raise the mismatches, unless the block was interrupted, for example by
    Ctrl-C.
    """
    running = [server for server in servers if server._running]  # pyright: ignore[reportPrivateUsage]
    if is_late:
        _stop(running, "timed_out", error, name or f"The block of serve at {servers[0]._origin}")  # pyright: ignore[reportPrivateUsage]
    elif error is None:
        _stop(running, "passed", None, name)
    elif isinstance(error, Exception):
        _stop(running, "failed", error)
    else:
        # Ctrl-C, or an exception with which a test runner ends the test. Mismatches are added as a note (Python 3.11 and later).
        try:
            _stop(running, "failed", None)
        except MismatchesError as mismatches:
            add_note = getattr(error, "add_note", None)
            if add_note is not None:
                add_note(str(mismatches))


def _stop(servers: Sequence[MockServer], end: str, error: BaseException | None, name: str | None = None) -> None:
    natives: list[NativeServer] = []
    for server in servers:
        server._running = False  # pyright: ignore[reportPrivateUsage]
        native = server._native  # pyright: ignore[reportPrivateUsage]
        if native is not None:
            natives.append(native)
    ending = {"end": end} if name is None else {"end": end, "name": name, "atOnce": False}
    verdict = json.loads(_native.end_test(natives, json.dumps(ending)))
    for text in verdict["print"]:
        print(text, file=sys.stderr)
    late = verdict["late"]
    cause = error if late is None else ServeTimeoutError(late["text"], timeout=late["timeout"], logs=late["logs"])
    if verdict["mismatched"] is not None:
        raise _mismatches_error(verdict["mismatched"]) from cause
    if late is not None:
        raise cast("ServeTimeoutError", cause)
    if end in ("passed", "unknown"):
        for server in servers:
            server._contract._passed()  # pyright: ignore[reportPrivateUsage]


def _mismatches_error(mismatched: Mapping[str, Any]) -> MismatchesError:
    return MismatchesError(
        mismatched["text"], mismatched["mismatches"], logs=mismatched["logs"], colored=mismatched["coloured"]
    )


