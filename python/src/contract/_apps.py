"""Serves applications in this process to a verifier: WSGI (Flask, Django, Bottle) and ASGI (FastAPI, Starlette, Django).

An application listens on a free port of 127.0.0.1 while a verification runs. WSGI applications run in separate threads. ASGI
applications run on the event loop on which the verifier's coroutine functions run.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import sys
import threading
from concurrent.futures import CancelledError
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote_to_bytes
from wsgiref.simple_server import ServerHandler, WSGIRequestHandler, WSGIServer

from .errors import ContractArgumentError, ContractError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ._asynchronous import Awaiter

_HEAD_LIMIT = 256 * 1024
"""Maximum size of a request head in bytes. The verifier's requests are much smaller."""
_CLEANUP_SECONDS = 1.0
"""Time that an application may spend on its work after its last response, in seconds."""


def kind_of(app: object, interface: str | None) -> str:
    """Return ``wsgi`` or ``asgi``. Raises ``ContractArgumentError`` if the value is not an application."""
    if interface is not None and interface not in ("wsgi", "asgi"):
        raise _invalid(f"interface must be wsgi or asgi, received {interface!r}", "interface")
    if not callable(app) or inspect.isclass(app):
        raise _invalid(
            "app must be a WSGI or ASGI application, such as an app of Flask, Django, FastAPI, or Starlette, received "
            + ("a class" if inspect.isclass(app) else f"a value of type {type(app).__name__}"),
            "app",
        )
    if interface is not None:
        return interface
    original = app
    while isinstance(app, functools.partial):
        app = app.func
    is_async = inspect.iscoroutinefunction(app) or inspect.iscoroutinefunction(type(app).__call__)  # pyright: ignore[reportFunctionMemberAccess]
    return "asgi" if is_async or _takes(original, 3) and not _takes(original, 2) else "wsgi"


def _takes(app: Callable[..., Any], count: int) -> bool:
    """Return whether the callable accepts this number of arguments. An ASGI application accepts three, and a WSGI application
    two.
    """
    try:
        inspect.signature(app).bind(*[None] * count)
    except (TypeError, ValueError):
        return False
    return True


def _invalid(problem: str, argument: str) -> ContractArgumentError:
    return ContractArgumentError(
        f"add_transport: {problem}", code="ERR_CONTRACT_OPTIONS", operation="add_transport", argument=argument
    )


class RunningApp:
    """An application that is listening on a port."""

    url: str
    """The base URL, without a trailing slash."""
    errors: list[BaseException]
    """Exceptions that the application raised while handling requests."""
    lifespan_error: BaseException | None = None
    """The exception that the application raised during startup without reporting a failure, or None."""
    warnings: tuple[str, ...] = ()
    """Problems that occurred during shutdown."""

    def close(self) -> None:
        """Stop listening and close open connections."""
        raise NotImplementedError


def start_app(app: Any, kind: str, awaiter: Awaiter) -> RunningApp:
    """Start an application on a free port of 127.0.0.1. An ASGI application runs on the awaiter's event loop."""
    return _Asgi(app, awaiter.running_loop()) if kind == "asgi" else _Wsgi(app)


class _FrameworkErrors:
    """Captures exceptions that Flask and Django convert to responses with status 500."""

    def __init__(self, errors: list[BaseException]) -> None:
        self._errors = errors
        self._signals: list[Any] = []
        # Only for frameworks that are imported.
        for name in ("flask.signals", "django.core.signals"):
            signal = getattr(sys.modules.get(name), "got_request_exception", None)
            if signal is not None:
                signal.connect(self._keep)
                self._signals.append(signal)

    def _keep(self, sender: object = None, exception: BaseException | None = None, **_: object) -> None:
        error = exception or sys.exc_info()[1]
        if error is not None and not any(known is error for known in self._errors):
            self._errors.append(error)

    def close(self) -> None:
        for signal in self._signals:
            signal.disconnect(self._keep)


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    # Threads end with their connections, which the verifier closes.
    block_on_close = False

    def server_bind(self) -> None:
        # The method of WSGIServer resolves the host name, which can be slow.
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]
        self.setup_environ()


class _Handler(ServerHandler):
    errors: list[BaseException]

    def log_exception(self, exc_info: Any) -> None:
        self.errors.append(exc_info[1])


def _handler_class(errors: list[BaseException]) -> type[WSGIRequestHandler]:
    class Handler(WSGIRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

        def handle(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.parse_request():
                return
            environ: dict[str, Any] = self.get_environ()
            body: Any = self.rfile
            if "chunked" in (self.headers.get("Transfer-Encoding") or "").lower():
                from io import BytesIO

                content = _unchunked(self.rfile)
                body = BytesIO(content)
                environ["CONTENT_LENGTH"] = str(len(content))
            handler = _Handler(body, cast("Any", self.wfile), self.get_stderr(), environ, multithread=True)
            handler.errors = errors
            handler.request_handler = self  # type: ignore[attr-defined]  # wsgiref reads it when it closes
            handler.run(cast("WSGIServer", self.server).get_app())  # type: ignore[arg-type]

    return Handler


def _unchunked(file: Any) -> bytes:
    content = b""
    while size := int(file.readline(1024).split(b";")[0], 16):
        content += file.read(size)
        file.readline(2)
    while file.readline(65537).strip():
        pass
    return content


class _Wsgi(RunningApp):
    def __init__(self, app: Any) -> None:
        self.errors = []
        self._framework = _FrameworkErrors(self.errors)
        self._server = _Server(("127.0.0.1", 0), _handler_class(self.errors))
        self._server.set_app(app)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="contract-app", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._framework.close()


class _Asgi(RunningApp):
    """A minimal ASGI server, which supports HTTP/1.1 with persistent connections and the lifespan protocol."""

    def __init__(self, app: Callable[..., Any], loop: asyncio.AbstractEventLoop) -> None:
        self.errors = []
        self._app = app
        self._loop = loop
        self._state: dict[str, Any] = {}
        self._stopping = asyncio.Event()
        self._connections: set[asyncio.Task[Any]] = set()
        self._answering: dict[asyncio.Future[Any], _Exchange] = {}
        ready = threading.Event()
        self._served = asyncio.run_coroutine_threadsafe(self._serve(ready), loop)
        self._served.add_done_callback(lambda _: ready.set())
        try:
            ready.wait()
        except BaseException:
            # Ctrl-C during startup.
            self._served.cancel()
            raise
        if self._served.done():
            self._served.result()
        self._framework = _FrameworkErrors(self.errors)

    async def _serve(self, ready: threading.Event) -> None:
        lifespan = _Lifespan(self._app, self._state)
        await lifespan.startup()
        self.lifespan_error = lifespan.error
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0, limit=_HEAD_LIMIT)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        ready.set()
        await self._stopping.wait()
        server.close()
        # An application may still be cleaning up after its response. Incomplete responses have lost their client.
        cleaning = [task for task, exchange in self._answering.items() if exchange.is_complete]
        if cleaning:
            await asyncio.wait(cleaning, timeout=_CLEANUP_SECONDS)
        open_connections = self._connections.copy()
        for task in open_connections:
            task.cancel()
        if open_connections:
            # A connection whose application does not end is abandoned.
            await asyncio.wait(open_connections, timeout=5)
        failure = await lifespan.shutdown()
        if failure:
            self.warnings = (f"the application failed to shut down: {failure}",)

    def close(self) -> None:
        self._framework.close()
        try:
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._served.result()
        except (RuntimeError, CancelledError):
            # The owner of the loop has stopped it, and thereby the application.
            pass

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            self._connections.discard(task)

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        line, *fields = head[:-4].split(b"\r\n")
        method, target, version = line.split(b" ", 2)
        headers = [(name.strip().lower(), value.strip()) for name, _, value in (field.partition(b":") for field in fields)]
        path, _, query = target.partition(b"?")
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": version.removeprefix(b"HTTP/").decode("ascii"),
            "method": method.decode("ascii"),
            "scheme": "http",
            "path": unquote_to_bytes(path).decode("utf-8", "replace"),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": headers,
            "client": writer.get_extra_info("peername")[:2],
            "server": writer.get_extra_info("sockname")[:2],
            "state": self._state.copy(),
        }
        exchange = _Exchange(writer, await _body(reader, dict(headers)), scope["method"] == "HEAD")
        answering = asyncio.ensure_future(self._app(scope, exchange.receive, exchange.send))
        self._answering[answering] = exchange
        try:
            await answering
        except Exception as error:
            self.errors.append(error)
            # Frameworks send a response and also raise the exception.
            if exchange.started:
                return exchange.is_complete
            await exchange.failed(error)
        finally:
            del self._answering[answering]
        await writer.drain()
        return exchange.is_complete


class _Exchange:
    """A request and its response. Converts between HTTP and ASGI messages."""

    def __init__(self, writer: asyncio.StreamWriter, body: bytes, is_head: bool) -> None:
        self._writer = writer
        self._body: bytes | None = body
        self._is_head = is_head
        self._is_chunked = False
        self.started = False
        self.is_complete = False

    async def receive(self) -> dict[str, Any]:
        body, self._body = self._body, None
        if body is None:
            # The client does not disconnect before the response.
            await asyncio.Event().wait()
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._start(message["status"], message.get("headers", ()))
        elif message["type"] == "http.response.body":
            self._content(bytes(message.get("body", b"")), bool(message.get("more_body", False)))
        await self._writer.drain()

    async def failed(self, error: BaseException) -> None:
        text = f"the application raised {type(error).__name__}: {error}".encode()
        self._start(500, [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(text))])
        self._content(text, more=False)

    def _start(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        pairs = [(bytes(name), bytes(value)) for name, value in headers]
        has_length = any(name.lower() == b"content-length" for name, _ in pairs)
        self._is_chunked = not has_length and status >= 200 and status not in (204, 304)
        lines = [b"HTTP/1.1 %d " % status, *(name + b": " + value for name, value in pairs)]
        if self._is_chunked:
            lines.append(b"transfer-encoding: chunked")
        self._writer.write(b"\r\n".join(lines) + b"\r\n\r\n")
        self.started = True

    def _content(self, body: bytes, more: bool) -> None:
        if not self._is_head:
            if self._is_chunked:
                if body:
                    self._writer.write(b"%x\r\n%s\r\n" % (len(body), body))
                if not more:
                    self._writer.write(b"0\r\n\r\n")
            else:
                self._writer.write(body)
        self.is_complete = not more


async def _body(reader: asyncio.StreamReader, headers: dict[bytes, bytes]) -> bytes:
    if b"chunked" not in headers.get(b"transfer-encoding", b"").lower():
        return await reader.readexactly(int(headers.get(b"content-length", b"0")))
    content = b""
    while size := int((await reader.readline()).split(b";")[0], 16):
        content += await reader.readexactly(size)
        await reader.readexactly(2)
    while (await reader.readline()).strip():
        pass
    return content


class _Lifespan:
    """Starts and shuts down an application with the ASGI lifespan protocol, if the application supports it."""

    def __init__(self, app: Callable[..., Any], state: dict[str, Any]) -> None:
        self._app = app
        self._state = state
        self._to_app: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._from_app: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._is_received = False
        self._raised: BaseException | None = None
        self.error: BaseException | None = None
        """The exception that an application with support for the lifespan protocol raised during startup, or None."""

    async def startup(self) -> None:
        self._task = asyncio.ensure_future(self._run())
        failure = await self._ask("lifespan.startup")
        if failure is not None:
            raise ContractError(
                f"the application failed to start: {failure}", code="ERR_CONTRACT_APP"
            ) from self._raised
        # According to the ASGI specification, an exception means that the application does not support lifespan.
        self.error = self._raised if self._is_received else None

    async def shutdown(self) -> str | None:
        """Shut down the application. Return the error message if this fails, or None if it succeeds."""
        if self._task is None or self._task.done():
            return None
        failure = await self._ask("lifespan.shutdown")
        self._task.cancel()
        await asyncio.wait([self._task])
        if failure is None and self._raised is not None:
            return _describe(self._raised)
        return failure

    async def _ask(self, event_type: str) -> str | None:
        """Send an event and wait for the response. Return the error message, or None on success.

        An application that ends before it responds does not support the lifespan protocol.
        """
        assert self._task is not None
        await self._to_app.put({"type": event_type})
        receiving = asyncio.ensure_future(self._from_app.get())
        await asyncio.wait({receiving, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if not receiving.done():
            receiving.cancel()
            return None
        answer = receiving.result()
        if not str(answer["type"]).endswith(".failed"):
            return None
        # Frameworks raise the exception right after they have reported the failure.
        await asyncio.wait([self._task], timeout=1)
        if self._raised is not None:
            return _describe(self._raised)
        # The message can be a traceback. Its last line is the error.
        return next(reversed(str(answer.get("message", "")).strip().splitlines()), "it gave no reason")

    async def _receive(self) -> dict[str, Any]:
        event = await self._to_app.get()
        self._is_received = True
        return event

    async def _run(self) -> None:
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": self._state}
        try:
            await self._app(scope, self._receive, self._from_app.put)
        except Exception as error:
            self._raised = error


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
