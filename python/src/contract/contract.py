"""A contract between one consumer and one provider."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from . import _native
from ._unserved import Unserved
from ._call import UNSET, call_context, without_unset, pairs_data, path_data, place
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
from .variants import listed, split, without_check

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Self

    from ._native import NativeInteraction
    from .errors import MessageError
    from .types import Json, Kind, PluginOptions, ServerLimits, ServerTls, VariantOptions, VariantSet
    from .variants import ContractVariant

__all__ = ["Contract"]

__tracebackhide__ = True

_KINDS: dict[str, type[Interaction]] = {
    "http": HttpInteraction,
    "sync": SyncMessageInteraction,
    "async": AsyncMessageInteraction,
}


class Contract:
    """A contract between one consumer and one provider.

    Any number of tests can use it: each call to ``serve`` serves the interactions that were defined since the previous call.

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

    :param consumer: the name of the consumer
    :param provider: the name of the provider
    :param specification: the specification version of the contract file: ``V2``, ``V3``, or ``V4``. Default: ``V4``
    :param directory: the directory for the contract file, which is written at the end of ``serve`` and ``verify``. Default: the
        environment variable CONTRACT_OUTPUT_DIR. If neither is set, no file is written, and a message is printed when the process
        or the test run ends
    :param write_mode: how an existing contract file is updated: ``merge``, or ``overwrite`` to replace it once per test run. The
        workers of pytest-xdist and all processes with the same CONTRACT_RUN_ID belong to the same run. Default: ``merge``
    :param unexpected_fields: whether body fields that the contract does not define fail the test: ``ignore`` or ``error``.
        Default: ``ignore``
    :param seed: the seed for generated values, an integer. With a seed, the values are the same in every
        run. Default: random
    :param generated_size: the maximum size of the values that generators produce for one response or message, in bytes. Default:
        64 MiB
    :param remove_obsolete: whether obsolete interactions are removed from the file if pytest is configured to remove them;
        see ``contract.pytest_plugin``. Default: True
    :param timeout: the timeout of a test in milliseconds. 0 disables it. For the default, see ``serve`` and ``verify``
    :param plugins: ``directories``, a list of paths to search for plugins, and the timeouts ``start_timeout`` and ``timeout``
        in milliseconds
    :param variants: whether functions passed to ``serve(…).run`` and ``verify`` also run against the other answers that the
        contract allows: ``off``, ``default``, ``values``, ``all``, or options. Default: the environment variable
        CONTRACT_VARIANTS, otherwise ``off``
    :param lock_timeout: the maximum time to wait while another process writes the file, in milliseconds. Default: 4000
    :raises ValueError: if a name is empty or an option is invalid
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
        variants: VariantSet | VariantOptions | None = None,
    ) -> None:
        """Create a contract."""
        variant_options, self._check = split("Contract", variants)
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
            "variants": variant_options,
        }
        values: dict[str, object] = {"consumer": consumer, "provider": provider}
        members = without_unset(options)
        if members:
            values["options"] = members
        self._native = _native.NativeContract(values)
        self._is_limited = timeout is not None
        self._has_directory = directory is not None
        self._unserved = Unserved()
        self._consumer = consumer
        self._provider = provider

    @property
    def consumer(self) -> str:
        """The name of the consumer."""
        return self._consumer

    @property
    def provider(self) -> str:
        """The name of the provider."""
        return self._provider

    @property
    def specification(self) -> str:
        """The specification version of the contract file."""
        return self._native.specification

    def __repr__(self) -> str:
        """Return the names of the consumer and the provider."""
        return f"Contract({self._consumer!r}, {self._provider!r})"

    def with_specification(self, version: str) -> Self:
        """Set the specification version of the contract file: ``V2``, ``V3``, or ``V4``. The ``V`` is optional. Default: V4."""
        self._native.apply("with_specification", {"version": version})
        return self

    def with_metadata(self, namespace: str, metadata: Mapping[str, Json]) -> Self:
        """Add metadata to the contract file, under ``namespace`` in its metadata."""
        self._native.apply("with_metadata", {"namespace": namespace, "entries": metadata})
        return self

    def using_plugin(self, name: str, version: str | None = None) -> Self:
        """Start a plugin for the contract, or use it if it is already running. Waits until it is ready.

        :param name: the name of the plugin
        :param version: the minimum version. Default: any version
        :raises ValueError: if the plugin is not installed or does not start
        """
        self._native.apply("using_plugin", {"plugin": name, "version": version})
        return self

    def defaults(
        self, *, request: Mapping[str, Any] | None = None, response: Mapping[str, Any] | None = None
    ) -> Self:
        """Set the defaults for interactions that are defined later. Replaces earlier defaults.

        :param request: a mapping with ``method``, ``query``, and ``headers``
        :param response: a mapping with ``status`` and ``headers``
        """
        arguments = without_unset({"request": _pairs_in(request), "response": _pairs_in(response)})
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
        """Start to define an interaction, and return it. The combination of its description and its provider states must be
        unique in the contract.

        :param interaction: ``HTTP``, ``Sync`` (message with responses), or ``Async`` (message without response). Default: ``HTTP``
        :raises ValueError: if the kind is unknown or the description is empty
        """
        kind = "HTTP" if interaction is None else interaction  # pyright: ignore[reportUnnecessaryComparison]
        native = self._native.begin("upon_receiving", {"description": description, "kind": kind}, place())
        assert native is not None
        created = _KINDS[str(kind).lower()](native, self)
        self._unserved.add(native, "HTTP" if isinstance(created, HttpInteraction) else str(kind).capitalize())
        return cast("HttpInteraction", created)

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
        """Define a complete HTTP interaction.

        >>> contract.interaction(
        ...     "a request for user 123",
        ...     states=[{"name": "user exists", "parameters": {"id": 123}}],
        ...     request={"method": "GET", "path": "/users/123"},
        ...     response={"status": 200, "body": {"id": match.int(123)}},
        ... )

        :param request: the arguments of ``with_request`` by name
        :param response: the arguments of ``will_respond_with`` by name
        """
        arguments = {
            "description": description,
            "states": states,
            "request": _part_data(request),
            "response": _part_data(response),
            "comments": comments,
            "key": key,
            "pending": pending,
            "test_name": test_name,
        }
        native = self._native.begin("interaction", arguments, place())
        assert native is not None
        self._unserved.add(native, "HTTP")
        return HttpInteraction(native, self)

    def interactions(self, kind: Literal["HTTP", "Sync", "Async", "All"] = "HTTP") -> list[dict[str, Json]]:
        """Return all interactions defined so far, in the format of V4 contract files.

        :param kind: the kind of interactions to return: ``HTTP``, ``Async``, ``Sync``, or ``All``. Default: ``HTTP``
        :raises ValueError: if the kind is unknown
        """
        chosen = None if kind == "All" else kind
        if chosen is not None and not isinstance(chosen, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ContractArgumentError(
                f"interactions: kind must be a string, received {kind!r}",
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
        variants: VariantSet | VariantOptions | None = None,
    ) -> MockServer:
        """Return a mock server for the interactions that were defined since the last call. Use it in a ``with`` block.

        :param host: the address to listen on. ``localhost`` means 127.0.0.1 and ::1. Default: 127.0.0.1
        :param port: the port to listen on. Default: a free port
        :param transport: ``http``, ``https`` (both HTTP/1.1 and HTTP/2), or the transport of a plugin. Default: ``http``, or
            ``https`` with ``tls``
        :param transport_config: the configuration for the plugin that provides the transport
        :param addr: an alias of ``host``
        :param raises: whether mismatches are raised at the end of the block. If False, only the
            server's ``mismatches`` contain them. Default: True
        :param verbose: whether mismatches are printed to standard error at the end of the block. Default: False
        :param only: serves only these interactions, even if they were served before
        :param all: whether interactions of earlier calls are served again. Default: False
        :param tls: the certificate for ``https``. Default: a generated certificate. See ``ca_certificate``
        :param cors: whether the server responds to CORS preflight requests. Default: True
        :param keep_alive: whether a connection can serve several requests. Default: True
        :param limits: limits for the size and
            duration of requests; see ``ServerLimits``
        :param unexpected_fields: whether body fields that the contract does not define fail the test: ``ignore`` or ``error``.
            Default: the setting of the contract
        :param in_order: whether interactions that match the same request respond one
            after another, in the order in which they are defined
        :param timeout: the timeout for the block in milliseconds. 0 disables it. ``async with`` cancels the block, and its
            default is 60000. A plain ``with`` block cannot be interrupted. It fails at its end, and has no timeout by default.
            Blocks that run in a debugger have no timeout. Default: the timeout of the contract
        :param seed: the seed for generated values. Default: the seed of the contract
        :param variants: whether the function passed to ``run`` also runs against the other answers that the contract allows:
            ``off``, ``default``, ``values``, ``all``, or options. Default: the option of the contract
        :raises ValueError: at the start of the block, if an option is invalid or there is nothing to serve
        :raises MockServerError: at the start of the block, if the server cannot listen
        :raises MismatchesError: at the end of the block, if the requests do not match the contract
        :raises ServeTimeoutError: at the end of the block, if the block took longer than ``timeout``
        :raises ContractFileError: at the end of the block, if the file cannot be written
        """
        try:
            variant_options, check = split("serve", variants)
        except ContractArgumentError:
            self._native.retire()
            raise
        options: dict[str, object] = {
            "variants": variant_options,
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
        is_limited = self._is_limited or timeout is not None
        chosen = self._chosen("serve", only)
        return MockServer(self, without_unset(options), chosen, place(), is_limited, check or self._check)

    def _chosen(self, call: str, only: Sequence[HttpInteraction] | None) -> list[NativeInteraction] | None:
        if only is None:
            return None
        try:
            return [one._native for one in only]  # pyright: ignore[reportPrivateUsage]
        except (AttributeError, TypeError):
            self._native.retire()
            raise ContractArgumentError(
                f"{call}: \"only\" must be a list of interactions",
                code="ERR_CONTRACT_ARGUMENTS",
                operation=call,
                argument="only",
            ) from None

    def variants(
        self,
        variants: VariantSet | VariantOptions | None = None,
        *,
        only: Sequence[HttpInteraction] | None = None,
        all: bool = False,
        unexpected_fields: Literal["ignore", "error"] | None = None,
        timeout: int | None = None,
        seed: int | None = None,
    ) -> list[ContractVariant]:
        """Return the responses that the contract allows for the interactions that were defined since the last call.

        Pass them to ``pytest.mark.parametrize`` to define one test for each response. The first one is the example. Each
        test serves all of these interactions, and the response of one of them varies. The interactions are written to the
        contract file once all these tests have passed.

        >>> @pytest.mark.parametrize("variant", contract.variants(), ids=str)
        ... def test_shows_an_order(variant):
        ...     with variant.serve() as server:
        ...         load(server.url)

        :param variants: the variants: ``default``, ``values``, ``all``, or options. Default: the option of the contract, the
            environment variable CONTRACT_VARIANTS, otherwise ``default``
        :param only: uses only these interactions, even if they were served before
        :param all: whether interactions of earlier calls are used again. Default: False
        :param unexpected_fields: whether body fields that the contract does not define fail the test: ``ignore`` or ``error``.
            Default: the setting of the contract
        :param timeout: the timeout for each block in milliseconds. 0 disables it. Default: the timeout of the contract
        :param seed: the seed for generated values. Default: the seed of the contract
        :raises ValueError: if an option is invalid or there is nothing to serve
        """
        try:
            reason = "a with block returns no result"
            options = {
                "variants": without_check("variants", variants, reason),
                "all": all,
                "unexpected_fields": unexpected_fields,
                "timeout": timeout,
                "seed": seed,
            }
        except ContractArgumentError:
            self._native.retire()
            raise
        chosen = self._chosen("variants", only)
        if only is not None:
            self._unserved.take_these(chosen or [])
        elif not all:
            self._unserved.take("variants", "HTTP")
        return listed(self, self._native.variants(without_unset(options), chosen, call_context(place())))

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
        variants: VariantSet | VariantOptions | None = None,
    ) -> list[MessageError]:
        """Call the handler with each message that was defined since the last call, one message at a time.

        ``handler(body, metadata)`` receives the contents and the metadata. The contents are a string, bytes if they are not
        text, or None. A handler with three parameters also receives the :class:`~contract.message.Message`, whose ``json``
        contains the parsed contents. The handler can be a coroutine function. For a synchronous message, its return value is
        compared with the response in the contract, unless it is None. Messages that pass are written to the contract file.

        :param kind: ``Async`` or ``Sync``
        :param raises: whether failures are raised instead of returned. Default: True
        :param check_response: whether the return value for a synchronous message is compared with the response. Default: True
        :param allow_empty: whether a message without contents is passed to the handler. If False, it fails. Default: False
        :param all: whether messages of earlier calls are passed to the handler again. Default: False
        :param timeout: the timeout for one message in milliseconds. 0 disables it. A coroutine is canceled, and its default
            is 60000. A plain function cannot be interrupted. It fails when it returns, and has no timeout by default. Default: the
            timeout of the contract
        :param seed: the seed for generated values. Default: the seed of the contract
        :param generated_size: the maximum size of the values that generators produce for one message and its responses, in
            bytes. Default: the setting of the contract
        :param variants: whether the handler is also called with the other contents that the contract allows: ``off``,
            ``default``, ``values``, ``all``, or options. Only for asynchronous messages. Default: the option of the contract
        :return: the failures if ``raises`` is False, otherwise an empty list
        :raises ValueError: if the kind is not a kind of message, or if there are no messages
        :raises MessageVerificationError: with one error for each failed message; ``__cause__`` is the exception of the handler
        """
        options = without_unset(
            {
                "kind": kind,
                "raises": raises,
                "check_response": check_response,
                "allow_empty": allow_empty,
                "all": all,
                "timeout": timeout,
                "seed": seed,
                "generated_size": generated_size,
                "variants": without_check("verify", variants, "message handlers return no result"),
            }
        )
        is_limited = self._is_limited or timeout is not None
        if not all:
            self._unserved.take("verify", str(kind).capitalize())
        failures = verify_messages(self._native, handler, str(kind), options, call_context(place()), is_limited)
        if not failures:
            self._passed()
        return failures

    def _passed(self) -> None:
        """Record that a test of the contract passed. If no directory is set, the missing contract file is reported later."""
        if not self._has_directory:
            unwritten.passed(self._consumer, self._provider)

    def write_file(
        self, directory: str | os.PathLike[str] | None = None, *, overwrite: bool | None = None
    ) -> None:
        """Write the interactions that passed or were never served to the contract file. Failed interactions are not written.

        Several processes and threads can write to the same file. The interactions are merged, and the file is replaced atomically.

        :param directory: the directory of the file, which is created if it does not exist. Default: the directory of the
            contract, then CONTRACT_OUTPUT_DIR, then the current directory
        :param overwrite: whether an existing file is replaced instead of merged. Default: the ``write_mode`` of the contract
        :raises ContractFileError: if the file cannot be written. An existing file is then unchanged
        """
        path = path_data("write_file", "directory", directory)
        self._native.write_file(path, overwrite, call_context(place()))
        unwritten.written(self._consumer, self._provider)


def _plugins(plugins: object) -> object:
    """Convert paths in the options to strings."""
    from collections.abc import Mapping

    if not isinstance(plugins, Mapping) or not isinstance(plugins.get("directories"), (list, tuple)):  # pyright: ignore[reportUnknownMemberType]
        return plugins  # pyright: ignore[reportUnknownVariableType]
    options = cast("Mapping[str, Any]", plugins)
    return {**options, "directories": [path_data("Contract", "plugins", path) for path in options["directories"]]}


def _certificate(tls: object) -> object:
    from collections.abc import Mapping

    if not isinstance(tls, Mapping):
        return tls
    return {
        name: bytes(value).decode("latin-1") if isinstance(value, (bytes, bytearray)) else value
        for name, value in tls.items()  # pyright: ignore[reportUnknownVariableType]
    }


def _pairs_in(part: Mapping[str, Any] | None) -> object:
    """Convert iterables of pairs in a request or response to lists."""
    from collections.abc import Mapping

    if not isinstance(part, Mapping):
        return part
    data: dict[str, object] = dict(part)
    for name in ("query", "headers"):
        if name in data:
            data[name] = pairs_data(data[name])
    return data


def _part_data(part: Mapping[str, Any]) -> object:
    """Convert a request or response, including bodies that JSON cannot represent, for the core."""
    data = _pairs_in(part)
    if not isinstance(data, dict):
        return data
    members = cast("dict[str, Any]", data)
    bodies = {name: members.pop(name) for name in ("body", "binary_body", "xml_body") if name in members}
    created = _part(
        "interaction", None, bodies.get("body", UNSET), bodies.get("binary_body"), bodies.get("xml_body"), None
    )
    for name in ("body", "binary_body", "xml_body"):
        value = created[name]
        if value is not None and value is not UNSET or (name == "body" and "body" in bodies and value is None):
            members[name] = value
    return members
