"""A contract: what one consumer expects of one provider."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from . import _native
from ._begun import Begun
from ._call import UNSET, around, given, pairs_data, path_data, place
from ._unwritten import unwritten
from .errors import ContractArgumentError
from .interaction import (
    AsyncMessageInteraction,
    HttpInteraction,
    Interaction,
    SyncMessageInteraction,
    _part,  # pyright: ignore[reportPrivateUsage]
)
from .message import verify_messages
from .server import MockServer

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Self

    from .errors import MessageError
    from .types import Json, Kind, PluginOptions, ServerLimits, ServerTls

__all__ = ["Contract"]

__tracebackhide__ = True

_KINDS: dict[str, type[Interaction]] = {
    "http": HttpInteraction,
    "sync": SyncMessageInteraction,
    "async": AsyncMessageInteraction,
}


class Contract:
    """What one consumer expects of one provider.

    One contract serves any number of tests: each ``serve`` takes the interactions that were defined since the last one.

    >>> from contract import Contract, match
    >>> contract = Contract("web", "users", directory="./contracts")
    >>> (
    ...     contract.upon_receiving("a request for user 123")
    ...     .given("user exists", parameters={"id": 123})
    ...     .with_request("GET", "/users/123")
    ...     .will_respond_with(200)
    ...     .with_body({"id": match.int(123), "name": match.str("Alice")})
    ... )
    >>> with contract.serve() as server:
    ...     user = UserClient(server.url).get(123)

    :param consumer: the consumer's name
    :param provider: the provider's name
    :param specification: the version that files are written in: ``V2``, ``V3`` or ``V4`` (default)
    :param directory: where ``serve`` and ``verify`` write the contract file at their end; default: the environment variable
        CONTRACT_OUTPUT_DIR. Without either they write none, and one line says so at the end of the process or of pytest
    :param write_mode: ``merge`` (default), or ``overwrite`` to begin the file anew, once for each run of the tests; the workers
        of pytest-xdist, and all processes with the same CONTRACT_RUN_ID, belong to one run
    :param unexpected_fields: whether body fields that the contract does not name fail the test: ``ignore`` (default) or
        ``error``
    :param seed: makes generated values the same in every run
    :param generated_size: most bytes that generators make for one response or message; default: 67108864 (64 MiB)
    :param remove_obsolete: whether interactions go from the file that no test defines any more, where pytest was told to
        remove such, see ``contract.pytest_plugin``; default: True
    :param timeout: how long a test may take, in milliseconds, see ``serve`` and ``verify``; 0 is without end
    :param plugins: where plugins are and how long they are waited for: ``directories``, a list of paths, and the milliseconds
        ``start_timeout`` and ``timeout``
    :param lock_timeout: milliseconds to wait for others who write the contract file; default: 4000
    :raises ValueError: a name that is empty, or an option that makes no sense
    """

    def __init__(
        self,
        consumer: str,
        provider: str,
        *,
        specification: str | None = None,
        directory: str | os.PathLike[str] | None = None,
        write_mode: Literal["merge", "overwrite"] | None = None,
        unexpected_fields: Literal["ignore", "error"] | None = None,
        seed: int | None = None,
        lock_timeout: int | None = None,
        generated_size: int | None = None,
        timeout: int | None = None,
        remove_obsolete: bool | None = None,
        plugins: PluginOptions | None = None,
    ) -> None:
        """Begin a contract of a consumer with a provider."""
        options = {
            "specification": specification,
            "directory": path_data("Contract", "directory", directory),
            "write_mode": write_mode,
            "unexpected_fields": unexpected_fields,
            "seed": seed,
            "lock_timeout": lock_timeout,
            "generated_size": generated_size,
            "timeout": timeout,
            "remove_obsolete": remove_obsolete,
            "plugins": plugins if plugins is None else _plugins(plugins),
        }
        values: dict[str, object] = {"consumer": consumer, "provider": provider}
        known = given(options)
        if known:
            values["options"] = known
        self._native = _native.NativeContract(values)
        self._is_limited = timeout is not None
        self._has_directory = directory is not None
        self._begun = Begun()
        self._consumer = consumer
        self._provider = provider

    @property
    def consumer(self) -> str:
        """The consumer's name."""
        return self._consumer

    @property
    def provider(self) -> str:
        """The provider's name."""
        return self._provider

    @property
    def specification(self) -> str:
        """The version that files are written in."""
        return self._native.specification

    def __repr__(self) -> str:
        """Name both sides."""
        return f"Contract({self._consumer!r}, {self._provider!r})"

    def with_specification(self, version: str) -> Self:
        """Choose the version that files are written in: ``V2``, ``V3`` or ``V4`` (default), in any case, ``V`` may be left out."""
        self._native.apply("with_specification", {"version": version})
        return self

    def with_metadata(self, namespace: str, metadata: Mapping[str, Json]) -> Self:
        """Add entries to the metadata of the file, under a name of your own."""
        self._native.apply("with_metadata", {"namespace": namespace, "entries": metadata})
        return self

    def using_plugin(self, name: str, version: str | None = None) -> Self:
        """Start a plugin for the contract, or take part in one that runs.

        :param name: its name
        :param version: the least version; default: any
        :raises ValueError: a plugin that is not installed
        """
        self._native.apply("using_plugin", {"plugin": name, "version": version})
        return self

    def defaults(
        self, *, request: Mapping[str, Any] | None = None, response: Mapping[str, Any] | None = None
    ) -> Self:
        """Set what the interactions defined from now on have unless they say otherwise; replaces earlier defaults.

        :param request: ``method``, ``query`` and ``headers``
        :param response: ``status`` and ``headers``
        """
        arguments = given({"request": _pairs_in(request), "response": _pairs_in(response)})
        self._native.apply("defaults", arguments)
        return self

    @overload
    def upon_receiving(self, description: str, interaction: Literal["HTTP"] = ...) -> HttpInteraction: ...
    @overload
    def upon_receiving(self, description: str, interaction: Literal["Async"]) -> AsyncMessageInteraction: ...
    @overload
    def upon_receiving(self, description: str, interaction: Literal["Sync"]) -> SyncMessageInteraction: ...
    def upon_receiving(
        self, description: str, interaction: Kind = "HTTP"
    ) -> HttpInteraction | AsyncMessageInteraction | SyncMessageInteraction:
        """Begin an interaction. Description and provider states together name it.

        :param interaction: ``HTTP`` (default), ``Sync`` for a message and its response, ``Async`` for a message alone
        :raises ValueError: a kind that there is not, or a description that is empty
        """
        kind = "HTTP" if interaction is None else interaction  # pyright: ignore[reportUnnecessaryComparison]
        begun = self._native.begin("upon_receiving", {"description": description, "kind": kind}, place())
        assert begun is not None
        made = _KINDS[str(kind).lower()](begun, self)
        self._begun.add(begun, "HTTP" if isinstance(made, HttpInteraction) else str(kind).capitalize())
        return cast("HttpInteraction", made)

    def interaction(
        self,
        description: str,
        *,
        request: Mapping[str, Any],
        response: Mapping[str, Any],
        states: Sequence[str | Mapping[str, Any]] | None = None,
        comments: Mapping[str, Json] | None = None,
        key: str | None = None,
        pending: bool | None = None,
        test_name: str | None = None,
    ) -> HttpInteraction:
        """Define an HTTP interaction as one value, for those who prefer data to calls.

        >>> contract.interaction(
        ...     "a request for user 123",
        ...     states=[{"name": "user exists", "parameters": {"id": 123}}],
        ...     request={"method": "GET", "path": "/users/123"},
        ...     response={"status": 200, "body": {"id": match.int(123)}},
        ... )

        :param request: what ``with_request`` takes, by name
        :param response: what ``will_respond_with`` takes, by name
        """
        arguments = {
            "description": description,
            "states": states,
            "request": _whole_part(request),
            "response": _whole_part(response),
            "comments": comments,
            "key": key,
            "pending": pending,
            "test_name": test_name,
        }
        begun = self._native.begin("interaction", arguments, place())
        assert begun is not None
        self._begun.add(begun, "HTTP")
        return HttpInteraction(begun, self)

    def interactions(self, kind: Literal["HTTP", "Sync", "Async", "All"] = "HTTP") -> list[dict[str, Json]]:
        """Give the interactions as they stand, in the form of V4 files: of one kind, or all of them.

        :raises ValueError: a kind that there is not
        """
        chosen = None if kind == "All" else kind
        if chosen is not None and not isinstance(chosen, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ContractArgumentError(
                f"interactions: kind must be text, got {kind!r}",
                code="ERR_CONTRACT_KIND",
                operation="interactions",
                argument="kind",
            )
        return cast("list[dict[str, Json]]", json.loads(self._native.interactions(chosen)))

    def serve(
        self,
        host: str | None = None,
        port: int | None = None,
        transport: str | None = None,
        transport_config: Mapping[str, Json] | None = None,
        *,
        addr: str | None = None,
        raises: bool = True,
        verbose: bool = False,
        only: Sequence[HttpInteraction] | None = None,
        all: bool = False,
        tls: ServerTls | None = None,
        cors: bool | None = None,
        keep_alive: bool | None = None,
        limits: ServerLimits | None = None,
        unexpected_fields: Literal["ignore", "error"] | None = None,
        in_order: bool = False,
        timeout: int | None = None,
        seed: int | None = None,
    ) -> MockServer:
        """Play the provider for the interactions defined since the last time.

        Gives a context manager; its object has ``url`` and the rest of :class:`~contract.server.MockServer`.

        :param host: the address to listen on; ``localhost`` is 127.0.0.1 and ::1. Default: 127.0.0.1
        :param port: the port. Default: a free one
        :param transport: ``http`` (default) or ``https``, both in HTTP/1.1 and HTTP/2, or that of a plugin; with ``tls`` it is
            ``https``
        :param transport_config: what the plugin of a transport is told
        :param addr: the same as ``host``
        :param raises: whether what did not match is raised at the end; else it is in ``mismatches``
        :param verbose: whether it is printed to standard error at the end, raised or not
        :param only: exactly these interactions, whether or not they were served before
        :param all: serves interactions of earlier calls again, too
        :param tls: the certificate for ``https``; default: one of the server's own, see ``ca_certificate``
        :param cors: whether pre-flight requests of browsers are answered; default: True
        :param keep_alive: whether a connection serves several requests; default: True
        :param limits: bounds of size and time
        :param unexpected_fields: whether body fields that the contract does not name fail the test: ``ignore`` or ``error``;
            default: that of the contract
        :param in_order: whether interactions that match the same request answer one after another
        :param timeout: how long the block may take, in milliseconds; 0 is without end. ``async with`` cancels a block that takes
            longer, and the default is 60000 there; the block of a plain ``with`` cannot be ended, and fails at its end when
            somebody has said a limit. A block in a debugger is given more time. Default: that of the contract
        :param seed: makes generated values the same in every run; default: that of the contract
        :raises ValueError: at the start of the block, for options that make no sense, or when there is nothing to serve
        :raises MockServerError: at the start of the block, when it cannot listen there
        :raises MismatchesError: at the end of the block
        :raises ServeTimeoutError: at the end of a block that took longer than ``timeout``
        :raises ContractFileError: at the end of the block, when the file cannot be written
        """
        options: dict[str, object] = {
            "host": host,
            "port": port,
            "transport": transport,
            "transport_config": transport_config,
            "addr": addr,
            "raises": raises,
            "verbose": verbose,
            "all": all,
            "tls": tls if tls is None else _certificate(tls),
            "cors": cors,
            "keep_alive": keep_alive,
            "limits": limits,
            "unexpected_fields": unexpected_fields,
            "in_order": in_order,
            "timeout": timeout,
            "seed": seed,
        }
        chosen = None
        if only is not None:
            try:
                chosen = [one._native for one in only]  # pyright: ignore[reportPrivateUsage]
            except (AttributeError, TypeError):
                self._native.retire()
                raise ContractArgumentError(
                    "serve: only must be a list of interactions",
                    code="ERR_CONTRACT_ARGUMENTS",
                    operation="serve",
                    argument="only",
                ) from None
        return MockServer(self, given(options), chosen, place(), self._is_limited or timeout is not None)

    def verify(
        self,
        handler: Callable[..., Any],
        kind: Literal["Async", "Sync"],
        *,
        raises: bool = True,
        check_response: bool = True,
        allow_empty: bool = False,
        all: bool = False,
        timeout: int | None = None,
        seed: int | None = None,
        generated_size: int | None = None,
    ) -> list[MessageError]:
        """Hand each message that was defined since the last time to the handler, one after the other.

        ``handler(body, metadata)`` gets the contents as text, or as bytes when they are no text, or None, and the metadata. A
        handler of three parameters gets the whole :class:`~contract.message.Message` as well, with the contents as values in
        ``json``. It may be a coroutine function. What the handler of a synchronous message returns, unless it is None, is
        compared with the response that the contract defines. Messages that passed are written into the contract file, as
        ``serve`` does.

        :param kind: ``Async`` or ``Sync``
        :param raises: whether failures are raised; else they are returned
        :param check_response: whether what the handler of a synchronous message returns is compared
        :param allow_empty: whether a message without contents is handed over; else it fails
        :param all: hands over messages of earlier calls again, too
        :param timeout: how long the handler may take for one message, in milliseconds; 0 is without end. A coroutine is
            cancelled then, and the default is 60000 for it; a plain function cannot be ended, and fails when it returns, when
            somebody has said a limit. Default: that of the contract
        :param seed: makes generated values the same in every run; default: that of the contract
        :param generated_size: most bytes that generators make for one message and its responses; default: that of the contract
        :raises ValueError: for the kind ``HTTP`` or another, and when there is no message
        :raises MessageVerificationError: with one error for each message that failed, ``__cause__`` what the handler raised
        """
        options = given(
            {
                "kind": kind,
                "raises": raises,
                "check_response": check_response,
                "allow_empty": allow_empty,
                "all": all,
                "timeout": timeout,
                "seed": seed,
                "generated_size": generated_size,
            }
        )
        is_limited = self._is_limited or timeout is not None
        if not all:
            self._begun.take("verify", str(kind).capitalize())
        failures = verify_messages(self._native, handler, str(kind), options, around(place()), is_limited)
        if not failures:
            self._passed()
        return failures

    def _passed(self) -> None:
        """Note that a test passed."""
        if not self._has_directory:
            unwritten.passed(self._consumer, self._provider)

    def write_file(
        self, directory: str | os.PathLike[str] | None = None, *, overwrite: bool | None = None
    ) -> None:
        """Write the contract file: interactions that passed and those never served, never one that failed.

        Several processes and threads may write the same file; nothing is lost, and no reader sees half of it.

        :param directory: created when missing; default: that of the contract, else CONTRACT_OUTPUT_DIR, else the current one
        :param overwrite: begins the file anew instead of merging; default: as ``write_mode`` says
        :raises ContractFileError: when it cannot be written; what was on disk is as it was
        """
        path = path_data("write_file", "directory", directory)
        self._native.write_file(path, overwrite, around(place()))
        unwritten.written(self._consumer, self._provider)


def _plugins(plugins: object) -> object:
    """The options with paths as texts."""
    from collections.abc import Mapping

    if not isinstance(plugins, Mapping) or not isinstance(plugins.get("directories"), (list, tuple)):  # pyright: ignore[reportUnknownMemberType]
        return plugins  # pyright: ignore[reportUnknownVariableType]
    given = cast("Mapping[str, Any]", plugins)
    return {**given, "directories": [path_data("Contract", "plugins", path) for path in given["directories"]]}


def _certificate(tls: object) -> object:
    from collections.abc import Mapping

    if not isinstance(tls, Mapping):
        return tls
    return {
        name: bytes(value).decode("latin-1") if isinstance(value, (bytes, bytearray)) else value
        for name, value in tls.items()  # pyright: ignore[reportUnknownVariableType]
    }


def _pairs_in(part: Mapping[str, Any] | None) -> object:
    """A part with its pairs as lists."""
    from collections.abc import Mapping

    if not isinstance(part, Mapping):
        return part
    data: dict[str, object] = dict(part)
    for name in ("query", "headers"):
        if name in data:
            data[name] = pairs_data(data[name])
    return data


def _whole_part(part: Mapping[str, Any]) -> object:
    """A part with what JSON has no form for as data."""
    data = _pairs_in(part)
    if not isinstance(data, dict):
        return data
    known = cast("dict[str, Any]", data)
    bodies = {name: known.pop(name) for name in ("body", "binary_body", "xml_body") if name in known}
    made = _part(
        "interaction", None, bodies.get("body", UNSET), bodies.get("binary_body"), bodies.get("xml_body"), None
    )
    for name in ("body", "binary_body", "xml_body"):
        if made[name] is not None and made[name] is not UNSET or (name == "body" and "body" in bodies and made[name] is None):
            known[name] = made[name]
    return known
